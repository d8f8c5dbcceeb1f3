// What links look like, as it is read from a URDF: kinds, frames, colours, triangles; what cannot be
// drawn is said and left out.
#include "problems/readers/model/visuals.h"
#include "tests/support/cart_pole.h"

#include "problems/readers/format/warnings.h"

#include <math.h>

static const char looks[] =
    "<robot name='r'>\n"
    "<material name='red'><color rgba='1 0 0 0.5'/></material>\n"
    "<link name='rail'><visual><origin xyz='0 0 1'/><geometry><box size='2 0.1 0.2'/></geometry>"
    "<material name='red'/></visual></link>\n"
    "<link name='cart'><inertial><mass value='1'/><inertia " ROUND "/></inertial>"
    "<visual><geometry><mesh filename='cart.obj' scale='0.5 0.5 2'/></geometry></visual></link>\n"
    "<link name='rod'><inertial><mass value='1'/><inertia " ROUND "/></inertial>"
    "<visual><geometry><mesh filename='gone.dae'/></geometry></visual>"
    "<visual><geometry><cylinder radius='-1' length='1'/></geometry></visual>"
    "<collision><geometry><cylinder radius='0.02' length='0.4'/></geometry></collision></link>\n"
    "<link name='bob'><visual><geometry><sphere radius='0.1'/></geometry>"
    "<material name='own'><color rgba='0 1 0 1'/></material></visual></link>\n" JOINT(
        "slider", "prismatic", "rail", "cart",
        "<limit lower='-2' upper='2' effort='20' velocity='50'/>")
        JOINT("pole", "continuous", "cart", "rod", "<axis xyz='0 1 0'/>")
            JOINT("weld", "fixed", "rod", "bob", "<origin xyz='0 0 -0.4'/>") "</robot>\n";

