// problems/map/solver.h: the task of a problem, solved again and again (optim/solver.h), for other languages: a handle,
// ints, doubles and text.
//
// An end is x = (q,v) [2n], positions and velocities, NAN where the problem leaves it free. The grid is that of the
// problem: it is not refined, and limits between knots are not enforced by narrower ones.
//
// A solver belongs to one thread at a time; different solvers are independent.
#ifndef PB_MAP_SOLVER_H
#define PB_MAP_SOLVER_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct pb_solver pb_solver;

// Called at each iteration with its number, objective, violation, dual infeasibility, barrier parameter, step length
// and the shift of the Hessian [7]; returning 0 stops the solve.
typedef int (*pb_watch)(void *user, const double *iterate);

// Open the task of a problem file; arguments as of pb_map_open (problems/map/map.h).
//   watch, user  called in solves; may be NULL
// Returns DM_OK; DM_NO_MEMORY; DM_IO; or DM_BAD_INPUT for an invalid file, one without a task, with phases, several
// starts or design parameters. Errors have a sentence in msg and *out NULL.
dm_status pb_solver_open(pb_solver **out, const char *path, const char *copies,
                         const char *const *replace, int nreplace, pb_watch watch, void *user,
                         dm_message *msg);
void pb_solver_close(pb_solver *s); // NULL is accepted

// Read the file again with these replacements instead of those before, which may change numbers, but neither sizes nor
// the start and the goal: those are arguments of a solve. Arguments as of pb_solver_open. Returns DM_OK; DM_NO_MEMORY,
// DM_IO or DM_BAD_INPUT with the solver unchanged, for pb_solver_explain.
dm_status pb_solver_replace(pb_solver *s, const char *path, const char *copies,
                            const char *const *replace, int nreplace);

// The number of: "coordinate" (n), "input" (nu), "constraint" (nc), "step" (N), "contact" (rows nr), "warning";
// -1: unknown word. The name of one of them but of "step" and "contact", or NULL.
int pb_solver_count(const pb_solver *s, const char *what);
const char *pb_solver_name(const pb_solver *s, const char *what, int i);

// The ends of the last call, or of the problem: x0 and goal [2n].
void pb_solver_ends(const pb_solver *s, double *x0, double *goal);

// Solve.
//   x0, goal  [2n] or NULL: as in the last call, at first the problem's
//   motion    out: q, p, v [(N+1) x n] each, u [N x nu], lambda [N x nc], contact [(N+1) x nr]
//   figures   out: status, objective, iterations, 1 if it began at the last solution, the step h [s], time [s], the
//             largest violation of a row [7]
// Returns the status of oc_solver_solve: 0 solved, above 0 not solved with the best motion; below 0 the outputs are
// unchanged. pb_solver_explain has a sentence for all but 0.
dm_status pb_solver_solve(pb_solver *s, const double *x0, const double *goal, double *motion,
                          double *figures);
void pb_solver_explain(const pb_solver *s, dm_message *msg);

// Differentiate the last solution by the entries of x0, then of goal (oc_solver_differentiate).
//   out  [4n] times each: q [(N+1) x n], u [N x nu], then the step, the objective; 0 by free entries
// Returns the status of oc_solver_differentiate, for pb_solver_explain.
dm_status pb_solver_differentiate(pb_solver *s, double *out);

// Differentiate it by the value of replacement `which` of the list, which is a number now: by those of the file with the
// number changed by -2, -1, 1 and 2 times `step`. Other arguments as of pb_solver_replace.
//   out  q [(N+1) x n], u [N x nu], the step, the objective
// Returns as pb_solver_differentiate, or the failure of reading a file.
dm_status pb_solver_differentiate_by(pb_solver *s, const char *path, const char *copies,
                                     const char *const *replace, int nreplace, int which,
                                     double value, double step, double *out);

DM_END_C
#endif
