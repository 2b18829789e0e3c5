/* A device that is no device: it grips at a point, pulls sideways by 2 cm and back every two seconds, at 1 kHz, and prints
 * what it felt and how long answers took. Over TCP it is the host of a device on another computer.
 *
 *   cc -O2 -o example example.c -lm && pliant live devices/still.toml --devices 9000 &
 *   ./example udp 127.0.0.1 9000 0 0.1 0 0.2 5
 *
 * In a program for OpenHaptics or CHAI3D the loop below is the servo callback: the pose comes from the device, and the
 * force goes to it, the latest one at every beat whether or not a new one has come. */
#define _POSIX_C_SOURCE 200809L
#include "pliant_device.h"
#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **words) {
  if (count != 9 || (strcmp(words[1], "udp") != 0 && strcmp(words[1], "tcp") != 0)) {
    fprintf(stderr, "usage: %s udp|tcp ADDRESS PORT HAND X Y Z SECONDS\n", words[0]);
    return 2;
  }
  int tcp = strcmp(words[1], "tcp") == 0, one = 1;
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[3]))};
  inet_pton(AF_INET, words[2], &server.sin_addr);
  int link = socket(AF_INET, tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
  if (link < 0 || connect(link, (struct sockaddr *)&server, sizeof server) != 0) {
    perror("socket");
    return 1;
  }
  if (tcp) setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  int beats = (int)(atof(words[8]) * 1000), answers = 0, held = 0;
  double *took = malloc(sizeof(double) * (size_t)(beats + 1)), strongest = 0, given[3] = {0, 0, 0};
  uint64_t beat = now(), heard = beat;
  uint8_t answer[PLIANT_PACKET + 1];
  size_t have = 0; /* bytes of the next answer that have come: TCP may cut packets anywhere */
  for (int n = 1; n <= beats; n++) {
    pliant_pose pose = {.hand = (uint8_t)atoi(words[4]), .pressed = 1, .sequence = (uint32_t)n, .stamp = now(), .turn = {1, 0, 0, 0}};
    for (int i = 0; i < 3; i++) pose.position[i] = atof(words[5 + i]);
    pose.position[1] += 0.01 * (1 - cos(PI * n / 1000.0));
    uint8_t packet[PLIANT_PACKET];
    pliant_pack(&pose, packet);
    if (send(link, packet, sizeof packet, MSG_NOSIGNAL) < 0 && tcp) break;

    beat += 1000000;
    struct timespec until = {(time_t)(beat / 1000000000u), (long)(beat % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);

    pliant_wrench wrench;
    ssize_t length;
    while ((length = recv(link, answer + have, tcp ? PLIANT_PACKET - have : sizeof answer, MSG_DONTWAIT)) > 0) {
      have += (size_t)length;
      if (tcp && have < PLIANT_PACKET) continue;
      int whole = pliant_unpack(answer, (int)have, &wrench);
      have = 0;
      if (!whole) continue;
      heard = now();
      held |= wrench.holds;
      memcpy(given, wrench.force, sizeof given);
      if (answers < beats) took[answers++] = (double)(heard - wrench.stamp) * 1e-3;
    }
    /* silence: nobody but the device itself can let go then */
    if (now() - heard > 10000000u) given[0] = given[1] = given[2] = 0;
    double force = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
    if (force > strongest) strongest = force;
    /* here a device would be told: set_force(given) */
  }
  close(link);
  if (answers == 0) {
    fprintf(stderr, "nobody answers at port %s\n", words[3]);
    return 1;
  }
  qsort(took, (size_t)answers, sizeof(double), ascending);
  printf("hand %s, %s: %d poses, %d wrenches, answered within %.0f us (median), strongest force %.3f N, %s\n", words[4],
         words[1], beats, answers, took[answers / 2], strongest, held ? "held the rod" : "held nothing");
  free(took);
  return 0;
}
