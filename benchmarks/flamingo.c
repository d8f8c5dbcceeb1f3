#include "benchmarks/flamingo.h"

#include "benchmarks/flamingo_parts.h"
#include "lib/base/random.h"
#include "lib/mechanics/continuous.h"
#include "optim/interior/interior.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the search
static const double ROOMS[] = {3, 0.1, 0.01, 2e-4};
static const double LOOSE = 1e-4, TIGHT = 1e-10; // tolerances of the rooms and of the polish
static const int MOST_ITERATIONS = 300;          // of one room
static const double GUESS_T = 0.1;               // friction of a start
// with the products' curvature from this violation on, after steps that are not cut short
static const double NEARLY_FEASIBLE = 1e-2, LONG_STEP = 0.1;

int flamingo_at(int k, int i) {
  return 1 + k * FLAMINGO_UNKNOWNS + i;
}

// -- making the program

static int knot_of(const void *self, int x) {
  (void)self;
  return x == 0 ? -1 : 1 + (x - 1) / FLAMINGO_UNKNOWNS;
}

// gap, v+ and v-, left
static int own_row_of(const void *self, int x) {
  const int k = (x - 1) / FLAMINGO_UNKNOWNS, i = (x - 1) % FLAMINGO_UNKNOWNS - FLAMINGO_OTHER;
  (void)self;
  return x > 0 && i >= 0 && i < P ? k * FLAMINGO_ROWS + MEMBERS + i : -1;
}

static void name_row(void *self, int row, char *text, size_t size, int *knot) {
  static const char *const names[] = {"motion", "member of a pair", "product of a pair"};
  const int i = row % FLAMINGO_ROWS;
  (void)self;
  *knot = row / FLAMINGO_ROWS;
  snprintf(text, size, "%s %d", names[(i >= MEMBERS) + (i >= PRODUCTS)], i);
}

// fix unknown i of step k at zero
static void fix_unknown(flamingo *w, int k, int i) {
  w->x_min[flamingo_at(k, i)] = w->x_max[flamingo_at(k, i)] = 0;
}

// drop row i of step k
static void free_row(flamingo *w, int k, int i) {
  w->g_min[k * FLAMINGO_ROWS + i] = -INFINITY;
  w->g_max[k * FLAMINGO_ROWS + i] = INFINITY;
}

void flamingo_open(flamingo *w, double room) {
  const oc_task *task = &w->problem->task;
  w->x_min[0] = task->time.min / N;
  w->x_max[0] = task->time.max / N;
  for (int k = 0; k < N; k++) {
    double *low = w->x_min + flamingo_at(k, 0), *high = w->x_max + flamingo_at(k, 0);
    for (int i = 0; i < U; i++) {
      low[i] = oc_low(task, OC_U, i);
      high[i] = oc_high(task, OC_U, i);
    }
    for (int i = CS; i < NEXT; i++) {
      low[i] = 0;
      high[i] = INFINITY;
    }
    for (int i = 0; i < Q; i++) {
      low[NEXT + i] = k + 1 < N ? oc_low(task, OC_Q, i) : w->end[i];
      high[NEXT + i] = k + 1 < N ? oc_high(task, OC_Q, i) : w->end[i];
    }
    for (int i = 0; i < P; i++) {
      w->g_min[k * FLAMINGO_ROWS + PRODUCTS + i] = -INFINITY;
      w->g_max[k * FLAMINGO_ROWS + PRODUCTS + i] = room;
    }
    for (int i = 0; i < PRODUCTS; i++)
      w->g_min[k * FLAMINGO_ROWS + i] = w->g_max[k * FLAMINGO_ROWS + i] = 0;
  }

  // the gaps at the end are closed: no unknowns
  for (int i = 0; i < C; i++) {
    const int gap = flamingo_at(N - 1, FLAMINGO_OTHER + i);
    w->x_min[gap] = w->x_max[gap] = 0;
    free_row(w, N - 1, MEMBERS + i);
  }
}

// p_0 = L_v
static dm_status find_momentum(flamingo *w) {
  dm_continuous *c;
  DM_TRY(dm_continuous_new(&c, &w->problem->task.system));
  const dm_status s = dm_momentum_of(c, w->start, w->problem->task.start.v, w->p0);
  dm_continuous_free(c);
  return s;
}

