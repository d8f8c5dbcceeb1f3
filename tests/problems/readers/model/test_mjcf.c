// Robots in MuJoCo's XML: what is read of them, what is warned of, and what is refused, in words.
// tests/problems/test_mjcf_engine.c has MuJoCo read the same files.
#include "tests/support/robots.h"

#include "problems/readers/model/visuals.h"

#include <math.h>

#define FILE_OF(parts) "<mujoco>\n" parts "\n</mujoco>\n"
#define WORLD(parts)   FILE_OF("<worldbody>" parts "</worldbody>")
#define BALL           "<geom size='0.1'/>"
#define ARM(more)      "<body name='a'><joint name='j'/>" BALL more "</body>"
#define DRIVEN(parts)  FILE_OF("<worldbody>" ARM("") "</worldbody>\n<actuator>" parts "</actuator>")
#define TWO(parts)                                                                                 \
  FILE_OF(                                                                                         \
      "<worldbody>" ARM("<body name='b'><joint name='k'/>" BALL "</body>") "</worldbody>\n" parts)
#define PATH(more, steps)                                                                          \
  FILE_OF("<worldbody><site name='s'/>" ARM(                                                       \
      "<site name='e' pos='1 0 0'/>") "</worldbody>\n"                                             \
                                      "<tendon><spatial name='t' " more                            \
                                      "><site site='s'/><site site='e'/>" steps                    \
                                      "</spatial></tendon>")
#define JOINED(more) WORLD("<body name='a'>\n<joint name='j' " more "/>" BALL "</body>")
#define SHAPED(more) WORLD("<body name='a'><joint name='j'/>\n<geom " more "/></body>")
#define MESHED(more)                                                                               \
  FILE_OF("<asset><mesh name='m' " more "/></asset>\n"                                             \
          "<worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>")
#define WEIGHED(more) WORLD("<body name='a'><joint name='j'/>\n<inertial " more "/></body>")

