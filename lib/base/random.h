// lib/base/random.h: counter-based random numbers: number i of stream s is a function of (seed, s,
// i) only, independent of the caller and of previous draws.
//
// Source: the finalizer of splitmix64, [steele-2014] in docs/sources.md; Box-Muller transform.
#ifndef DM_BASE_RANDOM_H
#define DM_BASE_RANDOM_H
#include <stdint.h>

// Uniform in [-1,1).
double dm_random_uniform(uint64_t seed, int s, uint64_t i);

// Normal with mean 0 and variance 1; independent of the uniform numbers with i < 2^32.
double dm_random_normal(uint64_t seed, int s, uint64_t i);
#endif
