#include "lib/base/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 64 };

// calloc zeroes pages only when they are touched, and many solves leave parts of a workspace
// unused. The address returned by calloc is stored in front of the block.
dm_status dm_block_new(dm_block *b) {
  size_t size = (b->used + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
  char *memory = calloc(1, size + ALIGNED);
  if (!memory) return DM_NO_MEMORY;
  b->base = memory + ALIGNED - (uintptr_t)memory % ALIGNED;
  memcpy(b->base - sizeof memory, &memory, sizeof memory);
  b->limit = size;
  b->used = 0;
  return DM_OK;
}

void dm_block_free(void *first) {
  char *memory;
  if (!first) return;
  memcpy(&memory, (char *)first - sizeof memory, sizeof memory);
  free(memory);
}
