#include "problems/run/cycle_gains.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/program/cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pb_cycle_has_gains(const pb_phases *phases) {
  for (int i = 0; i < phases->n; i++) {
    const pb_problem *p = phases->problem[i];
    if (!p->has.feedback || p->feedback.second_variation) return false;
    if (phases->carry[i] != PB_CARRY_ALONE && i + 1 < phases->n) return false;
  }
  return phases->periodic && !phases->problem[phases->n - 1]->feedback.Qf &&
         !phases->problem[phases->n - 1]->feedback.Qf_outputs;
}

typedef struct cycle_gains {
  const oc_phases_task *t;
  pb_run *const *run;
  int n, nx;      // phases; most states of any
  double **C;     // [n][nx x nx] passages
  double *P, *PC; // [nx x nx] the cost-to-go at the start of the phase after; P C
  double *before; // [nx x nx] that of the first phase, one period earlier in the recursion
} cycle_gains;

static void lay_out_cycle_gains(void *self, dm_block *b) {
  cycle_gains *w = self;
  const size_t size = (size_t)w->nx * (size_t)w->nx;
  w->C = dm_block_alloc(b, (size_t)w->n, sizeof *w->C);
  double *C = dm_block_alloc(b, (size_t)w->n * size, sizeof *C);
  for (int i = 0; C && i < w->n; i++) w->C[i] = C + (size_t)i * size;
  w->P = dm_block_alloc(b, size, sizeof *w->P);
  w->PC = dm_block_alloc(b, size, sizeof *w->PC);
  w->before = dm_block_alloc(b, size, sizeof *w->before);
}

static int count_states(const cycle_gains *w, int phase) {
  return 2 * w->run[phase % w->n]->x->n;
}

static dm_status find_passages(cycle_gains *w) {
  const dm_trajectory **motion = calloc((size_t)w->n, sizeof *motion);
  if (!motion) return DM_NO_MEMORY;
  for (int i = 0; i < w->n; i++) motion[i] = w->run[i]->x;
  dm_status s = DM_OK;
  for (int i = 0; s == DM_OK && i < w->n; i++) s = oc_cycle_passage(w->t, motion, i, w->C[i]);
  free(motion);
  return s;
}

// room for the cost-to-go at the end of each phase, then zeros (pb_run.next.cost)
static dm_status make_costs(const cycle_gains *w) {
  for (int i = 0; i < w->n; i++) {
    const size_t nx = (size_t)count_states(w, i);
    free(w->run[i]->next.cost);
    w->run[i]->next.cost = calloc(nx * nx + nx, sizeof(double));
    if (!w->run[i]->next.cost) return DM_NO_MEMORY;
  }
  return DM_OK;
}

// P <- the cost-to-go at the start of phase i, from P at the start of the phase after
static dm_status pass_cost(cycle_gains *w, int i, dm_message *msg) {
  const int nx = count_states(w, i), next = count_states(w, i + 1);
  pb_run *run = w->run[i];
  fb_tvlqr *f;
  pb_weights at;
  int knot;
  dm_gemm(next, nx, next, 1, w->P, w->C[i], 0, w->PC);
  dm_gemm_transposed(nx, nx, next, 1, w->C[i], nx, w->PC, nx, 0, run->next.cost, nx);
  const fb_weights weights = pb_run_weights(run, 0, &at);
  DM_TRY(fb_tvlqr_new(&f, run->x, &run->p->task.system, &weights, &knot, msg));
  memcpy(w->P, f->P, (size_t)(nx * nx) * sizeof *w->P);
  fb_tvlqr_free(f);
  return DM_OK;
}

// whether P equals that of the period before, to rounding, in any units
static bool has_settled(const cycle_gains *w) {
  static const double same = 1e-11;
  const int nx = count_states(w, 0);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      const double size = sqrt(fabs(w->P[i * nx + i] * w->P[j * nx + j]));
      if (!(fabs(w->P[i * nx + j] - w->before[i * nx + j]) <= same * size)) return false;
    }
  return true;
}

static dm_status settle_costs(cycle_gains *w, int *phase, dm_message *msg) {
  enum { PERIODS = 2000 };
  const int nx = count_states(w, 0);
  const double *Q = w->run[0]->p->feedback.Q;

  // from the running weight at the start, over the periods
  memset(w->P, 0, (size_t)(nx * nx) * sizeof *w->P);
  for (int i = 0; i < nx; i++) w->P[i * nx + i] = Q ? Q[i] : 0;
  for (int period = 0; period < PERIODS; period++) {
    memcpy(w->before, w->P, (size_t)(nx * nx) * sizeof *w->P);
    for (*phase = w->n - 1; *phase >= 0; (*phase)--) DM_TRY(pass_cost(w, *phase, msg));
    if (has_settled(w)) return DM_OK;
  }
  *phase = w->n - 1;
  return dm_fail(msg, DM_MAX_ITER,
                 "no periodic gains: the cost-to-go does not converge from period to period: a "
                 "deviation grows and is not controllable; give feedback.Qf, or another gait");
}

dm_status pb_cycle_gains(const oc_phases_task *t, pb_run *const *run, int *phase, dm_message *msg) {
  cycle_gains sizes = {.t = t, .run = run, .n = t->n};
  *phase = t->n - 1;
  for (int i = 0; i < t->n; i++)
    if (2 * run[i]->x->n > sizes.nx) sizes.nx = 2 * run[i]->x->n;
  cycle_gains *w = dm_block_make(&sizes, sizeof sizes, lay_out_cycle_gains);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status s = find_passages(w);
  if (s != DM_OK && s != DM_NO_MEMORY) s = DM_UNAVAILABLE;
  if (s == DM_OK) s = make_costs(w);
  if (s != DM_OK)
    dm_fail(msg, s, "%s", s == DM_NO_MEMORY ? "out of memory" : "its passage has no derivative");
  else
    s = settle_costs(w, phase, msg);
  for (int i = 0; s != DM_OK && i < t->n; i++) {
    free(run[i]->next.cost);
    run[i]->next.cost = NULL;
  }
  dm_block_free(w);
  return s;
}
