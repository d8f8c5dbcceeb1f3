#include "problems/readers/format/sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t turn(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

// the first 32 bits of the fraction of x
static uint32_t fraction(double x) {
  return (uint32_t)((x - floor(x)) * 4294967296.0);
}

// the standard's constants are roots of the first 64 primes: of the cube roots (k) and, for the
// first eight, of the square roots (start)
static void constants(uint32_t k[64], uint32_t start[8]) {
  int n = 0;
  for (int p = 2; n < 64; p++) {
    int prime = 1;
    for (int d = 2; d * d <= p; d++) prime = prime && p % d;
    if (!prime) continue;
    k[n] = fraction(cbrt(p));
    if (n < 8) start[n] = fraction(sqrt(p));
    n++;
  }
}

static void mix(pb_sha256 *s) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
           (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
           (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
  memcpy(v, s->state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t a = v[0], e = v[4];
    uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                  s->k[i] + w[i];
    uint32_t t2 =
        (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) s->state[i] += v[i];
}

void pb_sha256_init(pb_sha256 *s) {
  constants(s->k, s->state);
  s->length = 0;
}

void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n) {
  const unsigned char *from = bytes;
  while (n > 0) {
    size_t at = s->length % 64, part = n < 64 - at ? n : 64 - at;
    memcpy(s->block + at, from, part);
    s->length += part;
    from += part;
    n -= part;
    if (s->length % 64 == 0) mix(s);
  }
}

void pb_sha256_text(pb_sha256 *s, char text[65]) {
  // a one bit, zeros, and the length in bits fill the last block
  uint64_t bits = 8 * s->length;
  unsigned char end[72] = {0x80};
  size_t fill = 1 + (119 - s->length % 64) % 64;
  for (int i = 0; i < 8; i++) end[fill + i] = (unsigned char)(bits >> (56 - 8 * i));
  pb_sha256_add(s, end, fill + 8);
  for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", s->state[i]);
}
