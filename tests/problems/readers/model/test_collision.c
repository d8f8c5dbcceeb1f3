// Shapes by the <collision> of links, as they are read: what they become, which pairs stay apart, and
// what is refused.
#include "tests/support/cart_pole.h"

#include <math.h>
#include <stdint.h>

#define AT(xyz, geometry)                                                                          \
  "<collision><origin xyz='" xyz "'/><geometry>" geometry "</geometry></collision>"
#define BODY(name, more)                                                                           \
  "<link name='" name "'><inertial><mass value='1'/><inertia " ROUND "/></inertial>" more          \
  "</link>\n"

// rail, cart, rod, bob fixed to the rod, and an end on a second hinge; %s: the bob's geometry
static const char parts[] = "<robot name='r'>\n<link name='rail'>" AT(
    "0 0 1",
    "<box size='2 0.1 0.1'/>") "</link>\n" BODY("cart",
                                                AT("0 0 0", "<box size='0.05 0.03 0.03'/>")
                                                    AT("0 0 0.1", "<sphere radius='0.02'/>"))
    BODY("rod",
         AT("0 0 -0.2",
            "<cylinder radius='0.02' length='0.4'/>")) "<link name='bob'>\n"
                                                       "<collision><origin xyz='0 0 "
                                                       "-0.4'/><geometry>%s</geometry></"
                                                       "collision></link>\n" BODY(
                                                           "end.1",
                                                           AT("0 0 -0.3", "<capsule radius='0.03' "
                                                                          "length='0.2'/>"))
                                                           JOINT("slider", "prismatic", "rail",
                                                                 "cart",
                                                                 "<limit lower='-2' upper='2' "
                                                                 "effort='20' velocity='50'/>")
                                                               JOINT("pole", "continuous", "cart",
                                                                     "rod", "<axis xyz='0 1 0'/>")
                                                                   JOINT("weld", "fixed", "rod",
                                                                         "bob", "")
                                                                       JOINT("elbow", "continuous",
                                                                             "rod", "end.1",
                                                                             "<origin xyz='0 0 "
                                                                             "-0.4'/><axis xyz='0 "
                                                                             "1 0'/>") "</robot>\n";

#define MESH(name) "<mesh filename='" name "' scale='0.1 0.1 0.2'/>"
#define TASK                                                                                       \
  "model: {urdf: k.urdf}\nhorizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n"                     \
  "goal: {v: 0}\ncost: {input: 1}\n"
#define POST "shapes: [{name: post, type: sphere, point: [1, 0, -0.2], radius: 0.1}]"

// a tetrahedron with a corner at 0, in three ways
static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static void put_text_mesh(const char *name, bool stl) {
  char text[4096] = "";
  size_t n = (size_t)snprintf(text, sizeof text, "%s", stl ? "solid a\n" : "# a\r\no a\r\n");
  for (int i = 0; i < (stl ? 12 : 4); i++) {
    const double *x = corner[stl ? side[i / 3][i % 3] : i];
    n += (size_t)snprintf(text + n, sizeof text - n,
                          stl ? "   vertex %g %g %g\n" : "v %g %g %g\r\n", x[0], x[1], x[2]);
  }
  put_file(folder, name, text);
}

static void put_binary_mesh(const char *name, size_t lost) {
  char bytes[84 + 4 * 50] = "solid as it says";
  if (lost) memcpy(bytes, "made", 4);
  bytes[80] = 4;
  for (int i = 0; i < 36; i++) {
    const float x = (float)corner[side[i / 9][i / 3 % 3]][i % 3];
    uint32_t word;
    memcpy(&word, &x, 4);
    for (int b = 0; b < 4; b++)
      bytes[84 + 50 * (i / 9) + 12 + 4 * (i % 9) + b] = (char)(word >> 8 * b & 255);
  }
  put_bytes(folder, name, bytes, sizeof bytes - lost);
}

static dm_status read_with(const char *geometry, const char *keep_out, pb_problem **p,
                           dm_message *msg) {
  char text[8192], task[1024];
  snprintf(text, sizeof text, parts, geometry);
  put_file(folder, "k.urdf", text);
  snprintf(task, sizeof task, TASK "keep_out: {%s}\n", keep_out);
  return pb_problem_read(p, put_file(folder, "p.yaml", task), msg);
}

