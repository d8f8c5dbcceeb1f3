// lib/contact/gap_rows.h: gradients of gaps as sparse rows (lib/base/sparse_rows.h).
#ifndef DM_CONTACT_GAP_ROWS_H
#define DM_CONTACT_GAP_ROWS_H
#include "lib/base/sparse_rows.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

// The number of entries of all gradients of gaps by n coordinates.
size_t dm_gap_entries(const dm_unilateral *u, int n);

// Evaluate the gaps g [m] and the rows G of the contacts `which` [m] (NULL: the
// first m) at q. G has space for them.
// Returns the status of the inequalities.
dm_status dm_gap_rows(const dm_unilateral *u, void *scratch, const double *q, int m,
                      const int *which, double *g, dm_sparse_rows *G);

DM_END_C
#endif
