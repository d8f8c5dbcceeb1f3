// tests/support/robots.h: write and read robot files for tests.
#ifndef TESTS_SUPPORT_ROBOTS_H
#define TESTS_SUPPORT_ROBOTS_H
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/task/problem.h"
#include "tests/support/cmocka.h"
#include "tests/support/files.h"

#define LINK(name, mass, inertia)                                                                  \
  "<link name='" name "'><inertial><mass value='" mass "'/><inertia " inertia                      \
  "/></inertial></link>\n"
#define ROUND "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
#define LONG  "ixx='3' iyy='4' izz='5' ixy='0' ixz='0' iyz='0'"
#define JOINT(name, type, parent, child, more)                                                     \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/>" more "</joint>\n"
#define ROBOT(parts) "<robot name='r'>\n" parts "</robot>\n"

#define ONE_JOINT(more)                                                                            \
  ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT("j", "revolute", "w", "a", more))

static const char *folder;

typedef struct robot {
  dm_status status;
  pb_robot robot;
  dm_model *m;
  dm_message msg;
  struct pb_warnings warnings;
} robot;

static inline robot read_path(const char *path, bool floating) {
  robot r = {0};
  r.status = pb_model_read(&r.robot, path, floating, &r.warnings, &r.msg);
  r.m = r.robot.mechanism.model;
  return r;
}

static inline robot read_text(const char *text, bool floating) {
  return read_path(put_file(folder, "r.urdf", text), floating);
}

static inline void drop(robot *r) {
  pb_robot_free(&r->robot);
  pb_warnings_free(&r->warnings);
}

// Whether a warning contains this text.
static inline bool warned(const robot *r, const char *part) {
  for (int i = 0; i < r->warnings.n; i++)
    if (strstr(r->warnings.text[i], part)) return true;
  return false;
}

// Total mass of the model, including bodies fixed to the ground.
static inline double mass_of(const dm_model *m) {
  double sum = m->ground.m;
  for (int j = 0; j < m->nj; j++) sum += m->body[j].m;
  return sum;
}

// Mass matrix at q [nq x nq].
static inline void mass_matrix(const dm_model *m, const double *q, double *M) {
  dm_lagrangian L = dm_tree_lagrangian(m);
  void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
  size_t n = (size_t)m->nq;
  double *a = calloc(2 * n * n + 3 * n, sizeof *a);
  dm_jet jet = {.L_q = a, .L_v = a + n, .L_qq = a + 3 * n, .L_qv = a + 3 * n + n * n, .L_vv = M};
  assert_int_equal(L.eval(L.self, scratch, 2, q, a + 2 * n, &jet), DM_OK);
  free(a);
  free(scratch);
}

// Pose of a body at q, in the world.
static inline dm_pose pose_of(const dm_model *m, const double *q, const char *body) {
  dm_lagrangian L = dm_tree_lagrangian(m);
  void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
  dm_pose p = dm_tree_pose(m, scratch, q, dm_model_body(m, body));
  free(scratch);
  return p;
}

static inline int open_folder(void **state) {
  (void)state;
  folder = make_folder();
  return folder ? 0 : -1;
}

static inline int close_folder(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/r.urdf", folder);
  unlink(path);
  return rmdir(folder);
}

#endif
