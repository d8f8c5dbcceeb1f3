// A machine that is off by factors is the robot that a file with those numbers, put together by
// hand, says: for the model, for the continuous equations, and in MuJoCo.
#include "control/loop/mujoco.h"
#include "lib/base/names.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/model/machines.h"
#include "tests/support/cart_pole.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

enum { LINKS = 3 };

#define RUN "rule: {lagrangian: trapezoid, force: left}\nsimulate: {time: 1, steps: 2}\n"
#define MOVING                                                                                     \
  "model: {bodies: [{name: s, joints: [{name: x, type: tx}], mass: 1}, {name: b, parent: s, "      \
  "joints: [{name: a, type: ry}], mass: %s, centre: [0, 0, -0.4], inertia: [1, 1, 1]}], "

// a link's numbers, as a file has them; moments about its centre, by its axes
typedef struct part {
  const char *axis;
  double at[3]; // its joint, on the link before
  double mass, centre[3];
  double moments[6]; // xx yy zz xy xz yz
  double damping;
} part;

static const part arm[LINKS] = {
    {"0 0 1", {0.1, 0, 0.2}, 3, {0.02, -0.1, 0.05}, {0.3, 0.2, 0.25, 0.02, -0.01, 0.03}, 0.1},
    {"0 1 0", {0, 0.15, 0.3}, 2, {0.3, 0.01, 0.02}, {0.05, 0.2, 0.22, 0.01, 0.02, -0.01}, 0.2},
    {"1 0 0", {0.25, 0, 0.05}, 1, {0.1, 0.2, -0.03}, {0.06, 0.04, 0.05, -0.01, 0.005, 0.01}, 0.05}};
// on the second link, and the third link's joint is on it
static const part tool = {"", {0.4, 0.05, -0.1}, 0.7, {0.05, 0, 0.1}, {0.01, 0.02, 0.015}, 0};

static int put_link(char *text, const char *name, const part *l) {
  return sprintf(text,
                 "<link name='%s'><inertial><origin xyz='%.17g %.17g %.17g'/><mass value='%.17g'/>"
                 "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' "
                 "iyz='%.17g'/></inertial></link>\n",
                 name, l->centre[0], l->centre[1], l->centre[2], l->mass, l->moments[0],
                 l->moments[1], l->moments[2], l->moments[3], l->moments[4], l->moments[5]);
}

static int put_joint(char *text, const char *type, int i, const char *parent, const char *child,
                     const part *l) {
  return sprintf(text,
                 "<joint name='j%d' type='%s'><parent link='%s'/><child link='%s'/>"
                 "<origin xyz='%.17g %.17g %.17g'/><axis xyz='%s'/><dynamics damping='%.17g' "
                 "friction='0.5'/><limit lower='-0.2' upper='0.2' effort='9' velocity='9'/>"
                 "</joint>\n",
                 i, type, parent, child, l->at[0], l->at[1], l->at[2],
                 l->axis[0] ? l->axis : "1 0 0", l->damping);
}

// the file of a chain; t: the tool, NULL where the second link has it in itself
static const char *put_robot(char *text, const part l[LINKS], const part *t) {
  static const char *const name[] = {"a", "b", "c"};
  int at = sprintf(text, "<robot name='r'>\n<link name='base'/>\n");
  for (int i = 0; i < LINKS; i++) {
    const char *parent = i == 0 ? "base" : i == 2 && t ? "tool" : name[i - 1];
    at += put_link(text + at, name[i], &l[i]);
    at += put_joint(text + at, "revolute", i, parent, name[i], &l[i]);
    if (i == 1 && t) at += put_link(text + at, "tool", t);
    if (i == 1 && t) at += put_joint(text + at, "fixed", 9, "b", "tool", t);
  }
  sprintf(text + at, "</robot>\n");
  return text;
}

