// tests/support/tasks.h: the tasks that tests solve.
#ifndef TESTS_SUPPORT_TASKS_H
#define TESTS_SUPPORT_TASKS_H
#include "lib/discrete/assembly.h"
#include "optim/program/transcribe.h"
#include "tests/support/models.h"

#define TASKS_PI 3.14159265358979323846

// A task with memory for every array it may have; the arrays of its costs are NULL until they are
// requested.
typedef struct tasks_task {
  oc_task t;
  dm_model *m;
  dm_constraints *c; // NULL: none
  dm_springs *springs;
  double *pool;
} tasks_task;

// n numbers, all equal to value
static inline double *tasks_fill(double *a, int n, double value) {
  for (int i = 0; i < n; i++) a[i] = value;
  return a;
}

// maximum number of inputs: the model's, those of a general force, and the kinematic ones
static inline int tasks_inputs(const dm_model *m) {
  return m->nu + 8;
}

// N steps in time T, free ends, bounds of the model
static inline tasks_task tasks_make(dm_model *m, int N, double T) {
  dm_system s = dm_system_of(m);
  int n = m->nq, nu = tasks_inputs(m);
  tasks_task x = {.m = m,
                  .pool =
                      calloc((size_t)(4 * n + (N + 1) * nu + 3 * (N + 1) * n + 8 * (n + nu) + nu),
                             sizeof *x.pool)};
  x.t = (oc_task){.system = s,
                  .coord_name = m->name,
                  .input_name = m->input_name,
                  .N = N,
                  .time.T = T,
                  .bounds[OC_Q].low = m->q_min,
                  .bounds[OC_Q].high = m->q_max,
                  .bounds[OC_V].high = m->v_max,
                  .bounds[OC_U].low = s.nk ? NULL : m->u_min,
                  .bounds[OC_U].high = s.nk ? NULL : m->u_max};
  if (s.nk) x.t.input_name = m->name; // sufficiently many names
  const double **ends[] = {&x.t.start.q, &x.t.start.v, &x.t.goal.q, &x.t.goal.v};
  for (int i = 0; i < 4; i++) *ends[i] = tasks_fill(x.pool + i * n, n, NAN);
  return x;
}

static inline void tasks_free(tasks_task *x) {
  free(x->pool);
  dm_constraints_free(x->c);
  dm_springs_free(x->springs);
  dm_model_free(x->m);
}

// the knots of 20 steps that grow from a third to five thirds of their mean
static inline const double *tasks_knots(void) {
  static double grid[21];
  for (int k = 0; k <= 20; k++) grid[k] = k / 3. + 2. / 3 * k * k / 20;
  grid[20] = 20;
  return grid;
}

// add springs to the task, which takes ownership of them
static inline void tasks_spring(tasks_task *x, dm_springs *springs) {
  x->springs = springs;
  x->t.system.L = dm_springs_lagrangian(springs);
}

// at rest at q at one end
static inline void tasks_rest(tasks_task *x, int end, const double *q) {
  int n = x->m->nq;
  memcpy(x->pool + (end ? 2 : 0) * n, q, (size_t)n * sizeof *q);
  tasks_fill(x->pool + (end ? 3 : 1) * n, n, 0);
}

// memory for a weight, which = 0..7, of n numbers, filled with w
static inline const double *tasks_weight(tasks_task *x, int which, int n, double w) {
  int stride = x->m->nq + tasks_inputs(x->m);
  return tasks_fill(x->pool + 4 * x->m->nq + which * stride, n, w);
}

// memory for the references of q, v, p and then u (which = 0..3)
static inline double *tasks_reference(tasks_task *x, int which) {
  int n = x->m->nq, nu = tasks_inputs(x->m);
  return x->pool + 4 * n + 8 * (n + nu) + which * (x->t.N + 1) * n;
}

// a weight w on the rate of every force
static inline const double *tasks_rate(tasks_task *x, double w) {
  int nu = tasks_inputs(x->m);
  return tasks_fill(tasks_reference(x, 3) + (x->t.N + 1) * nu, x->t.system.nu, w);
}

// straight line from start to goal, at rest, without inputs (free ends: zero)
static inline void tasks_line(oc_transcription *p, const tasks_task *x, double *z) {
  int n = x->m->nq, N = x->t.N;
  dm_trajectory *traj;
  assert_int_equal(dm_trajectory_of(&traj, N, &x->t.system), DM_OK);
  traj->h = x->t.time.T / N;
  for (int k = 0; k <= N; k++)
    for (int i = 0; i < n; i++) {
      double a = x->t.start.q[i], b = x->t.goal.q[i];
      if (isnan(a)) a = 0;
      if (isnan(b)) b = a;
      traj->q[k * n + i] = a + (b - a) * k / N;
    }
  for (int i = 0, j = x->t.system.nu; i < n; i++) { // the next values of kinematic coordinates
    if (!x->m->kinematic[i]) continue;
    for (int k = 0; k < N; k++) traj->u[k * traj->nu + j] = traj->q[(k + 1) * n + i];
    j++;
  }
  oc_transcription_pack(p, traj, z);
  dm_trajectory_free(traj);
}

