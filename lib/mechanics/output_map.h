// lib/mechanics/output_map.h: outputs y(q,v,u) composed of signals s(q) and their rates s' = s_q v.
// Each row is a sum of terms psi(s, s') of a few signals:
//
//   value  w s_a                         the position of a tool, a distance
//   rate   w s_a'                        a velocity, a momentum
//   speed  w |(s_a', s_b', s_c')|        the norm of a velocity; not smooth at rest
//   sweep  w (s_a s_b' - s_b s_a')       a component of s x s', for angular velocities and momenta
//   input  w u_a                         a force or torque
//   momentum  w p_a, p = L_v(q,v)        the momentum of a coordinate
//   power  w u_a s_b'                    its power
//   time   w t, w T, w h                 the time since the start, the duration of the motion, of the step
//   lambda w lambda_a                    the impulse of a constraint in a whole step
//   contact impulse  w F_a               of row a of the contacts (lib/mechanics/contact_laws.h)
//   contact force    w F_a / h           the same over the time h of its knot
//
// Rows with an input, a power, a time, lambda or of contacts are driven: they are not functions of a state. The functions below
// skip them; lib/mechanics/driven_output.h evaluates those of a step with constant inputs, and
// lib/mechanics/contact_output.h those of the impulses at a knot.
//
// A row may also be a formula y = f(x) (lib/base/tape.h). Its terms then have a slot each, and variable x_a is
// the sum of the terms of slot a:
//
//   y' = sum_a f_a x_a'     y'' = sum_ab f_ab x_a' x_b'^T + sum_a f_a x_a''
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
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

typedef enum dm_term_kind {
  DM_TERM_VALUE,
  DM_TERM_RATE,
  DM_TERM_SPEED,
  DM_TERM_SWEEP,
  DM_TERM_MOMENTUM,
  DM_TERM_INPUT,
  DM_TERM_POWER,
  DM_TERM_TIME,
  DM_TERM_LAMBDA,
  DM_TERM_CONTACT_IMPULSE,
  DM_TERM_CONTACT_FORCE,
  DM_TERM_CONTACT_RATE,
} dm_term_kind;

typedef struct dm_output_term {
  dm_term_kind kind;
  int signal[3]; // a, b, c: as many as the kind requires
  double weight;
  int input; // of input and power; of a momentum: the coordinate; of lambda and contacts: the row; of a time: 0 t, 1 T,
             // 2 h
  int slot;  // of a formula: the variable that it is a part of; else 0
} dm_output_term;

// The number of signals of a term.
int dm_output_term_signals(const dm_output_term *t);

// Rows y [ny] of q [n] and v [n].
typedef struct dm_output_map {
  dm_holonomic s;   // the signals; rates need `directional`
  int n, ny;        // ny 0: no outputs
  const int *first; // [ny+1] index of the first term of a row; NULL: y = s
  const dm_output_term *term;
  const char *const *name;       // [ny] for messages; NULL: names of the signals
  const dm_tape *const *formula; // [ny] of the slots of a row; NULL: a sum of terms; NULL: all are
  dm_lagrangian L;               // of momenta (dm_output_map_weigh)
  bool rated;                    // does a row depend on v?
  bool timed;                    // does a row depend on t or T?
  bool momenta;                  // does a row depend on momenta?
  int impulses;                  // rows depend on the first of them, 0: on none
  size_t scratch;                // bytes of scratch, aligned to 64, that the caller provides
  size_t kept; // bytes at the start of the scratch that store q, as in dm_holonomic
} dm_output_map;

// The signals themselves, y = s, for n coordinates.
dm_output_map dm_output_map_of(dm_holonomic s, int n);

// Rows composed of signals; the arrays are borrowed.
dm_output_map dm_output_map_new(dm_holonomic s, int n, int ny, const int *first,
                                const dm_output_term *term, const char *const *name);

// Make some rows formulas [ny], of which none has terms of contacts; m must have terms. Borrowed.
void dm_output_map_compose(dm_output_map *m, const dm_tape *const *formula);

// Give the map its L, whose data must outlive it; without one, rows of momenta have no value.
void dm_output_map_weigh(dm_output_map *m, const dm_lagrangian *L);

// The formula of row i; NULL: it is a sum.
const dm_tape *dm_output_map_formula(const dm_output_map *m, int i);

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

// Describe the operation of the formula of row i that has no value, or no derivatives up to `order` <= 2, at an instant
// with q0 = q, q1 = v, as "log(-0.3) at character 5"; scratch as for dm_output_map_eval. Returns false if the row has
// them, or is a sum. No allocation.
bool dm_output_map_fault(const dm_output_map *m, void *scratch, int i, const dm_step *at, int order,
                         char *text, size_t size);

// Add sum_i lambda_i y_i'', lambda [ny] with 0 for driven rows, to H_qq, H_qv (rows q) and H_vv,
// all [n x n]; the last two may be NULL if no row with nonzero lambda depends on v. q may be NULL
// if `kept` is not 0: the position stored in the kept bytes of the scratch is then used. Returns
// DM_OK, DM_NOT_FINITE or the status of the signals. No allocation.
dm_status dm_output_map_contract(const dm_output_map *m, void *scratch, const double *q,
                                 const double *v, const double *lambda, double *H_qq, double *H_qv,
                                 double *H_vv);

// -- parts of rows, for their other arguments (lib/mechanics/driven_output.h)

enum { DM_TERM_SIGNALS = 3 }; // of a term, at most

// A term psi with its derivatives by the signals s, their rates s' and the drive u that it has: its input, time, momentum
// or lambda.
typedef struct dm_term_jet {
  double y;
  double by_s[DM_TERM_SIGNALS], by_rate[DM_TERM_SIGNALS], by_u;
  double by_both[DM_TERM_SIGNALS][DM_TERM_SIGNALS];  // by s_i and s_j'
  double by_rates[DM_TERM_SIGNALS][DM_TERM_SIGNALS]; // by s_i' and s_j'
  double by_u_rate;                                  // by u and s_0'
} dm_term_jet;

// The term at the values s and rates of all signals, and at its drive u; of contacts: NAN.
dm_term_jet dm_output_term_eval(const dm_output_term *t, const double *s, const double *rates,
                                double u);

// The drive of a term in a step or at an instant, with the momenta p [n]; NAN for a momentum if p is NULL; 0 for a term
// without a drive.
double dm_output_term_drive(const dm_output_term *t, const dm_step *at, const double *p);

// The number of slots of row i, >= 1; and the most of all rows.
int dm_output_row_slots(const dm_output_map *m, int i);
int dm_output_most_slots(const dm_output_map *m);

// Row i from the sums x [slots] of its terms, with f_x [slots] and f_xx [slots x slots] if not NULL.
//   room  [dm_output_row_room]
double dm_output_row_eval(const dm_output_map *m, int i, const double *x, double *room, double *f_x,
                          double *f_xx);
size_t dm_output_row_room(const dm_output_map *m);

// The rows as a function of (q, v); driven rows are NAN, like rows that depend on v if v[0] is NAN. The
// map is borrowed.
dm_function dm_output_map_function(const dm_output_map *m);

DM_END_C
#endif
