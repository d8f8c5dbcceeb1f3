// Contacts of problem files: their errors, and their meaning.
#include "tests/support/cart_pole.h"

#include <math.h>

#define STOP "model: {urdf: c.urdf, contacts: [{name: s, "
#define HELD "}]}\nsimulate: {time: 1, steps: 2}\n"
#define BY   "}]}\nsimulate: {time: 1, steps: 2, "
#define FINE "type: not-above, coordinate: slider, length: 1"

// two links, whose mass matrix changes with the second's angle
#define DOUBLE                                                                                     \
  "model: {bodies: [{name: a, joints: [ry], mass: 1, centre: [0, 0, -1]}, {name: b, parent: a, "   \
  "offset: {xyz: [0, 0, -1]}, joints: [ry], mass: 1, centre: [0, 0, -1]}], contacts: [{name: s, "  \
  "type: not-above, coordinate: b, length: 1" BY

// a mass on a slide before a stop
#define SLED                                                                                       \
  "model: {bodies: [{name: a, joints: [tx], mass: 1}], contacts: [{name: s, type: not-above, "     \
  "coordinate: a, length: 1" BY

static const refused wrong[] = {
    {STOP "type: near" HELD, "p.yaml:1:50: model.contacts[].type: found the unknown word 'near', "},
    {STOP "type: at-least, length: 1" HELD, "model.contacts[]: found no 'bodies', expected one"},
    {STOP "type: at-least, bodies: [tip, world], length: 0" HELD,
     "p.yaml:1:90: model.contacts[].length: found 0, expected a number > 0"},
    {STOP "type: above, bodies: [tip, world], axis: [0, 0, 0]" HELD,
     "p.yaml:1:85: model.contacts[].axis: found 0 0 0, expected a direction"},
    {STOP "type: above, bodies: [tip, world]" HELD, "model.contacts[]: found no 'axis'"},
    {STOP "type: above, bodies: [tpi, world], axis: [0, 0, 1]" HELD, "did you mean 'tip'?"},
    {STOP "type: not-below, coordinate: slide, length: 1" HELD,
     "p.yaml:1:73: model.contacts[].coordinate: found the unknown coordinate 'slide', "
     "expected one of slider, pole; did you mean 'slider'?"},
    {STOP "type: not-below, coordinate: slider" HELD, "model.contacts[]: found no 'length'"},
    {STOP FINE ", axis: [0, 0, 1]" HELD, "model.contacts[]: found 'axis', expected none"},
    {STOP FINE ", restitution: 2" HELD,
     "model.contacts[].restitution: found '2', expected a number in [0, 1]"},
    {STOP FINE ", friction: 0.5" HELD, "model.contacts[]: found 'friction', expected none"},
    {STOP "type: above, bodies: [tip, world], axis: [0, 0, 1], friction: -1" HELD,
     "p.yaml:1:106: model.contacts[].friction: found '-1', expected a number >= 0"},
    {STOP "type: above, bodies: [tip, world], axis: [0, 0, 1], length: -1, friction: 1" HELD,
     "model.contacts: contact 's': friction acts above a plane or outside of a shape, with a "
     "length >= 0"},
    {STOP "type: above, bodies: [tip, world], axis: [1, 0, 0], points: [[0, 0, 0], [-9, 0, 0]], "
          "friction: 1" BY "method: collision}\n",
     "simulate: friction is for the methods gvi and smooth, not for collision"},
    {STOP FINE "}, {name: s, " FINE HELD,
     "model.contacts[]: found a second one named 's', expected every name once"},
    {"model: {bodies: [{name: a, joints: [ball], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], "
     "contacts: [{name: s, type: not-above, coordinate: a.rx, length: 1" HELD,
     "model.contacts[].coordinate: found 'a.rx', a turn of a ball joint, expected a joint of "
     "one axis"},
    {STOP FINE "}], kinematic: [slider]}\nsimulate: {time: 1, steps: 2}\n",
     "model.contacts: found some beside kinematic coordinates ('slider'), expected none"},
    {STOP FINE "}]}\nhorizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\nfeedback: {Q: "
               "second-variation, R: 1}\n",
     "feedback.Q: found second-variation beside the contact 's', expected a section: the second "
     "variation does not know contacts"},
    {STOP FINE BY "start: {q: {slider: 1.5}}}\n",
     "p.yaml:2:38: simulate.start: the start is inside an obstacle: 's' is violated by 0.5"},
    {STOP FINE BY "method: hope}\n",
     "simulate.method: found the unknown word 'hope', expected one "},
    {STOP FINE BY "start: {held: true}}\n",
     "simulate.start.held: found true beside model.contacts"},
    {DOUBLE "method: newmark}\n", "p.yaml:2:11: simulate: Newmark's method needs a mass matrix "
                                  "that does not change with the configuration"},
    {STOP FINE BY "method: smooth}\n",
     "p.yaml:2:11: simulate.start: contact 's' is open by 1 m; "
     "the method smooth expects all closed where a motion begins, gvi does not"},
    {STOP FINE BY "method: gvi, beta: 0.3}\n",
     "p.yaml:2:44: simulate.beta: found one, expected none by the method gvi"},
    {STOP FINE BY "method: newmark, predictor: step}\n",
     "simulate.predictor: found one, expected none by the method newmark"},
    {STOP FINE BY "method: collision, gamma: 0.3}\n",
     "simulate.gamma: found one, expected none by the method collision"},
    {STOP FINE BY "flight: 0.3}\n", "simulate.flight: found one, expected none by the method gvi"},
    {STOP FINE BY "method: collision, flight: 2}\n",
     "simulate.flight: found '2', expected a number in [0.001, 1]"},
    {STOP FINE BY "method: direct-midpoint, impact: moreau}\n",
     "p.yaml:2:56: simulate.impact: found one, expected none by the method direct-midpoint"},
    {STOP FINE BY "method: direct-endpoint, conserve: hamiltonian}\n",
     "simulate.conserve: found one, expected none by the method direct-endpoint"},
    {SLED "method: imex-newmark, conserve: verlet}\n",
     "simulate.conserve: found one, expected none by the method imex-newmark"},
    {STOP FINE BY "method: smooth, impact: moreau}\n",
     "simulate.impact: found one, expected none by the method smooth"},
    {STOP FINE ", restitution: 0.5" BY "method: direct-endpoint}\n",
     "p.yaml:2:11: simulate: direct-endpoint: contact 's' has the restitution 0.5, expected none: "
     "how far it bounces hangs on the grid; take gvi or collision"},
    {SLED "method: newmark}\ninputs: [{joint: a, effort: 2}]\n",
     "p.yaml:2:11: simulate: newmark: found inputs, expected no forces but those of potentials and "
     "contacts; take gvi"},
    {STOP FINE BY "method: direct-midpoint}\nrule: {force: left, lagrangian: trapezoid}\n",
     "p.yaml:3:21: rule.lagrangian: found one, expected none by the method direct-midpoint, which "
     "has its own"},
    {SLED "method: newmark}\nrule: {alpha: 0.5}\n",
     "p.yaml:3:8: rule.alpha: found one, expected none by the method newmark, which has its own"},
    {SLED "method: newmark, beta: 0}\n", "simulate: newmark: found beta 0, expected a number > 0"},
    {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2, gamma: 0.5}\n",
     "p.yaml:2:38: simulate.gamma: found one, expected none without model.contacts"},
    {DOUBLE "conserve: verlet}\n", "simulate: the numerical Hamiltonian of Stoermer-Verlet"},
    {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2, method: gvi}\n",
     "p.yaml:2:39: simulate.method: found one, expected none without model.contacts"},
    {STOP FINE BY "order: 4}\n", "simulate.order: found 4 beside model.contacts, expected none"},
    {STOP FINE BY "method: energy-momentum}\n",
     "simulate.method: found energy-momentum beside model.contacts, expected none"},
    {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2, order: 5}\n",
     "p.yaml:2:38: simulate.order: found order 5, expected one of 2, 4, 6"},
    {"model: {urdf: c.urdf}\nrule: {alpha: 0.4}\nsimulate: {time: 1, steps: 2, order: 4}\n",
     "p.yaml:3:38: simulate.order: found order 4 with a rule that is not symmetric"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\nsimulate: {time: 1, steps: 2, order: 4}\n",
     "p.yaml:2:38: simulate.order: found order 4 with kinematic coordinates"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\n"
     "simulate: {time: 1, steps: 2, method: energy-momentum}\n",
     "p.yaml:2:39: simulate.method: energy-momentum: found kinematic coordinates, expected none"},
    {"model: {urdf: c.urdf}\nrule: {lagrangian: trapezoid}\n"
     "simulate: {time: 1, steps: 2, method: energy-momentum}\n",
     "p.yaml:3:39: simulate.method: energy-momentum: found another rule, expected midpoint"},
    {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2, method: energy-momentum, impact: "
     "moreau}\n",
     "p.yaml:2:64: simulate.impact: found one, expected none without model.contacts"},
};

