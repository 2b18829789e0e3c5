/* A device that is no device: it grips at a point, pulls sideways by 2 cm and back every two seconds, at 1 kHz, and prints
 * what it felt and how long answers took.
 *
 *   cc -O2 -o example example.c -lm && pliant live devices/still.toml --devices 9000 & ./example 9000 0.1 0 0.2 5
 *
 * In a program for OpenHaptics or CHAI3D the loop below is the servo callback: the pose comes from the device, and the
 * force goes to it. */
#define _POSIX_C_SOURCE 200809L
#include "pliant_device.h"
#include <arpa/inet.h>
#include <math.h>
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
  if (count != 6) {
    fprintf(stderr, "usage: %s PORT X Y Z SECONDS\n", words[0]);
    return 2;
  }
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  int link = socket(AF_INET, SOCK_DGRAM, 0);
  if (link < 0 || connect(link, (struct sockaddr *)&server, sizeof server) != 0) {
    perror("socket");
    return 1;
  }
  int beats = (int)(atof(words[5]) * 1000), answers = 0;
  double *took = malloc(sizeof(double) * (size_t)(beats + 1)), strongest = 0, given[3] = {0, 0, 0};
  uint64_t beat = now(), heard = beat;
  for (int n = 1; n <= beats; n++) {
    pliant_pose pose = {.hand = 0, .pressed = 1, .sequence = (uint32_t)n, .stamp = now(), .turn = {1, 0, 0, 0}};
    for (int i = 0; i < 3; i++) pose.position[i] = atof(words[2 + i]);
    pose.position[1] += 0.01 * (1 - cos(PI * n / 1000.0));
    uint8_t packet[PLIANT_PACKET];
    pliant_pack(&pose, packet);
    send(link, packet, sizeof packet, 0);

    beat += 1000000;
    struct timespec until = {(time_t)(beat / 1000000000u), (long)(beat % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);

    uint8_t answer[PLIANT_PACKET + 1];
    pliant_wrench wrench;
    ssize_t length;
    while ((length = recv(link, answer, sizeof answer, MSG_DONTWAIT)) > 0) {
      if (!pliant_unpack(answer, (int)length, &wrench)) continue;
      heard = now();
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
    fprintf(stderr, "nobody answers at port %s\n", words[1]);
    return 1;
  }
  qsort(took, (size_t)answers, sizeof(double), ascending);
  printf("%d poses, %d wrenches, answered within %.0f us (median), strongest force %.3f N\n", beats, answers,
         took[answers / 2], strongest);
  free(took);
  return 0;
}