// moments of a part, from about its own centre to about another
static void shift(double m, const double from[3], const double to[3], double moments[6]) {
  double d[3], square = 0;
  for (int i = 0; i < 3; i++) d[i] = from[i] - to[i], square += d[i] * d[i];
  for (int i = 0; i < 3; i++) moments[i] += m * (square - d[i] * d[i]);
  moments[3] -= m * d[0] * d[1], moments[4] -= m * d[0] * d[2], moments[5] -= m * d[1] * d[2];
}

// one link for a link and the bodies fixed to it
static part weld(const part *l, const part *t) {
  part w = *l;
  double there[3], held[6];
  memcpy(held, t->moments, sizeof held);
  w.mass = l->mass + t->mass;
  for (int i = 0; i < 3; i++) {
    there[i] = t->at[i] + t->centre[i];
    w.centre[i] = (l->mass * l->centre[i] + t->mass * there[i]) / w.mass;
  }
  shift(l->mass, l->centre, w.centre, w.moments);
  shift(t->mass, there, w.centre, held);
  for (int i = 0; i < 6; i++) w.moments[i] += held[i];
  return w;
}

static const double mass[] = {1.1, 0.93, 1.2}, inertia[] = {0.9, 1.15, 1.05},
                    length[] = {1.08, 0.9, 1.2}, damping[] = {0.03, -0.1, 0.2};
static const double stiff[] = {0.1, 0.2, 3000}; // takes velocities away in some 1e-5 s
static const dm_change all = {.mass = mass,
                              .inertia = inertia,
                              .length = length,
                              .damping = damping},
                       masses = {.mass = mass}, damped = {.damping = stiff};

static const double other_centre[LINKS][3] = {
    {0.1, 0.05, -0.02}, {0.2, -0.05, 0.1}, {0.05, 0, 0.1}};
static const double other_moments[LINKS][6] = {{0.4, 0.3, 0.5, 0.03, 0.02, -0.01},
                                               {0.1, 0.15, 0.2, -0.02, 0.01, 0.015},
                                               {0.05, 0.06, 0.04, 0.01, -0.005, 0.002}};

// the file by hand: the tool's numbers are the second link's, each link's are off
static void off(part l[LINKS], const dm_change *c) {
  memcpy(l, arm, sizeof arm);
  l[1] = weld(&arm[1], &tool);
  for (int i = 0; i < 3; i++) l[2].at[i] += tool.at[i];
  for (int j = 0; j < LINKS; j++) {
    // replaced bodies are given about the joint in its frame; its z is the axis
    for (int i = 0; c->body && i < 3; i++) l[j].centre[i] = other_centre[j][i];
    for (int i = 0; c->body && i < 6; i++) l[j].moments[i] = other_moments[j][i];
    if (c->body) l[j].mass = c->body[j].m;
    if (c->mass) l[j].mass *= c->mass[j];
    if (c->damping) l[j].damping += c->damping[j];
    for (int i = 0; c->inertia && i < 6; i++) l[j].moments[i] *= c->inertia[j];
    for (int i = 0; c->length && i < 3; i++) {
      l[j].centre[i] *= c->length[j];
      if (j + 1 < LINKS) l[j + 1].at[i] *= c->length[j];
    }
  }
}

typedef struct pair {
  char text[2][4000];
  robot file, hand;
  dm_model *changed;
  dm_system system[2]; // of the changed model, of the file by hand
} pair;

static void open_pair(pair *p, const dm_change *c) {
  part l[LINKS];
  off(l, c);
  p->file = read_text(put_robot(p->text[0], arm, &tool), false);
  p->hand = read_text(put_robot(p->text[1], l, NULL), false);
  assert_int_equal(p->file.status, DM_OK);
  assert_int_equal(p->hand.status, DM_OK);
  for (int i = 0; i < 2; i++) { // what a problem says beside the file
    dm_model *m = i ? p->hand.m : p->file.m;
    m->gravity = dm_v(1, 2, -9);
    m->input_gear[1] = 1.5;
    for (int j = 0; j < LINKS; j++) m->armature[j] = 0.02 * (j + 1);
  }
  assert_int_equal(dm_model_changed(&p->changed, p->file.m, c), DM_OK);
  p->system[0] = dm_system_of(p->changed);
  p->system[1] = dm_system_of(p->hand.m);
}

