#include "lib/base/random.h"

#include <math.h>

// a counter turned into random bits
static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// 53 bits of draw i, in [0,1)
static double fraction(uint64_t seed, int s, uint64_t i) {
  return (double)(mix(mix(mix(seed) + (uint64_t)s) + i) >> 11) * 0x1p-53;
}

double dm_random_uniform(uint64_t seed, int s, uint64_t i) {
  return 2 * fraction(seed, s, i) - 1;
}

double dm_random_normal(uint64_t seed, int s, uint64_t i) {
  const double turn = 6.283185307179586;
  uint64_t at = ((uint64_t)1 << 32) + 2 * i;
  double a = fraction(seed, s, at), b = fraction(seed, s, at + 1);
  return sqrt(-2 * log1p(-a)) * cos(turn * b); // 1 - a is above 0
}
