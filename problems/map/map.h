// problems/map/map.h: the discrete map of a problem for other people's solvers and learners, behind
// a face that stays: a handle, ints, doubles and text, no struct. Other languages call it as it is.
//
//   x1 = f(x,u),  x = (q,p) [2n],  u = (forces, next values of kinematic coordinates) [nu]
//
// Every call works on `count` states at once, one after the other in memory, shared out to the
// map's threads. Each thread has a workspace of its own, made when the map is opened: no call
// allocates one. What comes out does not depend on the number of threads, bit for bit. Two calls on
// one map at once wait for one another; maps share nothing.
//
// A state that cannot be stepped does not stop the others: its outputs are NAN, its entry of
// `status` [count] (NULL: nobody asks) says why by a dm_status, and pb_map_explain has a sentence on
// the first of them. A call returns DM_OK, or the status of that first one.
//
// Source: docs/theory.md sections 1 and 5; docs/python.md.
#ifndef PB_MAP_MAP_H
#define PB_MAP_MAP_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct pb_map pb_map;

// Open the map of a problem file.
//   path     the file
//   copies   a folder of copies that are read in place of files (`inputs` of a result folder); NULL:
//            the files themselves
//   replace  [2 nreplace] paths and texts, "model.bodies.0.mass", "2", that stand in place of the
//            file's; may be NULL where nreplace is 0
//   step     the step h, s; 0: the file's, of a horizon, a simulation or a balance
//   threads  >= 1
// Returns DM_OK; DM_NO_MEMORY; DM_IO, or DM_BAD_INPUT for a file that is wrong, or has another map:
// phases, contacts, simulate.order above 2, constraints between knots, the energy-momentum method;
// with a sentence in msg, *out NULL.
dm_status pb_map_open(pb_map **out, const char *path, const char *copies,
                      const char *const *replace, int nreplace, double step, int threads,
                      dm_message *msg);
void pb_map_close(pb_map *m); // accepts NULL

// How many of something a map has: "coordinate" (n), "input" (nu, kinematic coordinates included),
// "kinematic", "constraint" (rows, nc), "thread", "warning"; -1: there is no such word.
int pb_map_count(const pb_map *m, const char *what);

// The name of coordinate, input, constraint or warning i, by the same words; NULL: there is none.
const char *pb_map_name(const pb_map *m, const char *what, int i);

// The unit of entry i of "q", "v", "p", "u"; NULL: there is none.
const char *pb_map_unit(const pb_map *m, const char *what, int i);

// The limits of entry i of "q", "v", "u" as the problem has them, low and high [1], infinite where
// there are none. Returns DM_OK, or DM_BAD_INPUT with both untouched.
dm_status pb_map_limits(const pb_map *m, const char *what, int i, double *low, double *high);

// The step h [s].
double pb_map_step_length(const pb_map *m);

// States x [count x 2n] of what is at q and has velocity v [count x n], and back: v is on the
// constraints.
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

// `steps` steps of each state under inputs of its own.
//   x, u        [count x 2n], [count x steps x nu]
//   x1, lambda  out: [count x (steps+1) x 2n] with x first, [count x steps x nc]
// After a step that cannot be taken the rest of that motion is NAN.
dm_status pb_map_rollout(pb_map *m, int count, int steps, const double *x, const double *u,
                         double *x1, double *lambda, int *status);

// The step and its derivatives.
//   x1                  out: [count x 2n]
//   A, B                out: [count x 2n x 2n], [count x 2n x nu] of f
//   lambda_x, lambda_u  out: [count x nc x 2n], [count x nc x nu] of the impulses; NULL, both: nobody
//                       asks
dm_status pb_map_linear(pb_map *m, int count, const double *x, const double *u, double *x1,
                        double *A, double *B, double *lambda_x, double *lambda_u, int *status);

// The second derivatives of zeta.f, zeta [count x 2n].
//   xx, xu, uu  out: [count x 2n x 2n], [count x 2n x nu], [count x nu x nu]
dm_status pb_map_hessian(pb_map *m, int count, const double *x, const double *u, const double *zeta,
                         double *xx, double *xu, double *uu, int *status);

// The same of each state of f: xx [count x 2n x 2n x 2n], xu [count x 2n x 2n x nu], uu [count x 2n
// x nu x nu], f's index first.
dm_status pb_map_tensor(pb_map *m, int count, const double *x, const double *u, double *xx,
                        double *xu, double *uu, int *status);

// One sentence on the first state that the last call could not do, "state 3: ..."; "" where it did
// all. msg is written.
void pb_map_explain(const pb_map *m, dm_message *msg);

DM_END_C
#endif