// unreadable files: the sentence after the folder's name
static const struct {
  const char *text, *message;
} wrong[] = {
    // the file
    {"<mujoco/>", "r.urdf:1: found no <body> in <worldbody>"},
    {FILE_OF("<include file='x.xml'/>"),
     "r.urdf:2: <include>: found file=\"x.xml\", which cannot be read: No such file"},
    {FILE_OF("<include/>"), "r.urdf:2: <include>: found no file"},
    {FILE_OF("<include file='r.urdf'/>"),
     "r.urdf' a second time, expected every file once: <attach> or <replicate> make copies"},
    {WORLD("<replicate/>"), "r.urdf:2: <replicate>: found no count, expected a whole number >= 1"},
    {WORLD("<replicate count='1.5'/>"), "<replicate>: found another count"},
    {WORLD("<replicate count='1000'><replicate count='1000'><body/></replicate></replicate>"),
     "<replicate>: found more than 200000 elements by copies"},
    {WORLD("<attach/>"), "r.urdf:2: <attach>: found neither model nor body nor frame"},
    {WORLD("<body name='a'><attach body='a' prefix='b'/></body>"),
     "<attach>: found body=\"a\", which it stands in"},
    {WORLD("<attach body='a' prefix='b'/>"), "<attach>: found body=\"a\", which no body is"},
    {WORLD("<attach model='m' prefix='b'/>"),
     "<attach>: found model=\"m\", which no <model> in <asset> is"},
    {WORLD("<body><composite/></body>"),
     "found <composite>, which is not read, expected rigid bodies"},
    {WORLD("<body><flexcomp/></body>"), "found <flexcomp>, which is not read"},
    {FILE_OF("<deformable><flex/></deformable>"), "r.urdf:2: found <flex>, which is not read"},
    {WORLD("<body><plugin/></body>"), "found <plugin>, which is not read"},
    {FILE_OF("<compiler coordinate='global'/>"),
     "r.urdf:2: <compiler>: found coordinate=\"global\", which is not modelled, expected frames "
     "in"},
    {FILE_OF("<compiler angle='grad'/>"),
     "r.urdf:2: <compiler angle>: found 'grad', expected one of degree, radian"},
    {FILE_OF("<compiler eulerseq='xy'/>"),
     "r.urdf:2: <compiler eulerseq>: found 'xy', expected three of xyzXYZ"},
    {FILE_OF("<option gravity='1 2'/>"), "<option gravity>: found 2 numbers, expected three"},
    // classes
    {FILE_OF("<default><default/></default>"), "r.urdf:2: found a <default> without a class"},
    {FILE_OF("<default><default class='a'/><default class='a'/></default>"),
     "r.urdf:2: found a second class 'a'"},
    {FILE_OF(
         "<default><default class='strong'/></default>\n<worldbody><body><joint class='storng'/>"
         "</body></worldbody>"),
     "r.urdf:3: <joint>: found class=\"storng\", which no <default> is; did you mean 'strong'?"},
    {WORLD("<body childclass='a'/>"), "<body>: found childclass=\"a\", which no <default> is"},
    // bodies
    {WORLD(ARM("") "\n" ARM("")),
     "r.urdf:3: found a second body named 'a', expected every name once"},
    {WORLD("<body name='world'/>"), "found a second body named 'world'"},
    {WORLD("<body quat='0 0 0 0'/>"), "<body quat>: found zeros, expected 4 numbers"},
    {WORLD("<body quat='1 0 0'/>"), "<body quat>: found too few numbers, expected 4"},
    {WORLD("<body quat='1 0 0 0' euler='0 0 0'/>"), "<body>: found both quat and euler"},
    {WORLD("<body xyaxes='1 0 0 2 0 0'/>"), "<body xyaxes>: found zeros"},
    {WORLD("<body zaxis='0 0 0'/>"), "<body zaxis>: found zeros"},
    {WORLD("<body axisangle='0 0 0 1'/>"), "<body axisangle>: found zeros"},
    {WORLD("<body pos='0 0'/>"), "<body pos>: found '0 0', expected three finite numbers"},
    {WORLD("<body euler='a'/>"), "<body euler>: found 'a', expected up to 3 finite numbers"},
    // inertia
    {WEIGHED("pos='0 0 0'"), "r.urdf:3: body 'a': found <inertial> without a mass"},
    {WEIGHED("mass='-1'"), "r.urdf:3: body 'a': found a negative mass"},
    {WEIGHED("mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'"),
     "body 'a': found both diaginertia and fullinertia"},
    {WEIGHED("mass='1' quat='1 0 0 0' fullinertia='1 1 1 0 0 0'"),
     "body 'a': found a turned frame beside fullinertia"},
    {WEIGHED("mass='1' diaginertia='1 1'"), "body 'a': found 2 numbers in diaginertia, expected 3"},
    {SHAPED("size='0'"), "r.urdf:3: <geom>: found a sphere without 1 size above 0"},
    {SHAPED("type='box' size='1 1'"), "<geom>: found a box without 3 sizes above 0"},
    {SHAPED("type='capsule' size='1' fromto='0 0 0 0 0 0'"),
     "<geom fromto>: found one point twice"},
    {SHAPED("type='capsule' size='1' fromto='0 0 0 0'"),
     "<geom fromto>: found 4 numbers, expected six"},
    {SHAPED("size='1' density='-1'"), "<geom>: found density -1, expected a number >= 0"},
    {SHAPED("size='1' mass='-1'"), "<geom>: found mass -1, expected a number >= 0"},
    {SHAPED("type='cone' size='1'"), "<geom type>: found 'cone', expected one of sphere, capsule"},
    {SHAPED("type='sdf'"), "<geom>: found an sdf, which is not weighed"},
    {SHAPED("type='box' size='1 1 1' mesh='x'"), "found a shape that is fitted to a mesh"},
    {SHAPED("type='mesh'"), "<geom>: found a mesh without mesh=\"...\""},
    {SHAPED("type='mesh' mesh='m'"), "<geom>: found mesh=\"m\", which no <asset> has"},
    {FILE_OF("<asset><mesh file='gone.stl'/></asset>\n<worldbody><body><joint/>"
             "<geom type='mesh' mesh='gone'/></body></worldbody>"),
     "r.urdf:3: <geom>: its mesh cannot be weighed: "},
    {MESHED("vertex='0 0 0 1 0 0 0 1 0 1 1 0'"), "r.urdf:2: <mesh>: found 4 points in a plane"},
    {MESHED("vertex='0 0 0 1 0 0 0 1 0 0 0 1' inertia='exact' face='0 1 2 0 3 1 0 2 3 3 2 1'"),
     "r.urdf:3: <geom>: found a mesh without a volume inside its sides"},
    {MESHED("builtin='cone'"), "<mesh>: found builtin=\"cone\", expected vertices or a file"},
    {SHAPED("type='ellipsoid' size='1 1 1' shellinertia='true'"),
     "<geom>: found shellinertia of an ellipsoid"},
    {FILE_OF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 9'/></asset>\n"
             "<worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>"),
     "r.urdf:2: <mesh face>: found the vertex 9 of 4"},
    {FILE_OF("<asset><mesh name='m' vertex='0 0 0 1'/></asset>\n"
             "<worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>"),
     "r.urdf:2: <mesh>: found 4 numbers of vertices and 0 of faces"},
    // joints
    {JOINED("type='hing'"),
     "r.urdf:3: <joint type>: found 'hing', expected one of hinge, slide, ball, "
     "free; did you mean 'hinge'?"},
    {JOINED("axis='0 0 0'"), "r.urdf:3: joint 'j': found the axis 0 0 0, expected a direction"},
    {JOINED("range='2 1' limited='true'"), "<joint range>: found 2 1, expected two ascending"},
    {JOINED("range='2' limited='true'"), "<joint range>: found one number, expected two"},
    {JOINED("limited='true'"), "<joint>: found limited=\"true\" without a range"},
    {JOINED("range='2 1'"), "<joint range>: found 2 1, expected two ascending"},
    {JOINED("damping='-1'"), "r.urdf:3: joint 'j': found damping -1, expected a number >= 0"},
    {JOINED("stiffness='-1'"), "joint 'j': found stiffness -1"},
    {JOINED("springdamper='1 0'"),
     "joint 'j': found springdamper 1 0, expected two numbers above 0"},
    {JOINED("damping='1 2'"), "joint 'j': found damping by a curve, 1 2 0, expected one number"},
    {JOINED("type='ball' stiffness='1'"), "joint 'j': found stiffness of a ball joint"},
    {WORLD(ARM("<joint name='j'/>")), "r.urdf:2: found a second joint named 'j'"},
    {WORLD("<body><body>\n<freejoint name='f'/></body></body>"),
     "r.urdf:3: joint 'f': found a free joint below a body"},
    {WORLD("<body><joint/>\n<freejoint name='f'/></body>"),
     "r.urdf:3: joint 'f': found a free joint behind another"},
    {WORLD("<body name='a'><freejoint/>\n<joint name='j'/></body>"),
     "r.urdf:3: body 'a': found a joint beside a free joint"},
    // actuators
    {DRIVEN("<motr joint='j'/>"),
     "r.urdf:3: found the unknown actuator <motr>, expected <motor>; did you"},
    {DRIVEN("<motor joint='jj'/>"),
     "<motor>: found joint=\"jj\", which no joint is; did you mean 'j'?"},
    {DRIVEN("<motor joint='j' ctrllimited='true'/>"),
     "<motor>: found ctrllimited=\"true\" without a ctrlrange"},
    // couplings and tendons
    {TWO("<equality><flex flex='a'/></equality>"), "found <flex>, which is not read"},
    {TWO("<equality><tendon tendon1='a'/></equality>"),
     "r.urdf:3: <equality>: found <tendon>, which is not read, expected model.constraints"},
    {TWO("<equality><weld body1='a' body2='bb'/></equality>"),
     "r.urdf:3: <weld>: found body2=\"bb\", which no body is"},
    {TWO("<equality><connect site1='a' site2='b'/></equality>"),
     "r.urdf:3: <connect>: found site1=\"a\", which no site is"},
    {TWO("<equality><connect name='c' body1='a' body2='a'/></equality>"),
     "r.urdf:3: <connect> 'c': found one body twice, expected two"},
    {TWO("<equality><weld body1='a' relpose='0 0 1'/></equality>"),
     "<weld relpose>: found 3 numbers, expected seven"},
    {TWO("<equality><connect name='c' body1='a'/><connect name='c' body1='b'/></equality>"),
     "<connect>: found a second one named 'c', expected every name once"},
    {TWO("<equality><joint joint1='j' joint2='k' polycoef='0 1 2'/></equality>"),
     "found 'j' coupled to 'k' by a curve"},
    {TWO("<equality><joint joint1='j' joint2='j'/></equality>"),
     "found 'j' and 'j', expected two hinges"},
    {TWO("<equality><joint joint1='j' joint2='k'/><joint joint1='j' joint2='k'/></equality>"),
     "found 'j' coupled twice"},
    {TWO("<equality><joint joint1='j' joint2='k'/><joint joint1='k' joint2='j'/></equality>"),
     "follows itself by <equality>"},
    {TWO("<equality><joint joint1='j' joint2='l'/></equality>"),
     "found joint2=\"l\", which no joint is"},
    {TWO("<tendon><spatial name='t' stiffness='2'/></tendon>"),
     "r.urdf:3: tendon 't': found 0 sites, expected at least two"},
    {TWO("<tendon><spatial name='t' stiffness='2'><geom geom='g'/></spatial></tendon>"),
     "tendon 't': found stiffness of a path around a geom"},
    {PATH("armature='1'", ""), "tendon 't': found armature of a path"},
    {PATH("", "<pulley divisor='0'/>"), "<pulley>: found divisor 0, expected a number above 0"},
    {PATH("", "<site site='c'/>"), "<site>: found site=\"c\", which no site is"},
    {TWO("<tendon><fixed name='t'><joint joint='l'/></fixed></tendon>"),
     "<joint>: found joint=\"l\", which no joint is"},
    {TWO("<tendon><fixed name='t'/><fixed name='t'/></tendon>"),
     "found a second tendon 't', expected every name once"},
    {TWO("<tendon><fixed name='t' stiffness='1' springlength='2 1'/></tendon>"),
     "tendon 't': found springlength 2 1, expected ascending"},
    {TWO("<tendon><fixed name='t'/></tendon><actuator><motor tendon='s'/></actuator>"),
     "<motor>: found tendon=\"s\", which no tendon is"},
};

