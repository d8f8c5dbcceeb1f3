// Robustness settings that a problem may not have, with their lines.
#include "tests/support/cart_pole.h"

#define LOOP HEAD "feedback: {}\nverify: {"

// a problem, and the sentence after the folder's name
static const refused wrong[] = {
    {LOOP "errors: {mass: 1}}\n",
     "p.yaml:5:25: verify.errors.mass: found '1', expected a number in [0, 0.99]"},
    {LOOP "errors: {inertia: -0.1}}\n",
     "p.yaml:5:28: verify.errors.inertia: found '-0.1', expected a number in [0, 0.99]"},
    {LOOP "errors: {length: 1.5}}\n",
     "p.yaml:5:27: verify.errors.length: found '1.5', expected a number in [0, 0.99]"},
    {LOOP "errors: {damping: -1}}\n",
     "p.yaml:5:28: verify.errors.damping: found '-1', expected a number >= 0"},
    {LOOP "errors: {mass: {pole: 0.1}}}\n",
     "p.yaml:5:25: verify.errors.mass: found a mapping of 1, expected a number in [0, 0.99]"},
    {LOOP "errors: 0.1}\n", "p.yaml:5:18: verify.errors: found '0.1', expected a mapping"},
    {LOOP "errors: {friction: 1}}\n",
     "p.yaml:5:19: verify.errors: found the unknown key 'friction', expected one of mass, inertia, "
     "length, damping"},
    {LOOP "noise: {q: -1}}\n", "p.yaml:5:21: verify.noise.q: found '-1', expected a number >= 0"},
    {LOOP "noise: {v: {pole: -1}}}\n",
     "p.yaml:5:28: verify.noise.v.pole: found '-1', expected a number >= 0"},
    {LOOP "noise: {torque: nan}}\n",
     "p.yaml:5:26: verify.noise.torque: found 'nan', expected a number >= 0"},
    {LOOP "noise: {torque: {pol: 1}}}\n",
     "p.yaml:5:27: verify.noise.torque: found the unknown input 'pol'"},
    {LOOP "criteria: [{vary: mass, to: 1}]}\n",
     "p.yaml:5:21: verify.criteria[]: found the factor 0 of mass, expected from and to above 0"},
    {LOOP "criteria: [{vary: v, from: -1, to: 1}]}\n",
     "p.yaml:5:21: verify.criteria[]: found -1 of v, expected from and to >= 0"},
    {LOOP "criteria: [{vary: delay, of: pole, to: 1}]}\n",
     "p.yaml:5:39: verify.criteria[].of: found it beside vary: delay, which has no parts, expected "
     "none"},
    {LOOP "criteria: [{vary: rotor, of: pol, to: 1}]}\n",
     "p.yaml:5:39: verify.criteria[].of: found 'pol', expected 'all' or a joint"},
    {LOOP "criteria: [{vary: pushes, to: 1, width: [0.2, 0.1]}]}\n",
     "p.yaml:5:50: verify.criteria[].width: found [0.2, 0.1], expected 0 < low <= high"},
    {LOOP "criteria: [{vary: length, to: 1}]}\n",
     "p.yaml:5:28: verify.criteria[].vary: found the unknown word 'length', expected one of mass, "
     "centre, inertia, "
     "rotor, damping, friction, q, v, torque, response, delay, encoders, pushes"},
    {LOOP "criteria: [{vary: encoders, to: -1}]}\n",
     "p.yaml:5:21: verify.criteria[]: found -1 of encoders, expected from and to >= 0"},
    {LOOP "limits: stops}\n", "p.yaml:5:18: verify.limits: found the unknown word 'stops', "
                              "expected one of fail, ignore, stop"},
    {LOOP "joints: stick}\n", "p.yaml:5:18: verify.joints: found stick of a robot without "
                              "model.friction.smooth; friction that is dry in the model sticks as "
                              "it is, expected smooth"},
    {LOOP "limit: 0}\n", "p.yaml:5:17: verify.limit: found '0', expected a number > 0"},
    {LOOP "delay: -1}\n", "p.yaml:5:17: verify.delay: found '-1', expected a number >= 0"},
    {LOOP "plants: mujoco}\n",
     "p.yaml:5:18: verify.plants: found the unknown word 'mujoco', expected one of own, all"},
    {LOOP "plants: [mujoco]}\n", "p.yaml:5:18: verify.plants: found a list of 1"},
    {LOOP "sweep: 3}\n", "p.yaml:5:17: verify.sweep: found '3', expected a mapping"},
    {LOOP "sweep: {axes: [mass]}}\n",
     "p.yaml:5:18: verify.sweep: found the unknown key 'axes', expected one of points, samples, "
     "times, start, levels"},
    {LOOP "sweep: {points: 1}}\n",
     "p.yaml:5:26: verify.sweep.points: found '1', expected an integer in [2, 1000]"},
    {LOOP "sweep: {samples: 0}}\n",
     "p.yaml:5:27: verify.sweep.samples: found '0', expected an integer in [1, 1e6]"},
    {LOOP "sweep: {times: 0}}\n",
     "p.yaml:5:25: verify.sweep.times: found '0', expected a number > 0"},
    {LOOP "sweep: {start: -1}}\n",
     "p.yaml:5:25: verify.sweep.start: found '-1', expected a number >= 0"},
    {LOOP "errors: {inertia: 0.5}, sweep: {}}\n",
     "p.yaml:5:41: verify.sweep: found 2 times verify.errors.inertia: 0.5, which takes all of it"},
    {LOOP "spread: {q: 0, v: 0}, errors: {}, noise: {q: 0}, sweep: {}}\n",
     "p.yaml:5:66: verify.sweep: found no errors, noise, limit, delay or spread in verify"},
    {LOOP "region: {directions: 0}}\n",
     "p.yaml:5:31: verify.region.directions: found '0', expected an integer in [1, 1e6]"},
    {LOOP "region: {halvings: 0}}\n",
     "p.yaml:5:29: verify.region.halvings: found '0', expected an integer in [1, 50]"},
    {LOOP "region: {most: 0}}\n",
     "p.yaml:5:25: verify.region.most: found '0', expected a number > 0"},
    {LOOP "region: {rate: 1}}\n",
     "p.yaml:5:25: verify.region.rate: found '1', expected a number in (0, 1)"},
    {LOOP "region: {rate: 0}}\n",
     "p.yaml:5:25: verify.region.rate: found '0', expected a number in (0, 1)"},
    {LOOP "region: {confidence: 1}}\n",
     "p.yaml:5:31: verify.region.confidence: found '1', expected a number in (0, 1)"},
    {LOOP "spread: {q: 0, v: 0}, region: {}}\n",
     "p.yaml:5:40: verify.region: found a spread of 0, expected one above"},
    {LOOP "region: {rate: 0.9, confidence: 0.9, samples: 28}}\n",
     "p.yaml:5:56: verify.region.samples: found 28, expected at least 29: fewer cannot show a rate "
     "of 0.9 with confidence 0.9"},
    {LOOP "region: {rate: 0.999}}\n",
     "p.yaml:5:18: verify.region.samples: found 1000, expected at least 5296"},
};