static dm_status set_up(flamingo *w, const char *robot, dm_message *msg) {
  DM_TRY(pb_problem_read(&w->problem, robot, msg));
  const oc_task *task = &w->problem->task;
  const dm_system *s = &task->system;
  const dm_contact_laws *laws = s->contacts;
  if (s->L.nq != Q || s->nu != U || task->N != N || !laws || laws->n != C || laws->rows.nc != R)
    return dm_fail(msg, DM_BAD_INPUT, "%s: this is not the biped with %d coordinates and %d steps",
                   robot, Q, N);
  for (int i = 0; i < C; i++) {
    w->gap[i] = laws->law[i].gap;
    w->place[i] = laws->law[i].tangent[0];
  }
  w->rows = &laws->rows;
  w->force = laws->mass * laws->gravity / 10;
  w->h0 = task->time.T / N;
  w->scratch = aligned_alloc(64, (laws->rows.scratch + 63) & ~(size_t)63);
  if (!w->scratch) return DM_NO_MEMORY;
  for (int k = 0; k < N; k++) DM_TRY(dm_interval_new(&w->step[k], s));
  memcpy(w->start, task->start.q, sizeof w->start);
  memcpy(w->end, task->goal.q, sizeof w->end);
  for (int i = 0; i < Q; i++) {
    w->cost_q[i] = oc_weight(task->cost[OC_Q].running, i);
    w->cost_v[i] = oc_weight(task->cost[OC_V].running, i);
  }
  for (int i = 0; i < U; i++) w->cost_u[i] = oc_weight(task->cost[OC_U].running, i);
  DM_TRY(find_momentum(w));
  flamingo_open(w, 1);

  oc_triplets jac = {.n = 0}, hess = {.n = 0};
  DM_TRY(flamingo_put_jacobian(w, NULL, &jac));
  DM_TRY(flamingo_put_hessian(w, NULL, 1, NULL, &hess));
  w->nlp = (oc_nlp){.n = VARIABLES,
                    .m = ROWS,
                    .jac_nnz = jac.n,
                    .hess_nnz = hess.n,
                    .x_min = w->x_min,
                    .x_max = w->x_max,
                    .g_min = w->g_min,
                    .g_max = w->g_max,
                    .self = w,
                    .f = flamingo_eval_objective,
                    .grad = flamingo_eval_gradient,
                    .g = flamingo_eval_rows,
                    .jac = flamingo_put_jacobian,
                    .hess = flamingo_put_hessian,
                    .row_name = name_row,
                    .knot = knot_of,
                    .own_row = own_row_of};
  return DM_OK;
}

dm_status flamingo_new(flamingo **out, const char *robot, dm_message *msg) {
  flamingo *w = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  const dm_status s = set_up(w, robot, msg);
  if (s < 0)
    flamingo_free(w);
  else
    *out = w;
  return s;
}

void flamingo_free(flamingo *w) {
  if (!w) return;
  for (int k = 0; k < N; k++) dm_interval_free(w->step[k]);
  pb_problem_free(w->problem);
  free(w->scratch);
  free(w);
}

const oc_nlp *flamingo_nlp(const flamingo *w) {
  return &w->nlp;
}

// -- points

// The other unknowns of a point with all q, c and t: those that its rows say.
static dm_status complete_point(flamingo *w, double *x) {
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1);
    double *z = x + flamingo_at(k, 0), *other = z + FLAMINGO_OTHER;
    DM_TRY(flamingo_eval_contacts(w, x, k));
    for (int i = 0; i < C; i++) {
      double v = 0;
      for (int j = 0; j < Q; j++) v += w->Dr[k][w->place[i] * Q + j] * (b[j] - a[j]) / w->h0;
      z[SLIDES + i] = fabs(v);
      other[i] = w->r[w->gap[i]];
      other[PT + 2 * i] = fabs(v) + v;
      other[PT + 2 * i + 1] = fabs(v) - v;
      other[PS + i] = FRICTION * z[CS + i] - z[TS + 2 * i] - z[TS + 2 * i + 1];
    }
  }
  return DM_OK;
}

dm_status flamingo_fill(flamingo *w, const double *start, double T, double *x) {
  memcpy(w->start, start, sizeof w->start);
  DM_TRY(find_momentum(w));
  x[0] = T / N;
  for (int k = 0; k < N; k++)
    for (int i = CS; i < CS + PS; i++) x[flamingo_at(k, i)] /= w->force;
  return complete_point(w, x);
}

dm_status flamingo_start(flamingo *w, uint64_t seed, int number, double noise, double *x) {
  const bool *length = w->problem->task.system.length;
  memset(x, 0, sizeof(double[VARIABLES]));
  x[0] = w->h0;
  for (int k = 0; k < N; k++) {
    const double share = (k + 1.) / N;
    const double *low = w->x_min + flamingo_at(k, NEXT), *high = w->x_max + flamingo_at(k, NEXT);
    double *z = x + flamingo_at(k, 0);
    for (int i = 0; i < Q; i++) {
      const double turn = noise * dm_random_uniform(seed, number, (uint64_t)(k * Q + i));
      const double q = (1 - share) * w->start[i] + share * w->end[i] + (length[i] ? 0 : turn);
      z[NEXT + i] = fmin(fmax(q, low[i]), high[i]);
    }
    for (int i = 0; i < C; i++) z[CS + i] = 10. / C;
    for (int i = 0; i < 2 * C; i++) z[TS + i] = GUESS_T;
  }
  return complete_point(w, x);
}

// -- the schedule

