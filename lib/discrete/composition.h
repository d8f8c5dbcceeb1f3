// lib/discrete/composition.h: steps of higher order, made of steps of second order.
//
// Where a step F_h undoes itself when taken back, F_-h F_h = 1, its error has odd powers of h
// alone, and steps of fractions of h, some of them backwards, one after the other,
//
//   F_{g_s h} .. F_{g_2 h} F_{g_1 h},   sum g_i = 1,   g_i = g_{s+1-i}
//
// cancel h^3 where sum g_i^3 = 0, and more by further conditions. They are as symplectic, and keep
// the same momenta, as their parts; inputs are held over all of them.
//
// Order 4 is Suzuki's, of five steps: its error is 1/70 of that of Yoshida's three for 5/3 of the
// work. Order 6 is Kahan and Li's, of nine: 1/6 of that of Yoshida's seven.
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
  double fraction[DM_MAX_STAGES / 2]; // g_1 .. : the first half, without the middle one
} dm_composition_method;

extern const dm_composition_method dm_composition_methods[]; // orders 2, 4, 6; ended by a zero

typedef struct dm_composition {
  dm_composition_method of;
  int n, nc;
  dm_del *del;      // takes the parts
  double *g;        // [stages] all fractions
  double *q;        // [(stages + 1) x n] configurations of the last step, q0 and q1 included
  double *lambda;   // [stages x nc] impulses of its parts, N s or N m s
  double *p;        // [n]
  dm_del_info info; // of the last part that its stepper took
} dm_composition;

// Allocate for a system (copied) and an order; set of the parts, NULL for the defaults. Returns
// DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg: an order that is not there; above 2,
// a rule that is not symmetric, kinematic coordinates, the energy-momentum method.
dm_status dm_composition_new(dm_composition **out, const dm_system *s, int order,
                             const dm_del_settings *set, dm_message *msg);
void dm_composition_free(dm_composition *w);

// Advance one step of h: arguments and what is returned as of dm_del_step, of the part that fails
// where one does; info is that of the last part taken. Does not allocate. Cost: `stages` steps.
dm_status dm_composition_step(dm_composition *w, const double *q0, const double *p0,
                              const double *u, double h, double *q1, double *p1, dm_del_info *info);

// Sum the impulses of the last step's parts into lambda [nc].
void dm_composition_impulse(const dm_composition *w, double *lambda);

// Its steps, for a simulation; w must outlive it.
dm_stepper dm_composition_stepper(dm_composition *w);

DM_END_C
#endif
