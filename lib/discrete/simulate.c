#include "lib/discrete/simulate.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

dm_simulate_settings dm_simulate_default(void) {
  return (dm_simulate_settings){.gravity = {0, 0, -9.81}};
}

// arrays of the current knot, and scratch
static void lay_out_simulation(void *self, dm_block *b) {
  dm_simulation *w = self;
  size_t n = (size_t)w->s.L.nq, nc = (size_t)w->s.hol.nc;
  w->impulse = dm_block_alloc(b, nc, sizeof *w->impulse);
  w->h = dm_block_alloc(b, nc, sizeof *w->h);
  w->low = dm_block_alloc(b, n, sizeof *w->low);
  w->high = dm_block_alloc(b, n, sizeof *w->high);

  // default inputs, and a point of the rule
  w->zero = dm_block_alloc(b, (size_t)dm_system_inputs(&w->s), sizeof *w->zero);
  w->mean = dm_block_alloc(b, n, sizeof *w->mean);
  w->qm = dm_block_alloc(b, n, sizeof *w->qm);
  w->vm = dm_block_alloc(b, n, sizeof *w->vm);
  w->scratch = dm_block_alloc(b, w->set.momentum.scratch, 1);
  w->hol = dm_block_alloc(b, w->s.hol.scratch, 1);
}

