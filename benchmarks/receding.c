// Receding-horizon control: the call before the measurement, the call after it, and both together,
// along a swing of a cart-pole, an acrobot, arms in a plane, and quadrotors in a plane and, with a
// quaternion, in space; with inputs that meet no limit, and with a limit on half of the largest
// change of an input, by at most 20 sweeps of a call, and by one. Each call is repeated with the same
// numbers, and its least time counts; the median and the longest are of the calls along the swing. Then
// 1e5 ticks, each from other numbers and once: 99th percentile and worst of their processor times,
// also of caches that other programs emptied.
#include "benchmarks/figures.h"
#include "control/feedback/ball_tables.h"
#include "control/feedback/mechanics.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "tests/support/ball.h"

enum { STEPS = 100, RUNS = 100, MOST = 7, TICKS = 100000 };
static const double H = 0.02;

typedef struct plan {
  dm_robot robot;
  dm_system s;
  double held; // by each input, about which it changes
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_mechanics *mechanics;
} plan;

// a swing under inputs, and gains along it
static void make_plan(plan *z, const double *start) {
  const int n = z->robot.model->nq, nu = z->s.nu;
  double Q[2 * MOST], R[MOST];
  dm_message msg;
  dm_del_info info;
  dm_del *del;
  int failed;
  for (int i = 0; i < 2 * n; i++) Q[i] = i < n ? 100 : 1;
  for (int i = 0; i < nu; i++) R[i] = 1;
  bench_need(dm_trajectory_new(&z->x, STEPS, n, nu), "memory");
  z->x->h = H;
  for (int i = 0; i < n; i++) z->x->q[i] = start ? start[i] : 0.3;
  for (int k = 0; k < STEPS * nu; k++) z->x->u[k] = z->held + 0.5 * sin(0.1 * k);
  bench_need(dm_del_new(&del, &z->s, NULL), "memory");
  bench_need(dm_trajectory_rollout(z->x, del, &info, &failed), "a swing");
  dm_del_free(del);
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  bench_need(fb_tvlqr_new(&z->f, z->x, &z->s, &weights, &failed, &msg), "gains");
  bench_need(fb_mechanics_new(&z->mechanics, &z->robot, &z->s, H, FB_OF_HORIZON, &msg),
             "mechanics");
  z->f->tree = fb_mechanics_tables(z->mechanics);
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

// the state at knot k and off it, on board
static void set_state(const plan *z, fb_horizon *law, int k, int shift, double *x) {
  const int n = z->robot.model->nq;
  double off[2 * MOST];
  for (int i = 0; i < 2 * n; i++) off[i] = z->f->x[k * 2 * n + i] + 0.1 * cos(shift + i);
  const fb_horizon_view view = {.what = FB_SEES_MOMENTA, .q = off, .second = off + n};
  law->measure(law, &(fb_call){.k = k, .hold = H}, &view, x);
}

// many ticks, along one swing after the other
static void time_ticks(const plan *z, fb_horizon *law, times *t) {
  static double ticks[TICKS];
  for (int tick = 0; tick < TICKS; tick++) {
    const int k = tick % t->calls;
    double x[2 * MOST], u[MOST];
    if (k == 0) law->begin(law);
    set_state(z, law, k, tick, x);
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
static times time_calls(const plan *z, fb_receding *o) {
  fb_output_feedback *law;
  fb_ball_tables *balls = NULL;
  dm_message msg;
  times t = {.calls = STEPS - o->stages};
  if (z->f->tree->balls) bench_need(fb_ball_tables_new(&balls, z->f, o, &msg), "tables");
  o->balls = balls;
  bench_need(fb_output_feedback_new(&law, z->f, &z->s, FB_STATE, true, &msg), "a law");
  bench_need(fb_receding_start(law, o, &msg), "a horizon");
  for (int k = 0; k < t.calls; k++) t.before[k] = t.after[k] = t.both[k] = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double x[2 * MOST], u[MOST];
    int swept;
    law->horizon->begin(law->horizon);
    for (int k = 0; k < t.calls; k++) {
      set_state(z, law->horizon, k, k, x);
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
  fb_ball_tables_free(balls);
  sort_times(&t);
  return t;
}

static void print(const char *name, int stages, const char *limits, const char *what, double value,
                  const char *unit) {
  char text[96];
  snprintf(text, sizeof text, "receding.%s_%d%s.%s", name, stages, limits, what);
  bench_print(text, value, unit);
}

static void time_plan(const char *name, plan *z, int stages) {
  const int nu = z->s.nu;
  double low[MOST], high[MOST], largest = 0;
  for (int k = 0; k < STEPS * nu; k++) largest = fmax(largest, fabs(z->x->u[k] - z->held));
  for (int i = 0; i < nu; i++) high[i] = z->held + largest / 2, low[i] = z->held - largest / 2;
  static const struct {
    const char *name;
    bool limited;
    int sweeps;
  } cases[] = {{"", false, 20}, {"_limited", true, 20}, {"_limited_one", true, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fb_receding o = {.stages = stages, .sweeps = cases[i].sweeps};
    if (cases[i].limited) o.u_min = low, o.u_max = high;
    const char *limits = cases[i].name;
    const times t = time_calls(z, &o);
    print(name, stages, limits, "prepare", t.before[t.calls / 2], "us");
    print(name, stages, limits, "input", t.after[t.calls / 2], "us");
    print(name, stages, limits, "tick", t.both[t.calls / 2], "us");
    print(name, stages, limits, "longest", t.both[t.calls - 1], "us");
    print(name, stages, limits, "percentile_99", t.percentile, "us");
    print(name, stages, limits, "worst", t.worst, "us");
    print(name, stages, limits, "sweeps", t.sweeps, "1");
  }
  fb_tvlqr_free(z->f);
  fb_mechanics_free(z->mechanics);
  dm_trajectory_free(z->x);
}

static bool is_wanted(const char *name) {
  char text[96];
  snprintf(text, sizeof text, "receding.%s", name);
  return bench_wanted(text);
}

static void time_robot(const char *name, dm_model *m, int stages) {
  plan z = {.robot = {.tree = m, .model = m}, .s = dm_system_of(m)};
  if (is_wanted(name)) {
    make_plan(&z, NULL);
    time_plan(name, &z, stages);
  }
  dm_model_free(m);
}

// a hull with `rotors` propellers in a ring, or in a line, which push up along it and twist it by turns
static void time_quadrotor(const char *name, const dm_tree *t, int rotors, int stages) {
  static const double start[MOST] = {[3] = 1};
  if (!is_wanted(name)) return;
  dm_load f[4] = {{0}};
  dm_loads *loads;
  dm_model *tree = models_make(t), *model = tree;
  dm_system inside = dm_system_of(tree);
  dm_quaternion_system *embed = NULL;
  dm_message msg;
  for (int i = 0; i < rotors; i++) {
    const double at = 2 * acos(-1) * i / rotors;
    f[i] = (dm_load){.name = "rotor",
                     .kind = DM_WRENCH_BODY,
                     .driven = true,
                     .point = {0.17 * cos(at), 0.17 * sin(at), 0},
                     .torque = {0, 0, i % 2 ? -0.016 : 0.016},
                     .force = {0, 0, 1}};
  }
  bench_need(dm_loads_new(&loads, tree, rotors, f, &msg), "propellers");
  dm_system_add_force(&inside, dm_loads_force(loads));
  plan z = {.s = inside, .held = 0.65 * 9.81 / rotors};
  if (tree->nball) {
    bench_need(dm_ball_model(&model, tree, &msg), "a model");
    bench_need(dm_quaternion_system_new(&embed, tree, model, &inside), "a system");
    z.s = dm_quaternion_system_of(embed);
  }
  z.robot = (dm_robot){.tree = tree, .model = model, .embed = embed, .loads = loads};
  make_plan(&z, tree->nball ? start : NULL);
  time_plan(name, &z, stages);
  dm_quaternion_system_free(embed);
  dm_loads_free(loads);
  if (model != tree) dm_model_free(model);
  dm_model_free(tree);
}

static void time_quadrotors(void) {
  static const double inertia[6] = {0.0075, 0.0075, 0.013};
  dm_coordinate plane[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                           models_coord("pitch", false, 0, 1, 0)};
  dm_coordinate space[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                           models_coord("z", true, 0, 0, 1), BALL("turn")};
  dm_body hull = {"hull", -1, dm_identity, 0, 3, 0.65, {0}, {0}};
  memcpy(hull.inertia, inertia, sizeof inertia);
  dm_tree t = {.nbody = 1, .ncoord = 3, .body = &hull, .coord = plane, .gravity = {0, 0, -9.81}};
  time_quadrotor("quadrotor_plane", &t, 2, 20);
  hull.ncoord = t.ncoord = 6;
  t.coord = space;
  time_quadrotor("quadrotor_space", &t, 4, 20);
}

void bench_receding(void) {
  if (!bench_wanted("receding")) return;
  time_robot("cart_pole", models_cart_pole(), 20);
  time_robot("cart_pole", models_cart_pole(), 30);
  time_robot("acrobot", models_acrobot(), 30);
  time_robot("arm6", models_chain(6, 0.3, 0), 20);
  time_robot("arm7", models_chain(7, 0.3, 0), 20);
  time_quadrotors();
}
