// lib/mechanics/output_map.h: outputs y(q,v,u) composed of signals s(q) and their rates s' = s_q v.
// Each row is a sum of terms psi(s, s') of a few signals:
//
//   value  w s_a                         the position of a tool, a distance
//   rate   w s_a'                        a velocity, a momentum
//   speed  w |(s_a', s_b', s_c')|        the norm of a velocity; not smooth at rest
//   sweep  w (s_a s_b' - s_b s_a')       a component of s x s', for angular velocities and momenta
//   input  w u_a                         a force or torque
//   power  w u_a s_b'                    its power
//   contact impulse  w F_a               of row a of the contacts (lib/mechanics/contact_laws.h)
//   contact force    w F_a / h           the same over the time h of its knot
//
// Rows with the last four kinds are driven: they are not functions of a state. The functions below
// skip them; lib/mechanics/driven_output.h evaluates those of a step with constant inputs, and
// lib/mechanics/contact_output.h those of the impulses at a knot.
//
// Instead of a sum, a row may be a formula f of other rows (lib/base/tape.h). Its derivatives follow by
// the chain rule, and it is driven if one of its rows is:
//
//   y_x = sum_a f_a y_a,x     y_xx = sum_ab f_ab y_a,x y_b,x' + sum_a f_a y_a,xx
//
// With sigma = (s, s') and the derivatives of the signals
//
//   s'_q = s_qq v    s'_v = s_q    s'_qq = s_qqq v    s'_qv = s_qq
//
// the chain rule gives y_q and y_v and the second derivatives. Signals have the interface of
// constraints (lib/mechanics/holonomic.h): those of a tree (lib/multibody/output.h), or
// user-defined C functions.
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_OUTPUT_MAP_H
#define DM_MECHANICS_OUTPUT_MAP_H
#include "lib/base/tape.h"
#include "lib/mechanics/function.h"
#include "lib/mechanics/holonomic.h"

#include <stdbool.h>

DM_BEGIN_C

typedef enum dm_term_kind {
  DM_TERM_VALUE,
  DM_TERM_RATE,
  DM_TERM_SPEED,
  DM_TERM_SWEEP,
  DM_TERM_INPUT,
  DM_TERM_POWER,
  DM_TERM_CONTACT_IMPULSE,
  DM_TERM_CONTACT_FORCE,
  DM_TERM_CONTACT_RATE,
} dm_term_kind;

typedef struct dm_output_term {
  dm_term_kind kind;
  int signal[3]; // a, b, c: as many as the kind requires
  double weight;
  int input; // of input and power; of the kinds of contacts: the row
} dm_output_term;

// The number of signals of a term.
int dm_output_term_signals(const dm_output_term *t);

// Variable i of f is row row[i]: a sum, or a formula before this one. Those of contacts cannot be used.
typedef struct dm_output_formula {
  dm_tape f;
  const int *row; // [f.nx]
} dm_output_formula;

// Rows y [ny] of q [n] and v [n].
typedef struct dm_output_map {
  dm_holonomic s;   // the signals; rates need `directional`
  int n, ny;        // ny 0: no outputs
  const int *first; // [ny+1] index of the first term of a row; NULL: y = s
  const dm_output_term *term;
  const char *const *name; // [ny] for messages; NULL: names of the signals
  const dm_output_formula *const *formula; // [ny] NULL: a sum of terms; NULL: all are
  bool rated;                              // does a row depend on v?
  bool mixed;                              // is a formula driven?
  size_t scratch;          // bytes of scratch, aligned to 64, that the caller provides
  size_t kept;             // bytes at the start of the scratch that store q, as in dm_holonomic
} dm_output_map;

// The signals themselves, y = s, for n coordinates.
dm_output_map dm_output_map_of(dm_holonomic s, int n);

// Rows composed of signals; the arrays are borrowed.
dm_output_map dm_output_map_new(dm_holonomic s, int n, int ny, const int *first,
                                const dm_output_term *term, const char *const *name);

// Make some rows formulas, which must not have terms; m must have terms. Borrowed.
void dm_output_map_compose(dm_output_map *m, const dm_output_formula *const *formula);

// Return true if row i depends on v; if it is driven; if it is of impulses of contacts, and so driven;
// if it is of their changes from knot to knot; if coordinate j or its velocity may affect it.
bool dm_output_map_is_rated(const dm_output_map *m, int i);
bool dm_output_map_is_driven(const dm_output_map *m, int i);
bool dm_output_map_is_contact(const dm_output_map *m, int i);
bool dm_output_map_is_contact_rate(const dm_output_map *m, int i);
bool dm_output_map_moves(const dm_output_map *m, int i, int j);

const char *dm_output_map_name(const dm_output_map *m, int i);

// Write y [ny]; if y_q is not NULL its derivatives y_q [ny x n], and if y_v is not NULL y_v [ny x
// n]. Driven rows and their derivatives are NAN; with v NULL, rows that depend on v are NAN as
// well. Returns DM_OK; DM_NOT_FINITE if another row has no value or no derivative (it is NAN, all
// others are correct); or the status of the signals. The derivative of a zero speed is set to zero.
// No allocation.
dm_status dm_output_map_eval(const dm_output_map *m, void *scratch, const double *q,
                             const double *v, double *y, double *y_q, double *y_v);

// Add sum_i lambda_i y_i'', lambda [ny] with 0 for driven rows, to H_qq, H_qv (rows q) and H_vv,
// all [n x n]; the last two may be NULL if no row with nonzero lambda depends on v. q may be NULL
// if `kept` is not 0: the position stored in the kept bytes of the scratch is then used. Returns
// DM_OK, DM_NOT_FINITE or the status of the signals. No allocation.
dm_status dm_output_map_contract(const dm_output_map *m, void *scratch, const double *q,
                                 const double *v, const double *lambda, double *H_qq, double *H_qv,
                                 double *H_vv);

// The rows as a function of (q, v); driven rows are NAN, like rows that depend on v if v[0] is NAN. The
// map is borrowed.
dm_function dm_output_map_function(const dm_output_map *m);

DM_END_C
#endif
