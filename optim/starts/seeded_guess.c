#include "optim/starts/seeded_guess.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "optim/starts/random_inputs.h"
#include "optim/starts/rollout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// random streams of one guess by their use; oc_guess_perturb uses normal draws from 0 on, and
// oc_random_inputs_add its own
enum { DRAW_SIZE = 1 << 20, DRAW_KICK = DRAW_SIZE + 2 };

static dm_status draw_straight(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  (void)seed;
  (void)number;
  return oc_guess_line(t, x);
}

// for every other number, the line through another posture, if the task has several
static dm_status draw_bends(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  const uint64_t posture = 1 + seed * 1000003 + (uint64_t)number;
  DM_TRY(oc_guess_branch(t, number % 2 ? posture : 0, x));
  oc_guess_perturb(t, seed, number, oc_guess_size(seed, number, DRAW_SIZE, 0.4, 1.4), x);
  return DM_OK;
}

static dm_status draw_branches(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  return oc_guess_branch(t, 1 + seed * 1000003 + (uint64_t)number, x);
}

static dm_status draw_inputs(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  dm_del *del;
  int failed;
  DM_TRY(oc_rollout_begin(&del, t, x));
  oc_random_inputs_draw(t, seed, number, oc_guess_size(seed, number, DRAW_SIZE, 0.03, 1), x->u);
  const dm_status s = oc_rollout_follow(del, x, &failed);
  oc_guess_prescribe(t, x);
  dm_del_free(del);
  return s;
}

// the energy p'v - L at (q, v, p); the workspace of L is borrowed
static double measure_energy(const dm_lagrangian *L, const double *q, const double *v,
                             const double *p, dm_jet *jet, void *scratch) {
  if (L->eval(L->self, scratch, 1, q, v, jet) < 0) return NAN;
  double e = -jet->L;
  for (int i = 0; i < L->nq; i++) e += p[i] * v[i];
  return e;
}

// inputs of step k from the current state: a push, then along the velocity according to the energy
static void choose_inputs(const oc_task *t, uint64_t seed, int number, double lack, double gain,
                          dm_trajectory *x, int k) {
  const dm_system *s = &t->system;
  const int joints = s->nu - s->force.nu;
  for (int i = 0; i < joints; i++) {
    const double scale = oc_input_scale(t, i);
    const int c = s->input_coord[i];
    const double v = c >= 0 ? x->v[k * x->n + c] * (s->input_gear ? s->input_gear[i] : 1) : 0;
    const double push = scale * dm_random_uniform(seed, number, DRAW_KICK + (uint64_t)i);
    x->u[k * x->nu + i] =
        oc_input_clip(t, i, k, 10 * k < x->N ? 0.3 * push : gain * scale * lack * v);
  }
}

static dm_status draw_pumping(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  const dm_lagrangian *L = &t->system.L;
  const size_t n = (size_t)x->n;
  dm_del *del = NULL;
  dm_block b = {0};
  dm_block_alloc(&b, L->scratch + 1, 1);
  DM_TRY(dm_block_new(&b));
  void *work = dm_block_alloc(&b, L->scratch + 1, 1);
  double *g = calloc(2 * n, sizeof *g);
  dm_status s = g ? oc_rollout_begin(&del, t, x) : DM_NO_MEMORY;
  dm_jet jet = {.L_q = g, .L_v = g ? g + n : NULL};

  // the energy at rest at the goal, and the energy to be gained; the last knot of the line is at the goal
  double goal = NAN, gap = NAN;
  if (s == DM_OK) {
    memset(x->v + (size_t)x->N * n, 0, n * sizeof *x->v);
    memset(x->p + (size_t)x->N * n, 0, n * sizeof *x->p);
    goal = measure_energy(L, x->q + (size_t)x->N * n, x->v + (size_t)x->N * n,
                          x->p + (size_t)x->N * n, &jet, work);
    const double start = measure_energy(L, x->q, x->v, x->p, &jet, work);
    gap = fabs(goal - start) + 1e-9 * (fabs(goal) + fabs(start));
  }
  const double gain = oc_guess_size(seed, number, DRAW_SIZE, 0.05, 2);

  // step by step: each is a rollout of one step
  int k = 0;
  for (; s == DM_OK && k < x->N; k++) {
    double *q = x->q + (size_t)k * n, *v = x->v + (size_t)k * n, *p = x->p + (size_t)k * n;
    const double e = measure_energy(L, q, v, p, &jet, work);
    choose_inputs(t, seed, number, isfinite(e) && gap > 0 ? (goal - e) / gap : 0, gain, x, k);
    memcpy(q + n, q, n * sizeof *q);
    dm_del_info info;
    const double h = dm_trajectory_step(x, k);
    if (dm_del_step(del, q, p, x->u + k * x->nu, h, q + n, p + n, &info) != DM_OK) break;
    for (size_t i = 0; i < n; i++) v[n + i] = (q[n + i] - q[i]) / h;
  }
  if (s == DM_OK && k < x->N) oc_rollout_stop(x, k);
  dm_del_free(del);
  oc_guess_prescribe(t, x);
  free(g);
  dm_block_free(b.base);
  return s;
}

#define LIST_KIND(word, draw) {#word, draw},
const oc_guess_kind oc_guess_kinds[OC_GUESS_COUNT] = {OC_GUESS_KINDS(LIST_KIND)};