// a pyramid's base, its four sides, one counted from the end, and a side that is none
static const char pyramid[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\r\nv 0.5 0.5 1\n"
                              "f 1/1 2/2 3/3 4/4\nf 1 2 5\nf 2//1 3//1 -1//1\r\nf 3 4 5\nf 4 1 5\n"
                              "f 1 2 9\n";

static pb_problem *read_robot(void) {
  pb_problem *p;
  dm_message msg = {""};
  put_file(folder, "v.urdf", looks);
  put_file(folder, "cart.obj", pyramid);
  const char *path = put_file(folder, "p.yaml",
                              "model: {urdf: v.urdf}\nhorizon: {steps: 4, time: 2}\n"
                              "start: {q: 0, v: 0}\ngoal: {v: 0}\ncost: {input: 1}\n");
  if (pb_problem_read(&p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

static void links_have_looks(void **state) {
  (void)state;
  pb_problem *p = read_robot();
  pb_visuals v;
  assert_int_equal(pb_visuals_read(&v, &p->robot, p->file.path), DM_OK);
  static const char *const kind[] = {"box", "mesh", "cylinder", "sphere"};
  static const int joint[] = {-1, 0, 1, 1};
  assert_int_equal(v.n, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(v.list[i].kind, kind[i]);
    assert_int_equal(v.list[i].joint, joint[i]);
  }

  // sizes, frames, colours
  assert_true(v.list[0].size[0] == 2 && v.list[0].size[2] == 0.2 && v.list[0].frame.p.z == 1);
  assert_true(v.list[0].colour[0] == 1 && v.list[0].colour[3] == 0.5);
  const dm_vec bob = v.list[3].frame.p; // in the rod's joint, whose axis is its z
  assert_true(v.list[1].colour[0] < 0);
  assert_true(fabs(dm_dot(bob, bob) - 0.16) < 1e-15 && v.list[3].colour[1] == 1);
  assert_true(v.list[2].size[0] == 0.02 && v.list[2].size[1] == 0.4);

  // two visuals of the rod are left out, and its collision stands for them
  assert_int_equal(v.missing->n, 2);
  assert_non_null(strstr(v.missing->text[0], "link 'rod'"));
  assert_non_null(strstr(v.missing->text[0], "gone.dae"));
  assert_non_null(strstr(v.missing->text[1], "cylinder"));
  pb_visuals_free(&v);
  pb_problem_free(p);
}

// The triangles of a pyramid enclose its volume, scaled: the sum of triple products over 6.
static void sides_are_triangles(void **state) {
  (void)state;
  pb_problem *p = read_robot();
  pb_visuals v;
  double volume = 0;
  assert_int_equal(pb_visuals_read(&v, &p->robot, p->file.path), DM_OK);
  const pb_visual *mesh = &v.list[1];
  assert_int_equal(mesh->triangles, 6);
  for (int i = 0; i < mesh->triangles; i++) {
    const double *x = mesh->x + 9 * i;
    const dm_vec a = dm_v(x[0], x[1], x[2]), b = dm_v(x[3], x[4], x[5]), c = dm_v(x[6], x[7], x[8]);
    const double part = dm_dot(a, dm_cross(b, c)) / 6;
    volume += i < 2 ? 0 : part; // the base is in the plane of the origin
    if (i < 2) assert_true(part == 0);
  }
  assert_true(fabs(volume - 0.5 * 0.5 * 2 / 3) < 1e-12);
  pb_visuals_free(&v);
  pb_problem_free(p);
}

static void a_robot_without_a_file_has_none(void **state) {
  (void)state;
  pb_problem *p = read_robot();
  pb_robot bare = p->robot;
  pb_visuals v;
  bare.file = NULL;
  assert_int_equal(pb_visuals_read(&v, &bare, p->file.path), DM_OK);
  assert_int_equal(v.n, 0);
  pb_visuals_free(&v);
  pb_visuals_free(&v);
  pb_problem_free(p);
}

static int close_looks(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/v.urdf", folder);
  unlink(path);
  snprintf(path, sizeof path, "%s/cart.obj", folder);
  unlink(path);
  return close_problems(state);
}

// a wheel without a file, on a body whose frame is not that of its joint, and a ball
static void wheels_are_drawn_and_show_their_turns(void **state) {
  (void)state;
  pb_problem *p;
  pb_visuals v;
  dm_message msg = {""};
  const char *path = put_file(
      folder, "p.yaml",
      "model:\n  bodies:\n"
      "    - {name: car, joints: [tx, ty, rz], mass: 1, inertia: [1, 1, 1]}\n"
      "    - {name: wheel, parent: car, joints: [ry], mass: 1, inertia: [1, 1, 1]}\n"
      "    - {name: ball, parent: car, joints: [{name: spin, type: ball}], mass: 1, inertia: [1, "
      "1, "
      "1]}\n"
      "  constraints:\n"
      "    - {name: w, type: rolling, body: wheel, radius: 0.5, point: [0, 0.2, 0]}\n"
      "    - {name: b, type: rolling, body: ball, radius: 0.25}\n"
      "    - {name: k, type: knife-edge, body: car, axis: [1, 0, 0]}\n"
      "inputs: []\nhorizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\ngoal: {v: 0}\ncost: {input: "
      "1}\n");
  if (pb_problem_read(&p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(pb_visuals_read(&v, &p->robot, path), DM_OK);
  static const char *const kind[] = {"cylinder", "box", "sphere", "cylinder"};
  assert_int_equal(v.n, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(v.list[i].kind, kind[i]);
    assert_true(v.list[i].rolls == (i % 2) * (i < 2 ? 0.5 : 0.25));
  }

  // the disk's axis is the joint's, through the center; the bar sticks out of it, and the band of the ball
  const dm_model *m = p->robot.mechanism.tree;
  for (int i = 0; i < 2; i++) {
    const pb_visual *x = &v.list[i];
    assert_int_equal(x->joint, m->body_joint[dm_model_body(m, "wheel")]);
    assert_true(fabs(fabs(x->frame.z.z) - 1) < 1e-12);
    assert_true(fabs(fabs(x->frame.p.z) - 0.2) < 1e-12);
  }
  assert_true(v.list[0].size[0] == 0.5 && v.list[1].size[2] > v.list[0].size[1]);
  assert_true(v.list[2].size[0] == 0.25 && v.list[3].size[0] > 0.25);
  pb_visuals_free(&v);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheels_are_drawn_and_show_their_turns),
      cmocka_unit_test(links_have_looks),
      cmocka_unit_test(sides_are_triangles),
      cmocka_unit_test(a_robot_without_a_file_has_none),
  };
  return cmocka_run_group_tests(tests, open_folder, close_looks);
}
