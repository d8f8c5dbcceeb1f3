// Steps with one impulse per knot: blocks and joints stick, slide and stop where they must, ends of plans
// come back from their inputs alone, and contacts push.
#include "lib/contact/knot_step.h"
#include "tests/support/plans.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a motion that is being stepped
typedef struct motion {
  pb_problem *p;
  dm_knot_step *w;
  double q[24], p1[24], u[8], h;
  int k;
} motion;

static motion start_motion(const char *text) {
  motion x = {.p = read_problem(text)};
  dm_continuous *c;
  assert_int_equal(dm_knot_step_new(&x.w, &x.p->task.system), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &x.p->task.system), DM_OK);
  memcpy(x.q, x.p->simulate.q, (size_t)x.w->n * sizeof *x.q);
  assert_int_equal(dm_momentum_of(c, x.q, x.p->simulate.v, x.p1), DM_OK);
  dm_continuous_free(c);
  x.h = x.p->simulate.h;
  return x;
}

static void advance(motion *x) {
  double q1[24];
  memcpy(q1, x->q, sizeof q1);
  const dm_status s =
      dm_knot_step_take(x->w, dm_contact_share(x->k, 1 << 30), x->q, x->p1, x->u, x->h, q1, x->p1);
  if (s != DM_OK) fail_msg("step %d: %s", x->k, dm_status_text(s));
  memcpy(x->q, q1, sizeof q1);
  x->k++;
}

static void end_motion(motion *x) {
  dm_knot_step_free(x->w);
  pb_problem_free(x->p);
}

// a block on a slope with tan(angle) = gx/gz
#define BLOCK(gx, gz, mu, start)                                                                   \
  "model:\n"                                                                                       \
  "  gravity: [" gx ", 0, -" gz "]\n"                                                              \
  "  bodies: [{name: block, joints: [tx, ty, tz], mass: 2}]\n"                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: slope, type: above, bodies: [block, world], axis: [0, 0, 1], friction: " mu "}\n"  \
  "simulate: {method: knot, steps: 100, step: 0.01, start: {" start "}}\n"

static void a_block_sticks_for_ten_thousand_steps(void **state) {
  (void)state;
  motion x = start_motion(BLOCK("3.9", "8", "0.5", "q: 0"));
  for (int k = 0; k < 10000; k++) advance(&x);
  for (int i = 0; i < 3; i++) assert_true(fabs(x.q[i]) <= 1e-14);

  // friction holds the weight's part along the slope
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  assert_true(fabs(x.w->impulse[0] - 2 * 8 * 0.01) < 1e-14);
  assert_true(fabs(hypot(x.w->impulse[1], x.w->impulse[2]) - 2 * 3.9 * 0.01) < 1e-14);
  end_motion(&x);
}

static void a_block_slides_with_the_acceleration_left(void **state) {
  (void)state;
  motion x = start_motion(BLOCK("5", "8", "0.5", "q: 0"));
  double before = 0;
  for (int k = 0; k < 100; k++) {
    const double last = x.q[0];
    advance(&x);
    // every step is longer than the one before by (5 - 0.5 8) h^2
    if (k > 1) assert_true(fabs(x.q[0] - last - before - 1e-4) < 1e-15);
    before = x.q[0] - last;
    assert_true(fabs(x.q[2]) < 1e-15);
    assert_int_equal(x.w->entry[0], DM_LAW_SLIDES | DM_LAW_ACTS(3));
  }
  end_motion(&x);
}

static void a_block_slides_alike_in_all_directions(void **state) {
  (void)state;
  // deceleration 0.5 g in every direction, in a straight line to the same equilibrium
  for (int i = 0; i < 12; i++) {
    const double angle = 0.1 + 0.53 * i;
    char start[100], text[800];
    snprintf(start, sizeof start, "q: 0, v: {block.tx: %.17g, block.ty: %.17g}", cos(angle),
             sin(angle));
    snprintf(text, sizeof text, BLOCK("0", "9.81", "0.5", "%s"), start);
    motion x = start_motion(text);
    double last = 0;
    for (int k = 0; k < 30; k++) {
      const double before = hypot(x.q[0], x.q[1]), way = before - last;
      last = before;
      advance(&x);
      const double now = hypot(x.q[0], x.q[1]);
      // it rests after 20.4 steps; the first has half of the friction
      if (k > 0 && k < 19) assert_true(fabs(now - before - way + 0.5 * 9.81 * 1e-4) < 1e-14);
      assert_true(fabs(x.q[1] * cos(angle) - x.q[0] * sin(angle)) < 1e-13);
      assert_true(hypot(x.w->impulse[1], x.w->impulse[2]) <= 0.5 * x.w->impulse[0] * (1 + 1e-12));
    }
    assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
    end_motion(&x);
  }
}