static void wrong_contacts_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

// values at a configuration (slider, pole) of the file's own
static void contacts_hold_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double q[2], g;
  } rows[] = {
      {"type: not-above, coordinate: pole, length: 1", {0, 0.25}, 0.75},
      {"type: not-below, coordinate: slider, length: -2", {0.5, 0}, 2.5},
      {"type: at-least, bodies: [cart, world], length: 2", {3, 0}, 5},
      {"type: at-most, bodies: [cart, world], points: [[0, 0, 0], [0, 1, 0]], length: 3",
       {2, 0},
       4},
      {"type: above, bodies: [cart, world], points: [[0, 0, 0], [-1, 0, 0]], axis: [2, 0, 0], "
       "length: 0.5",
       {1, 0},
       1.5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[400];
    snprintf(text, sizeof text,
             STOP "%s, restitution: 0.3" BY "start: {q: {slider: %g, pole: %g}}}\n", rows[i].text,
             rows[i].q[0], rows[i].q[1]);
    pb_problem *p = get_problem(text);
    dm_unilateral u = dm_contacts_unilateral(p->robot.mechanism.contacts);
    void *scratch = aligned_alloc(64, u.scratch + 64);
    double g;
    assert_int_equal(u.ng, 1);
    assert_string_equal(u.name(u.self, 0), "s");
    assert_true(u.restitution[0] == 0.3);
    assert_int_equal(u.values(u.self, scratch, rows[i].q, &g), DM_OK);
    free(scratch);
    if (fabs(g - rows[i].g) > 1e-12) fail_msg("%s: %.17g", rows[i].text, g);
    pb_problem_free(p);
  }
}

