// lib/base/random.h: random numbers by counter: number i of stream s is a function of (seed, s, i)
// alone, so that it does not depend on who draws it, nor on what was drawn before.
//
// Source: the finalizer of splitmix64, [steele-2014] in docs/sources.md; Box and Muller's pairs.
#ifndef DM_BASE_RANDOM_H
#define DM_BASE_RANDOM_H
#include <stdint.h>

// Uniform in [-1,1).
double dm_random_uniform(uint64_t seed, int s, uint64_t i);

// Normal, of mean 0 and variance 1; independent of the uniform ones with i below 2^32.
double dm_random_normal(uint64_t seed, int s, uint64_t i);
#endif