dm_status dm_simulation_new(dm_simulation **out, const dm_system *s, const dm_stepper *step,
                            const dm_simulate_settings *set) {
  assert(out && s && step && step->step && set && set->steps >= 0 && set->h > 0);

  dm_simulation sizes = {.s = *s, .step = *step, .set = *set};
  dm_simulation *w = dm_block_make(&sizes, sizeof sizes, lay_out_simulation);
  if (!w) return DM_NO_MEMORY;

  // velocities and energies; D1, D2 of the start; the current step
  dm_status status = dm_continuous_new(&w->c, s);
  if (status == DM_OK) status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_trajectory_of(&w->x, 1, s);
  if (status != DM_OK) {
    dm_simulation_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_simulation_free(dm_simulation *w) {
  if (!w) return;
  dm_continuous_free(w->c);
  dm_interval_free(w->d);
  dm_trajectory_free(w->x);
  dm_block_free(w);
}

// u of step k
static const double *find_inputs(const dm_simulation *w, int k) {
  return w->set.u ? w->set.u + (size_t)k * (size_t)w->x->nu : w->zero;
}

// update the largest residual with the constraints at knot k
static void record_residual(dm_simulation *w, const double *h, int k) {
  w->residual = 0;

  // largest residual of the run, with its row and knot
  for (int i = 0; i < w->s.hol.nc; i++) {
    w->residual = fmax(w->residual, fabs(h[i]));
    if (!(fabs(h[i]) > w->info.residual)) continue;
    w->info.residual = fabs(h[i]);
    w->info.row = i;
    w->info.knot = k;
  }
}

// initial momenta from the given data
static dm_status find_start_momenta(dm_simulation *w, const dm_start *start) {
  dm_trajectory *x = w->x;
  const double h = w->set.h;

  // the stepper has its own initialization
  if (w->step.start) return w->step.start(w->step.self, x->q, find_inputs(w, 0), h, x->p);

  // p0 + D1(q0,q1) = 0
  if (start->next) {
    DM_TRY(dm_interval_eval(w->d, 1, x->q, start->next, find_inputs(w, 0), h));
    for (int i = 0; i < x->n; i++) x->p[i] = -w->d->D1[i];
    return DM_OK;
  }

  // p0 = D2(q0,q0), without inputs
  if (start->standing) {
    DM_TRY(dm_interval_eval(w->d, 1, x->q, x->q, w->zero, h));
    memcpy(x->p, w->d->D2, (size_t)x->n * sizeof *x->p);
    return DM_OK;
  }
  return dm_momentum_of(w->c, x->q, x->v, x->p);
}

dm_status dm_simulation_start(dm_simulation *w, const dm_start *start) {
  assert(w && start && start->q && start->v);
  dm_trajectory *x = w->x;
  size_t size = (size_t)x->n * sizeof *x->q;

  w->k = 0;
  w->info = (dm_simulate_info){0};
  w->residual = 0;

  memcpy(x->q, start->q, size);
  memcpy(x->v, start->v, size);

  // constraints, if the steps satisfy them at knots
  const dm_holonomic *hol = &w->s.hol;
  if (hol->nc && !w->step.start) {
    DM_TRY(hol->eval(hol->self, w->hol, x->q, w->h, NULL));
    record_residual(w, w->h, 0);
  }

  // momenta; velocities for kinematic coordinates
  DM_TRY(find_start_momenta(w, start));
  for (int i = 0; w->s.kinematic && i < x->n; i++)
    if (w->s.kinematic[i]) x->p[i] = start->standing ? 0 : x->v[i];
  return dm_velocity_of(w->c, x->q, x->p, x->v);
}

// velocity, energy and momentum of knot k from its q, p, and their drift
static dm_status measure_knot(dm_simulation *w, int k) {
  const dm_trajectory *x = w->x;
  const dm_momentum_map *map = &w->set.momentum;
  dm_simulate_info *info = &w->info;

  // v from p, with half the impulses at the knot, projected on the constraints; and the energy
  memcpy(w->mean, x->p, (size_t)x->n * sizeof *x->p);
  for (int i = 0; w->pushed && k > 0 && i < x->n; i++) w->mean[i] += 0.5 * w->step.push[i];
  DM_TRY(dm_tree_state(w->c, x->q, w->mean, x->v, &w->energy));
  bool restricted = x->nc && !w->step.conserves_energy;
  if (restricted && dm_velocity_restrict(w->c, x->q, x->v) == DM_OK)
    DM_TRY(dm_energy(w->c, x->q, x->v, &w->energy));

  // three components of angular momentum about the world's origin, three of linear momentum
  if (map->eval) map->eval(map->self, w->scratch, x->q, x->v, w->moment);

  // drift from the initial values
  if (k == 0) {
    info->energy_start = info->energy_low = info->energy_high = w->energy;
    memcpy(info->momentum_start, w->moment, sizeof w->moment);
  }
  info->energy_drift = fmax(info->energy_drift, fabs(w->energy - info->energy_start));
  info->energy_low = fmin(info->energy_low, w->energy);
  info->energy_high = fmax(info->energy_high, w->energy);
  for (int i = 0; i < 6; i++) {
    double off = fabs(w->moment[i] - info->momentum_start[i]);
    info->momentum_drift[i] = fmax(info->momentum_drift[i], off);
  }
  return DM_OK;
}

// the step from the current knot, if there is one
static dm_status take_simulation_step(dm_simulation *w) {
  const dm_trajectory *x = w->x;
  const dm_simulate_settings *set = &w->set;
  w->stepped = w->pushed = false;
  w->u = w->lambda = NULL;

  // the impulses at the last knot are those of one more step
  if (w->k == set->steps) {
    if (w->step.push && w->k > 0)
      w->pushed = w->step.step(w->step.self, -1, x->q, x->p, find_inputs(w, w->k - 1), set->h,
                               x->q + x->n, x->p + x->n, w->impulse) == DM_OK;
    if (w->pushed) memcpy(x->contact, w->step.contact, (size_t)x->nr * sizeof *x->contact);
    return DM_OK;
  }
  w->u = find_inputs(w, w->k);

  // the callback may end the run between steps
  if (set->proceed && !set->proceed(set->user, w->k)) return DM_INTERRUPTED;

  dm_status s = w->step.step(w->step.self, w->k, x->q, x->p, w->u, set->h, x->q + x->n, x->p + x->n,
                             w->impulse);
  w->stepped = s == DM_OK;
  if (w->stepped && w->step.input) w->u = w->step.input;
  w->pushed = w->stepped && w->step.push;
  if (w->pushed) memcpy(x->contact, w->step.contact, (size_t)x->nr * sizeof *x->contact);
  if (w->stepped) w->lambda = w->impulse;
  return s;
}

dm_status dm_simulation_run(dm_simulation *w) {
  assert(w);
  const dm_trajectory *x = w->x;
  const dm_simulate_settings *set = &w->set;

  // first guess: constant initial velocity
  for (int i = 0; i < x->n; i++) x->q[x->n + i] = x->q[i] + set->h * x->v[i];
  for (;; w->k++) {
    // take a step, measure the knot before it, and call back
    dm_status s = take_simulation_step(w);
    DM_TRY(measure_knot(w, w->k));

    // update the range of each coordinate with knot k
    const int k = w->k;
    for (int i = 0; i < w->x->n; i++) {
      const double q = w->x->q[i];
      w->low[i] = k ? fmin(w->low[i], q) : q;
      w->high[i] = k ? fmax(w->high[i], q) : q;
    }

    if (set->knot) DM_TRY(set->knot(set->user, w));
    if (!w->stepped) return s;

    // advance
    record_residual(w, w->step.residual, w->k + 1);

    // advance to the next knot; guess the one after by extrapolation
    const int n = w->x->n;
    double *q = w->x->q, *p = w->x->p;

    // q1 + (q1 - q0)
    for (int i = 0; i < n; i++) {
      double old = q[i];
      q[i] = q[n + i];
      p[i] = p[n + i];
      q[n + i] += q[n + i] - old;
    }
  }
}

// -dLd/dh of the step from the current knot: the mean energy at the points of the rule
static double find_step_energy(dm_simulation *w) {
  const dm_trajectory *x = w->x;
  const double *q0 = x->q, *q1 = x->q + x->n, h = w->set.h;
  double sum = 0, E = NAN;
  if (dm_interval_eval(w->d, 1, q0, q1, find_inputs(w, 0), h) != DM_OK) return NAN;
  for (int s = 0; s < w->s.rule.points; s++) {
    dm_interval_point(w->d, s, q0, q1, h, w->qm, w->vm);
    if (dm_energy(w->c, w->qm, w->vm, &E) != DM_OK) return NAN;
    sum += w->s.rule.weight[s] * E;
  }
  return sum;
}

void dm_simulation_watch(dm_simulation *w, double value[DM_MONITORS]) {
  const double *g = w->set.gravity, *mu = w->moment;
  const double G = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int i = 0; i < DM_MONITORS; i++) value[i] = NAN;

  value[DM_MONITOR_ENERGY] = w->energy;

  // energy of the step, if it is a single interval
  if (w->stepped && w->step.single) value[DM_MONITOR_ENERGY_STEP] = find_step_energy(w);

  // momentum map; the component of the angular momentum against gravity, -mu.g/|g|
  memcpy(value + DM_MONITOR_MOMENT, mu, 3 * sizeof *value);
  memcpy(value + DM_MONITOR_MOMENTUM, mu + 3, 3 * sizeof *value);
  if (G > 0) value[DM_MONITOR_VERTICAL] = 0 - (mu[0] * g[0] + mu[1] * g[1] + mu[2] * g[2]) / G;
  if (w->s.hol.nc) value[DM_MONITOR_CONSTRAINT] = w->residual;
}

void dm_simulation_store(const dm_simulation *w, dm_trajectory *x) {
  assert(w && x && x->n == w->x->n && w->k <= x->N);
  size_t k = (size_t)w->k, n = (size_t)x->n, nu = (size_t)x->nu, nc = (size_t)x->nc;
  memcpy(x->q + k * n, w->x->q, n * sizeof *x->q);
  memcpy(x->p + k * n, w->x->p, n * sizeof *x->p);
  memcpy(x->v + k * n, w->x->v, n * sizeof *x->v);
  if (w->pushed)
    memcpy(x->contact + k * (size_t)x->nr, w->x->contact, (size_t)x->nr * sizeof *x->contact);

  // the last knot has no step
  if (w->u) memcpy(x->u + k * nu, w->u, nu * sizeof *x->u);
  if (w->lambda) memcpy(x->lambda + k * nc, w->lambda, nc * sizeof *x->lambda);
}
