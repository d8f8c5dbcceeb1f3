// problems/readers/format/arena.h: memory that a reader allocates piece by piece and frees all at
// once.
//
// The size of a file's data is not known before it is read, so the two passes of lib/base/block.h
// cannot be used. obstacks exist only in glibc and end the program when memory runs out; the other
// libraries do not export their pools.
#ifndef PB_FORMAT_ARENA_H
#define PB_FORMAT_ARENA_H
#include "lib/base/status.h"

#include <stddef.h>

typedef struct pb_arena {
  struct pb_chunk *last; // NULL: empty
} pb_arena;

// Allocate count zeroed items of size bytes, aligned for any type. Returns NULL if out of memory.
void *pb_arena_alloc(pb_arena *a, size_t count, size_t size);

// Copy length bytes of text and terminate them with a zero. Returns NULL if out of memory.
char *pb_copy(pb_arena *a, const char *text, size_t length);

// *out = a copy of the n numbers a, or of a [n] followed by b [n]. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_copy_numbers(pb_arena *arena, int n, const double *a, double **out);
dm_status pb_join_numbers(pb_arena *arena, int n, const double *a, const double *b, double **out);

// Free all allocations; the arena is empty again.
void pb_arena_free(pb_arena *a);

// p = count zeroed items of the type it points to, or return DM_NO_MEMORY.
#define PB_NEW(arena, p, count)                                                                    \
  do {                                                                                             \
    (p) = pb_arena_alloc(arena, (size_t)(count), sizeof *(p));                                     \
    if (!(p)) return DM_NO_MEMORY;                                                                 \
  } while (0)
#endif