static void what_cannot_be_read_is_refused_in_words(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    robot r = read_text(wrong[i].text, false);
    if (r.status != DM_BAD_INPUT || !strstr(r.msg.text, wrong[i].message))
      fail_msg("file %zu: status %d, '%s', expected '%s'", i, r.status, r.msg.text,
               wrong[i].message);
    drop(&r);
  }
}

// files that are read with a warning: a part of it
static const struct {
  const char *text, *part;
} odd[] = {
    {JOINED("frictionloss='0.1'"), "r.urdf:3: joint 'j': its dry friction 0.1 is not in plans"},
    {JOINED("dampng='0.1'"),
     "r.urdf:3: <joint>: its attribute 'dampng' is not read; did you mean 'damping'?"},
    {JOINED("type='ball' range='0 30'"), "joint 'j': the limit of a ball joint is not read"},
    {WORLD(ARM("<jiont/>")), "<jiont> in <body> is not read; did you mean 'joint'?"},
    {WORLD("<body name='a' mocap='true'/>"
           "<body name='b'><joint/>" BALL "</body>"),
     "body 'a' is moved by mocap: it stands still here"},
    {FILE_OF("<actuater/><worldbody>" ARM("") "</worldbody>"),
     "<actuater> in <mujoco> is not read; did you"},
    {WEIGHED("mass='1' diaginertia='1 1 3'"),
     "body 'a': its inertia violates the triangle inequality"},
    {WORLD("<body name='a'><joint type='slide'/><inertial mass='1'/></body>"),
     "body 'a' has neither diaginertia nor fullinertia: a point mass"},
    {DRIVEN("<position name='p' joint='j' kp='9'/>"),
     "actuator 'p' is a servo: its gains are not read, its force on 'j' is an input"},
    {DRIVEN("<velocity name='p' joint='j'/>"), "actuator 'p' is a servo"},
    {DRIVEN("<general name='p' joint='j' biastype='affine' biasprm='0 -1'/>"),
     "actuator 'p' is a servo"},
    {FILE_OF("<default><position kp='5'/></default><worldbody>" ARM(
         "") "</worldbody><actuator>"
             "<general name='p' joint='j'/></actuator>"),
     "actuator 'p' is a servo"},
    {DRIVEN("<general name='p' joint='j' dyntype='filter'/>"),
     "its activation by dyntype filter is not read"},
    {DRIVEN("<motor name='p'/>"), "actuator 'p' acts on no joint, tendon or site: it is no input"},
    {DRIVEN("<muscle name='p' joint='j'/>"), "<muscle> is not read: the force that it gives"},
    {DRIVEN("<general name='p' joint='j' gaintype='muscle'/>"),
     "actuator 'p' has a gain that dmoc does not know: it is no input"},
    {TWO("<equality><joint joint1='j'/></equality>"), "joint 'j' is held still exactly"},
    {MESHED("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2'"),
     "r.urdf:3: <geom>: its mesh is not convex and closed"},
    {TWO("<tendon><fixed name='t' range='-1 2'><joint joint='j' coef='.5'/></fixed></tendon>"),
     "outputs: [{name: t, type: sum, coordinates: {j: 0.5}}] and bounds: {outputs: {t: [-1, 2]}}"},
    {TWO("<tendon><fixed name='t' frictionloss='1'/></tendon>"), "tendon 't': its dry friction 1"},
    {DRIVEN("<motor name='p' joint='j' gear='0'/>"),
     "actuator 'p' has a gear that is not about one axis"},
    {DRIVEN("<adhesion name='p' body='a'/>"), "<adhesion> is not read: it acts on contacts"},
    {TWO("<equality><joint joint1='j' joint2='k'/></equality>"),
     "joint 'j' follows 'k' exactly, where MuJoCo pulls it there"},
    {TWO("<equality><weld body1='a' body2='b' relpose='0 0 0 0.6 0.8 0 0'/></equality>"),
     "'weld_1' is kept exactly, where MuJoCo holds it softly"},
};

