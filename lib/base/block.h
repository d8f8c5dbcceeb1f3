// lib/base/block.h: one allocation for a workspace, its layout written once.
//
// A lay_out function runs twice: on an empty block it counts, on an allocated one it points. The
// workspace struct is the first item of its own block, so that freeing it is `dm_block_free(w)`.
//
//   static void lay_out(dm_del *w, dm_block *b) { w->f = dm_take(b, n, sizeof *w->f); ... }
//
//   dm_block b = {0};
//   dm_del *w = dm_take(&b, 1, sizeof *w), count = {sizes};   // w is NULL here
//   lay_out(&count, &b);
//   DM_TRY(dm_block_new(&b));
//   w = dm_take(&b, 1, sizeof *w), *w = count, lay_out(w, &b);
#ifndef DM_BASE_BLOCK_H
#define DM_BASE_BLOCK_H
#include "lib/base/status.h"

#include <stddef.h>

typedef struct dm_block {
  char *base;   // NULL while counting
  size_t used;  // bytes taken so far
  size_t limit; // bytes allocated
} dm_block;

// Take count items of size bytes at the next 64-byte boundary; NULL on a counting pass.
static inline void *dm_take(dm_block *b, size_t count, size_t size) {
  size_t at = (b->used + 63) & ~(size_t)63;
  b->used = at + count * size;
  return b->base ? b->base + at : NULL;
}

// Allocate what was counted, zeroed and aligned to 64 bytes, and start the pointing pass.
// Returns DM_OK or DM_NO_MEMORY. The only allocation in lib.
dm_status dm_block_new(dm_block *b);

// Free a block by its first item; NULL is accepted.
void dm_block_free(void *first);
#endif
