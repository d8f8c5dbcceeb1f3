#include "lib/base/random.h"

#include <math.h>

// hash a counter to random bits
static uint64_t mix_bits(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// 53 bits of draw i, in [0,1)
static double draw_fraction(uint64_t seed, int s, uint64_t i) {
  return (double)(mix_bits(mix_bits(mix_bits(seed) + (uint64_t)s) + i) >> 11) * 0x1p-53;
}

double dm_random_uniform(uint64_t seed, int s, uint64_t i) {
  return 2 * draw_fraction(seed, s, i) - 1;
}

double dm_random_normal(uint64_t seed, int s, uint64_t i) {
  const double turn = 6.283185307179586;

  // two draws beyond the range of dm_random_uniform, i < 2^32
  uint64_t at = ((uint64_t)1 << 32) + 2 * i;
  double a = draw_fraction(seed, s, at), b = draw_fraction(seed, s, at + 1);

  // Box-Muller: a Rayleigh radius (1 - a > 0) at a uniform angle
  return sqrt(-2 * log1p(-a)) * cos(turn * b);
}
