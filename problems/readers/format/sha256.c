#include "problems/readers/format/sha256.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// from this many bytes on, check for hardware instructions
enum { LONG = 1 << 14 };

#if defined DM_X86_LANES && defined __GNUC__
#define SHA_HARDWARE
#include <cpuid.h>
#include <immintrin.h>
#endif

static uint32_t rotate_right(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

// the first 32 bits of the fraction of x
static uint32_t fraction_bits(double x) {
  return (uint32_t)((x - floor(x)) * 4294967296.0);
}

// one round: T1 = h + Sigma1(e) + Ch(e,f,g) + K + W, T2 = Sigma0(a) + Maj(a,b,c); updates d and h,
// which the standard then renames e and a
static inline void mix_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
                             uint32_t f, uint32_t g, uint32_t *h, uint32_t kw) {
  uint32_t t1 = *h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                (g ^ (e & (f ^ g))) + kw;
  *d += t1;
  *h = t1 + (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
       ((a & b) | (c & (a | b)));
}

static void mix_plainly(pb_sha256 *s, const unsigned char *block) {
  uint32_t w[64];

  // message schedule, 6.2.2 step 1: the block's 16 words, big-endian,
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];

  // and 48 more words by sigma0 and sigma1
  for (int i = 16; i < 64; i++) {
    uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + w[i - 7] +
           (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
  }
  for (int i = 0; i < 64; i++) w[i] += s->k[i];

  // steps 2 and 3: 64 rounds, rotating the working variables
  uint32_t *v = s->state;
  uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
  for (int i = 0; i < 64; i += 8) {
    mix_round(a, b, c, &d, e, f, g, &h, w[i]);
    mix_round(h, a, b, &c, d, e, f, &g, w[i + 1]);
    mix_round(g, h, a, &b, c, d, e, &f, w[i + 2]);
    mix_round(f, g, h, &a, b, c, d, &e, w[i + 3]);
    mix_round(e, f, g, &h, a, b, c, &d, w[i + 4]);
    mix_round(d, e, f, &g, h, a, b, &c, w[i + 5]);
    mix_round(c, d, e, &f, g, h, a, &b, w[i + 6]);
    mix_round(b, c, d, &e, f, g, h, &a, w[i + 7]);
  }

  // step 4
  const uint32_t end[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) v[i] += end[i];
}

#ifdef SHA_HARDWARE
// CPUID leaf 7, EBX bit 29: SHA instructions; leaf 1, ECX bit 19: shuffles and blends (SSE4.1)
static bool has_hardware(void) {
  unsigned a, b, c, d, b7, c7;
  return __get_cpuid(1, &a, &b, &c, &d) && c >> 19 & 1 &&
         __get_cpuid_count(7, 0, &a, &b7, &c7, &d) && b7 >> 29 & 1;
}

// The same with vectors of four words, the first one lowest. The instructions expect the state as
// (f,e,b,a) and (h,g,d,c) and do two rounds at a time; w_i..w_i+3 follow from the previous sixteen.
__attribute__((target("sha,sse4.1"))) static void mix_by_hardware(pb_sha256 *s,
                                                                  const unsigned char *block) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i w[4];

  // reorder (a,b,c,d), (e,f,g,h)
  __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)s->state), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(s->state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8), cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
  const __m128i abef0 = abef, cdgh0 = cdgh;

  for (int i = 0; i < 16; i++) {
    // step 1: the words of the block, big-endian; then w + sigma0, + the words seven back, + sigma1
    __m128i *now = &w[i % 4], before = w[(i + 3) % 4];
    if (i < 4) {
      *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), swap);
    } else {
      const __m128i seven = _mm_alignr_epi8(before, w[(i + 2) % 4], 4);
      *now = _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) % 4]), seven);
      *now = _mm_sha256msg2_epu32(*now, before);
    }

    // step 3: two rounds with the lower words of w + k, two with the upper
    const __m128i kw = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(s->k + 4 * i)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, kw);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(kw, 0x0e));
  }

  // step 4, and restore the order
  abef = _mm_shuffle_epi32(_mm_add_epi32(abef, abef0), 0x1b);
  cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh0), 0xb1);
  _mm_storeu_si128((__m128i *)s->state, _mm_blend_epi16(abef, cdgh, 0xf0));
  _mm_storeu_si128((__m128i *)(s->state + 4), _mm_alignr_epi8(cdgh, abef, 8));
}
#else
static bool has_hardware(void) {
  return false;
}

static void mix_by_hardware(pb_sha256 *s, const unsigned char *block) {
  mix_plainly(s, block);
}
#endif

void pb_sha256_init(pb_sha256 *s) {
  // constants of the standard from the first 64 primes: cube roots (k) and square roots of the first
  // eight (start)
  int n = 0;
  for (int p = 2; n < 64; p++) {
    // a prime has no divisor d with d^2 <= p
    int d = 2;
    while (d * d <= p && p % d) d++;
    if (d * d <= p) continue;
    s->k[n] = fraction_bits(cbrt(p));
    if (n < 8) s->state[n] = fraction_bits(sqrt(p));
    n++;
  }

  s->length = 0;
  s->way = PB_SHA256_SHORT;
}

void pb_sha256_hasten(pb_sha256 *s) {
  s->way = has_hardware() ? PB_SHA256_HARDWARE : PB_SHA256_PLAIN;
}

void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n) {
  const unsigned char *from = bytes;
  while (n > 0) {
    // a whole block directly; otherwise fill the partial block and process it when full
    size_t at = s->length % 64;
    size_t part = n < 64 - at ? n : 64 - at;
    if (part < 64) memcpy(s->block + at, from, part);
    if (at + part == 64) {
      const unsigned char *block = part < 64 ? s->block : from;
      if (s->way == PB_SHA256_SHORT && s->length >= LONG) pb_sha256_hasten(s);
      if (s->way == PB_SHA256_HARDWARE)
        mix_by_hardware(s, block);
      else
        mix_plainly(s, block);
    }
    s->length += part;
    from += part;
    n -= part;
  }
}

void pb_sha256_text(pb_sha256 *s, char text[65]) {
  // padding: a one bit, zeros, and the length in bits
  uint64_t bits = 8 * s->length;
  unsigned char end[72] = {0x80};
  size_t fill = 1 + (119 - s->length % 64) % 64;
  for (int i = 0; i < 8; i++) end[fill + i] = (unsigned char)(bits >> (56 - 8 * i));
  pb_sha256_add(s, end, fill + 8);
  for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", s->state[i]);
}
