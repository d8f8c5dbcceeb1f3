// optim/nlp/cholmod.h: sparse symmetric systems by CHOLMOD's simplicial L D L' in the given order, or
// for positive definite matrices by its supernodal L L'. Only cholmod.c calls CHOLMOD.
//
// There is no pivoting: the order must prevent zero pivots (usually the order of time). The signs
// of D give the inertia.
#ifndef OC_NLP_CHOLMOD_H
#define OC_NLP_CHOLMOD_H
#include "lib/base/status.h"

typedef struct oc_cholmod oc_cholmod;

// Analyze the pattern of an n x n matrix given by the nnz entries of its lower triangle (col <=
// row); duplicate entries are summed. Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE (built without
// CHOLMOD).
dm_status oc_cholmod_new(oc_cholmod **out, int n, int nnz, const int *row, const int *col);
// The same for positive definite matrices: dense blocks of columns, by BLAS.
dm_status oc_cholmod_new_supernodal(oc_cholmod **out, int n, int nnz, const int *row,
                                    const int *col);
void oc_cholmod_free(oc_cholmod *w);

// Factor the matrix with values val [nnz] in the order of oc_cholmod_new.
//   negative  out: number of negative entries of D; 0 if supernodal
// Returns DM_OK, DM_SINGULAR if a pivot is zero (supernodal: not positive), DM_NOT_FINITE, DM_NO_MEMORY.
dm_status oc_cholmod_factor(oc_cholmod *w, const double *val, int *negative);

// Solve in place, b [n], with one step of refinement. Returns DM_OK, DM_NO_MEMORY, DM_NOT_FINITE.
dm_status oc_cholmod_solve(oc_cholmod *w, double *b);
#endif
