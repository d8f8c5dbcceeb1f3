// lib/mechanics/output_map.h: outputs y(q,v,u) made of signals s(q) and their rates s' = s_q v. Each row
// is a sum of terms psi(s, s') of a few signals:
//
//   value  w s_a                         the place of a tool, a distance
//   rate   w s_a'                        its velocity, a momentum
//   speed  w |(s_a', s_b', s_c')|        how fast it is; not smooth at rest
//   sweep  w (s_a s_b' - s_b s_a')       a component of s x s': angular velocities and momenta
//   input  w u_a                         a force or torque itself
//   power  w u_a s_b'                    what it does
//
// Rows of the last two alone are driven: they are of a step, in which inputs stay, and not of a state;
// the functions below leave them out, and lib/mechanics/driven_output.h has them.
//
// With sigma = (s, s'), whose derivatives are those of the signals,
//
//   s'_q = s_qq v    s'_v = s_q    s'_qq = s_qqq v    s'_qv = s_qq
//
// y_q and y_v follow by the chain rule, and their second derivatives as well. Signals are functions
// with the face of constraints (lib/mechanics/holonomic.h): those of a tree
// (lib/multibody/output.h), or one's own in C.
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_OUTPUT_MAP_H
#define DM_MECHANICS_OUTPUT_MAP_H
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
} dm_term_kind;

typedef struct dm_output_term {
  dm_term_kind kind;
  int signal[3]; // a, b, c: as many as the kind has
  double weight;
  int input; // of an input and its power: which
} dm_output_term;

// How many signals a term has.
int dm_output_term_signals(const dm_output_term *t);

// Rows y [ny] of q [n] and v [n].
typedef struct dm_output_map {
  dm_holonomic s;   // the signals; of rates it needs `directional`
  int n, ny;        // ny 0: there are none
  const int *first; // [ny+1] where the terms of a row begin; NULL: y = s
  const dm_output_term *term;
  const char *const *name; // [ny] for messages; NULL: those of the signals
  bool rated;              // is any row a function of v?
  size_t scratch;          // bytes that each caller lends, aligned to 64
  size_t kept; // of these the first ones, which say where q was, as dm_holonomic has them
} dm_output_map;

// The signals themselves, y = s, of n coordinates.
dm_output_map dm_output_map_of(dm_holonomic s, int n);

// Rows made of signals; the arrays are borrowed.
dm_output_map dm_output_map_new(dm_holonomic s, int n, int ny, const int *first,
                                const dm_output_term *term, const char *const *name);

// Is row i a function of v too? Is it driven? May coordinate j, or its speed, move it?
bool dm_output_map_is_rated(const dm_output_map *m, int i);
bool dm_output_map_is_driven(const dm_output_map *m, int i);
bool dm_output_map_moves(const dm_output_map *m, int i, int j);

const char *dm_output_map_name(const dm_output_map *m, int i);

// y [ny]; where y_q is not NULL its derivatives y_q [ny x n], and, where y_v is not NULL either,
// y_v [ny x n]. Driven rows and their derivatives are NAN; v NULL: those that are functions of it, too.
// Returns DM_OK, DM_NOT_FINITE where another row has no value or no derivative (these are NAN, all
// others as they should be), or what the signals return. A speed of zero has the derivative zero. No allocation.
dm_status dm_output_map_eval(const dm_output_map *m, void *scratch, const double *q,
                             const double *v, double *y, double *y_q, double *y_v);

// Add sum_i lambda_i y_i's second derivatives, lambda [ny], 0 of driven rows, to H_qq, H_qv (rows q) and H_vv, all
// [n x n]; the latter two are NULL where no row of a lambda that is not zero is a function of v. q may be
// NULL where `kept` is not 0: then it is where the bytes kept of the scratch were left. Returns DM_OK,
// DM_NOT_FINITE or what the signals return. No allocation.
dm_status dm_output_map_contract(const dm_output_map *m, void *scratch, const double *q,
                                 const double *v, const double *lambda, double *H_qq, double *H_qv,
                                 double *H_vv);

DM_END_C
#endif
