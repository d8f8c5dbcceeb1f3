// The same file of MuJoCo's XML by MuJoCo: places of bodies, sites and shapes, the mass matrix, the
// forces of gravity, of motion, of springs and of damping agree at random states; and the limits.
// Run once for each file named on the command line, with what masses and forces may differ by: MuJoCo
// keeps inertias by principal axes, which its eigenvectors give to some 1e-8, and meshes in single
// precision.
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/model/visuals.h"
#include "problems/readers/task/problem.h"
#include "tests/support/equations.h"
#include "tests/support/files.h"
#include "tests/support/models.h"

#include <mujoco/mujoco.h>

static const char *file;
static double allowed; // kg m2; of forces, which are 50 times as large, 50 times of it

enum { MOST = 32 };

// the robot by both
typedef struct pair {
  pb_problem *p;
  const dm_model *m; // its tree
  mjModel *mj;
  mjData *d;
  int to[MOST]; // MuJoCo's degree of freedom of each coordinate of the tree
  bool balls;
  double outside[MOST * 2]; // the last place
} pair;

// NAME, or NAME.x NAME.y NAME.z of a free joint, NAME.rz NAME.rx NAME.ry of its turns or a ball's
static int find_freedom(const mjModel *mj, const char *coordinate) {
  static const char *const end[] = {".x", ".y", ".z", ".rx", ".ry", ".rz"};
  int id = mj_name2id(mj, mjOBJ_JOINT, coordinate), part = 0;
  for (int i = 0; id < 0 && i < 6; i++) {
    const size_t length = strlen(coordinate), less = strlen(end[i]);
    char name[100];
    if (length < less || strcmp(coordinate + length - less, end[i]) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)(length - less), coordinate);
    id = mj_name2id(mj, mjOBJ_JOINT, name);
    part = id >= 0 && mj->jnt_type[id] == mjJNT_BALL ? i - 3 : i;
  }
  if (id < 0) fail_msg("MuJoCo has no joint %s", coordinate);
  return mj->jnt_dofadr[id] + part;
}

