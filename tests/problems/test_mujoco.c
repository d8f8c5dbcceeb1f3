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

static void mass_matrix_and_inverse_dynamics_agree(void **state) {
  (void)state;
  enum { MOST = 64 };
  dm_message msg;
  pb_robot robot;
  struct pb_warnings warnings = {0};
  if (pb_model_read(&robot, path, false, &warnings, &msg) != DM_OK) fail_msg("%s", msg.text);
  pb_warnings_free(&warnings);
  const dm_model *m = robot.model;
  char error[1000] = "";
  mjModel *mj = load(path, error, sizeof error);
  const char *why = difference(mj, error, m->nq);
  if (why) {
    if (mj) mj_deleteModel(mj);
    pb_robot_free(&robot);
    if (must) fail_msg("%s", why);
    skip_test(why);
  }
  mjData *d = mj_makeData(mj);
  // its damping and friction are passive forces, ours are not part of inverse dynamics either
  for (int i = 0; i < mj->nv; i++) mj->dof_damping[i] = mj->dof_frictionloss[i] = 0;
  mj->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  dm_inverse *w;
  assert_int_equal(dm_inverse_new(&w, m, NULL), DM_OK);
  int n = m->nq, to[MOST];
  assert_true(n <= MOST);
  for (int i = 0; i < n; i++) {
    int id = mj_name2id(mj, mjOBJ_JOINT, m->name[i]);
    if (id < 0) fail_msg("MuJoCo has no joint %s", m->name[i]);
    to[i] = mj->jnt_dofadr[id];
  }
  uint64_t r = 9;
  for (int sample = 0; sample < 10; sample++) {
    double q[MOST], v[MOST], a[MOST], tau[MOST], M[MOST * MOST];
    for (int i = 0; i < n; i++) {
      q[i] = d->qpos[to[i]] = models_random(&r);
      v[i] = d->qvel[to[i]] = models_random(&r);
      a[i] = d->qacc[to[i]] = models_random(&r);
    }
    for (int i = 0; i < n; i++) d->qacc[to[i]] = a[i];
    mj_inverse(mj, d);
    mj_fullM(mj, M, d->qM);
    assert_int_equal(dm_inverse_dynamics(c, q, v, a, tau), DM_OK);
    assert_int_equal(dm_inverse_eval(w, 0, q, v, a), DM_OK);
    // it keeps inertias by their principal axes, and its eigenvectors give back those of z1 to some
    // 6e-10 kg m2 only
    double size = 0, sizeM = 0;
    for (int i = 0; i < n; i++) {
      size = fmax(size, fabs(tau[i])), sizeM = fmax(sizeM, c->jet.L_vv[i * n + i]);
    }
    for (int i = 0; i < n; i++) {
      assert_close(tau[i], d->qfrc_inverse[to[i]], 1e-7 * size);
      assert_close(w->tau[i], d->qfrc_inverse[to[i]], 1e-7 * size);
      for (int j = 0; j < n; j++)
        assert_close(c->jet.L_vv[i * n + j], M[to[i] * n + to[j]], 1e-7 * sizeM);
    }
  }
  dm_continuous_free(c);
  dm_inverse_free(w);
  mj_deleteData(d), mj_deleteModel(mj);
  pb_robot_free(&robot);
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