static void what_is_odd_is_read_with_a_word(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    robot r = read_text(odd[i].text, false);
    if (r.status != DM_OK) fail_msg("file %zu: %s", i, r.msg.text);
    if (!warned(&r, odd[i].part))
      fail_msg("file %zu: no warning says '%s'; of %d: %s", i, odd[i].part, r.warnings.n,
               r.warnings.n ? r.warnings.text[0] : "");
    drop(&r);
  }
}

static void what_says_nothing_of_motion_is_silent(void **state) {
  (void)state;
  robot r = read_text(
      FILE_OF("<size njmax='5'/><visual/><statistic/><custom/><contact><exclude/></contact>"
              "<sensor><jointpos joint='j'/></sensor><keyframe><key qpos='1'/></keyframe>"
              "<option timestep='0.01' integrator='RK4'/><tendon><fixed name='t'/></tendon>"
              "<equality><weld body1='a' active='false'/></equality>"
              "<worldbody><light/><camera/><geom type='plane'/>" ARM(
                  "<light/><camera/>") "</worldbody>"),
      false);
  assert_int_equal(r.status, DM_OK);
  if (r.warnings.n) fail_msg("%s", r.warnings.text[0]);
  assert_int_equal(r.m->nq, 1);
  assert_int_equal(r.m->nu, 0);
  drop(&r);
}

