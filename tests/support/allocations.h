// tests/support/allocations.h: counts allocations, for programs whose allocator the linker wraps
// (meson.build).
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H
#include <stddef.h>

// number of allocator calls in this program, our own included; which call fails, from 1 (0: none)
static int allocations, failing_allocation;
#define WRAP(name, params, args)                                                                   \
  void *__real_##name params;                                                                      \
  void *__wrap_##name params;                                                                      \
  void *__wrap_##name params {                                                                     \
    allocations++;                                                                                 \
    if (failing_allocation > 0 && --failing_allocation == 0) return NULL;                          \
    return __real_##name args;                                                                     \
  }
WRAP(malloc, (size_t a), (a))
WRAP(calloc, (size_t a, size_t b), (a, b))
WRAP(realloc, (void *p, size_t a), (p, a))
WRAP(aligned_alloc, (size_t a, size_t b), (a, b))
#endif
