#include "problems/readers/format/sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotate_right(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

// the first 32 bits of the fraction of x
static uint32_t fraction_bits(double x) {
  return (uint32_t)((x - floor(x)) * 4294967296.0);
}

// the standard's constants are roots of the first 64 primes: of the cube roots (k) and, for the
// first eight, of the square roots (start)
static void make_constants(uint32_t k[64], uint32_t start[8]) {
  int n = 0;
  for (int p = 2; n < 64; p++) {
    // a prime is divided by no d with d^2 <= p
    int prime = 1;
    for (int d = 2; d * d <= p; d++) prime = prime && p % d;
    if (!prime) continue;
    k[n] = fraction_bits(cbrt(p));
    if (n < 8) start[n] = fraction_bits(sqrt(p));
    n++;
  }
}

static void mix_block(pb_sha256 *s) {
  uint32_t w[64], v[8];

  // message schedule, 6.2.2 step 1: the block's 16 words, big-endian,
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
           (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];

  // and 48 that follow from them by sigma0 and sigma1
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
  }

  // steps 2 and 3: working variables a .. h = v[0] .. v[7], 64 rounds
  memcpy(v, s->state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t a = v[0], e = v[4];
    // T1 = h + Sigma1(e) + Ch(e,f,g) + K + W, T2 = Sigma0(a) + Maj(a,b,c)
    uint32_t t1 = v[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                  ((e & v[5]) ^ (~e & v[6])) + s->k[i] + w[i];
    uint32_t t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                  ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    // h = g, g = f, .., e = d + T1, .., a = T1 + T2
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }

  // step 4
  for (int i = 0; i < 8; i++) s->state[i] += v[i];
}

void pb_sha256_init(pb_sha256 *s) {
  make_constants(s->k, s->state);
  s->length = 0;
}

void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n) {
  const unsigned char *from = bytes;
  while (n > 0) {
    // what still fits into the block, mixed when it is full
    size_t at = s->length % 64;
    size_t part = n < 64 - at ? n : 64 - at;
    memcpy(s->block + at, from, part);
    s->length += part;
    from += part;
    n -= part;
    if (s->length % 64 == 0) mix_block(s);
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