// swing-up of a pendulum, dt = 0.1, N = 100, force at the left, |u| <= limit
static inline tasks_task tasks_pendulum(double limit) {
  dm_model *m = models_pendulum();
  m->u_min[0] = -limit;
  m->u_max[0] = limit;
  tasks_task x = tasks_make(m, 100, 10);
  tasks_rest(&x, 0, (double[]){0});
  tasks_rest(&x, 1, (double[]){TASKS_PI});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  assert_int_equal(dm_rule_set(&x.t.system.rule, "midpoint", 0.5, "left", NULL), DM_OK);
  return x;
}

// cart-pole: from hanging at rest at x = 0 to upright at rest at x = 1 in 2 s, |F| <= 20, |x| <= 2
static inline tasks_task tasks_cart_pole(int N) {
  dm_model *m = models_cart_pole();
  m->u_min[0] = -20;
  m->u_max[0] = 20;
  m->q_min[0] = -2;
  m->q_max[0] = 2;
  tasks_task x = tasks_make(m, N, 2);
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){1, TASKS_PI});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  return x;
}

// acrobot: from hanging at rest to upright at rest in 5 s, |torque| <= 15 at the elbow
static inline tasks_task tasks_acrobot(int N) {
  dm_model *m = models_acrobot();
  m->u_min[0] = -15;
  m->u_max[0] = 15;
  tasks_task x = tasks_make(m, N, 5);
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){TASKS_PI, 0});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  return x;
}

// A four-bar linkage: a chain of three links with its tip pinned to a point of the world; the crank
// is driven from one angle to another in half a second, at rest at both ends.
static inline tasks_task tasks_four_bar(int N) {
  tasks_task x = tasks_make(models_chain(3, 0.4, 2), N, 0.5);
  dm_constraint pin = {.name = "pin",
                       .kind = DM_LINE,
                       .body = {2, -1},
                       .coord = {-1, -1},
                       .axis = {0, 1, 0},
                       .point = {{0, 0, -0.4}, {0.5, 0, 0.1}}};
  assert_int_equal(dm_constraints_new(&x.c, x.m, 1, &pin, NULL), DM_OK);
  x.t.system.hol = dm_constraints_holonomic(x.c);
  for (int end = 0; end < 2; end++) {
    double q[] = {end ? -0.6 : 0.2, -1.2, -1.2};
    dm_message msg = {""};
    if (dm_assembly_project(&x.t.system, q, &msg) != DM_OK) fail_msg("%s", msg.text);
    tasks_rest(&x, end, q);
  }
  x.t.cost[OC_U].running = tasks_weight(&x, 2, x.m->nu, 1);
  return x;
}

// A bar of 2 kg and 1 m that hangs in its plane on two strings of kinematic length, one from a hook
// with a kinematic position, one from a fixed point; to be lifted by 0.3 m in one second, at rest
// at both ends.
static inline tasks_task tasks_hung_bar(int N) {
  dm_coordinate c[] = {models_coord("hook", true, 1, 0, 0), models_coord("tx", true, 1, 0, 0),
                       models_coord("tz", true, 0, 0, 1),   models_coord("ry", false, 0, 1, 0),
                       models_coord("left", true, 1, 0, 0), models_coord("right", true, 1, 0, 0)};
  c[0].kinematic = c[4].kinematic = c[5].kinematic = true;
  dm_body b[] = {{"hook", -1, dm_identity, 0, 1, 0, {0}, {0}},
                 {"bar", -1, dm_identity, 1, 3, 2, {0}, {0, 1. / 6}},
                 {"reels", -1, dm_identity, 4, 2, 0, {0}, {0}}};
  tasks_task x =
      tasks_make(models_make(&(dm_tree){
                     .nbody = 3, .ncoord = 6, .body = b, .coord = c, .gravity = {0, 0, -9.81}}),
                 N, 1);

  // from the ends of the bar: the left one to the hook, the right one to the ground
  dm_constraint strings[] = {{.name = "left",
                              .kind = DM_DISTANCE,
                              .body = {1, 0},
                              .coord = {4, -1},
                              .point = {{-0.5, 0, 0}, {-0.6, 0, 0}}},
                             {.name = "right",
                              .kind = DM_DISTANCE,
                              .body = {1, -1},
                              .coord = {5, -1},
                              .point = {{0.5, 0, 0}, {0.6, 0, 0}}}};
  assert_int_equal(dm_constraints_new(&x.c, x.m, 2, strings, NULL), DM_OK);
  x.t.system.hol = dm_constraints_holonomic(x.c);

  // the strings are displaced horizontally by 0.1 m, therefore their lengths follow from the height
  // of the bar
  for (int end = 0; end < 2; end++) {
    double z = end ? -0.7 : -1, l = sqrt(z * z + 0.01);
    tasks_rest(&x, end, (double[]){0, 0, z, 0, l, l});
  }
  x.t.cost[OC_V].running = tasks_weight(&x, 0, x.m->nq, 1);
  return x;
}
#endif
