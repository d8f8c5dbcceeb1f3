// Receding-horizon control: the call before the measurement, the call after it, and both together, along
// a swing of a cart-pole, an acrobot and arms in a plane; with inputs that meet no limit, and with a
// limit on half of the largest input. Each call is repeated with the same numbers, and its least time
// counts; the median and the longest are of the calls along the swing. Then 1e5 ticks, each from other numbers
// and once: 99th percentile and worst of their processor times, also of caches that other programs emptied.
#include "benchmarks/figures.h"
#include "control/feedback/mechanics.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "tests/support/models.h"

enum { STEPS = 100, RUNS = 100, MOST = 7, TICKS = 100000 };
static const double H = 0.02;

typedef struct plan {
  dm_system s;
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_mechanics *mechanics;
} plan;

// a swing under inputs, and gains along it
static plan make_plan(dm_model *m) {
  plan z = {.s = dm_system_of(m)};
  double Q[2 * MOST], R[MOST];
  dm_message msg;
  dm_del_info info;
  dm_del *del;
  int failed;
  for (int i = 0; i < 2 * m->nq; i++) Q[i] = i < m->nq ? 100 : 1;
  for (int i = 0; i < m->nu; i++) R[i] = 1;
  bench_need(dm_trajectory_new(&z.x, STEPS, m->nq, m->nu), "memory");
  z.x->h = H;
  for (int i = 0; i < m->nq; i++) z.x->q[i] = 0.3;
  for (int k = 0; k < STEPS * m->nu; k++) z.x->u[k] = 0.5 * sin(0.1 * k);
  bench_need(dm_del_new(&del, &z.s, NULL), "memory");
  bench_need(dm_trajectory_rollout(z.x, del, &info, &failed), "a swing");
  dm_del_free(del);
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  bench_need(fb_tvlqr_new(&z.f, z.x, &z.s, &weights, &failed, &msg), "gains");
  bench_need(fb_mechanics_new(&z.mechanics, &(dm_robot){.tree = m, .model = m}, &z.s, H,
                              FB_OF_STEPS, &msg),
             "mechanics");
  z.f->tree = fb_mechanics_tables(z.mechanics);
  return z;
}

// times of calls along the swing [us]: before and after the measurement, and of both
typedef struct times {
  int calls;
  double before[STEPS], after[STEPS], both[STEPS], sweeps;
  double percentile, worst; // of TICKS
} times;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sort_times(times *t) {
  double *const all[] = {t->before, t->after, t->both};
  for (int i = 0; i < 3; i++) qsort(all[i], (size_t)t->calls, sizeof(double), compare);
}

// many ticks, along one swing after the other
static void time_ticks(const plan *z, fb_horizon *law, times *t) {
  static double ticks[TICKS];
  const int nx = z->f->nx;
  for (int tick = 0; tick < TICKS; tick++) {
    const int k = tick % t->calls;
    double x[2 * MOST], u[MOST];
    if (k == 0) law->begin(law);
    for (int i = 0; i < nx; i++) x[i] = z->f->x[k * nx + i] + 0.1 * cos(tick + i);
    const double start = bench_now();
    law->prepare(law, k);
    law->input(law, k, x, u, NULL);
    ticks[tick] = 1e6 * (bench_now() - start);
  }
  qsort(ticks, TICKS, sizeof *ticks, compare);
  t->percentile = ticks[TICKS / 100 * 99];
  t->worst = ticks[TICKS - 1];
}

// off the plan, each call the least of some runs
static times time_calls(const plan *z, const fb_receding *o) {
  fb_output_feedback *law;
  dm_message msg;
  times t = {.calls = STEPS - o->stages};
  const int nx = z->f->nx;
  bench_need(fb_output_feedback_new(&law, z->f, &z->s, FB_STATE, true, &msg), "a law");
  bench_need(fb_receding_start(law, o, &msg), "a horizon");
  for (int k = 0; k < t.calls; k++) t.before[k] = t.after[k] = t.both[k] = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double x[2 * MOST], u[MOST];
    int swept;
    law->horizon->begin(law->horizon);
    for (int k = 0; k < t.calls; k++) {
      for (int i = 0; i < nx; i++) x[i] = z->f->x[k * nx + i] + 0.1 * cos(k + i);
      const double start = bench_tick();
      law->horizon->prepare(law->horizon, k);
      const double middle = bench_tick();
      law->horizon->input(law->horizon, k, x, u, &swept);
      const double end = bench_tick();
      t.before[k] = fmin(t.before[k], 1e6 * (middle - start));
      t.after[k] = fmin(t.after[k], 1e6 * (end - middle));
      t.both[k] = fmin(t.both[k], 1e6 * (end - start));
      if (run == 0) t.sweeps += (double)swept / t.calls;
    }
  }
  time_ticks(z, law->horizon, &t);
  fb_output_feedback_free(law);
  sort_times(&t);
  return t;
}

static void print(const char *name, int stages, const char *limits, const char *what, double value,
                  const char *unit) {
  char text[96];
  snprintf(text, sizeof text, "receding.%s_%d%s.%s", name, stages, limits, what);
  bench_print(text, value, unit);
}

static void time_robot(const char *name, dm_model *m, int stages) {
  plan z = make_plan(m);
  double low[MOST], high[MOST], largest = 0;
  for (int k = 0; k < STEPS * m->nu; k++) largest = fmax(largest, fabs(z.x->u[k]));
  for (int i = 0; i < m->nu; i++) high[i] = largest / 2, low[i] = -largest / 2;
  for (int limited = 0; limited < 2; limited++) {
    fb_receding o = {.stages = stages, .sweeps = 20};
    if (limited) o.u_min = low, o.u_max = high;
    const char *limits = limited ? "_limited" : "";
    const times t = time_calls(&z, &o);
    print(name, stages, limits, "prepare", t.before[t.calls / 2], "us");
    print(name, stages, limits, "input", t.after[t.calls / 2], "us");
    print(name, stages, limits, "tick", t.both[t.calls / 2], "us");
    print(name, stages, limits, "longest", t.both[t.calls - 1], "us");
    print(name, stages, limits, "percentile_99", t.percentile, "us");
    print(name, stages, limits, "worst", t.worst, "us");
    print(name, stages, limits, "sweeps", t.sweeps, "1");
  }
  fb_tvlqr_free(z.f);
  fb_mechanics_free(z.mechanics);
  dm_trajectory_free(z.x);
  dm_model_free(m);
}

void bench_receding(void) {
  if (!bench_wanted("receding")) return;
  time_robot("cart_pole", models_cart_pole(), 20);
  time_robot("cart_pole", models_cart_pole(), 30);
  time_robot("acrobot", models_acrobot(), 30);
  time_robot("arm6", models_chain(6, 0.3, 0), 20);
  time_robot("arm7", models_chain(7, 0.3, 0), 20);
}
