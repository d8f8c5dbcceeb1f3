// optim/interior/static_factor.h: L D L' of a symmetric matrix once more with the pivots of an earlier
// factorization by optim/nlp/ldl.h, in a pattern that is worked out beforehand: where each product
// goes is looked up, nothing is searched or moved.
//
// Pivots of order 1 and 2 are taken in the recorded order, and each is held against its column in
// the same way; where one has become too small the caller factors anew and records that.
#ifndef OC_INTERIOR_STATIC_FACTOR_H
#define OC_INTERIOR_STATIC_FACTOR_H
#include "lib/base/status.h"

#include <stdbool.h>

typedef struct oc_static_factor {
  int dim, nz;       // unknowns, entries of the matrix
  int blocks;        // pivots; 0: nothing is recorded
  int *block;        // the pivot of each unknown                            [dim]
  int *unknown;      // the first and second unknown of each pivot, -1: none [2 dim]
  int *first;        // where the list of each pivot begins                  [dim + 1]
  long *at;          // where its values begin: D, then its rows of L        [dim + 1]
  long *product;     // where its products' places begin                     [dim + 1]
  int *start;        // entries of each unknown's row, both triangles        [dim + 1]
  int *to;           // [2 nz]
  int *slot;         // scratch: the place of an unknown in a list, or -1    [dim]
  int *child, *next; // scratch: the tree of pivots                      [dim]
  int *place;        // of each entry of the matrix                      [nz]
  // grown as needed
  int *list;    // unknowns that are left by each pivot, in order        [lists]
  int *target;  // the place of each product                             [products]
  double *val;  // [values]
  double *work; // [2 x longest list]
  long lists, products, values;
  long lists_room, products_room, values_room, work_room;
} oc_static_factor;

// Take room for a pattern of nz entries. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_static_factor_new(oc_static_factor **out, int dim, int nz);
void oc_static_factor_free(oc_static_factor *f); // accepts NULL

// Take room beforehand for lists of so many unknowns in all and so many products, so that recording
// does not. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_static_factor_reserve(oc_static_factor *f, double lists, double products);

// Work out the pattern for pivots in this order.
//   row, col  [nz] of one triangle, from 1
//   pivots    unknown by unknown, from 0; order [npivots] how many each takes, 1 or 2
// Returns DM_OK, with f->blocks 0 where the products are too many to be looked up; DM_NO_MEMORY.
dm_status oc_static_factor_record(oc_static_factor *f, const int *row, const int *col, int npivots,
                                  const int *order, const int *pivots);

// Factor a matrix of that pattern; *negative gets the number of negative eigenvalues. Returns DM_OK,
// or DM_SINGULAR where a pivot is below 1e-8 of its column.
dm_status oc_static_factor_run(oc_static_factor *f, const double *a, int *negative);

// Solve in place: x [dim].
void oc_static_factor_solve(const oc_static_factor *f, double *x);
#endif
