// problems/map/map.h: the discrete map of a problem for external solvers and learning code, with a
// stable interface: a handle, ints, doubles and text, but no structs, callable from other
// languages.
//
//   x1 = f(x,u),  x = (q,p) [2n],  u = (forces, next values of kinematic coordinates) [nu]
//
// Every call processes `count` states, stored one after the other, distributed over the map's
// threads. Each thread has its own workspace, allocated when the map is opened, not in calls.
// Results do not depend on the number of threads, bit for bit. Concurrent calls on the same map
// wait for each other; different maps are independent.
//
// A state whose step fails does not stop the others: its outputs are NAN, its entry of `status`
// [count] (or NULL) is a dm_status, and pb_map_explain returns a sentence about the first failure.
// A call returns DM_OK, or the status of the first failure.
//
// Source: docs/theory.md sections 1 and 5; docs/python.md.
#ifndef PB_MAP_MAP_H
#define PB_MAP_MAP_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct pb_map pb_map;

// Open the map of a problem file.
//   path     the file
//   copies   a folder with copies to read instead of the files (`inputs` of a result folder); NULL:
//            the files themselves
//   replace  [2 nreplace] pairs of path and text that replace values of the file,
//            "model.bodies.0.mass", "2"; may be NULL if nreplace is 0
//   step     the step h, s; 0: the step of the file's horizon, simulation or balance
//   threads  >= 1
// Returns DM_OK; DM_NO_MEMORY; DM_IO; or DM_BAD_INPUT for an invalid file or one with a different
// map: phases, contacts, simulate.order above 2, constraints between knots, the energy-momentum
// method. Errors have a sentence in msg and *out NULL.
dm_status pb_map_open(pb_map **out, const char *path, const char *copies,
                      const char *const *replace, int nreplace, double step, int threads,
                      dm_message *msg);
void pb_map_close(pb_map *m); // NULL is accepted

// The number of: "coordinate" (n), "input" (nu, including kinematic coordinates), "kinematic",
// "constraint" (rows, nc), "thread", "warning"; -1: unknown word.
int pb_map_count(const pb_map *m, const char *what);

// The name of coordinate, input, constraint or warning i, by the same words, or NULL.
const char *pb_map_name(const pb_map *m, const char *what, int i);

// The unit of entry i of "q", "v", "p", "u", or NULL.
const char *pb_map_unit(const pb_map *m, const char *what, int i);

// The limits of entry i of "q", "v", "u" in the problem, low and high [1], infinite if unlimited.
// Returns DM_OK, or DM_BAD_INPUT with both unchanged.
dm_status pb_map_limits(const pb_map *m, const char *what, int i, double *low, double *high);

// The step h [s].
double pb_map_step_length(const pb_map *m);

// Convert q and v [count x n] to states x [count x 2n], and back; v must satisfy the constraints.
dm_status pb_map_state(pb_map *m, int count, const double *q, const double *v, double *x,
                       int *status);
dm_status pb_map_velocity(pb_map *m, int count, const double *x, double *q, double *v, int *status);

// Kinetic and potential energy [count] J of states x [count x 2n].
dm_status pb_map_energy(pb_map *m, int count, const double *x, double *kinetic, double *potential,
                        int *status);

// One step of each state.
//   x, u        [count x 2n], [count x nu]
//   x1, lambda  out: [count x 2n], impulses of constraints [count x nc] N s or N m s; lambda may be
//               NULL, here and below
dm_status pb_map_step(pb_map *m, int count, const double *x, const double *u, double *x1,
                      double *lambda, int *status);

// Take `steps` steps from each state with separate inputs.
//   x, u        [count x 2n], [count x steps x nu]
//   x1, lambda  out: [count x (steps+1) x 2n] beginning with x, [count x steps x nc]
// After a failed step the rest of that motion is NAN.
dm_status pb_map_rollout(pb_map *m, int count, int steps, const double *x, const double *u,
                         double *x1, double *lambda, int *status);

// The step and its derivatives.
//   x1                  out: [count x 2n]
//   A, B                out: [count x 2n x 2n], [count x 2n x nu] of f
//   lambda_x, lambda_u  out: [count x nc x 2n], [count x nc x nu] of the impulses; or both NULL
dm_status pb_map_linear(pb_map *m, int count, const double *x, const double *u, double *x1,
                        double *A, double *B, double *lambda_x, double *lambda_u, int *status);

// The second derivatives of zeta.f, zeta [count x 2n].
//   xx, xu, uu  out: [count x 2n x 2n], [count x 2n x nu], [count x nu x nu]
dm_status pb_map_hessian(pb_map *m, int count, const double *x, const double *u, const double *zeta,
                         double *xx, double *xu, double *uu, int *status);

// The second derivatives of each component of f: xx [count x 2n x 2n x 2n], xu [count x 2n x 2n x
// nu], uu [count x 2n x nu x nu], with the component's index first.
dm_status pb_map_tensor(pb_map *m, int count, const double *x, const double *u, double *xx,
                        double *xu, double *uu, int *status);

// Write a sentence about the first failure of the last call to msg, "state 3: ..."; "" if there was
// none.
void pb_map_explain(const pb_map *m, dm_message *msg);

DM_END_C
#endif
