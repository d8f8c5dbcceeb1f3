#include "optim/transcription/seeded_guess.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// draws of one guess by their use; oc_guess_perturb takes normal ones from 0 on
enum { DRAW_SIZE = 1 << 20, DRAW_MODES, DRAW_KICK, DRAW_WAVE = 1 << 21 };
enum { MOST_MODES = 9 };

double oc_guess_size(uint64_t seed, int number, uint64_t i, double low, double high) {
  const double share = 0.5 * (1 + dm_random_uniform(seed, number, i));
  return low * pow(high / low, share);
}

static dm_status draw_straight(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  (void)seed;
  (void)number;
  return oc_guess_line(t, x);
}

// of every other the line by another posture, where there are any
static dm_status draw_bends(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  const uint64_t posture = 1 + seed * 1000003 + (uint64_t)number;
  DM_TRY(oc_guess_branch(t, number % 2 ? posture : 0, x));
  oc_guess_perturb(t, seed, number, oc_guess_size(seed, number, DRAW_SIZE, 0.4, 1.4), x);
  return DM_OK;
}

static dm_status draw_branches(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  return oc_guess_branch(t, 1 + seed * 1000003 + (uint64_t)number, x);
}

// what is much for input i: its limit, or what swings its coordinate through a turn within the time
static double find_scale(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  double most = INFINITY;
  if (t->u_max) most = fmin(most, fabs(t->u_max[i]));
  if (t->u_min) most = fmin(most, fabs(t->u_min[i]));
  if (isfinite(most)) return most;
  const double rate = 6.283185307179586 / t->T;
  const double inertia = s->inertia && i < s->nu - s->force.count && s->input_coord[i] >= 0
                             ? s->inertia[s->input_coord[i]]
                             : 0;
  return 10 * (inertia > 0 ? inertia : 1) * rate * rate;
}

static double clip_input(const oc_task *t, int i, double u) {
  if (t->u_max && u > t->u_max[i]) u = t->u_max[i];
  if (t->u_min && u < t->u_min[i]) u = t->u_min[i];
  return u;
}

// the workspaces of a rollout
typedef struct rollout {
  dm_del *del;
  dm_continuous *at;
} rollout;

static void close_rollout(rollout *r) {
  dm_continuous_free(r->at);
  dm_del_free(r->del);
}

// the line, its first knot at the start's velocity, and what steps it
static dm_status open_rollout(rollout *r, const oc_task *t, dm_trajectory *x) {
  *r = (rollout){.del = NULL};
  DM_TRY(oc_guess_line(t, x));
  for (int i = 0; i < x->n; i++) x->v[i] = t->v_start && !isnan(t->v_start[i]) ? t->v_start[i] : 0;
  dm_status s = dm_del_new(&r->del, &t->system, NULL);
  if (s == DM_OK) s = dm_continuous_new(&r->at, &t->system);
  if (s == DM_OK) s = dm_momentum_of(r->at, x->q, x->v, x->p);
  return s;
}

// from knot k on it stays where it is
static void stop_at(dm_trajectory *x, int k) {
  const size_t n = (size_t)x->n;
  for (int j = k + 1; j <= x->N; j++) {
    memcpy(x->q + (size_t)j * n, x->q + (size_t)k * n, n * sizeof *x->q);
    memset(x->v + (size_t)j * n, 0, n * sizeof *x->v);
  }
}

static dm_status draw_inputs(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  const int nf = t->system.nu;
  rollout r;
  dm_status s = open_rollout(&r, t, x);

  // sums of 2 M + 1 waves, of unit size in the mean, times the size drawn
  const double part = 0.5 * (1 + dm_random_uniform(seed, number, DRAW_MODES));
  const int modes = 1 + (int)(part * (MOST_MODES - 1));
  for (int i = 0; i < nf && s == DM_OK; i++) {
    const double size = find_scale(t, i) * oc_guess_size(seed, number, DRAW_SIZE, 0.03, 1);
    for (int k = 0; k < x->N; k++) {
      double u = 0;
      for (int m = 0; m <= modes; m++) {
        const uint64_t at = DRAW_WAVE + (uint64_t)(i * 2 * (MOST_MODES + 1) + 2 * m);
        const double angle = 3.141592653589793 * m * k / x->N;
        u += dm_random_normal(seed, number, at) * cos(angle);
        u += dm_random_normal(seed, number, at + 1) * sin(angle);
      }
      x->u[k * x->nu + i] = clip_input(t, i, size * u / sqrt(modes + 1.0));
    }
  }

  // as far as it goes
  dm_del_info info;
  int failed = -1;
  if (s == DM_OK) {
    s = dm_trajectory_rollout(x, r.del, &info, &failed);
    if (s != DM_NO_MEMORY && failed >= 0) s = DM_OK;
    if (failed >= 0) stop_at(x, failed);
  }
  oc_guess_prescribe(t, x);
  close_rollout(&r);
  return s == DM_MAX_ITER ? DM_OK : s;
}