// the same block with an arm of 1 kg on a joint with Stribeck friction, whose weight it holds
#define BLOCK_WITH_ARM(gx)                                                                         \
  "model:\n"                                                                                       \
  "  gravity: [" gx ", 0, -8]\n"                                                                   \
  "  bodies:\n"                                                                                    \
  "    - {name: block, joints: [tx, ty, tz], mass: 2}\n"                                           \
  "    - {name: arm, parent: block, joints: [ry], mass: 1, centre: [0.05, 0, -0.02], "             \
  "inertia: [0.01, 0.01, 0.01]}\n"                                                                 \
  "  friction: [{joint: arm, force: 0.3, static: 0.9, stribeck: 0.1, viscous: 0.05}]\n"            \
  "  contacts:\n"                                                                                  \
  "    - {name: slope, type: above, bodies: [block, world], axis: [0, 0, 1], friction: 0.5}\n"     \
  "simulate: {method: knot, steps: 100, step: 0.01}\n"

static void a_contact_and_a_joint_stick_in_one_robot(void **state) {
  (void)state;
  motion x = start_motion(BLOCK_WITH_ARM("3.9"));
  for (int k = 0; k < 10000; k++) advance(&x);
  for (int i = 0; i < 4; i++) assert_true(fabs(x.q[i]) <= 1e-14);
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  // friction holds the weight of both along the slope
  assert_true(fabs(hypot(x.w->impulse[1], x.w->impulse[2]) - 3 * 3.9 * 0.01) < 1e-14);
  end_motion(&x);
}

static void a_contact_slides_beside_a_joint_that_sticks(void **state) {
  (void)state;
  motion x = start_motion(BLOCK_WITH_ARM("5"));
  double before = 0;
  for (int k = 0; k < 100; k++) {
    const double last = x.q[0];
    advance(&x);
    if (k > 1) assert_true(fabs(x.q[0] - last - before - 1e-4) < 1e-14);
    before = x.q[0] - last;
    assert_true(fabs(x.q[2]) < 1e-14);
    assert_true(fabs(x.q[3]) < 1e-14);
    assert_true(hypot(x.w->impulse[1], x.w->impulse[2]) <= 0.5 * x.w->impulse[0] * (1 + 1e-12));
  }
  end_motion(&x);
}

static void a_block_that_falls_stays_on_the_floor(void **state) {
  (void)state;
  motion x = start_motion(BLOCK("0", "9.81", "0.3", "q: {block.tz: 0.1}, v: {block.tx: 1}"));
  for (int k = 0; k < 100; k++) {
    advance(&x);
    assert_true(x.q[2] > -1e-15);
    assert_true(x.w->impulse[0] >= 0);
  }
  assert_true(x.q[2] < 1e-15);
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  end_motion(&x);
}

static void four_points_of_a_box_share_its_weight(void **state) {
  (void)state;
  // three rows hold it, so that the shares of four points are not unique
  motion x =
      start_motion("model:\n"
                   "  gravity: [0, 0, -9.81]\n"
                   "  bodies: [{name: box, joints: [tx, tz, ry], mass: 3, inertia: [1, 1, 1]}]\n"
                   "  contacts:\n"
                   "    - {name: a, type: above, bodies: [box, world], points: [[-1, 0, -1], [0, "
                   "0, 0]], axis: [0, 0, 1], friction: 0.4}\n"
                   "    - {name: b, type: above, bodies: [box, world], points: [[-1, 0, -1], [0, "
                   "0, 0]], axis: [0, 0, 1], friction: 0.4}\n"
                   "    - {name: c, type: above, bodies: [box, world], points: [[1, 0, -1], [0, 0, "
                   "0]], axis: [0, 0, 1], friction: 0.4}\n"
                   "    - {name: d, type: above, bodies: [box, world], points: [[1, 0, -1], [0, 0, "
                   "0]], axis: [0, 0, 1], friction: 0.4}\n"
                   "simulate: {method: knot, steps: 10, step: 0.01, start: {q: {box.tz: 1}, v: "
                   "{box.tx: 0.1}}}\n");
  for (int k = 0; k < 200; k++) {
    advance(&x);
    for (int l = 0; l < 4; l++) assert_true(x.w->entry[l] != DM_LAW_OPEN);
  }
  double sum = 0;
  for (int r = 0; r < x.w->nr; r++)
    for (int l = 0; l < 4; l++)
      if (x.w->laws->law[l].gap == r) sum += x.w->impulse[r];
  assert_true(fabs(sum - 3 * 9.81 * 0.01) < 1e-12);
  assert_true(fabs(x.q[1] - 1) < 1e-12 && fabs(x.q[2]) < 1e-12);
  end_motion(&x);
}