static pb_problem *get_with(const char *geometry, const char *keep_out) {
  pb_problem *p;
  dm_message msg = {""};
  if (read_with(geometry, keep_out, &p, &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

static void expect_pairs(const pb_problem *p, int n, const char *const *name) {
  const dm_output_map y = pb_robot_outputs(&p->robot);
  assert_int_equal(p->robot.outputs.kept, n);
  for (int i = 0; i < n; i++) assert_string_equal(dm_output_map_name(&y, i), name[i]);
}

static void links_have_shapes(void **state) {
  (void)state;
  put_text_mesh("bob.obj", false);
  pb_problem *p = get_with(MESH("bob.obj"), POST ", collision: true");
  const pb_outputs *o = &p->robot.outputs;
  static const char *const name[] = {"rail", "cart_1", "cart_2", "rod", "bob", "end_1"};
  static const dm_shape_kind kind[] = {DM_SHAPE_BOX,     DM_SHAPE_CAPSULE, DM_SHAPE_SPHERE,
                                       DM_SHAPE_CAPSULE, DM_SHAPE_CAPSULE, DM_SHAPE_CAPSULE};
  const pb_kept_shape *link = o->shape + o->nlisted;
  assert_int_equal(o->nshapes - o->nlisted, 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(link[i].name, name[i]);
    if (i != 4) assert_int_equal(link[i].shape.kind, kind[i]);
  }
  assert_string_equal(link[4].about, "mesh bob.obj");

  // a cylinder's half-spheres stand over its ends by its radius, a capsule is itself
  assert_true(link[3].excess == 0.02 && fabs(link[3].shape.half[2] - 0.2) < 1e-15);
  assert_true(link[0].excess == 0 && link[2].excess == 0 && link[5].excess == 0);
  assert_true(link[1].excess > 0.005 && link[4].excess > 0.02);

  // a shape that extends far is reported, with its line in the robot's file
  assert_int_equal(p->warnings.n, 2); // and no motor on the pole
  assert_non_null(strstr(p->warnings.text[0], "k.urdf:"));
  assert_non_null(strstr(p->warnings.text[0], "link 'bob': the "));

  // each stays out of the world; the rod by the known geometry
  static const char *const pair[] = {"cart_1-post", "cart_2-post", "rod-post", "bob-post",
                                     "end_1-post"};
  expect_pairs(p, 5, pair);
  const dm_output_map f = pb_robot_outputs(&p->robot);
  void *scratch = aligned_alloc(64, f.scratch + 64 - f.scratch % 64);
  const double q[3] = {0};
  double y[5];
  assert_int_equal(dm_output_map_eval(&f, scratch, q, NULL, y, NULL, NULL), DM_OK);
  assert_true(fabs(y[2] - 0.88) < 1e-12);
  assert_true(fabs(y[1] - (hypot(1, 0.3) - 0.12)) < 1e-12);
  assert_true(fabs(y[4] - (hypot(1, 0.4) - 0.13)) < 1e-12); // its end at -0.6
  free(scratch);
  pb_problem_free(p);
}

// links that share a joint, and bodies fixed to them, may overlap
static void neighbours_are_excepted(void **state) {
  (void)state;
  put_text_mesh("bob.obj", false);
  pb_problem *p = get_with(MESH("bob.obj"), "collision: true, self: true");
  static const char *const pair[] = {"rod-rail", "bob-rail", "end_1-rail", "cart_1-end_1",
                                     "cart_2-end_1"};
  expect_pairs(p, 5, pair);
  pb_problem_free(p);

  // some links, and without a pair that the file excepts
  p = get_with(MESH("bob.obj"), "collision: [rail, rod, end.1], self: true, except: [[rod, rail]]");
  expect_pairs(p, 1, &pair[2]);
  pb_problem_free(p);

  // a link's name stands for all of its shapes
  p = get_with(MESH("bob.obj"),
               "collision: true, self: true, except: [[end.1, cart], [rail, bob]]");
  static const char *const rest[] = {"rod-rail", "end_1-rail"};
  expect_pairs(p, 2, rest);
  pb_problem_free(p);

  // a shape of the section on a link is one of the robot's beside links' shapes
  p = get_with(MESH("bob.obj"), "collision: [rail, cart], self: true, shapes: [{name: tool, type: "
                                "sphere, body: bob, radius: 0.1}]");
  static const char *const tool[] = {"tool-rail"};
  expect_pairs(p, 1, tool);
  pb_problem_free(p);
}

// the same capsule of each kind of file, and of one in a package; a file read twice is kept once
static void meshes_are_read_in_all_forms(void **state) {
  (void)state;
  static const char *const geometry[] = {MESH("bob.obj"), MESH("text.stl"), MESH("binary.STL"),
                                         MESH("package://kit/bob.obj"), MESH("file://text.stl")};
  char path[600];
  double first = 0;
  put_text_mesh("bob.obj", false);
  put_text_mesh("text.stl", true);
  put_binary_mesh("binary.STL", 0);
  snprintf(path, sizeof path, "%s/kit", folder);
  mkdir(path, 0777);
  put_text_mesh("kit/bob.obj", false);
  for (int i = 0; i < 5; i++) {
    pb_problem *p = get_with(geometry[i], POST ", collision: [bob]");
    const pb_outputs *o = &p->robot.outputs;
    const pb_kept_shape *s = o->shape + o->nlisted;
    if (i == 0) first = s->shape.radius;
    assert_true(fabs(s->shape.radius - first) < 1e-7);
    assert_true(first > 0.07 && first < 0.12);
    pb_problem_free(p);
  }
  snprintf(path, sizeof path, "%s/kit/bob.obj", folder);
  unlink(path);
  snprintf(path, sizeof path, "%s/kit", folder);
  rmdir(path);
}

static void what_is_wrong_is_refused_by_place(void **state) {
  (void)state;
  static const struct {
    const char *geometry, *keep_out, *message;
  } rows[] = {
      {MESH("none.stl"), "collision: true",
       "/k.urdf:6: link 'bob': its mesh 'none.stl' cannot be read: No such file"},
      {MESH("package://kit/none.stl"), "collision: true",
       "/k.urdf:6: link 'bob': its mesh 'package://kit/none.stl' cannot be read: No such file or "
       "directory; it was looked for in this file's folder and those above"},
      {MESH("x.dae"), "collision: true", "x.dae: found a mesh of another kind, expected .stl or"},
      {MESH("short.stl"), "collision: true", "short.stl: found 283 bytes that are no STL"},
      {MESH("word.obj"), "collision: true",
       "word.obj:2: found a vertex ' 1 x 2', expected three finite numbers"},
      {MESH("empty.obj"), "collision: true", "empty.obj: found no vertex"},
      {MESH("flat.obj"), "collision: true", "/k.urdf:6: link 'bob': found a flat <mesh>"},
      {"<cone/>", "collision: true", "/k.urdf:6: link 'bob': found <cone>, expected a <geometry>"},
      {"", "collision: true", "/k.urdf:6: link 'bob': found a <collision> of nothing, expected"},
      {"<box size='1 0 1'/>", "collision: true", "found a <box> of size 1 0 1, expected sizes > 0"},
      {"<sphere/>", "collision: true", "found a <sphere> of radius 0, expected a number > 0"},
      {"<cylinder radius='1' length='-1'/>", "collision: true", "of length -1, expected"},
      {"<sphere radius='1'/>", "collision: [bib]",
       "/p.yaml:6:24: keep_out.collision[]: found the unknown link 'bib'"},
      {"<sphere radius='1'/>", "collision: 3",
       "keep_out.collision: found '3', expected true, false or a list of links"},
      {"<sphere radius='0.01'/>", "collision: true", "keep_out: found no pair that can meet"},
      {"<sphere radius='0.01'/>", "collision: true, shapes: [{name: bob, type: sphere, radius: 1}]",
       "keep_out.collision: found a second shape named 'bob'"},
  };
  put_file(folder, "x.dae", "<xml/>");
  put_binary_mesh("short.stl", 1);
  put_file(folder, "word.obj", "v 0 0 0\nv 1 x 2\n");
  put_file(folder, "empty.obj", "f 1 2 3\n");
  put_file(folder, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 0\n");
  int failed = 0;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p;
    dm_message msg = {""};
    const dm_status s = read_with(rows[i].geometry, rows[i].keep_out, &p, &msg);
    if (s == DM_BAD_INPUT && strstr(msg.text, rows[i].message)) continue;
    print_message("got    %d %s\nwanted %s\n", s, msg.text, rows[i].message);
    failed++;
  }
  assert_int_equal(failed, 0);

  // no robot file, and a link without shapes
  static const refused others[] = {
      {"model: {bodies: [{name: a, joints: [tx], mass: 1}]}\nsimulate: {time: 1, steps: 2}\n"
       "keep_out: {collision: true}\n",
       "p.yaml:3:23: keep_out.collision: found no model.robot, expected one"},
      {HEAD "goal: {v: 0}\ncost: {input: 1}\nkeep_out: {collision: true}\n",
       "keep_out.collision: found no <collision> in the robot's file"},
      {HEAD "goal: {v: 0}\ncost: {input: 1}\nkeep_out: {collision: [tip]}\n",
       "keep_out.collision[]: found 'tip', which has no <collision>"},
  };
  expect_refused(others, COUNT_OF(others));
}

static int close_meshes(void **state) {
  static const char *const name[] = {"k.urdf",    "bob.obj",  "text.stl",  "binary.STL", "x.dae",
                                     "short.stl", "word.obj", "empty.obj", "flat.obj"};
  char path[600];
  for (size_t i = 0; i < COUNT_OF(name); i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return close_problems(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_have_shapes),
      cmocka_unit_test(neighbours_are_excepted),
      cmocka_unit_test(meshes_are_read_in_all_forms),
      cmocka_unit_test(what_is_wrong_is_refused_by_place),
  };
  return cmocka_run_group_tests(tests, open_folder, close_meshes);
}
