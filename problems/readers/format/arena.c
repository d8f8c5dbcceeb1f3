#include "problems/readers/format/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pb_chunk {
  struct pb_chunk *before;
  max_align_t data[];
};

void *pb_arena_alloc(pb_arena *a, size_t count, size_t size) {
  // guard against overflow of count * size
  if (size && count > (SIZE_MAX - sizeof(struct pb_chunk)) / size) return NULL;

  // every item is its own allocation, linked to the previous one
  struct pb_chunk *c = calloc(1, sizeof *c + count * size);
  if (!c) return NULL;
  c->before = a->last;
  a->last = c;
  return c->data;
}

char *pb_copy(pb_arena *a, const char *text, size_t length) {
  char *copy = pb_arena_alloc(a, length + 1, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

void pb_arena_free(pb_arena *a) {
  while (a->last) {
    struct pb_chunk *c = a->last;
    a->last = c->before;
    free(c);
  }
}

dm_status pb_copy_numbers(pb_arena *arena, int n, const double *a, double **out) {
  PB_NEW(arena, *out, n);
  memcpy(*out, a, (size_t)n * sizeof *a);
  return DM_OK;
}

dm_status pb_join_numbers(pb_arena *arena, int n, const double *a, const double *b, double **out) {
  PB_NEW(arena, *out, 2 * n);
  memcpy(*out, a, (size_t)n * sizeof *a);
  memcpy(*out + n, b, (size_t)n * sizeof *b);
  return DM_OK;
}