// a constraint with the name of a ball joint has another one
static void a_loop_may_have_the_name_of_a_ball_joint(void **state) {
  (void)state;
  robot r = read_text(
      FILE_OF("<worldbody><body name='a'><joint name='rod' type='ball'/>" BALL "</body>"
              "<body name='b' pos='0 0 -0.5'><joint name='h' axis='0 1 0'/>" BALL
              "</body></worldbody>"
              "<equality><connect name='rod' body1='a' body2='b' anchor='0 0 -0.4'/></equality>"),
      false);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_true(warned(&r, "'rod/connect' is kept exactly"));
  drop(&r);
}

#define FLUID(density)                                                                             \
  FILE_OF("<option density='" density "'/><worldbody><body name='b'><joint name='j'/><inertial "   \
          "pos='0 0 -0.1' mass='1' diaginertia='0.01 0.01 0.01'/></body></worldbody>")

// (6 0.01)^(3/2) = 0.0147 m3 of air in 1 kg are a warning; water is refused, and can be looked at
static void fluids_are_told_by_what_they_move(void **state) {
  (void)state;
  robot r = read_text(FLUID("1.2"), false);
  assert_int_equal(r.status, DM_OK);
  assert_true(warned(&r, "<option>: the fluid is not modelled: it acts on body 'b' by 0.018"));
  drop(&r);
  r = read_text(FLUID("1000"), false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  assert_non_null(strstr(r.msg.text, "<option>: found a fluid that acts on body 'b' by 15 of"));
  drop(&r);

  // a draft
  dm_message why, msg;
  const char *path = put_file(folder, "r.urdf", FLUID("1000"));
  assert_int_equal(pb_model_draft(&r.robot, path, false, &r.warnings, &why, &msg), DM_OK);
  assert_non_null(strstr(why.text, "the fluid of <option> is not modelled: it acts on body 'b'"));
  drop(&r);
}

// shapes that MuJoCo lets touch one another are counted, of the world and of bodies
static void shapes_that_touch_are_counted(void **state) {
  (void)state;
  robot r = read_text(FILE_OF("<worldbody><geom type='plane'/>" ARM(
                          "<geom size='0.1' contype='0'/>"
                          "<geom size='0.1' contype='0' conaffinity='0'/>") "</worldbody>"),
                      false);
  assert_int_equal(r.status, DM_OK);
  assert_int_equal(r.robot.touching[0], 1);
  assert_int_equal(r.robot.touching[1], 2);
  drop(&r);
}

static void gravity_is_that_of_the_file(void **state) {
  (void)state;
  robot r =
      read_text(FILE_OF("<option gravity='1 2 3'/><worldbody>" ARM("") "</worldbody>"), false);
  robot none = read_text(
      FILE_OF("<option><flag gravity='disable'/></option><worldbody>" ARM("") "</worldbody>"),
      false);
  assert_true(r.m->gravity.x == 1 && r.m->gravity.y == 2 && r.m->gravity.z == 3);
  assert_true(none.m->gravity.z == 0);
  drop(&r);
  drop(&none);

  // unless the problem has its own
  put_file(folder, "r.urdf",
           FILE_OF("<option gravity='1 2 3'/><worldbody>" ARM("") "</worldbody>"));
  const char *path = put_file(folder, "p.yaml", "model: {urdf: r.urdf, gravity: [0, 0, -5]}\n");
  r = read_path(path, false);
  assert_int_equal(r.status, DM_OK);
  assert_true(r.m->gravity.x == 0 && r.m->gravity.z == -5);
  drop(&r);
  put_file(folder, "p.yaml", "model: {urdf: r.urdf}\n");
  r = read_path(path, false);
  assert_true(r.m->gravity.x == 1 && r.m->gravity.z == 3);
  drop(&r);
  unlink(path);
}

static void a_free_joint_floats_by_a_quaternion_or_by_angles(void **state) {
  (void)state;
  const char *text = WORLD("<body name='a' pos='1 2 3'><freejoint/>" BALL "</body>");
  robot r = read_text(text, false), angles = read_text(text, true);
  assert_int_equal(r.m->nq, 7);
  assert_string_equal(r.m->name[3], "a.qw");
  assert_int_equal(angles.m->nq, 6);
  assert_string_equal(angles.m->name[5], "a.rx");
  drop(&r);
  drop(&angles);
  r = read_text(WORLD(ARM("")), true);
  assert_int_equal(r.status, DM_BAD_INPUT);
  assert_non_null(strstr(r.msg.text, "found no free joint for a floating base"));
  drop(&r);
}

// q = c0 + c1 q_k, with both joints' own zeros; and a spring of the copy on what it follows
static void couplings_are_copies(void **state) {
  (void)state;
  robot r = read_text(
      FILE_OF("<compiler angle='radian'/><worldbody><body name='a'><joint name='j' ref='0.2'/>" BALL
              "<body name='b'><joint name='k' ref='0.5'/>" BALL "</body></body></worldbody>"
              "<equality><joint joint1='j' joint2='k' polycoef='0.3 -2 0 0 0'/></equality>"
              "<actuator><motor joint='k' ctrlrange='-1 2'/><motor joint='k' gear='2' "
              "ctrlrange='-1 1'/>"
              "</actuator>"),
      false);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_int_equal(r.m->nq, 1);
  assert_int_equal(r.m->nj, 2);
  assert_string_equal(r.m->name[0], "k");
  assert_true(r.m->ratio[0] == -2 && fabs(r.m->shift[0] - (0.3 + 0.2 + 2 * 0.5)) < 1e-15);

  // two motors of a joint sum
  assert_int_equal(r.m->nu, 1);
  assert_true(r.m->u_min[0] == -3 && r.m->u_max[0] == 4 && r.m->effort[0] == 4);
  drop(&r);
}

// fingers that close together: a tendon that pulls both of them pulls one coordinate
static void a_tendon_of_coupled_joints_is_an_input(void **state) {
  (void)state;
#define HAND(equality)                                                                             \
  TWO("<tendon><fixed name='t'><joint joint='j' coef='0.5'/><joint joint='k' "                     \
      "coef='0.25'/></fixed>"                                                                      \
      "</tendon>" equality "<actuator><motor name='grip' tendon='t' gear='2' ctrlrange='-1 3'/>"   \
      "</actuator>")
  robot r =
      read_text(HAND("<equality><joint joint1='j' joint2='k' polycoef='0 -1'/></equality>"), false);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_int_equal(r.m->nu, 1);
  assert_string_equal(r.m->input_name[0], "k");

  // 2 (0.25 - 0.5) of [-1, 3]
  assert_true(r.m->u_min[0] == -1.5 && r.m->u_max[0] == 0.5);
  drop(&r);

  // of joints that move alone it is an input of its own: gear x [-1, 3]
  r = read_text(HAND(""), false);
  assert_int_equal(r.m->nu, 1);
  assert_string_equal(r.m->input_name[0], "grip");
  assert_true(r.m->u_min[0] == -2 && r.m->u_max[0] == 6);
  drop(&r);
#undef HAND
}

static void motors_are_inputs_within_what_joints_take(void **state) {
  (void)state;
  robot r = read_text(
      WORLD("<body name='a'><joint name='j' actuatorfrcrange='-4 3'/>" BALL "</body>") "", false);
  assert_int_equal(r.m->nu, 0);
  drop(&r);
  r = read_text(
      FILE_OF("<worldbody><body name='a'><joint name='j' actuatorfrcrange='-4 3'/>" BALL
              "</body></worldbody><actuator><motor joint='j' ctrlrange='-1 1' gear='-10'/>"
              "</actuator>"),
      false);
  assert_true(r.m->u_min[0] == -4 && r.m->u_max[0] == 3);
  drop(&r);
  r = read_text(DRIVEN("<position joint='j' kp='100' ctrlrange='-1 1' forcerange='-7 8'/>"), false);
  assert_true(r.m->u_min[0] == -7 && r.m->u_max[0] == 8);
  drop(&r);
  r = read_text(DRIVEN("<motor joint='j'/>"), false);
  assert_true(r.m->u_min[0] == -INFINITY && r.m->u_max[0] == INFINITY);
  drop(&r);
}

// each weight by its own: a ball of water, once more by a class, once by its mass, none by its group
static void geoms_weigh_what_they_are_of(void **state) {
  (void)state;
  static const struct {
    const char *compiler, *geom;
    double mass;
  } row[] = {
      {"", "size='0.1'", 4.18879020478639},
      {"", "size='0.1' class='heavy'", 8.37758040957278},
      {"", "size='0.1' class='heavy' mass='3'", 3},
      {"<compiler inertiagrouprange='0 1'/>", "size='0.1' group='2'", 0},
      {"<compiler inertiafromgeom='false'/>", "size='0.1'", 0},
      {"", "type='mesh' mesh='cut'", 1000. / 6},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "<mujoco>%s<default><default class='heavy'><geom density='2000'/></default></default>"
             "<asset><mesh name='cut' vertex='0 0 0 1 0 0 0 1 0 0 0 1'"
             " face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset><worldbody>"
             "<body><joint/><geom %s/><body><inertial mass='1' diaginertia='1 1 1'/></body></body>"
             "</worldbody></mujoco>",
             row[i].compiler, row[i].geom);
    robot r = read_text(text, false);
    if (r.status != DM_OK) fail_msg("%s", r.msg.text);
    assert_true(fabs(mass_of(r.m) - 1 - row[i].mass) < 1e-12 * (1 + row[i].mass));
    drop(&r);
  }
}