static void a_box_rests_with_any_step(void **state) {
  (void)state;
  // corners that depend on each other, and steps so short that rounding of positions counts
  const char *const steps[] = {"0.01", "0.001", "0.0001"};
  char text[1200];
  for (int i = 0; i < 3; i++) {
    int at = snprintf(
        text, sizeof text,
        "model:\n  gravity: [0, 0, -9.81]\n"
        "  bodies: [{name: box, joints: [tx, ty, tz, rz, ry, rx], mass: 2, inertia: [0.02, "
        "0.03, 0.04]}]\n  contacts:\n");
    for (int c = 0; c < 4; c++)
      at +=
          snprintf(text + at, sizeof text - (size_t)at,
                   "    - {name: c%d, type: above, bodies: [box, world], points: [[%g, %g, -0.05], "
                   "[0, 0, 0]], axis: [0, 0, 1], friction: 0.4}\n",
                   c, c % 2 ? 0.1 : -0.1, c / 2 ? 0.15 : -0.15);
    snprintf(text + at, sizeof text - (size_t)at,
             "simulate: {method: knot, steps: 9, step: %s, start: {q: {box.tz: 0.05}}}\n",
             steps[i]);
    motion x = start_motion(text);
    for (int k = 0; k < 500; k++) advance(&x);
    for (int j = 0; j < 6; j++) assert_true(fabs(x.q[j] - (j == 2 ? 0.05 : 0)) < 1e-12);
    end_motion(&x);
  }
}

enum {
  BOXES = 4
}; // at most, on four feet each: 48 rows for 24 coordinates, so that most depend on each other

static motion start_stack(int boxes, const char *speeds) {
  char text[4000];
  int at = snprintf(text, sizeof text, "model:\n  gravity: [0, 0, -9.81]\n  bodies:\n");
  for (int b = 0; b < boxes; b++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "    - {name: b%d, joints: [tx, ty, tz, rz, ry, rx], mass: %g, inertia: [0.02, "
                   "0.03, 0.04]}\n",
                   b, 2 - 0.2 * b);
  at += snprintf(text + at, sizeof text - (size_t)at, "  contacts:\n");
  for (int c = 0; c < 4 * boxes; c++) {
    char under[16] = "world";
    if (c >= 4) snprintf(under, sizeof under, "b%d", c / 4 - 1);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "    - {name: c%d, type: above, bodies: [b%d, %s], points: [[%g, %g, -0.1], [0, "
                   "0, %g]], axis: [0, 0, 1], friction: 0.5}\n",
                   c, c / 4, under, c % 2 ? 0.1 : -0.1, c / 2 % 2 ? 0.1 : -0.1, c < 4 ? 0 : 0.1);
  }
  at += snprintf(text + at, sizeof text - (size_t)at,
                 "simulate: {method: knot, steps: 9, step: 0.01, start: {v: {%s}, q: {", speeds);
  for (int b = 0; b < boxes; b++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%sb%d.tz: %.1f", b ? ", " : "", b,
                   0.1 + 0.2 * b);
  snprintf(text + at, sizeof text - (size_t)at, "}}}\n");
  return start_motion(text);
}