// `all`, with other bodies of all links
static dm_change replace_bodies(dm_inertia body[LINKS]) {
  static const double other_mass[LINKS] = {2, 2.5, 1.5};
  static const char *const name[LINKS] = {"a", "b", "c"};
  char text[4000];
  robot r = read_text(put_robot(text, arm, &tool), false);
  for (int j = 0; j < LINKS; j++) {
    const int b = dm_names_find(r.m->body_name, r.m->nbody, name[j]);
    const dm_inertia I = dm_inertia_about(other_mass[j], other_centre[j], other_moments[j]);
    body[j] = dm_inertia_move(&I, &r.m->body_pose[b]);
  }
  drop(&r);
  dm_change c = all;
  c.body = body;
  return c;
}

static void close_pair(pair *p) {
  dm_model_free(p->changed);
  drop(&p->file), drop(&p->hand);
}

static void accelerations_are_those_of_the_file_by_hand(void **state) {
  (void)state;
  dm_inertia body[LINKS];
  const dm_change other = replace_bodies(body);
  const dm_change *const changes[] = {&all, &masses, &other};
  for (int k = 0; k < 3; k++) {
    static pair p;
    dm_continuous *c[2];
    open_pair(&p, changes[k]);
    for (int i = 0; i < 2; i++) assert_int_equal(dm_continuous_new(&c[i], &p.system[i]), DM_OK);
    uint64_t r = 4;
    for (int s = 0; s < 10; s++) {
      double q[LINKS], v[LINKS], u[LINKS], a[2][LINKS];
      for (int i = 0; i < LINKS; i++)
        q[i] = 3 * models_random(&r), v[i] = models_random(&r), u[i] = 5 * models_random(&r);
      for (int i = 0; i < 2; i++) assert_int_equal(dm_acceleration(c[i], q, v, u, a[i]), DM_OK);
      for (int i = 0; i < LINKS; i++) assert_close(a[0][i], a[1][i], 1e-11 * (1 + fabs(a[1][i])));
    }
    dm_continuous_free(c[0]), dm_continuous_free(c[1]);
    close_pair(&p);
  }
}

// (q,v) after some steps of a plant of a system
static void move(fb_plant *plant, const dm_system *s, double y[2 * LINKS]) {
  const double u[LINKS] = {1, -2, 0.5};
  dm_continuous *c;
  double x[2 * LINKS];
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  memcpy(x, y, sizeof x);
  assert_int_equal(dm_momentum_of(c, y, y + LINKS, x + LINKS), DM_OK);
  for (int k = 0; k < 20; k++) assert_int_equal(plant->step(plant->self, x, u, 0.02), DM_OK);
  memcpy(y, x, LINKS * sizeof *y);
  assert_int_equal(dm_velocity_of(c, x, x + LINKS, y + LINKS), DM_OK);
  dm_continuous_free(c);
  fb_plant_free(plant);
}

static const double start[] = {0.3, -0.5, 0.7, 1, 0.2, -1};

