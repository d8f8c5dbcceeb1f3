#include "lib/base/random.h"
#include "optim/identification/parameters.h"
#include "problems/readers/task/fitted_robot.h"
#include "tests/support/files.h"
#include "tests/support/models.h"

static const char urdf[] =
    "<robot name='arm'>\n"
    "  <link name='base'/>\n"
    "  <link name='upper'><inertial><origin xyz='0.1 0 -0.2' rpy='0.1 0.2 0.3'/><mass "
    "value='1.5'/>\n"
    "    <inertia ixx='0.02' iyy='0.03' izz='0.015' ixy='0.001' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <link name='tool'><inertial><mass value='0.2'/>\n"
    "    <inertia ixx='0.001' iyy='0.001' izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "  <link name='lower'><inertial><origin xyz='0 0.05 -0.1'/><mass value='0.7'/>\n"
    "    <inertia ixx='0.01' iyy='0.01' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>\n"
    "    <axis xyz='0 0.6 0.8'/><limit lower='-3' upper='3' effort='9' velocity='9'/>\n"
    "    <dynamics damping='0.3' friction='0.1'/></joint>\n"
    "  <joint name='grip' type='fixed'><parent link='upper'/><child link='tool'/>\n"
    "    <origin xyz='0 0 -0.4' rpy='0.5 0 0'/></joint>\n"
    "  <joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/>\n"
    "    <origin xyz='0 0 -0.4' rpy='0 0.4 0'/><axis xyz='0 1 0'/></joint>\n"
    "</robot>\n";

static const char mjcf[] =
    "<mujoco><compiler angle='radian' inertiafromgeom='true'/><worldbody>\n"
    "  <body name='upper'><joint name='shoulder' axis='0 0.6 0.8' pos='0 0 0.1' damping='0.3'\n"
    "    frictionloss='0.1' armature='0.02'/><geom type='box' size='0.05 0.06 0.2' mass='1.5'/>\n"
    "    <body name='lower' pos='0 0 -0.4' euler='0 0.4 0'><joint name='elbow' axis='0 1 0'/>\n"
    "      <geom type='capsule' size='0.04 0.1' pos='0 0.05 -0.1' euler='0.3 0 0' "
    "mass='0.7'/></body>\n"
    "  </body></worldbody></mujoco>\n";

// write the robot with random values of its parameters, and read it back
static void check_round_trip(const char *name, const char *text, int npaths,
                             const char *const *paths) {
  const char *folder = make_folder(), *path = put_file(folder, name, text);
  dm_message msg = {""};
  pb_identification *x, *back;
  oc_fit_parameters *p;
  dm_robot fitted;
  double theta[64];
  if (pb_identification_read(&x, path, NULL, 0, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (oc_fit_parameters_new(&p, &x->robot.mechanism, npaths, paths, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_true(p->count < COUNT(theta));
  oc_fit_parameters_start(p, theta);
  for (int k = 0; k < p->count; k++)
    theta[k] += 0.1 * p->list[k].size * (1.1 + dm_random_uniform(1, 2, (uint64_t)k));
  assert_int_equal(oc_fit_parameters_robot(&fitted, p, theta, NULL), DM_OK);

  char other[400];
  snprintf(other, sizeof other, "%s/%s", folder, pb_fitted_robot_name(x));
  FILE *f = fopen(other, "w");
  assert_non_null(f);
  if (pb_fitted_robot_write(f, x, &fitted, ".", 0, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  fclose(f);
  if (pb_identification_read(&back, other, NULL, 0, &msg) != DM_OK) fail_msg("%s", msg.text);

  // every number is that of the fit
  const dm_model *a = fitted.tree, *b = back->robot.mechanism.tree;
  assert_int_equal(a->nj, b->nj);
  for (int j = 0; j < a->nj; j++) {
    const dm_inertia *I = &a->body[j], *J = &b->body[j];
    const double own[] = {I->m, I->c.x, I->c.y, I->c.z, I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    const double read[] = {J->m, J->c.x, J->c.y, J->c.z, J->xx, J->yy, J->zz, J->xy, J->xz, J->yz};
    for (int e = 0; e < 10; e++) assert_close(read[e], own[e], 1e-12);
    assert_true(fabs(I->m - x->robot.mechanism.tree->body[j].m) > 0.01);
  }
  const dm_joint_forces *own = fitted.joint[DM_JOINT_FRICTION];
  const dm_joint_forces *read = back->robot.mechanism.joint[DM_JOINT_FRICTION];
  assert_int_equal(dm_joint_forces_count(own), dm_joint_forces_count(read));
  for (int k = 0; k < dm_joint_forces_count(own); k++)
    assert_close(dm_joint_forces_get(read, k)->friction.force,
                 dm_joint_forces_get(own, k)->friction.force, 1e-12);
  for (int i = 0; i < a->nq; i++) {
    assert_close(b->damping[i], a->damping[i], 1e-12);
    if (!strcmp(name, "robot.xml")) assert_close(b->armature[i], a->armature[i], 1e-12);
  }
  dm_robot_free(&fitted);
  oc_fit_parameters_free(p);
  pb_identification_free(x);
  pb_identification_free(back);
  unlink(other);
  unlink(path);
  rmdir(folder);
}

static void urdf_reads_back(void **state) {
  (void)state;
  static const char *const paths[] = {"links", "damping", "friction"};
  check_round_trip("robot.urdf", urdf, COUNT(paths), paths);
}

static void mjcf_reads_back(void **state) {
  (void)state;
  static const char *const paths[] = {"links", "damping", "friction", "armature"};
  check_round_trip("robot.xml", mjcf, COUNT(paths), paths);
}

static void numbers_without_a_place_are_named(void **state) {
  (void)state;
  static const char *const paths[] = {"armature.shoulder"}, *const lost[] = {"delay = 0.01 s"};
  const char *folder = make_folder(), *path = put_file(folder, "robot.urdf", urdf);
  dm_message msg = {""};
  pb_identification *x;
  oc_fit_parameters *p;
  dm_robot fitted;
  const double theta[] = {0.25};
  assert_int_equal(pb_identification_read(&x, path, NULL, 0, &msg), DM_OK);
  assert_int_equal(oc_fit_parameters_new(&p, &x->robot.mechanism, 1, paths, &msg), DM_OK);
  assert_int_equal(oc_fit_parameters_robot(&fitted, p, theta, NULL), DM_OK);
  char other[400];
  snprintf(other, sizeof other, "%s/fitted.urdf", folder);
  FILE *f = fopen(other, "w");
  assert_int_equal(pb_fitted_robot_write(f, x, &fitted, ".", 1, lost, &msg), DM_OK);
  fclose(f);
  char *text = get_file(other);
  assert_non_null(strstr(text, "not in this file: armature.shoulder = 0.25"));
  assert_non_null(strstr(text, "not in this file: delay = 0.01 s"));
  free(text);
  dm_robot_free(&fitted);
  oc_fit_parameters_free(p);
  pb_identification_free(x);
  unlink(other);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(urdf_reads_back),
      cmocka_unit_test(mjcf_reads_back),
      cmocka_unit_test(numbers_without_a_place_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