static void a_stack_of_boxes_rests(void **state) {
  (void)state;
  motion x = start_stack(BOXES, "b0.tx: 0");
  for (int k = 0; k < 200; k++) advance(&x);
  for (int j = 0; j < 6 * BOXES; j++)
    assert_true(fabs(x.q[j] - (j % 6 == 2 ? 0.1 + 0.2 * (j / 6) : 0)) < 1e-12);
  for (int c = 0; c < 4 * BOXES; c++) assert_int_equal(x.w->entry[c], DM_LAW_STICKS);
  double weight = 0;
  for (int c = 0; c < 4; c++) weight += x.w->impulse[3 * c];
  assert_true(fabs(weight - (2 + 1.8 + 1.6 + 1.4) * 9.81 * 0.01) < 1e-10);
  end_motion(&x);
}

// Coulomb's laws for the last impulses and distances: to 1e-8 of the largest impulse, 0.1 N s, and distance, 10 mm
static void check_laws(const motion *x) {
  for (int l = 0; l < x->w->laws->n; l++) {
    const dm_contact_law *law = &x->w->laws->law[l];
    const double c = x->w->impulse[law->gap], gap = x->w->r1[law->gap];
    double t[2], s[2];
    for (int i = 0; i < 2; i++) {
      t[i] = x->w->impulse[law->tangent[i]];
      s[i] = x->w->r1[law->tangent[i]] - x->w->r0[law->tangent[i]];
    }
    const double bound = law->friction * c, slid = hypot(s[0], s[1]);
    if (!(gap > -1e-9 && c > -1e-9 && fmin(gap / 0.01, c / 0.1) < 1e-7))
      fail_msg("step %d: %s with gap %g and impulse %g", x->k, law->name, gap, c);
    if (!(hypot(t[0], t[1]) < bound + 1e-8))
      fail_msg("step %d: friction of %s %g, bound %g", x->k, law->name, hypot(t[0], t[1]), bound);
    for (int i = 0; i < 2 && slid > 1e-8; i++)
      if (!(fabs(t[i] * slid + bound * s[i]) < 1e-8 * slid + 1e-10))
        fail_msg("step %d: %s slides by %g with friction %g of %g", x->k, law->name, s[i], t[i],
                 bound);
  }
}

static void hit_stacks_obey_the_laws(void **state) {
  (void)state;
  // boxes rock, land on two to four feet at once, and slide: feet of one box that land together would have to slide
  // apart to stick, and press against each other until one slides
  const struct {
    int boxes;
    const char *hit;
  } stacks[] = {{3, "b0.tx: 0.5"},
                {3, "b1.tx: 1, b1.ty: 0.333333"},
                {4, "b0.tx: 0.5"},
                {4, "b1.tx: 1, b1.ty: 0.333333"},
                {4, "b2.tx: 1"},
                {4, "b0.tx: 2, b0.ry: 4, b0.rz: 2"},
                {4, "b3.tx: 1, b3.ry: 2, b3.rz: 1"}};
  for (int i = 0; i < (int)(sizeof stacks / sizeof *stacks); i++) {
    motion x = start_stack(stacks[i].boxes, stacks[i].hit);
    for (int k = 0; k < 60; k++) {
      advance(&x);
      check_laws(&x);
    }
    end_motion(&x);
  }
}

// a solid ball on a floor, under gravity that points along x as well
#define BALL(gx, mu, start)                                                                        \
  "model:\n"                                                                                       \
  "  gravity: [" gx ", 0, -9.81]\n"                                                                \
  "  bodies: [{name: ball, joints: [tx, ty, tz, ball], mass: 1, inertia: [4e-3, 4e-3, 4e-3]}]\n"   \
  "  contacts:\n"                                                                                  \
  "    - {name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1], length: 0.1, "         \
  "friction: " mu "}\n"                                                                            \
  "simulate: {method: knot, steps: 9, step: 0.005, start: {q: {ball.tz: 0.1, ball.ball.qw: "       \
  "1}" start "}}\n"