static void what_verify_cannot_be_asked_is_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

// the tables of a fit, and the sentence after the folder's name
static const struct {
  const char *values, *covariance, *message;
} fits[] = {
    {"path,value\n", "", "parameters.csv:1: found a header alone"},
    {"path,value\nlinks.tip.mass,1\n", "", "parameters.csv:1: found no column 'name'"},
    {"name,value\nlinks.tap.mass,1\n", "",
     "parameters.csv:2: 'links.tap.mass': found the link 'tap', expected one of rail, cart, tip; "
     "the "
     "fit is of another robot"},
    {"name,value\nlinks.rail.mass,1\n", "", "which is fixed to the world"},
    {"name,value\nlinks.tip.mass,?\n", "", "parameters.csv:2: column 'value': found '?'"},
    {"name,value\ndamping.pole,1\ndamping.pole,1\n", "",
     "parameters.csv:3: found 'damping.pole' again"},
    {"name,value\ndamping.pole,1\n", "damping.pole\n1\n1\n",
     "covariance.csv:1: found 2 rows and 1 columns, expected a square table"},
    {"name,value\ndamping.pole,1\n", "damping.poll\n1\n",
     "covariance.csv:1: found the column 'damping.poll', expected names of parameters.csv; did you "
     "mean 'damping.pole'?"},
    {"name,value\ndamping.pole,1\n", "damping.pole\n-1\n",
     "covariance.csv:2: 'damping.pole': found a covariance that is not positive semidefinite"},
    {"name,value\ndamping.pole,1\ndamping.slider,1\n", "damping.slider,damping.pole\n1,2\n2,1\n",
     "covariance.csv:2: 'damping.slider': found a covariance that is not positive semidefinite"},
    {"name,value\ndamping.pole,1\ndamping.slider,1\n", "damping.slider,damping.pole\n4,2\n1,4\n",
     "expected a symmetric table"},
    {"name,value\ndamping.pole,-1\n", "damping.pole\n1\n",
     "parameters.csv:2: 'damping.pole': found -1, which is not physical, expected"},
    {"name,value\nlinks.tip.mass,-1\n", "links.tip.mass\n1\n",
     "parameters.csv:2: 'links.tip.mass': found -1, which is not physical with the link's other"},
};

static void fits_of_other_robots_and_what_is_no_covariance_are_refused(void **state) {
  (void)state;
  const char *const problem = LOOP "errors: {from: .}}\n";
  const refused none = {problem, "p.yaml:5:25: verify.errors.from: found no table"};
  expect_refused(&none, 1);
  for (size_t i = 0; i < COUNT_OF(fits); i++) {
    const refused row = {problem, fits[i].message};
    put_file(folder, "parameters.csv", fits[i].values);
    put_file(folder, "covariance.csv", fits[i].covariance);
    expect_refused(&row, 1);
  }

  // parameters without a row of the covariance are exact; the order of its columns is free
  put_file(folder, "parameters.csv",
           "name,value,unit\nlinks.tip.mass,0.4,kg\ndamping.pole,1,\ndamping.slider,2,\n");
  put_file(folder, "covariance.csv", "damping.slider,links.tip.mass\n4,0.06\n0.06,0.01\n");
  pb_problem *p = get_problem(problem);
  const fb_fitted *f = p->verify.robust.set.fit;
  assert_int_equal(f->n, 3);
  EXPECT(f->value, 0.4, 1, 2);
  EXPECT(f->factor, 0.1, 0, 0, 0, 0, 0, 0.6, 0, sqrt(4 - 0.36));
  assert_true(p->verify.robust.disturbed);
  pb_problem_free(p);
  char path[600];
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s.csv", folder, i ? "parameters" : "covariance");
    unlink(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_verify_cannot_be_asked_is_refused_by_place),
      cmocka_unit_test(fits_of_other_robots_and_what_is_no_covariance_are_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
