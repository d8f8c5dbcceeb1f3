// optim/rows/rows.h: the rows of a program: one table of their kinds, and one list of entries in row order
// (oc_rows in layout.h). Evaluation, derivatives, bounds, names, scales and the transfer to another grid
// iterate over them. A new kind is one file and one row of the table.
#ifndef OC_ROWS_ROWS_H
#define OC_ROWS_ROWS_H
#include "optim/rows/layout.h"

DM_BEGIN_C

// A row in words: "motion of pole" at a knot (-1: none). `what` gives the unit: coordinate `entry` ('q'), its
// speed ('v') or momentum ('p'), input `entry` ('u') or output `entry` ('y'); 0: another unit.
typedef struct oc_row {
  char text[160];
  int knot;
  char what;
  int entry;
} oc_row;

// A kind of rows. Unneeded functions are NULL: bounds are then 0, or the entries are put together with those
// of another kind (the rows of motion put the constraints and velocities of a knot, path constraints those of
// outputs and curves). No
// function does anything if there are no rows of the kind, and none allocates.
typedef struct oc_row_kind {
  // describe row i of a place: set the text, the unit and the entry in out
  void (*describe)(const oc_transcription *t, const oc_rows *r, int i, oc_row *out);
  // bounds of the rows into t->g_min, t->g_max, and of the kind's own unknowns into t->x_min, t->x_max
  void (*bound)(oc_transcription *t, oc_rows_kind kind);
  // after all bounds: free the rows whose unknowns are all given, because solvers cannot determine their
  // multipliers, and those that repeat others. Returns DM_OK, DM_BAD_INPUT with a sentence in msg if a given value
  // contradicts a row, or another negative status
  dm_status (*settle)(oc_transcription *t, dm_message *msg);
  // values at x [nlp.n] into g [nlp.m], after the Jacobian was evaluated there
  void (*evaluate)(const oc_transcription *t, oc_rows_kind kind, const double *x, double *g);
  // entries of the Jacobian; if s->val is NULL, x is not read
  dm_status (*put)(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);
  // entries of sigma times the Hessian of its costs and of lambda [nlp.m] times its rows, lower triangle
  dm_status (*put_hessian)(oc_transcription *t, oc_rows_kind kind, const double *x, double sigma,
                           const double *lambda, oc_triplets *s);
} oc_row_kind;

extern const oc_row_kind oc_row_kinds[OC_ROW_KINDS];

// The list of a task's rows, in order, into out (NULL: only count); *n is the number of entries. The sizes of
// t must be set. Returns the number of rows.
int oc_rows_list(const oc_transcription *t, oc_rows *out, int *n);

// The unknowns of a program in the order of layout.h.
void oc_unknowns_list(const oc_transcription *t, oc_series out[OC_UNKNOWN_KINDS]);

// Row `row` of the program in words. The second function has the signature of oc_nlp.row_name.
oc_row oc_transcription_row(const oc_transcription *t, int row);
void oc_row_name(void *self, int row, char *text, size_t size, int *knot);

DM_END_C
#endif