static void a_ball_rolls_with_five_sevenths(void **state) {
  (void)state;
  // on an incline it gains 5/7 of g sin: the sine of the angle of a step, not the angle, is the way over r
  motion x = start_motion(BALL("2", "0.5", ""));
  double before = 0, last = 0;
  for (int k = 0; k < 100; k++) {
    const double at = x.q[0];
    advance(&x);
    const double gain = (x.q[0] - at) - (at - before);
    assert_true(k < 1 || fabs(gain / (x.h * x.h) - 10. / 7) < 1e-3);
    assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
    before = at;
    last = x.q[0];
  }
  assert_true(fabs(last - 0.5 * 10. / 7 * 0.25) < 1e-4);
  end_motion(&x);

  // one that slides at first loses 2/7 of its speed, in its direction
  x = start_motion(BALL("0", "0.3", ", v: {ball.tx: 1, ball.ty: 0.5}"));
  int slides = 0;
  double from[2] = {0};
  for (int k = 0; k < 200; k++) {
    memcpy(from, x.q, sizeof from);
    advance(&x);
    slides += DM_LAW_STATE(x.w->entry[0]) == DM_LAW_SLIDES;
    assert_true(hypot(x.w->impulse[1], x.w->impulse[2]) <= 0.3 * x.w->impulse[0] * (1 + 1e-9));
  }
  // 2/7 v/(mu g) of it slides
  assert_true(abs(slides - (int)(2. / 7 * hypot(1, 0.5) / (0.3 * 9.81) / x.h)) <= 2);
  assert_true(fabs((x.q[0] - from[0]) / x.h - 5. / 7) < 1e-9);
  assert_true(fabs((x.q[1] - from[1]) / x.h - 5. / 14) < 1e-9);
  end_motion(&x);
}

// a point on an obstacle, at an angle from its top
static motion start_on(const char *shape, double mu, double angle) {
  char text[800];
  snprintf(
      text, sizeof text,
      "model:\n"
      "  gravity: [0, 0, -9.81]\n"
      "  bodies: [{name: m, joints: [tx, ty, tz], mass: 2}]\n"
      "  contacts:\n"
      "    - {name: top, type: outside, bodies: [m, world], against: {%s}, friction: %g}\n"
      "simulate: {method: knot, steps: 9, step: 0.005, start: {q: {m.ty: %.17g, m.tz: %.17g}}}\n",
      shape, mu, 0.5 * sin(angle), 0.5 * cos(angle));
  return start_motion(text);
}

static void a_point_sticks_on_an_obstacle_up_to_the_angle_of_friction(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "type: sphere, radius: 0.5", "type: capsule, radius: 0.5, points: [[-1, 0, 0], [1, 0, 0]]",
      "type: cylinder, radius: 0.5, axis: [1, 0, 0], length: 2"};
  for (int i = 0; i < 3; i++) {
    motion x = start_on(shapes[i], 0.4, atan(0.4) - 1e-6);
    const double from[] = {x.q[1], x.q[2]};
    for (int k = 0; k < 500; k++) advance(&x);
    assert_true(fabs(x.q[0]) < 1e-12 && fabs(x.q[1] - from[0]) < 1e-12 &&
                fabs(x.q[2] - from[1]) < 1e-12);
    assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
    end_motion(&x);
    x = start_on(shapes[i], 0.4, atan(0.4) + 1e-3);
    for (int k = 0; k < 500; k++) advance(&x);
    assert_true(x.q[1] - from[0] > 1e-3);
    end_motion(&x);
  }

  // on a box it loses mu g
  motion x = start_on("type: box, size: [4, 4, 1]", 0.4, 0);
  x.p1[0] = 2 * 0.6;
  x.p1[1] = 2 * 0.8;
  double last = 0, way = 0;
  for (int k = 0; k < 40; k++) {
    const double before = last, at = way;
    advance(&x);
    last = hypot(x.q[0], x.q[1]);
    way = last - before;
    if (k > 0) assert_true(fabs(way - at + 0.4 * 9.81 * x.h * x.h) < 1e-14);
    assert_true(fabs(x.q[0] * 0.8 - x.q[1] * 0.6) < 1e-14);
  }
  end_motion(&x);
}

// a pendulum with dry friction
#define PENDULUM(start)                                                                            \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies: [{name: arm, joints: [ry], mass: 1, centre: [0, 0, -0.5]}]\n"                         \
  "  friction: [{joint: arm, force: 0.4}]\n"                                                       \
  "simulate: {method: knot, steps: 100, step: 0.01, start: {" start "}}\n"

