/* A haptic device of `pliant live`: a pose out, a wrench in, 88 bytes each, over UDP or TCP.
 *
 * Paste into the servo loop of any device: every millisecond send pliant_pose with what the device measures, and take
 * the newest pliant_wrench that has come. If none has come for 10 ms, the force must go to zero: nobody else can do that
 * for you when the network is cut. Copyright notice of the project: MIT or Apache-2.0, as you like.
 *
 * Bytes (little-endian): 0 kind "PLDp" or "PLDw", 4 version 2, 5 hand, 6 flags or state, 7 zero or 1 for a hand that
 * holds something, 8 sequence u32, 12 time stamp u64 [ns], 20 eight f64, 84 CRC-32 of what stands before.
 * Numbers of a pose: x y z [m], quaternion w x y z, 0. Of a wrench: force [N], torque [N m], 0, 0. World axes.
 */
#ifndef PLIANT_DEVICE_H
#define PLIANT_DEVICE_H

#include <stdint.h>
#include <string.h>

#define PLIANT_PACKET 88

typedef struct {
  uint8_t hand;        /* 0 or 1 */
  uint8_t pressed;     /* the grip button */
  uint8_t turns;       /* whether the orientation is to be held and felt */
  uint32_t sequence;   /* grows by one with each packet */
  uint64_t stamp;      /* your clock [ns]: it comes back with the wrench */
  double position[3];  /* [m] */
  double turn[4];      /* unit quaternion w x y z */
} pliant_pose;

typedef struct {
  uint8_t hand;
  uint8_t state;       /* 0 ok, 1 limited, 2 your packets have stopped, 3 the world stands still, 4 no hand moves like that */
  uint8_t holds;       /* whether the hand holds something */
  uint32_t sequence;   /* of the pose that it answers */
  uint64_t stamp;      /* of that pose */
  double force[3];     /* on the hand [N] */
  double torque[3];    /* on the hand [N m] */
} pliant_wrench;

static inline uint32_t pliant_crc(const uint8_t *bytes, int count) {
  uint32_t sum = 0xFFFFFFFFu;
  for (int i = 0; i < count; i++) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ ((sum & 1) ? 0xEDB88320u : 0);
  }
  return ~sum;
}

static inline void pliant_put(uint8_t *to, uint64_t value, int count) {
  for (int i = 0; i < count; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t pliant_get(const uint8_t *from, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value |= (uint64_t)from[i] << (8 * i);
  return value;
}

static inline void pliant_pack(const pliant_pose *pose, uint8_t packet[PLIANT_PACKET]) {
  memset(packet, 0, PLIANT_PACKET);
  memcpy(packet, "PLDp", 4);
  packet[4] = 2;
  packet[5] = pose->hand;
  packet[6] = (uint8_t)((pose->pressed ? 1 : 0) | (pose->turns ? 2 : 0));
  pliant_put(packet + 8, pose->sequence, 4);
  pliant_put(packet + 12, pose->stamp, 8);
  for (int i = 0; i < 7; i++) {
    uint64_t bits;
    memcpy(&bits, i < 3 ? &pose->position[i] : &pose->turn[i - 3], 8);
    pliant_put(packet + 20 + 8 * i, bits, 8);
  }
  pliant_put(packet + 84, pliant_crc(packet, 84), 4);
}

/* 1 if the packet is a whole wrench, 0 for anything else. */
static inline int pliant_unpack(const uint8_t *packet, int length, pliant_wrench *wrench) {
  if (length != PLIANT_PACKET || memcmp(packet, "PLDw", 4) != 0 || packet[4] != 2) return 0;
  if (pliant_get(packet + 84, 4) != pliant_crc(packet, 84)) return 0;
  wrench->hand = packet[5];
  wrench->state = packet[6];
  wrench->holds = packet[7];
  wrench->sequence = (uint32_t)pliant_get(packet + 8, 4);
  wrench->stamp = pliant_get(packet + 12, 8);
  for (int i = 0; i < 6; i++) {
    uint64_t bits = pliant_get(packet + 20 + 8 * i, 8);
    memcpy(i < 3 ? &wrench->force[i] : &wrench->torque[i - 3], &bits, 8);
  }
  return 1;
}

#endif