// p'v - L at (q, v, p); what L needs is lent
static double measure_energy(const dm_lagrangian *L, const double *q, const double *v,
                             const double *p, dm_jet *jet, void *scratch) {
  if (L->eval(L->self, scratch, 1, q, v, jet) < 0) return NAN;
  double e = -jet->L;
  for (int i = 0; i < L->nq; i++) e += p[i] * v[i];
  return e;
}

// inputs of step k from the state there: a push, then along the velocity as the energy asks
static void choose_inputs(const oc_task *t, uint64_t seed, int number, double lack, double gain,
                          dm_trajectory *x, int k) {
  const dm_system *s = &t->system;
  const int joints = s->nu - s->force.count;
  for (int i = 0; i < joints; i++) {
    const double scale = find_scale(t, i);
    const int c = s->input_coord[i];
    const double v = c >= 0 ? x->v[k * x->n + c] * (s->input_gear ? s->input_gear[i] : 1) : 0;
    const double push = scale * dm_random_uniform(seed, number, DRAW_KICK + (uint64_t)i);
    x->u[k * x->nu + i] = clip_input(t, i, 10 * k < x->N ? 0.3 * push : gain * scale * lack * v);
  }
}

static dm_status draw_pumping(const oc_task *t, uint64_t seed, int number, dm_trajectory *x) {
  const dm_lagrangian *L = &t->system.L;
  const size_t n = (size_t)x->n;
  rollout r;
  dm_block b = {0};
  dm_block_alloc(&b, L->scratch + 1, 1);
  DM_TRY(dm_block_new(&b));
  void *work = dm_block_alloc(&b, L->scratch + 1, 1);
  double *g = calloc(2 * n, sizeof *g);
  dm_status s = g ? open_rollout(&r, t, x) : DM_NO_MEMORY;
  dm_jet jet = {.L_q = g, .L_v = g ? g + n : NULL};

  // the energy at rest at the goal, over that to be gained; the last knot of the line is there
  double goal = NAN, gap = NAN;
  if (s == DM_OK) {
    memset(x->v + (size_t)x->N * n, 0, n * sizeof *x->v);
    memset(x->p + (size_t)x->N * n, 0, n * sizeof *x->p);
    goal = measure_energy(L, x->q + (size_t)x->N * n, x->v + (size_t)x->N * n,
                          x->p + (size_t)x->N * n, &jet, work);
    gap = fabs(goal - measure_energy(L, x->q, x->v, x->p, &jet, work)) + 1e-9;
  }
  const double gain = oc_guess_size(seed, number, DRAW_SIZE, 0.05, 2);

  // step by step: each is a rollout of one
  int k = 0;
  for (; s == DM_OK && k < x->N; k++) {
    double *q = x->q + (size_t)k * n, *v = x->v + (size_t)k * n, *p = x->p + (size_t)k * n;
    const double e = measure_energy(L, q, v, p, &jet, work);
    choose_inputs(t, seed, number, isfinite(e) ? (goal - e) / gap : 0, gain, x, k);
    memcpy(q + n, q, n * sizeof *q);
    dm_del_info info;
    if (dm_del_step(r.del, q, p, x->u + k * x->nu, x->h, q + n, p + n, &info) != DM_OK) break;
    for (size_t i = 0; i < n; i++) v[n + i] = (q[n + i] - q[i]) / x->h;
  }
  if (s == DM_OK && k < x->N) stop_at(x, k);
  if (g) close_rollout(&r);
  oc_guess_prescribe(t, x);
  free(g);
  dm_block_free(b.base);
  return s;
}

#define LIST_KIND(word, draw) {#word, draw},
const oc_guess_kind oc_guess_kinds[OC_GUESS_COUNT] = {OC_GUESS_KINDS(LIST_KIND)};