// without limits and friction; with gravity, armature, gears and damping as the problem has them
static void check_plants(const dm_change *change, double tol) {
  static pair p;
  open_pair(&p, change);
  fb_plant plant;
  double y[3][2 * LINKS];
  for (int i = 0; i < 3; i++) memcpy(y[i], start, sizeof start);
  const dm_robot file = {.tree = p.file.m}, changed = {.tree = p.changed},
                 hand = {.tree = p.hand.m};
  assert_int_equal(fb_plant_mujoco(&plant, &p.system[0], &file, &changed, change, p.text[0],
                                   strlen(p.text[0]), NULL),
                   DM_OK);
  move(&plant, &p.system[0], y[0]);
  assert_int_equal(
      fb_plant_mujoco(&plant, &p.system[1], &hand, &hand, NULL, p.text[1], strlen(p.text[1]), NULL),
      DM_OK);
  move(&plant, &p.system[1], y[1]);
  // it keeps moments by their principal axes, which it does not find to the last digit
  for (int i = 0; i < 2 * LINKS; i++) assert_close(y[0][i], y[1][i], tol);
  dm_status s = fb_plant_continuous(&plant, &p.system[0], 1e-11);
  if (s == DM_OK) {
    move(&plant, &p.system[0], y[2]);
    for (int i = 0; i < 2 * LINKS; i++) assert_close(y[0][i], y[2][i], tol);
  }
  close_pair(&p);
}

static void all_plants_move_the_same_machine(void **state) {
  (void)state;
  if (!fb_has_mujoco()) skip_test(NO_MUJOCO);
  check_plants(&all, 1e-7);
  check_plants(&damped, 1e-6);
  dm_inertia body[LINKS];
  const dm_change other = replace_bodies(body);
  check_plants(&other, 1e-7);
}

// problems whose machine, off as told, is another problem's model
static const struct {
  const char *format;  // with places for a mass, and for a damping
  const char *mass[2]; // as read, off by hand
  const char *damped[2];
  dm_change change;
} rows[] = {
    // a ball joint's three turns have the damping of its first coordinate
    {"model: {bodies: [{name: a, joints: [ball], mass: 1, inertia: [2, 3, 4]}, {name: b, parent: "
     "a, joints: [rx], offset: {xyz: [0, 1, 0]}, mass: %s, inertia: [1, 1, 1]}], damping: "
     "%s}\n" RUN,
     {"1", "2"},
     {"0.1", "0.4"},
     {.mass = (double[]){1, 1, 1, 2}, .damping = (double[]){0.3, 5, 6, 7, 0.3}}},
    {"model: {bodies: [{name: a, joints: [ball], mass: 1, inertia: [2, 3, 4]}, {name: b, parent: "
     "a, joints: [rx], offset: {xyz: [0, 1, 0]}, mass: %s, inertia: [1, 1, 1]}], damping: {a.rz: "
     "0.1, a.rx: "
     "0.1, a.ry: 0.1, b: %s}}\n" RUN,
     {"1", "1"},
     {"0.2", "0.6"},
     {.damping = (double[]){0, 0, 0, 0, 0.4}}},
    {MOVING "springs: [{name: s, joint: x, stiffness: 7}, {name: t, bodies: [b, world], points: "
            "[[0, 0, -1], [1, 0, 0]], stiffness: 3, rest: 0.1}], damping: {x: %s}}\n" RUN,
     {"0.3", "0.6"},
     {"0", "0.5"},
     {.mass = (double[]){1, 2}, .damping = (double[]){0.5, 0}}},
    {MOVING
     "wrenches: [{name: w, body: b, frame: mixed, force: [1, 0, 2]}], dampers: [{name: d, "
     "bodies: [b, world], points: [[0, 0, -1], [1, 0, 0]], damping: 3}], damping: {x: %s}}\n" RUN,
     {"0.3", "0.6"},
     {"0", "0.5"},
     {.mass = (double[]){1, 2}, .damping = (double[]){0.5, 0}}},
    {MOVING "constraints: [{name: c, type: equal, coordinates: [x, a]}], damping: {x: %s}}\n" RUN,
     {"0.3", "0.6"},
     {"0", "0.5"},
     {.mass = (double[]){1, 2}, .damping = (double[]){0.5, 0}}},
};

