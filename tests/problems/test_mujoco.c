// The same robot file in MuJoCo: mass matrix and inverse dynamics agree at random states. Run once
// for each URDF named on the command line, with the word `must` where MuJoCo is known to take the
// file; MuJoCo runs here and nowhere else, as it ends the process on files it does not like.
#include "lib/mechanics/continuous.h"
#include "lib/multibody/inverse_dynamics.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/task/problem.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

#include <mujoco/mujoco.h>

static const char *path;
static bool must;

// blank out every element of a kind: meshes are not here, and shapes carry no mass
static void blank(char *text, const char *open, const char *close) {
  for (char *at = text; (at = strstr(at, open));) {
    char *end = strstr(at, close);
    assert_non_null(end);
    memset(at, ' ', (size_t)(end - at) + strlen(close));
  }
}

// MuJoCo's model of the file without its shapes, or NULL with its reason
static mjModel *load(const char *file, char *error, int size) {
  static mjVFS vfs;
  enum { MOST = 1 << 20 };
  static char text[MOST];
  FILE *f = fopen(file, "rb");
  assert_non_null(f);
  text[fread(text, 1, MOST - 1, f)] = 0;
  fclose(f);
  blank(text, "<visual", "</visual>");
  blank(text, "<collision", "</collision>");
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "robot.urdf", (int)strlen(text));
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "robot.urdf")], text, strlen(text));
  mjModel *m = mj_loadXML("robot.urdf", &vfs, error, size);
  mj_deleteVFS(&vfs);
  return m;
}

// why MuJoCo's model, NULL where it gave an error, cannot be compared with nq coordinates; or NULL
static const char *difference(const mjModel *mj, const char *error, int nq) {
  static char why[1200];
  if (mj && mj->nv == nq) return NULL;
  if (mj)
    snprintf(why, sizeof why, "MuJoCo has no mimic joints: %d coordinates against %d", mj->nv, nq);
  else
    snprintf(why, sizeof why, "MuJoCo refuses the file: %.*s", (int)strcspn(error, "\n"), error);
  return why;
}

enum { MOST_COORDINATES = 64 };

// the robot by both
typedef struct pair {
  pb_robot robot;
  mjModel *mj;
  mjData *d;
  dm_continuous *c;
  dm_inverse *w;
  int n, to[MOST_COORDINATES]; // MuJoCo's place of each coordinate
} pair;

// MuJoCo's model without what inverse dynamics of ours has not: damping and friction are passive
// forces there
static void load_engine(pair *x) {
  char error[1000] = "";
  x->mj = load(path, error, sizeof error);
  const char *why = difference(x->mj, error, x->robot.mechanism.model->nq);
  if (why) {
    if (x->mj) mj_deleteModel(x->mj);
    pb_robot_free(&x->robot);
    if (must) fail_msg("%s", why);
    skip_test(why);
  }
  x->d = mj_makeData(x->mj);
  for (int i = 0; i < x->mj->nv; i++) x->mj->dof_damping[i] = x->mj->dof_frictionloss[i] = 0;
  x->mj->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
}

static void open_pair(pair *x) {
  dm_message msg;
  struct pb_warnings warnings = {0};
  if (pb_model_read(&x->robot, path, false, &warnings, &msg) != DM_OK) fail_msg("%s", msg.text);
  pb_warnings_free(&warnings);
  load_engine(x);

  const dm_model *m = x->robot.mechanism.model;
  dm_system s = dm_system_of(m);
  assert_int_equal(dm_continuous_new(&x->c, &s), DM_OK);
  assert_int_equal(dm_inverse_new(&x->w, m, NULL), DM_OK);
  x->n = m->nq;
  assert_true(x->n <= MOST_COORDINATES);
  for (int i = 0; i < x->n; i++) {
    int id = mj_name2id(x->mj, mjOBJ_JOINT, m->name[i]);
    if (id < 0) fail_msg("MuJoCo has no joint %s", m->name[i]);
    x->to[i] = x->mj->jnt_dofadr[id];
  }
}

static void close_pair(pair *x) {
  dm_continuous_free(x->c);
  dm_inverse_free(x->w);
  mj_deleteData(x->d);
  mj_deleteModel(x->mj);
  pb_robot_free(&x->robot);
}

// at one state; it keeps inertias by their principal axes, and its eigenvectors give back those of
// z1 to some 6e-10 kg m2 only
static void compare_state(pair *x, const double *q, const double *v, const double *a) {
  enum { MOST = MOST_COORDINATES };
  double tau[MOST], M[MOST * MOST], size = 0, sizeM = 0;
  int n = x->n;
  mj_inverse(x->mj, x->d);
  mj_fullM(x->mj, M, x->d->qM);
  assert_int_equal(dm_inverse_dynamics(x->c, q, v, a, tau), DM_OK);
  assert_int_equal(dm_inverse_eval(x->w, 0, q, v, a), DM_OK);
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(tau[i]));
    sizeM = fmax(sizeM, x->c->jet.L_vv[i * n + i]);
  }
  for (int i = 0; i < n; i++) {
    assert_close(tau[i], x->d->qfrc_inverse[x->to[i]], 1e-7 * size);
    assert_close(x->w->tau[i], x->d->qfrc_inverse[x->to[i]], 1e-7 * size);
    for (int j = 0; j < n; j++)
      assert_close(x->c->jet.L_vv[i * n + j], M[x->to[i] * n + x->to[j]], 1e-7 * sizeM);
  }
}

static void mass_matrix_and_inverse_dynamics_agree(void **state) {
  (void)state;
  pair x = {.n = 0};
  open_pair(&x);
  uint64_t r = 9;
  for (int sample = 0; sample < 10; sample++) {
    double q[MOST_COORDINATES], v[MOST_COORDINATES], a[MOST_COORDINATES];
    for (int i = 0; i < x.n; i++) {
      q[i] = x.d->qpos[x.to[i]] = models_random(&r);
      v[i] = x.d->qvel[x.to[i]] = models_random(&r);
      a[i] = x.d->qacc[x.to[i]] = models_random(&r);
    }
    compare_state(&x, q, v, a);
  }
  close_pair(&x);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) return 2;
  path = argv[1], must = argc == 3 && !strcmp(argv[2], "must");
  FILE *f = fopen(path, "r");
  if (!f) {
    printf("skipped: no %s here\n", path);
    return 77;
  }
  fclose(f);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrix_and_inverse_dynamics_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