// the schedule of contact i in step k, if it is closed: sliding against direction d, -1: it sticks
static int read_sliding(const double *z, int i, bool with_next) {
  double slide = 0, left = 0, v[2] = {0};
  for (int j = i; j <= i + with_next; j++) {
    slide += z[SLIDES + j];
    left += z[P + SLIDES + j];
    for (int d = 0; d < 2; d++) v[d] += z[P + TS + 2 * j + d];
  }
  return left > slide ? -1 : v[0] > v[1];
}

// Impose the state of a closed contact; `again`: the other contact of the foot says the same.
static void fix_closed(flamingo *w, int k, int i, int sliding, bool again) {
  fix_unknown(w, k, P + CS + i);
  if (sliding < 0) {
    fix_unknown(w, k, SLIDES + i);
    for (int d = 0; d < 2; d++) fix_unknown(w, k, P + TS + 2 * i + d);
    free_row(w, k, MEMBERS + PT + 2 * i);
    if (again) free_row(w, k, MEMBERS + PT + 2 * i + 1);
    return;
  }
  fix_unknown(w, k, P + TS + 2 * i + sliding);
  fix_unknown(w, k, TS + 2 * i + !sliding);
  fix_unknown(w, k, P + SLIDES + i);
}

static void fix_open(flamingo *w, int k, int i) {
  for (int d = 0; d < 2; d++) {
    fix_unknown(w, k, TS + 2 * i + d);
    fix_unknown(w, k, P + TS + 2 * i + d);
    free_row(w, k, MEMBERS + PT + 2 * i + d);
  }
  fix_unknown(w, k, CS + i);
  fix_unknown(w, k, SLIDES + i);
  fix_unknown(w, k, P + SLIDES + i);
  free_row(w, k, MEMBERS + PS + i);
}

void flamingo_fix(flamingo *w, const double *x) {
  flamingo_open(w, INFINITY);
  for (int k = 0; k < N; k++) {
    const double *z = x + flamingo_at(k, 0);
    for (int foot = 0; foot < C; foot += 2) {
      bool closed[2];
      for (int i = 0; i < 2; i++) closed[i] = z[CS + foot + i] > z[P + CS + foot + i];
      const bool flat = closed[0] && closed[1];
      for (int i = 0; i < 2; i++) {
        if (closed[i])
          fix_closed(w, k, foot + i, read_sliding(z, flat ? foot : foot + i, flat), flat && i);
        else
          fix_open(w, k, foot + i);
      }
    }
  }
}

// -- solving

static bool choose_curvature(void *user, const oc_iterate *it) {
  ((flamingo *)user)->curved = it->violation < NEARLY_FEASIBLE && it->step > LONG_STEP;
  return true;
}

static dm_status search_once(flamingo *w, const oc_options *set, oc_point *point,
                             flamingo_result *r) {
  oc_ipopt_info info;
  const oc_hooks hooks = {.watch = choose_curvature, .user = w};
  w->curved = false;
  const dm_status s = oc_interior_solve(&w->nlp, set, &hooks, point, NULL, 0, &info);
  r->iterations += info.spent;
  r->factorizations += info.factorizations;
  return s;
}

static void measure_point(flamingo *w, const double *x, flamingo_result *r) {
  static double g[ROWS];
  r->objective = flamingo_objective(w, x);
  r->violation = r->products = INFINITY;
  if (flamingo_eval_rows(w, x, g) < 0) return;
  r->violation = r->products = 0;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < FLAMINGO_ROWS; i++) {
      const int row = k * FLAMINGO_ROWS + i;
      r->violation = fmax(r->violation, fmax(w->g_min[row] - g[row], g[row] - w->g_max[row]));
      if (i >= PRODUCTS) r->products = fmax(r->products, g[row]);
    }
}

flamingo_result flamingo_solve(flamingo *w, double *x) {
  flamingo_result r = {.status = DM_NO_MEMORY};
  oc_options set = oc_options_default();
  double *numbers = calloc(2 * VARIABLES + ROWS, sizeof *numbers);
  if (!numbers) return r;
  oc_point point = {
      .x = x, .z_l = numbers, .z_u = numbers + VARIABLES, .lambda = numbers + 2 * VARIABLES};

  // 1  less and less room
  set.tol = LOOSE;
  set.max_iter = MOST_ITERATIONS;
  set.program.beginnings = OC_BEGIN_FIRST;
  r.status = DM_OK;
  for (size_t i = 0; i < sizeof ROOMS / sizeof *ROOMS && r.status >= 0; i++) {
    flamingo_open(w, ROOMS[i]);
    r.status = search_once(w, &set, &point, &r);
  }
  r.searched = flamingo_objective(w, x);

  // 2 and 3  the schedule and its polish
  if (r.status >= 0) {
    flamingo_fix(w, x);
    set.tol = TIGHT;
    r.status = search_once(w, &set, &point, &r);
  }
  measure_point(w, x, &r);
  free(numbers);
  return r;
}
