#include "lib/base/sparse_rows.h"

#include "lib/base/block.h"

void dm_sparse_rows_lay_out(dm_sparse_rows *x, struct dm_block *b, int n, size_t most,
                            size_t entries) {
  x->n = n;
  x->start = dm_block_alloc(b, most + 1, sizeof *x->start);
  x->col = dm_block_alloc(b, entries, sizeof *x->col);
  x->value = dm_block_alloc(b, entries, sizeof *x->value);
}