static void a_joint_comes_to_rest_and_stays(void **state) {
  (void)state;
  motion x = start_motion(PENDULUM("q: 1"));
  double largest = 1, last = 1;
  for (int k = 0; k < 3000; k++) {
    advance(&x);
    largest = fmax(largest, fabs(x.q[0]));
    if (k == 2999) assert_true(fabs(x.q[0] - last) <= 1e-15);
    last = x.q[0];
  }

  // the energy of the swing has become heat, and friction holds the arm where it stopped
  assert_true(largest < 1 + 1e-12);
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  assert_true(fabs(x.w->impulse[0] - 9.81 * 0.5 * 0.01 * sin(x.q[0])) < 1e-12);
  assert_true(fabs(9.81 * 0.5 * sin(x.q[0])) <= 0.4);
  end_motion(&x);
}

// an arm with these terms of friction, in steps of `step`
static motion start_arm(const char *gravity, const char *terms, double step, const char *start) {
  char text[600];
  snprintf(text, sizeof text,
           "model:\n  gravity: [0, 0, %s]\n"
           "  bodies: [{name: arm, joints: [ry], mass: 1, centre: [0, 0, -0.5]}]\n"
           "  friction: [{joint: arm, %s}]\n"
           "simulate: {method: knot, steps: 100, step: %.17g, start: {%s}}\n",
           gravity, terms, step, start);
  return start_motion(text);
}

// every term holds or brakes: below the force at rest the arm sticks, and its weight and the offset are borne
static void an_arm_sticks_below_its_force_at_rest(void **state) {
  (void)state;
  motion x = start_arm("-9.81", "force: 0.4, static: 1, stribeck: 2, viscous: 0.3, offset: 0.2",
                       0.01, "q: 0.15");
  const double weight = 9.81 * 0.5 * sin(0.15);
  assert_true(weight > 0.4 && weight + 0.2 < 1);
  for (int k = 0; k < 10000; k++) advance(&x);
  assert_true(fabs(x.q[0] - 0.15) <= 1e-14);
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  assert_true(fabs(x.w->impulse[0] - (weight + 0.2) * 0.01) < 1e-14);
  end_motion(&x);
}

// without gravity, m = 0.25 kg m2: the equations of sliding steps, p1 = p0 - h (B(v) + b v + f0) with the mean speed v
static void friction_of_a_step_is_that_of_its_speed(void **state) {
  (void)state;
  const double h = 0.01, m = 0.25;
  motion x = start_arm("0", "force: 0.4, static: 0.7, stribeck: 1.5, viscous: 0.3, offset: 0.1", h,
                       "q: 0, v: 3");
  double last = NAN;
  for (int k = 0; x.p1[0] > 0.05; k++) {
    const double q0 = x.q[0], p0 = x.p1[0];
    advance(&x);
    const double v = (x.q[0] - q0) / h, B = 0.4 + 0.3 * exp(-v * v / 2.25);
    const double share = dm_contact_share(k, 1 << 30);
    assert_true(fabs(x.w->impulse[0] + B * h * share) < 1e-14);
    if (k > 0) assert_true(fabs(m * (v - last) + h * (B + 0.3 * (v + last) / 2 + 0.1)) < 1e-13);
    assert_true(x.p1[0] < p0);
    last = v;
  }
  end_motion(&x);
}

// the mirrored arm with the opposite offset
static void a_mirrored_arm_moves_mirrored(void **state) {
  (void)state;
  motion a = start_arm("-9.81", "force: 0.1, static: 0.3, stribeck: 1, viscous: 0.05, offset: 0.2",
                       0.02, "q: 1, v: 0.5");
  motion b = start_arm("-9.81", "force: 0.1, static: 0.3, stribeck: 1, viscous: 0.05, offset: -0.2",
                       0.02, "q: -1, v: -0.5");
  for (int k = 0; k < 1000; k++) {
    advance(&a);
    advance(&b);
    assert_true(a.q[0] == -b.q[0] && a.w->impulse[0] == -b.w->impulse[0]);
  }
  assert_int_equal(a.w->entry[0], DM_LAW_STICKS);
  end_motion(&a);
  end_motion(&b);
}

// The energy that a swing loses until it sticks is the work of the impulses, at the mean of the speeds before and after
// them: to the square of the step.
static double find_missing_work(double h) {
  motion x = start_arm("-9.81", "force: 0.3, static: 0.5, stribeck: 1", h, "q: 1.2");
  double work = 0, v = 0;
  for (int k = 0; k * h < 6; k++) {
    const double q0 = x.q[0];
    advance(&x);
    const double next = (x.q[0] - q0) / h;
    work += x.w->impulse[0] * (k ? (v + next) / 2 : next / 2);
    v = next;
  }
  const double energy = 9.81 * 0.5 * (cos(x.q[0]) - cos(1.2)); // of the arm at rest
  assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
  assert_true(work < -1);
  end_motion(&x);
  return fabs(work + energy);
}