static void what_lies_on_links_stays_on_them(void **state) {
  (void)state;
  for (size_t r = 0; r < COUNT_OF(rows); r++) {
    enum { MOST = 8 };
    pb_problem *p[2];
    for (int i = 0; i < 2; i++) {
      char text[1000];
      dm_message msg = {""};
      snprintf(text, sizeof text, rows[r].format, rows[r].mass[i], rows[r].damped[i]);
      if (read_problem(text, &p[i], &msg) != DM_OK) fail_msg("%s", msg.text);
    }
    pb_machine w;
    fb_perturbed_models shop =
        pb_machines_of(&w, &p[0]->robot, &p[0]->task.system.rule, p[0]->fit.step, PB_DISCRETE);
    const fb_plant *plant;
    const dm_system *system;
    assert_int_equal(shop.build(shop.self, &rows[r].change, &plant, &system), DM_OK);
    const dm_rule *rule = &p[0]->task.system.rule;
    assert_memory_equal(&system->rule, rule, sizeof *rule);
    dm_continuous *c[2];
    assert_int_equal(dm_continuous_new(&c[0], system), DM_OK);
    assert_int_equal(dm_continuous_new(&c[1], &p[1]->task.system), DM_OK);
    double q[MOST] = {0.5, 0.5, -0.5, 0.5, 0.3}, v[MOST] = {0.1, 0.1, 0.3, 0.1, 0.7}, a[2][MOST];
    if (p[0]->model->nq == 2) q[1] = v[1] = v[0] = 0.5;
    for (int i = 0; i < 2; i++) assert_int_equal(dm_acceleration(c[i], q, v, NULL, a[i]), DM_OK);
    for (int i = 0; i < p[0]->model->nq; i++)
      assert_close(a[0][i], a[1][i], 1e-12 * (1 + fabs(a[1][i])));
    for (int i = 0; i < 2; i++) dm_continuous_free(c[i]), pb_problem_free(p[i]);
    pb_machine_free(&w);
  }
}

// a cart of 1 kg on a wheel of 1 kg, radius 0.1 m and 0.2 kg m2, with a motor between both
#define CART                                                                                       \
  "model:\n  gravity: [0, 0, %s]\n  bodies:\n"                                                     \
  "    - {name: car, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: psi, type: rz}], "  \
  "mass: 1, inertia: [0.1, 0.1, 0.2]}\n"                                                           \
  "    - {name: wheel, parent: car, offset: {xyz: [0, 0, 0.3]}, joints: [{name: th, type: ry}], "  \
  "mass: 1, inertia: [0.1, 0.2, 0.1]}\n"                                                           \
  "  constraints: [{name: disk, type: rolling, body: wheel, radius: 0.1}]\n"                       \
  "inputs: [{joint: th}]\nhorizon: {steps: 10, time: 1}\nstart: {q: 0, v: 0}\n"                    \
  "goal: {q: {x: 1}, v: 0}\n"