// six times the volume that a look's triangles enclose, seen from outside
static double enclose(const pb_visual *v) {
  double volume = 0;
  for (int i = 0; i < v->triangles; i++) {
    const double *x = v->x + 9 * (size_t)i;
    const dm_vec a = dm_v(x[0], x[1], x[2]), b = dm_v(x[3], x[4], x[5]);
    volume += dm_dot(a, dm_cross(b, dm_v(x[6], x[7], x[8])));
  }
  return volume;
}

static void geoms_are_looks(void **state) {
  (void)state;
  pb_problem *p;
  pb_visuals v;
  dm_message msg = {""};
  put_file(
      folder, "r.urdf",
      FILE_OF("<asset><material name='red' rgba='1 0 0 0.5'/><mesh file='gone.stl'/></asset>"
              "<worldbody><geom type='plane'/><geom type='box' size='1 2 3' pos='0 0 5'/>"
              "<body name='a'><joint/><geom type='capsule' size='0.1 0.2' material='red'/>"
              "<geom size='0.3' group='3'/><geom type='ellipsoid' size='1 2 3' rgba='0 1 0 1'/>"
              "<geom type='mesh' mesh='gone' mass='0'/></body>"
              "<body name='b'><inertial mass='1' diaginertia='1 1 1'/><joint axis='1 0 0'/>"
              "<geom size='0.4' group='3'/></body></worldbody>"));
  const char *path =
      put_file(folder, "p.yaml", "model: {urdf: r.urdf}\nsimulate: {steps: 2, step: 0.01}\n");
  if (pb_problem_read(&p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(pb_visuals_read(&v, &p->robot, p->file.path), DM_OK);

  // of the world, then of each body the geoms that MuJoCo shows, or else the others
  static const char *const kind[] = {"box", "capsule", "mesh", "sphere"};
  static const int joint[] = {-1, 0, 0, 1};
  assert_int_equal(v.n, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(v.list[i].kind, kind[i]);
    assert_int_equal(v.list[i].joint, joint[i]);
  }
  assert_true(v.list[0].size[0] == 2 && v.list[0].size[2] == 6 && v.list[0].frame.p.z == 5);
  assert_true(v.list[1].size[0] == 0.1 && v.list[1].size[1] == 0.4);
  assert_true(v.list[1].colour[0] == 1 && v.list[1].colour[3] == 0.5 && v.list[2].colour[1] == 1);
  assert_true(v.list[0].colour[0] < 0 && v.list[3].size[0] == 0.4);

  // an ellipsoid is a little less than round
  const double whole = 8 * acos(-1) * 6;
  assert_true(enclose(&v.list[2]) > 0.95 * whole && enclose(&v.list[2]) < whole);
  assert_int_equal(v.missing->n, 1);
  assert_non_null(
      strstr(v.missing->text[0], "link 'a': a <geom> is not shown: its mesh cannot be"));
  pb_visuals_free(&v);
  pb_problem_free(p);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_read_is_refused_in_words),
      cmocka_unit_test(what_is_odd_is_read_with_a_word),
      cmocka_unit_test(what_says_nothing_of_motion_is_silent),
      cmocka_unit_test(a_loop_may_have_the_name_of_a_ball_joint),
      cmocka_unit_test(fluids_are_told_by_what_they_move),
      cmocka_unit_test(shapes_that_touch_are_counted),
      cmocka_unit_test(gravity_is_that_of_the_file),
      cmocka_unit_test(a_free_joint_floats_by_a_quaternion_or_by_angles),
      cmocka_unit_test(couplings_are_copies),
      cmocka_unit_test(a_tendon_of_coupled_joints_is_an_input),
      cmocka_unit_test(motors_are_inputs_within_what_joints_take),
      cmocka_unit_test(geoms_weigh_what_they_are_of),
      cmocka_unit_test(geoms_are_looks),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
