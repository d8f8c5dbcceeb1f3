// problems/readers/format/arena.h: memory that a reader takes piece by piece and gives back at
// once.
//
// A file's size is not known before it is read, so that the two passes of lib/base/block.h do not
// serve here. obstacks are glibc's alone and end the program where memory is out; none of the other
// libraries lends its pool.
#ifndef PB_FORMAT_ARENA_H
#define PB_FORMAT_ARENA_H
#include "lib/base/status.h"

#include <stddef.h>

typedef struct pb_arena {
  struct pb_chunk *last; // NULL: empty
} pb_arena;

// Take count zeroed items of size bytes, aligned for any type; NULL where memory is out.
void *pb_arena_alloc(pb_arena *a, size_t count, size_t size);

// Copy length bytes of text and end them by a zero; NULL where memory is out.
char *pb_copy(pb_arena *a, const char *text, size_t length);

// *out = a copy of the n numbers a, or of a [n] and then b [n]. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_copy_numbers(pb_arena *arena, int n, const double *a, double **out);
dm_status pb_join_numbers(pb_arena *arena, int n, const double *a, const double *b, double **out);

// Free all that was taken; the arena is empty again.
void pb_arena_free(pb_arena *a);

// p = count items of what it points to, or return DM_NO_MEMORY.
#define PB_NEW(arena, p, count)                                                                    \
  do {                                                                                             \
    (p) = pb_arena_alloc(arena, (size_t)(count), sizeof *(p));                                     \
    if (!(p)) return DM_NO_MEMORY;                                                                 \
  } while (0)
#endif
