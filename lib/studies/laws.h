// lib/studies/laws.h: numerical evidence for the theorems about discrete flows, on a given flow and motion:
//
//   order            e(h) = C h^r beside the continuous equations, or beside h/2 if these are not available
//   symmetric        F_-h F_h = 1
//   reversible       R F_h R F_h = 1, R reverses velocities
//   symplectic       A'JA - J = 0; with forces the curl of their discrete virtual work (Lagrange-d'Alembert)
//   constraints      h(q_k) = 0
//   momentum         each momentum of the symmetry group is constant
//   kept             each quantity that the user names is constant, or varies by C h^r
//   energy           E_k oscillates by C h^r
//   modified energy  p.q' - S' is constant to C h^(r+2): q' and S' by central differences of order r + 2 of the knots
//                    and of the action S_k = sum Ld
//
// A symplectic map is, up to exponentially small terms, the flow of a modified Hamiltonian, whose action over a step is
// Ld: Ld = int (p.q' - H) dt. So H = p.q' - S' along the interpolated knots, without series of H.
//
// Errors of states are relative to the action sum_i Q_i P_i of the motion, Q_i the range and P_i the size of x_i and
// p_i: sum_i (|dx_i| P_i + |dp_i| Q_i). They have no units.
//
// Source: [marsden-west-2001]; [skeel-hardy-2001]; docs/theory.md section 37.
#ifndef DM_STUDIES_LAWS_H
#define DM_STUDIES_LAWS_H
#include "lib/mechanics/momentum_map.h"
#include "lib/mechanics/symmetry_group.h"
#include "lib/studies/discrete_flow.h"

DM_BEGIN_C

enum { DM_LAW_ROWS = 64, DM_LAW_TEXT = 160, DM_LAW_KEPT = 8 };

// NONE: the law does not apply. UNDECIDED: its order still rises with shorter steps, or all steps are too long for the motion.
typedef enum dm_law_verdict {
  DM_LAW_HOLDS,
  DM_LAW_FAILS,
  DM_LAW_NONE,
  DM_LAW_UNDECIDED,
  DM_LAW_VERDICTS
} dm_law_verdict;

typedef struct dm_law_row {
  char law[DM_LAW_TEXT];  // "symplectic", "momentum p.x"
  const char *theorem;    // "A'JA = J"
  double error, bound;    // measured, and its bound; NAN: none
  double order, expected; // measured and expected order; NAN: none
  char note[DM_LAW_TEXT]; // "without damping"; of DM_LAW_NONE the reason
  bool rising;            // does the order rise from level to level, as to the expected one?
  dm_law_verdict verdict;
} dm_law_row;

typedef struct dm_laws {
  int rows, failed;
  dm_law_row row[DM_LAW_ROWS];
} dm_laws;

// Add a row. It holds if error <= bound and order >= expected - 0.25, where NAN counts not; else it is undecided if its order
// is rising, and fails if not.
void dm_laws_add(dm_laws *laws, dm_law_row row);
// Add a row of a law that does not apply.
void dm_laws_refuse(dm_laws *laws, const char *law, const char *theorem, const char *reason);

// Quantities of a user that are expected to be constant along the conservative part.
typedef struct dm_law_quantities {
  int count;               // at most DM_LAW_KEPT
  const char *const *name; // [count]
  void *self;
  dm_status (*eval)(void *self, const double *q, const double *v, double *values); // [count]
} dm_law_quantities;

typedef struct dm_law_settings {
  double h;            // of the motion, s
  const double *x, *p; // [m] start
  dm_discrete_flow
      *whole; // with forces and damping, for order, symmetric, symplectic; NULL: not available
  dm_discrete_flow *free; // the conservative part
  int order;              // of free
  int whole_order;        // of whole
  bool forced;            // does whole differ from free?
  bool symmetric;         // of whole
  bool even;              // L(q,-v) = L(q,v)
  bool nonholonomic;      // constraints on velocities: only order, symmetric and reversible apply
  const dm_symmetry_group *group; // of free; NULL: not searched
  const dm_momentum_map *map;     // of the group's world
  void *map_scratch;
  const dm_law_quantities *kept; // NULL: none
  const char *const *coord;      // [n] names; NULL: none
  const char *note;              // the forces that free omits; ""
} dm_law_settings;

// Judge all laws; adds their rows. Returns DM_OK; DM_NO_MEMORY; the status of a step, if the motion of 12 steps does not
// exist; DM_UNAVAILABLE, without rows, if rounding grows to 1e-6 of the motion in 12 steps. Bounds follow from the rounding
// of a step, measured by a step there and back. A law that does not reach its order is judged again by up to 4 halvings of
// h, of a shorter motion. Cost: about 2000 steps, and 400 for each halving.
dm_status dm_laws_judge(dm_laws *laws, const dm_law_settings *set);

DM_END_C
#endif