static void friction_dissipates_the_work_of_its_impulses(void **state) {
  (void)state;
  double last = 0;
  for (int i = 0; i < 5; i++) {
    const double h = 0.02 / (1 << i), missing = find_missing_work(h);
    if (i > 0) assert_true(fabs(log2(last / missing) - 2) < 0.01);
    last = missing;
  }
}

// Through sticking, against the closed form of m v' = -F - b v: v(t) = (v0 + F/b) exp(-b t/m) - F/b, until v = 0. The
// step in which it stops has an error of its own, a share of a step that is random.
static void a_stop_is_of_second_order(void **state) {
  (void)state;
  const double m = 0.25, F = 0.4, b = 0.3, v0 = 3, T = m / b * log(1 + b * v0 / F);
  const double stop = (v0 + F / b) * m / b * (1 - exp(-b * T / m)) - F / b * T;
  for (int i = 0; i < 6; i++) {
    const double h = 0.02 / (1 << i);
    motion x = start_arm("0", "force: 0.4, viscous: 0.3", h, "q: 0, v: 3");
    for (int k = 0; k * h < 2 * T; k++) advance(&x);
    assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
    if (!(fabs(x.q[0] - stop) < F / m * h * h)) fail_msg("step %g: %.3g", h, x.q[0] - stop);
    end_motion(&x);
  }
}

// B falls by more than the inertia per step: between F and F_s the arm both sticks and slides
static void a_second_solution_is_found(void **state) {
  (void)state;
  static const struct {
    const char *terms;
    int knot;
  } cases[] = {{"force: 0.2, static: 0.6, stribeck: 0.001", 0},
               {"force: 0.2, static: 0.6, stribeck: 0.1", -1},
               {"force: 0.45, static: 0.6, stribeck: 0.001", -1}, // too weak a push to slide
               {"force: 0.6", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    motion x = start_arm("-9.81", cases[i].terms, 0.01, "q: 0.08"); // 0.392 N m
    const dm_stepper s = dm_knot_stepper(x.w);
    double q1[8];
    for (int k = 0; k < 3; k++) {
      memcpy(q1, x.q, sizeof q1);
      assert_int_equal(s.step(s.self, k, x.q, x.p1, x.u, x.h, q1, x.p1, NULL), DM_OK);
      memcpy(x.q, q1, sizeof q1);
    }
    assert_int_equal(x.w->second, cases[i].knot);
    assert_true(cases[i].knot < 0 || x.w->second_law == 0);
    assert_int_equal(x.w->entry[0], DM_LAW_STICKS);
    end_motion(&x);
  }
}

// a finger pushes a box with dry friction; the rest of its file
#define PUSH(rest)                                                                                 \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx], mass: 0.5}\n"                                                \
  "    - {name: box, joints: [tx], mass: 1}\n"                                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: face, type: above, bodies: [finger, box],\n"                                       \
  "       points: [[0, 0, 0], [-0.1, 0, 0]], axis: [-1, 0, 0]}\n"                                  \
  "  friction: [{joint: box, force: 3}]\n"                                                         \
  "inputs: [{joint: finger}]\n" rest