static void a_method_is_what_was_named(void **state) {
  (void)state;
  pb_problem *p =
      get_problem(STOP FINE BY "method: collision, impact: moreau, conserve: discrete}\n");
  assert_string_equal(p->simulate.contact.method->name, "collision");
  assert_int_equal(p->simulate.contact.impact, DM_MOREAU);
  assert_int_equal(p->simulate.contact.energy, DM_ENERGY_DISCRETE);
  pb_problem_free(p);
  p = get_problem(STOP FINE HELD);
  assert_string_equal(p->simulate.contact.method->name, "gvi");
  assert_ptr_equal(p->simulate.contact.predictor, dm_predict_forward);
  assert_true(isnan(p->simulate.contact.beta) && isnan(p->simulate.contact.gamma));
  assert_true(p->simulate.contact.flight == 1. / 16);
  pb_problem_free(p);

  // its own keys
  p = get_problem(SLED "method: newmark, beta: 0.3, gamma: 0.6}\n");
  assert_true(p->simulate.contact.beta == 0.3 && p->simulate.contact.gamma == 0.6);
  pb_problem_free(p);
  p = get_problem(STOP FINE BY "predictor: step}\n");
  assert_ptr_equal(p->simulate.contact.predictor, dm_predict_step);
  pb_problem_free(p);
  p = get_problem(STOP FINE BY "method: collision, flight: 0.5}\n");
  assert_true(p->simulate.contact.flight == 0.5);
  pb_problem_free(p);
}

// the default monitors: conserved quantities with contacts, none without
static void contacts_are_watched(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool watch, kept;
  } rows[] = {
      {STOP FINE HELD, true, true},
      {STOP FINE BY "monitors: none}\n", false, false},
      {STOP FINE BY "monitors: invariants}\n", true, false},
      {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2}\n", false, false},
      {"model: {urdf: c.urdf}\nsimulate: {time: 1, steps: 2, monitors: kept}\n", true, true}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p = get_problem(rows[i].text);
    assert_int_equal(p->simulate.watch, rows[i].watch);
    assert_int_equal(p->simulate.kept, rows[i].kept);
    pb_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_contacts_are_refused_by_place),
      cmocka_unit_test(contacts_hold_what_they_say),
      cmocka_unit_test(a_method_is_what_was_named),
      cmocka_unit_test(contacts_are_watched),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
