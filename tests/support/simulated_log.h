// tests/support/simulated_log.h: random trees, and logs of their discrete map with noise in forces
// and measured positions, as identification assumes it.
#ifndef TESTS_SUPPORT_SIMULATED_LOG_H
#define TESTS_SUPPORT_SIMULATED_LOG_H
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "tests/support/models.h"

enum { LOG_JOINTS = 6, LOG_KNOTS = 1201 };

// A tree of n joints with an input each: joint 0 on the world, others on random earlier ones.
typedef struct random_tree {
  int n, ncoord, ninput;
  dm_coordinate coord[LOG_JOINTS];
  dm_body body[LOG_JOINTS];
  dm_input input[LOG_JOINTS];
  char name[LOG_JOINTS][2][8];
} random_tree;

typedef struct random_stream {
  uint64_t seed, i;
} random_stream;

static inline double draw_uniform(random_stream *r) {
  return dm_random_uniform(r->seed, 1, r->i++);
}

static inline void make_random_tree(random_tree *t, int n, uint64_t seed, bool slides) {
  t->n = t->ncoord = t->ninput = n;
  random_stream r = {seed, 0};
  for (int j = 0; j < n; j++) {
    snprintf(t->name[j][0], sizeof t->name[j][0], "q%d", j);
    snprintf(t->name[j][1], sizeof t->name[j][1], "link%d", j);
    double a[3] = {draw_uniform(&r), draw_uniform(&r), draw_uniform(&r)};
    const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    t->coord[j] = models_coord(t->name[j][0], slides && draw_uniform(&r) > 0.5, a[0] / size,
                               a[1] / size, a[2] / size);
    t->coord[j].armature = 0.02 + 0.01 * draw_uniform(&r);
    t->coord[j].damping = 0.4 + 0.2 * draw_uniform(&r);
    dm_pose offset = dm_identity;
    offset.p.x = 0.2 * draw_uniform(&r);
    offset.p.y = 0.2 * draw_uniform(&r);
    offset.p.z = -0.3;
    const double m = 1 + 0.5 * draw_uniform(&r);
    t->body[j] = (dm_body){
        .name = t->name[j][1],
        .parent = j == 0 ? -1 : (int)floor(j * 0.5 * (draw_uniform(&r) + 1)),
        .offset = offset,
        .first = j,
        .ncoord = 1,
        .mass = m,
        .centre = {0.1 * draw_uniform(&r), 0.1 * draw_uniform(&r), -0.15 + 0.1 * draw_uniform(&r)},
        .inertia = {0.02 * m, 0.025 * m, 0.015 * m, 0.003 * draw_uniform(&r),
                    0.003 * draw_uniform(&r), 0.003 * draw_uniform(&r)}};
    t->input[j] = models_input(t->name[j][0], j);
  }
}

static inline dm_model *compile_random_tree(const random_tree *t) {
  return models_make(&(dm_tree){.nbody = t->n,
                                .ncoord = t->ncoord,
                                .ninput = t->ninput,
                                .body = t->body,
                                .coord = t->coord,
                                .input = t->input,
                                .gravity = {0, 0, -9.81}});
}

typedef struct simulated_log {
  int n;
  double h, t[LOG_KNOTS], y[LOG_JOINTS][LOG_KNOTS], u[LOG_JOINTS][LOG_KNOTS];
  oc_channel q[LOG_JOINTS], input[LOG_JOINTS];
  oc_recording recording;
} simulated_log;

