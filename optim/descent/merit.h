// optim/descent/merit.h: what a descent makes less: the cost of a motion, as a function of its
// states x = (q,p) and inputs, with multipliers and a penalty where there is a goal.
//
//   sum_k s phi_k + m(x_N)     phi of optim/transcription/cost.h with s its factor, m of
//   optim/descent/terminal.h
//
// A cost on velocity, 1/2 w ((q_{k+1} - q_k)/h)^2, is one of x_k and u_k through the step: its slope
// by q_{k+1} is brought to them by A and B.
#ifndef OC_DESCENT_MERIT_H
#define OC_DESCENT_MERIT_H
#include "optim/descent/projection_operator.h"
#include "optim/descent/terminal.h"
#include "optim/transcription/cost.h"

DM_BEGIN_C

typedef struct oc_merit {
  const oc_task *task;
  int n, nx, nu, N;
  double h, s; // step; factor of the running cost
  oc_terminal *end;
  double *l_x, *l_u; // [N+1][nx], [N][nu] gradient
  double *by_next;   // [N][n] by q_{k+1}, of the cost on velocity
  double *row;       // [nx] scratch
  oc_cost *cost;     // running
  double *J, *CJ;    // [ny x (nx+nu)] d(q,v,u)/d(x,u) for terms of one's own, C J; none: empty
} oc_merit;

// Allocate for a task (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_merit_new(oc_merit **out, const oc_task *task);
void oc_merit_free(oc_merit *w);

// The value of a motion y of the task's N: its q, p, u are read.
//   cost   out: the task's own
//   merit  out: with multipliers and penalty of the goal; the same where there is none
// Returns DM_OK, DM_NOT_FINITE, or what oc_terminal_value returns.
dm_status oc_merit_value(oc_merit *w, const dm_trajectory *y, double *cost, double *merit);

// l_x, l_u at p->x (with A, B along it), and the last state's Hessian, `exact` or that of
// Gauss-Newton. Returns DM_OK or what oc_terminal_derivatives returns.
dm_status oc_merit_gradient(oc_merit *w, const oc_projection_operator *p, bool exact);

// Add the second derivatives of s phi_k at p->x, but for that of the step, to Q [nx x nx, rows ld
// apart], R [nu x nu], S [nx x nu]. No allocation in these.
void oc_merit_curve(oc_merit *w, const oc_projection_operator *p, int k, int ld, double *Q,
                    double *R, double *S);

DM_END_C
#endif
