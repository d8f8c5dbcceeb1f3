// optim/project.h: descent on trajectories by the projection operator, of first and second order.
//
// With x = (q,p) and the discrete map x_{k+1} = f(x_k,u_k) of the library, an iteration
//
//   linearizes f along the motion at hand, and finds gains K that hold it;
//   finds the direction (z,v), z_0 = 0, z_{k+1} = A z + B v, that makes least
//       sum  l_x z + l_u v + 1/2 (z,v)' W (z,v)
//   by the Riccati sweep of the gains (control/riccati.h);
//   and rolls the motion along it, projected by the feedback so that it stays a motion:
//       u_k = u + a v + K (x + a z - x_k),   x_{k+1} = f(x_k,u_k),
//   with the step a of Armijo's rule.
//
// The method is W: the identity (steepest), the cost's own Hessian (quasi), or all of the second
// derivative, zeta.f'' included with zeta the adjoint of the closed loop (newton):
//
//   zeta_k = l_x - K'l_u + (A - BK)' zeta_{k+1}.
//
// Where newton's problem is not convex, or its whole step does not descend, its second-order terms
// are cut back, stage by stage, to the largest share that leaves the problem convex, and the better
// step of that direction and of quasi's is taken.
//
// Inputs have bounds: a stage's step is the minimum under them (control/box.h), the roll stays
// within them. A goal is met by multipliers and a penalty, raised from round to round.
//
// Source: [hauser-2002] in docs/sources.md; paper 001, section VI; docs/theory.md section 10.
#ifndef OC_PROJECT_H
#define OC_PROJECT_H
#include "optim/task.h"

typedef enum oc_direction { OC_STEEPEST, OC_QUASI, OC_NEWTON } oc_direction;

extern const char *const oc_direction_names[]; // ended by NULL

typedef struct oc_descent_row { // one iteration
  int iteration;
  oc_direction kind; // of the direction taken
  double cost;       // before the step: the task's own
  double merit;      // with multipliers and penalty of the goal; the cost where there is none
  double slope;      // DJ.(z,v) < 0
  double step;       // a; 0: none was taken
  double miss;       // largest error of the goal
  int cut;           // stages whose second-order terms were cut back
  double least;      // the smallest share of them that was kept
  int tried;         // steps tried
  double time_s;     // since the start
} oc_descent_row;

typedef struct oc_descent_settings {
  oc_direction method;
  int quasi;    // the first so many iterations are quasi's, default 0
  bool paper;   // as in paper 001: no raising, newton -> quasi -> steepest where a problem is not
                // convex or its direction not one of descent
  bool sparse;  // solve for directions by one sparse system (optim/kkt.h), where none is cut
  double tol;   // on |slope| = |DJ.(z,v)|, default 1e-6
  double goal;  // on each entry of the goal, default 1e-8
  int max_iter; // default 3000
  // called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called
  bool (*watch)(void *user, const oc_descent_row *row);
  void *user;
} oc_descent_settings;

typedef struct oc_descent_info {
  dm_status status;
  int iterations, rows; // rows of the record, <= its room
  double cost, slope, miss;
  int fell[3]; // iterations that fell back to steepest, quasi
  int failed;  // knot of a step that could not be taken or a sweep that failed, or -1
} oc_descent_info;

void oc_descent_default(oc_descent_settings *set);

// Descend from the motion x, whose q, p at knot 0 are the start; it need not be a motion of the
// system: it is projected first. x is overwritten.
//   record  out: [room] rows, or NULL
// Returns
//   DM_OK           |slope| <= tol, and the goal met
//   DM_MAX_ITER, DM_INTERRUPTED, DM_STALLED (no step descends), DM_INFEASIBLE (the goal is not met
//                   however large the penalty): with the last motion
//   DM_BAD_INPUT    a task that this method does not take: bounds on q or v, a free time or start;
//                   msg says which
//   DM_NO_MEMORY, or what failed at the first roll, x untouched.
// Allocates its workspace; no allocation in an iteration.
dm_status oc_descend(const oc_task *task, const oc_descent_settings *set, dm_trajectory *x,
                     oc_descent_row *record, int room, oc_descent_info *info, dm_message *msg);
#endif