static int open_pair(void **state) {
  static pair x;
  char error[1000] = "", text[800];
  dm_message msg;
  const char *folder = make_folder();
  snprintf(text, sizeof text, "model: {urdf: '%s'}\nsimulate: {steps: 2, step: 0.001}\n", file);
  const char *path = put_file(folder, "p.yaml", text);
  if (pb_problem_read(&x.p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  unlink(path);
  rmdir(folder);

  // MuJoCo without the elements that are not part of the robot
  x.mj = mj_loadXML(file, NULL, error, sizeof error);
  if (!x.mj) fail_msg("MuJoCo refuses %s: %s", file, error);
  x.d = mj_makeData(x.mj);
  x.mj->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  x.m = x.p->robot.mechanism.tree;
  x.balls = x.m->nball > 0;
  assert_int_equal(x.mj->nv, x.m->nq);
  assert_true(x.m->nq <= MOST);
  for (int i = 0; i < x.m->nq; i++) x.to[i] = find_freedom(x.mj, x.m->name[i]);
  *state = &x;
  return 0;
}

static int close_pair(void **state) {
  pair *x = *state;
  mj_deleteData(x->d);
  mj_deleteModel(x->mj);
  pb_problem_free(x->p);
  return 0;
}

// a random place in both: q of the tree; its quaternions are MuJoCo's
static void go_somewhere(pair *x, uint64_t *r, double *q) {
  const dm_model *out = x->p->robot.mechanism.model;
  double *outside = x->outside;
  for (int i = 0; i < out->nq; i++) outside[i] = models_random(r);
  for (int b = 0; x->balls && b < out->nball; b++) {
    double *p = outside + out->quaternion[b], size = 0;
    for (int k = 0; k < 4; k++) size += p[k] * p[k];
    for (int k = 0; k < 4; k++) p[k] /= sqrt(size);
  }
  pb_robot_to_tree(&x->p->robot, outside, q);

  // MuJoCo's numbers stand in the order of its joints, as ours do
  assert_int_equal(x->mj->nq, out->nq);
  for (int i = 0; i < x->m->nq; i++) {
    const int id = x->mj->dof_jntid[x->to[i]], at = dm_ball_outside(x->m, i);
    const int part = x->to[i] - x->mj->jnt_dofadr[id];
    const bool turn = dm_ball_owns(x->m, i);
    const int from = x->mj->jnt_qposadr[id] + (x->mj->jnt_type[id] == mjJNT_FREE && turn ? 3 : 0);
    if (turn)
      for (int k = 0; k < 4; k++) x->d->qpos[from + k] = outside[at + k];
    else
      x->d->qpos[from + part] = outside[at];
  }
  mju_zero(x->d->qvel, x->mj->nv);
  mj_forward(x->mj, x->d);
}

static void compare_pose(const double *at, const double *turn, const dm_pose *X) {
  const double own[] = {X->x.x, X->y.x, X->z.x, X->x.y, X->y.y, X->z.y, X->x.z, X->y.z, X->z.z};
  const double place[] = {X->p.x, X->p.y, X->p.z};
  for (int i = 0; i < 9; i++) assert_close(turn[i], own[i], 1e-12);
  for (int i = 0; i < 3; i++) assert_close(at[i], place[i], 1e-12);
}

// where joint j has carried a frame of its own
static dm_pose carry(const dm_pose *X, int j, const dm_pose *own) {
  return j < 0 ? *own : dm_compose(&X[j], own);
}

static void bodies_sites_and_shapes_stand_alike(void **state) {
  pair *x = *state;
  uint64_t r = 5;
  double q[MOST];
  dm_pose X[MOST];
  pb_visuals looks;
  assert_int_equal(pb_visuals_read(&looks, &x->p->robot, x->p->file.path), DM_OK);
  go_somewhere(x, &r, q);
  dm_tree_frames(x->m, q, X);
  int compared = 0;
  for (int b = 0; b < x->m->nbody; b++) {
    const dm_pose at = carry(X, x->m->body_joint[b], &x->m->body_pose[b]);
    const int body = mj_name2id(x->mj, mjOBJ_BODY, x->m->body_name[b]);
    const int site = mj_name2id(x->mj, mjOBJ_SITE, x->m->body_name[b]);
    if (body >= 0) compare_pose(x->d->xpos + 3 * body, x->d->xmat + 9 * body, &at);
    if (body < 0 && site >= 0)
      compare_pose(x->d->site_xpos + 3 * site, x->d->site_xmat + 9 * site, &at);
    compared += body >= 0 || site >= 0;
  }

  // shapes in their order; MuJoCo puts a mesh into a frame of its own
  int geom = 0;
  for (int i = 0; i < looks.n; i++, geom++) {
    const dm_pose at = carry(X, looks.list[i].joint, &looks.list[i].frame);
    while (x->mj->geom_type[geom] == mjGEOM_PLANE || x->mj->geom_group[geom] > 2) geom++;
    if (x->mj->geom_type[geom] == mjGEOM_MESH) continue;
    compare_pose(x->d->geom_xpos + 3 * geom, x->d->geom_xmat + 9 * geom, &at);
    compared++;
  }
  assert_int_equal(looks.missing->n, 0);
  assert_true(compared > 0 || !strcmp(x->m->body_name[0], "body_1"));
  pb_visuals_free(&looks);
}

// M, and the other terms of the equations: gravity, forces of motion, springs and damping
static void equations_of_motion_agree(void **state) {
  pair *x = *state;
  const int n = x->m->nq;
  uint64_t r = 9;
  double q[MOST], v[MOST], M[MOST * MOST], own[MOST * MOST], f[MOST];
  equations e = equations_open(&x->p->robot);
  for (int sample = 0; sample < 10; sample++) {
    go_somewhere(x, &r, q);
    for (int i = 0; i < n; i++) v[e.to[i]] = x->d->qvel[x->to[i]] = models_random(&r);
    mj_forward(x->mj, x->d);
    mj_fullM(x->mj, M, x->d->qM);
    assert_int_equal(equations_at(&e, x->outside, v, own, f), DM_OK);
    for (int i = 0; i < n; i++) {
      const int at = x->to[i];
      assert_close(f[e.to[i]], x->d->qfrc_bias[at] - x->d->qfrc_passive[at], 50 * allowed);
      for (int j = 0; j < n; j++)
        assert_close(own[e.to[i] * n + e.to[j]], M[at * n + x->to[j]], allowed);
    }
  }
  equations_close(&e);
}

// the force of undriven loads on coordinate k, at rest
static double find_undriven(const dm_forces *all, int n, void *scratch, const double *q,
                            const double *v, int k) {
  static double numbers[2 * MOST * MOST + MOST * 8];
  static const double u[8];
  double f[MOST] = {0};
  dm_force_jet jet = {f, numbers, numbers + MOST * MOST, numbers + 2 * MOST * MOST};
  assert_int_equal(dm_forces_eval(all, n, scratch, 1, q, v, u, &jet), DM_OK);
  return f[k];
}

// an input that is on no joint: at its largest force it pushes as the actuator does at one of its ends
static void loads_push_alike(void **state) {
  pair *x = *state;
  const int n = x->m->nq;
  uint64_t r = 5;
  double q[MOST], numbers[2 * MOST * MOST + MOST * 8], v[MOST] = {0}, u[8] = {0};
  const dm_forces all = dm_robot_inside(&x->p->robot.mechanism).force;
  void *scratch = aligned_alloc(64, (dm_forces_scratch(&all, n) + 127) & ~(size_t)63);
  for (int i = x->m->nu - x->m->nload; i < x->m->nu; i++) {
    const int own = i - (x->m->nu - x->m->nload);
    const int id = mj_name2id(x->mj, mjOBJ_ACTUATOR, x->m->input_name[i]);
    double f[MOST] = {0}, off[2] = {0};
    dm_force_jet jet = {f, numbers, numbers + MOST * MOST, numbers + 2 * MOST * MOST};
    assert_true(id >= 0);
    go_somewhere(x, &r, q);
    u[own] = x->m->u_max[i];
    assert_int_equal(dm_forces_eval(&all, n, scratch, 1, q, v, u, &jet), DM_OK);
    for (int k = 0; k < n; k++) f[k] -= find_undriven(&all, n, scratch, q, v, k);
    u[own] = 0;
    for (int end = 0; end < 2; end++) {
      mju_zero(x->d->ctrl, x->mj->nu);
      x->d->ctrl[id] = x->mj->actuator_ctrlrange[2 * id + end];
      mj_forward(x->mj, x->d);
      for (int k = 0; k < n; k++)
        off[end] = fmax(off[end], fabs(f[k] - x->d->qfrc_actuator[x->to[k]]));
    }
    assert_true(fmin(off[0], off[1]) < 1e-10);
  }
  free(scratch);
}

// each input's range is that of the forces of MuJoCo's motors on that freedom
static void limits_and_motors_agree(void **state) {
  pair *x = *state;
  const mjModel *mj = x->mj;
  for (int i = 0; i < x->m->nq; i++) {
    const int id = mj->dof_jntid[x->to[i]];
    const bool single = mj->jnt_type[id] >= mjJNT_SLIDE;
    if (single && mj->jnt_limited[id]) {
      assert_close(x->m->q_min[i], mj->jnt_range[2 * id], 1e-14);
      assert_close(x->m->q_max[i], mj->jnt_range[2 * id + 1], 1e-14);
    } else {
      assert_true(x->m->q_min[i] == -INFINITY && x->m->q_max[i] == INFINITY);
    }
  }
  assert_int_equal(x->m->nu, mj->nu);
  for (int i = 0; i < x->m->nu - x->m->nload; i++) {
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < mj->nu; k++)
      for (int end = 0; end < 2; end++) {
        mju_zero(x->d->ctrl, mj->nu);
        x->d->ctrl[k] = end ? 1e6 : -1e6;
        mju_zero(x->d->qvel, mj->nv);
        mj_forward(x->mj, x->d);
        const double f = x->d->qfrc_actuator[x->to[x->m->input_coord[i]]];
        if (f != 0) least = fmin(least, f), most = fmax(most, f);
      }
    assert_close(fmax(x->m->u_min[i], -1e6), least, 1e-9);
    assert_close(fmin(x->m->u_max[i], 1e6), most, 1e-9);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  file = argv[1];
  allowed = atof(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_sites_and_shapes_stand_alike),
      cmocka_unit_test(equations_of_motion_agree),
      cmocka_unit_test(loads_push_alike),
      cmocka_unit_test(limits_and_motors_agree),
  };
  return cmocka_run_group_tests(tests, open_pair, close_pair);
}
