// `design:`: numbers of a file that are sought, by their paths; what is refused, by its place.
#include "tests/support/cart_pole.h"

#include <math.h>

#define BLOCKS                                                                                     \
  "model:\n"                                                                                       \
  "  bodies:\n"                                                                                    \
  "    - {name: cart, joints: [{name: slider, slide: [1, 0, 0], effort: 20}], mass: 1}\n"          \
  "    - {name: pole, parent: cart, joints: [{name: pole, rotate: [0, 1, 0]}], mass: 0.3,\n"       \
  "       centre: [0, 0, -0.5]}\n"                                                                 \
  "  springs: [{name: s, joint: slider, stiffness: 3}]\n"                                          \
  "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\ngoal: {q: 0, v: 0}\ncost: {input: 1}\n"

static void numbers_are_found_by_their_paths(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      BLOCKS "design:\n"
             "  - {name: k, at: model.springs.0.stiffness, within: [0, 40], price: 2}\n"
             "  - {name: half, at: {model.bodies.1.centre.2: -0.5, model.bodies.1.mass: 0.3},\n"
             "     within: [0.5, 2], weight: 3, prefer: 1.5}\n");
  const pb_design *d = &p->design;
  assert_int_equal(d->n, 2);
  assert_true(d->places[0] == 1 && d->places[1] == 2);
  assert_string_equal(d->at[0][0].path, "model.springs.0.stiffness");
  assert_true(d->at[0][0].factor == 1 && d->at[1][0].factor == -0.5 && d->at[1][1].factor == 0.3);
  const oc_parameter *k = &d->parameter[0], *half = &d->parameter[1];
  assert_true(k->guess == 3 && k->low == 0 && k->high == 40 && k->price == 2);
  assert_true(fabs(half->guess - 1) < 1e-15 && half->weight == 3 && half->prefer == 1.5);
  pb_problem_free(p);
}

static void what_is_wrong_is_refused_by_place(void **state) {
  (void)state;
#define D BLOCKS "design: [{name: k, "
  const refused rows[] = {
      {D "within: [0, 1]}]\n", "design[]: found no 'at'"},
      {"model:\n  bodies:\n"
       "    - {name: cart, joints: [{name: slider, slide: [1, 0, 0], effort: 20, damping: 99}], "
       "mass: 1}\n"
       "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\ngoal: {q: 0, v: 0}\ncost: {input: 1}\n"
       "design: [{name: k, at: model.bodies.0.mass, within: [0.5, 2]}]\n",
       ":8:1: design: found it beside 'slider', whose damping decays in 0.01 s, within a step of "
       "0.5"},
      {D "at: model.springs.0.stiffness}]\n", "design[]: found no 'within'"},
      {D "at: model.springs.1.stiffness, within: [0, 9]}]\n",
       ":11:24: design[].at: found nothing at 'model.springs.1.stiffness', expected a number"},
      {D "at: model.springs.0.name, within: [0, 9]}]\n", "expected a number"},
      {D "at: horizon.time, within: [0, 9]}]\n",
       "found 'horizon.time', expected a number of 'model', 'inputs' or 'outputs'"},
      {D "at: [1], within: [0, 9]}]\n", "expected a path, or factors by path"},
      {D "at: {model.springs.0.stiffness: 0}, within: [0, 9]}]\n", "found the factor 0"},
      {D "at: model.springs.0.stiffness, within: [5, 9]}]\n",
       "found [5, 9], expected it to have 3, which 'k' is in the file"},
      {D "at: model.springs.0.stiffness, within: [9, 1]}]\n", "expected"},
      {D "at: model.springs.0.stiffness, within: [2.9999999, 3.0000001]}]\n",
       "found a range of 2e-07 at 3, expected one of 3e-06 at least"},
      {D "at: model.springs.0.stiffness, within: [none, 9]}]\n", "the first below the second"},
      {D "at: {model.springs.0.stiffness: 1, model.bodies.0.mass: 1}, within: [0, 9]}]\n",
       "by 'model.bodies.0.mass' 'k' is 1, and by the first it is 3"},
      {D "at: model.springs.0.stiffness, within: [0, 9]}]\ntranscription: second-order\n",
       "expected first-order"},
      {D "at: model.springs.0.stiffness, within: [0, 9]},\n"
         "  {name: k, at: model.bodies.0.mass, within: [0, 9]}]\n",
       "found a second one named 'k'"},
      {D "at: model.springs.0.stiffness, within: [0, 9]},\n"
         "  {name: s, at: {model.bodies.0.mass: 1, model.springs.00.stiffness: 3}, within: [0, "
         "9]}]\n",
       ":12:17: design[].at: found 'model.springs.00.stiffness', which 'k' is already"},
      {"model: {bodies: [{name: b, joints: [{name: x, slide: [1, 0, 0]}], mass: 1}]}\n"
       "design: [{name: m, at: model.bodies.0.mass, within: [1, 2]}]\n"
       "simulate: {time: 1, steps: 4}\n",
       ":2:1: found 'design' but no 'horizon', expected both"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_found_by_their_paths),
      cmocka_unit_test(what_is_wrong_is_refused_by_place),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
