// tests/support/counted_block.c: lib/base/block.c for tests, with a count of the blocks in use.
#include "tests/support/counted_block.h"

#include "lib/base/block.h"

#include <stdlib.h>
#include <string.h>

int blocks_in_use = 0;

dm_status dm_block_new(dm_block *b) {
  size_t size = (b->used + 63) & ~(size_t)63;
  b->base = aligned_alloc(64, size ? size : 64);
  if (!b->base) return DM_NO_MEMORY;
  memset(b->base, 0, size);
  b->limit = size;
  b->used = 0;
  blocks_in_use++;
  return DM_OK;
}

void dm_block_free(void *first) {
  if (first) blocks_in_use--;
  free(first);
}
