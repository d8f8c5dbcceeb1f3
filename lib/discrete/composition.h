// lib/discrete/composition.h: steps of higher order, composed of steps of second order.
//
// If a step F_h is symmetric, F_-h F_h = 1, its error has only odd powers of h, and consecutive
// steps of fractions of h, some of them backwards,
//
//   F_{g_s h} .. F_{g_2 h} F_{g_1 h},   sum g_i = 1,   g_i = g_{s+1-i}
//
// cancel the error term h^3 if sum g_i^3 = 0, and higher terms by further conditions. They are
// symplectic and conserve momenta as their parts do; inputs are constant over all parts.
//
// Order 4: Suzuki's method of five steps, with 1/70 of the error of Yoshida's three steps for 5/3
// of the work. Order 6: Kahan and Li's method of nine steps, with 1/6 of the error of Yoshida's
// seven.
//
// Source: [yoshida-1990], [suzuki-1990], [kahan-li-1997] in docs/sources.md; theory section 18.
#ifndef DM_DISCRETE_COMPOSITION_H
#define DM_DISCRETE_COMPOSITION_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

enum { DM_MAX_STAGES = 9 };

typedef struct dm_composition_method {
  int order, stages;
  double fraction[DM_MAX_STAGES / 2]; // first half of g_i, without the middle one
} dm_composition_method;

extern const dm_composition_method dm_composition_methods[]; // orders 2, 4, 6; terminated by a zero

// Is a step symmetric, F_-h F_h = 1? The rule's points and nodes are mirrored, and forces, if the system has inputs,
// damping or general forces, act equally at both ends.
bool dm_system_is_symmetric(const dm_system *s);

typedef struct dm_composition {
  dm_composition_method of;
  int n, nc;
  dm_del *del;      // takes the parts
  double *g;        // [stages] all g_i
  double *q;        // [(stages + 1) x n] configurations of the last step, including q0 and q1
  double *lambda;   // [stages x nc] impulses of its parts, N s or N m s
  double *p;        // [n]
  dm_del_info info; // of the last part
} dm_composition;

// Allocate for a system (copied) and an order; `set` are the settings of the parts, NULL for the
// defaults. Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg: an unknown order;
// and above order 2 a rule that is not symmetric, kinematic coordinates, or the energy-momentum
// method.
dm_status dm_composition_new(dm_composition **out, const dm_system *s, int order,
                             const dm_del_settings *set, dm_message *msg);
void dm_composition_free(dm_composition *w);

// Advance one step of h. Arguments and status as in dm_del_step, the status of the failed part if
// one fails; info is that of the last part. Does not allocate. Cost: `stages` steps.
dm_status dm_composition_step(dm_composition *w, const double *q0, const double *p0,
                              const double *u, double h, double *q1, double *p1, dm_del_info *info);

// Add the impulses of the last step's parts into lambda [nc].
void dm_composition_impulse(const dm_composition *w, double *lambda);

// The steps as a dm_stepper, for a simulation; w must outlive it.
dm_stepper dm_composition_stepper(dm_composition *w);

DM_END_C
#endif