static void a_plan_is_a_motion_of_the_step(void **state) {
  (void)state;
  pb_problem *p =
      read_problem(PUSH("horizon: {steps: 15, time: 1}\nstart: {q: {finger: -0.25, box: 0}, v: 0}\n"
                        "goal: {q: {box: 0.3}, v: 0}\ncost: {input: 1}\n"));
  dm_trajectory *x;
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  double gap;
  int knot;
  assert_int_equal(oc_solve(&p->task, &set, &x, &info, &msg), DM_OK);
  assert_int_equal(dm_knot_certify(x, &p->task.system, NULL, &gap, &knot), DM_OK);
  assert_true(gap < 1e-11);

  // its inputs alone give it back, with the same impulses
  motion m = start_motion(
      PUSH("simulate: {method: knot, steps: 15, time: 1, start: {q: {finger: -0.25, box: 0}}}\n"));
  for (int k = 0; k < x->N; k++) {
    m.u[0] = x->u[k];
    advance(&m);
    for (int i = 0; i < 2; i++) {
      if (fabs(m.q[i] - x->q[2 * (k + 1) + i]) > 1e-10) fail_msg("knot %d: %.3g", k, m.q[i]);
      assert_true(fabs(m.w->impulse[i] - x->contact[2 * k + i]) < 1e-8);
    }
  }

  // with its schedule as well; one that lets the box slide forwards at first drives it
  unsigned char entry[2 * 16];
  for (int k = 0; k < x->N; k++) {
    const double push = x->contact[2 * k], way = x->q[2 * k + 3] - x->q[2 * k + 1];
    entry[2 * k] = push > 1e-9 ? DM_LAW_STICKS : DM_LAW_OPEN;
    entry[2 * k + 1] = DM_LAW_STICKS;
    if (way > 1e-9) entry[2 * k + 1] = DM_LAW_SLIDES | DM_LAW_ACTS(1);
  }
  assert_int_equal(entry[1], DM_LAW_STICKS);
  memcpy(m.q, x->q, 2 * sizeof *m.q);
  memcpy(m.p1, x->p, 2 * sizeof *m.p1);
  memset(m.w->impulse, 0, 2 * sizeof *m.w->impulse);
  m.k = 0;
  for (int k = 0; k < x->N; k++) {
    m.u[0] = x->u[k];
    m.w->given = entry + 2 * k;
    advance(&m);
    assert_true(fabs(m.q[0] - x->q[2 * k + 2]) < 1e-9 && fabs(m.q[1] - x->q[2 * k + 3]) < 1e-9);
  }
  double q1[24] = {x->q[0], x->q[1]}, p1[24];
  entry[1] = DM_LAW_SLIDES | DM_LAW_ACTS(1);
  m.w->given = entry;
  assert_int_equal(dm_knot_step_take(m.w, 0.5, x->q, x->p, x->u, x->h, q1, p1), DM_INFEASIBLE);
  assert_int_equal(m.w->info.worst, 1);
  assert_int_equal(m.w->info.fault, DM_CONTACT_DRIVES);
  entry[1] = DM_LAW_STICKS;
  entry[0] = DM_LAW_STICKS;
  assert_int_equal(dm_knot_step_take(m.w, 0.5, x->q, x->p, x->u, x->h, q1, p1), DM_INFEASIBLE);
  m.w->given = NULL;

  // an impulse that is wrong by a thousandth is found, at its knot
  int closed = 0;
  while (!(x->contact[2 * closed] > 0.01)) closed++;
  x->q[2 * (closed + 1)] -= 1e-5;
  assert_int_equal(dm_knot_certify(x, &p->task.system, NULL, &gap, &knot), DM_OK);
  assert_true(gap > 1e-7);
  assert_true(knot == closed || knot == closed + 1);
  end_motion(&m);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sticks_for_ten_thousand_steps),
      cmocka_unit_test(a_block_slides_with_the_acceleration_left),
      cmocka_unit_test(a_block_slides_alike_in_all_directions),
      cmocka_unit_test(a_contact_and_a_joint_stick_in_one_robot),
      cmocka_unit_test(a_contact_slides_beside_a_joint_that_sticks),
      cmocka_unit_test(a_block_that_falls_stays_on_the_floor),
      cmocka_unit_test(four_points_of_a_box_share_its_weight),
      cmocka_unit_test(a_box_rests_with_any_step),
      cmocka_unit_test(a_stack_of_boxes_rests),
      cmocka_unit_test(hit_stacks_obey_the_laws),
      cmocka_unit_test(a_ball_rolls_with_five_sevenths),
      cmocka_unit_test(a_point_sticks_on_an_obstacle_up_to_the_angle_of_friction),
      cmocka_unit_test(a_joint_comes_to_rest_and_stays),
      cmocka_unit_test(an_arm_sticks_below_its_force_at_rest),
      cmocka_unit_test(friction_of_a_step_is_that_of_its_speed),
      cmocka_unit_test(a_mirrored_arm_moves_mirrored),
      cmocka_unit_test(friction_dissipates_the_work_of_its_impulses),
      cmocka_unit_test(a_stop_is_of_second_order),
      cmocka_unit_test(a_second_solution_is_found),
      cmocka_unit_test(a_plan_is_a_motion_of_the_step),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