static void wheels_in_mujoco_roll_and_slide_as_coulomb_says(void **state) {
  (void)state;
  if (!fb_has_mujoco()) skip_test(NO_MUJOCO);
  static const double G = 9.81, R = 0.1, I = 0.2, M = 2, T = 0.5;
  static const char *const gravity[] = {"-9.81", "0"}; // without, it has the weight of 9.81 m/s2
  enum { STEPS = 10, N = 4, TH = 3 };
  for (int k = 0; k < 4; k++) {
    // 1  a torque with which it rolls, and one for which friction is too small
    const bool slides = k % 2;
    const double torque = slides ? 5 : 0.2, friction = slides ? 0.05 : 1;
    pb_problem *p;
    char text[1000];
    dm_message msg = {""};
    snprintf(text, sizeof text, CART, gravity[k / 2]);
    if (read_problem(text, &p, &msg) != DM_OK) fail_msg("%s", msg.text);
    pb_machine w;
    const fb_plant *plant;
    const dm_system *system;
    fb_perturbed_models shop =
        pb_machines_of(&w, &p->robot, &p->task.system.rule, p->fit.step, PB_MUJOCO);
    w.slip.friction = friction;
    assert_int_equal(shop.build(shop.self, NULL, &plant, &system), DM_OK);

    // 2  from rest, twice, since a motion starts anew at another position
    for (int run = 0; run < 2; run++) {
      double x[2 * N] = {0};
      for (int i = 0; i < STEPS; i++)
        assert_int_equal(plant->step(plant->self, x, &torque, T / STEPS), DM_OK);

      // 3  rolling: (M + I/R^2) x'' = torque/R; sliding: x'' = friction g
      const double roll = torque / R / (M + I / (R * R)), a = slides ? friction * G : roll;
      const double turn = slides ? (torque - R * friction * M * G) / I : roll / R;
      const double slid = slides ? (R * turn - a) * T * T / 2 : 0;
      assert_close(x[0], a * T * T / 2, 2e-3 * a * T * T / 2);
      assert_close(x[TH], turn * T * T / 2, 2e-3 * turn * T * T / 2);
      assert_close(x[1] + x[2], 0, 1e-9);
      assert_close(w.slip.length, slid, 2e-3 * a * T * T / 2 + 2e-3 * slid);
      assert_int_equal(w.slip.wheel, 0);
    }
    pb_machine_free(&w);
    pb_problem_free(p);
  }
}

// a mass on a rail, with smooth friction of 1 N in the model
#define RAIL                                                                                       \
  "model: {bodies: [{name: sled, joints: [tx], mass: 2}],\n"                                       \
  "  friction: [{joint: sled, force: 1, smooth: 0.2}]}\n"                                          \
  "inputs: [{joint: sled}]\n"                                                                      \
  "horizon: {steps: 10, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\n"

static void smooth_friction_sticks_in_machines_where_it_is_dry(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  if (read_problem(RAIL, &p, &msg) != DM_OK) fail_msg("%s", msg.text);
  const dm_rule *rule = &p->task.system.rule;
  for (int dry = 0; dry < 2; dry++) {
    pb_machine w;
    fb_perturbed_models shop = pb_machines_of(&w, &p->robot, rule, p->fit.step, PB_CONTINUOUS);
    const fb_plant *plant;
    const dm_system *system;
    w.dry = dry;
    assert_int_equal(shop.build(shop.self, NULL, &plant, &system), DM_OK);

    // less than the friction moves it only where that is smooth; twice as much, for a second, in both
    double x[2] = {0, 0};
    for (int k = 0; k < 10; k++)
      assert_int_equal(plant->step(plant->self, x, (double[]){0.9}, 0.1), DM_OK);
    if (dry) assert_true(fabs(x[0]) < 1e-14);
    if (!dry) assert_true(x[0] > 0.1);
    memset(x, 0, sizeof x);
    for (int k = 0; k < 10; k++)
      assert_int_equal(plant->step(plant->self, x, (double[]){2}, 0.1), DM_OK);
    if (dry) assert_close(x[0], 0.25, 5e-3); // (2 - 1) N / 2 kg
    if (!dry) assert_true(x[0] > 0.26);
    pb_machine_free(&w);

    // the map of the model does not stick
    shop = pb_machines_of(&w, &p->robot, rule, p->fit.step, PB_DISCRETE);
    w.dry = dry;
    assert_int_equal(shop.build(shop.self, NULL, &plant, &system), dry ? DM_UNAVAILABLE : DM_OK);
    pb_machine_free(&w);
  }
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_are_those_of_the_file_by_hand),
      cmocka_unit_test(all_plants_move_the_same_machine),
      cmocka_unit_test(wheels_in_mujoco_roll_and_slide_as_coulomb_says),
      cmocka_unit_test(what_lies_on_links_stays_on_them),
      cmocka_unit_test(smooth_friction_sticks_in_machines_where_it_is_dry),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
