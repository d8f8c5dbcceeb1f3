// lib/base/block.h: one allocation per workspace, with a layout that is written once.
//
// A lay_out function runs twice: first it counts bytes, then it sets the pointers. The workspace
// struct is the first item of its own block, so that `dm_block_free(w)` frees it.
//
//   static void lay_out(void *self, dm_block *b) {
//     dm_del *w = self;
//     w->f = dm_block_alloc(b, (size_t)w->n, sizeof *w->f);
//   }
//
//   dm_del sizes = {.n = n, ...};                              // everything that lay_out reads
//   dm_del *w = dm_block_make(&sizes, sizeof sizes, lay_out);  // a copy with its arrays, all zero
//   if (!w) return DM_NO_MEMORY;
#ifndef DM_BASE_BLOCK_H
#define DM_BASE_BLOCK_H
#include "lib/base/status.h"

#include <stddef.h>
#include <string.h>

typedef struct dm_block {
  char *base;   // NULL while counting
  size_t used;  // bytes taken so far
  size_t limit; // bytes allocated
} dm_block;

// Reserve count items of size bytes at the next 64-byte boundary; returns NULL during counting.
static inline void *dm_block_alloc(dm_block *b, size_t count, size_t size) {
  size_t at = (b->used + 63) & ~(size_t)63;
  b->used = at + count * size;
  return b->base ? b->base + at : NULL;
}

// Allocate the counted bytes, zeroed and aligned to 64 bytes, and start the second pass. Returns
// DM_OK or DM_NO_MEMORY. This is the only allocation in lib.
dm_status dm_block_new(dm_block *b);

// Make a workspace: count with a struct whose sizes are set (`sizes`, of `size` bytes), allocate,
// copy the struct to the front, and set its array pointers; the arrays are zeroed. lay_out must
// only read sizes from the struct and reserve memory, as it runs twice. Returns the workspace, to
// be freed by dm_block_free, or NULL if out of memory.
static inline void *dm_block_make(void *sizes, size_t size,
                                  void (*lay_out)(void *self, dm_block *b)) {
  dm_block b = {0};
  dm_block_alloc(&b, size, 1);
  lay_out(sizes, &b);
  if (dm_block_new(&b) != DM_OK) return NULL;
  void *self = dm_block_alloc(&b, size, 1);
  memcpy(self, sizes, size);
  lay_out(self, &b);
  return self;
}

// Free a block by its first item; accepts NULL.
void dm_block_free(void *first);
#endif