// Simulate the map of a robot with inputs that are sums of sines and a spring, with forces of standard
// deviation sigma_f that the log does not have, and measure with sigma_q. dry [n].
static inline void simulate_log(simulated_log *log, const dm_robot *r, double h, double sigma_q,
                                double sigma_f, double effort, const double *dry, uint64_t seed) {
  oc_fit_parameters *x;
  oc_motion_residual *w;
  dm_message msg = {""};
  const int n = r->model->nq, nu = r->model->nu;
  const dm_holonomic hol = dm_robot_system(r).hol;
  void *scratch = calloc(1, hol.scratch + 1);
  assert_int_equal(oc_fit_parameters_new(&x, r, 0, NULL, &msg), DM_OK);
  assert_int_equal(oc_motion_residual_new(&w, x, h, dry, &msg), DM_OK);
  double q[3][LOG_JOINTS] = {{0}}, u[2][LOG_JOINTS], D2[LOG_JOINTS];
  for (int k = 0; k < r->tree->nball; k++)
    for (int i = 0; i < 3; i++) q[i][r->model->quaternion[k]] = 1;
  log->n = n;
  log->h = h;
  for (int k = 0; k < LOG_KNOTS; k++) {
    log->t[k] = k * h;
    for (int i = 0; i < nu; i++) {
      // inputs of the step from k, held
      log->u[i][k] = 0;
      for (int s = 0; s < 4; s++)
        log->u[i][k] += effort * 0.5 *
                        sin((1.5 + 2.3 * s + 0.3 * i) * k * h *
                                (1 + 0.1 * dm_random_uniform(seed, 2, (uint64_t)(10 * i + s))) +
                            3 * dm_random_uniform(seed, 3, (uint64_t)(10 * i + s)));
    }
  }
  for (int k = 0; k < LOG_KNOTS; k++) {
    for (int i = 0; i < n; i++)
      log->y[i][k] = q[0][i] + sigma_q * dm_random_normal(seed, 4, (uint64_t)(k * n + i));
    if (k + 2 >= LOG_KNOTS) {
      memcpy(q[0], q[1], sizeof q[0]);
      continue;
    }
    // D2(q0,q1) + D1(q1,q2) - Dh(q1)'lambda = h times the unknown force, h(q2) = 0
    oc_step_forms f;
    for (int i = 0; i < nu; i++) {
      // a controller that keeps the machine near zero
      log->u[i][k + 1] -= 1.5 * effort * q[1][r->model->input_coord[i]];
      u[0][i] = log->u[i][k], u[1][i] = log->u[i][k + 1];
    }
    assert_int_equal(oc_motion_residual_step(w, 1, q[0], q[1], u[0], NULL, &f), DM_OK);
    memcpy(D2, f.D2, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) q[2][i] = 2 * q[1][i] - q[0][i];
    double change = 1, J[LOG_JOINTS * LOG_JOINTS], values[LOG_JOINTS];
    const int size = n + hol.nc;
    if (hol.nc) assert_int_equal(hol.eval(hol.self, scratch, q[1], values, J), DM_OK);
    for (int turn = 0; turn < 60 && change > 1e-13; turn++) {
      double A[4 * LOG_JOINTS * LOG_JOINTS] = {0}, b[2 * LOG_JOINTS], J2[LOG_JOINTS * LOG_JOINTS];
      int piv[2 * LOG_JOINTS];
      assert_int_equal(oc_motion_residual_step(w, 2, q[1], q[2], u[1], NULL, &f), DM_OK);
      for (int i = 0; i < n; i++) {
        memcpy(A + i * size, f.D12 + i * n, sizeof(double) * (size_t)n);
        b[i] = D2[i] + f.D1[i] - h * sigma_f * dm_random_normal(seed, 5, (uint64_t)(k * n + i));
      }
      if (hol.nc) assert_int_equal(hol.eval(hol.self, scratch, q[2], b + n, J2), DM_OK);
      for (int c = 0; c < hol.nc; c++)
        for (int i = 0; i < n; i++) {
          A[(n + c) * size + i] = J2[c * n + i];
          A[i * size + n + c] = -J[c * n + i];
        }
      assert_int_equal(dm_lu_factor(size, A, piv), DM_OK);
      dm_lu_solve(size, A, piv, 1, b);
      change = 0;
      for (int i = 0; i < n; i++) q[2][i] -= b[i], change = fmax(change, fabs(b[i]));
    }
    assert_true(change < 1e-9);
    memmove(q[0], q[1], 2 * sizeof q[0]);
  }
  for (int i = 0; i < n; i++) {
    log->q[i] = (oc_channel){r->model->name[i], LOG_KNOTS, log->t, log->y[i]};
    log->input[i] = (oc_channel){r->model->name[i], LOG_KNOTS, log->t, log->u[i]};
  }
  free(scratch);
  log->recording = (oc_recording){
      .name = "simulated", .n = n, .nu = nu, .q = log->q, .u = log->input, .held = true};
  oc_motion_residual_free(w);
  oc_fit_parameters_free(x);
}

#endif
