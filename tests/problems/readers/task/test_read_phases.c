// `phases:` as it is read: whose sections are whose, how joins are made, and what is refused.

#include "tests/support/cart_pole.h"

#include <math.h>

static dm_message msg;

// an arm of one link and a ball; %s: more of the file, of the second phase
static const char file[] =
    "model:\n"
    "  bodies:\n"
    "    - {name: arm, joints: [{name: arm, type: ry, effort: 5}], mass: 1, centre: [0, 0, -0.5]}\n"
    "outputs: [{name: hand, type: position, bodies: arm, points: [0, 0, -1]}]\n"
    "start: {q: 0, v: 0}\n"
    "goal: {q: {arm: 1}, v: 0}\n"
    "cost: {input: 1}\n"
    "%s"
    "phases:\n"
    "  - name: hold\n"
    "    model: {payload: {body: arm, mass: 0.5, offset: {xyz: [0, 0, -1]}}}\n"
    "    horizon: {steps: 10, time: 1}\n"
    "  - name: go-on\n"
    "    horizon: {steps: 20, time: {free: [0.5, 1]}}\n"
    "%s";

static dm_status read_file(pb_problem **out, const char *more, const char *second) {
  char text[3000];
  snprintf(text, sizeof text, file, more, second);
  return pb_problem_read(out, put_file(folder, "p.yaml", text), &msg);
}

static void each_phase_is_a_problem_with_its_own_sections(void **state) {
  (void)state;
  pb_problem *p;
  if (read_file(&p, "total_time: [1.6, 2]\n", "") != DM_OK) fail_msg("%s", msg.text);
  const pb_phases *f = &p->phases;
  assert_int_equal(f->n, 2);
  assert_false(p->has.task);
  assert_true(f->limited && f->T[0] == 1.6 && f->T[1] == 2);
  assert_string_equal(f->name[1], "go-on");
  const oc_task *a = f->task[0], *b = f->task[1];

  // horizons are their own, the file's start is the first one's, its goal the last one's
  assert_int_equal(a->N, 10);
  assert_int_equal(b->N, 20);
  assert_true(b->time.free && b->time.min == 0.5);
  assert_true(a->start.q[0] == 0 && isnan(a->goal.q[0]));
  assert_true(isnan(b->start.q[0]) && isnan(b->start.v[0]) && b->goal.q[0] == 1);
  assert_true(a->cost[OC_U].running[0] == 1 && b->cost[OC_U].running[0] == 1);

  // the payload is the first one's, its model else the file's
  assert_int_equal(f->problem[0]->robot.mechanism.tree->nq, 1);
  assert_true(f->problem[0]->robot.mechanism.tree->nbody >
              f->problem[1]->robot.mechanism.tree->nbody);

  // the same coordinate goes on with its velocity
  assert_int_equal(f->join[0].law, OC_JOIN_VELOCITY);
  assert_int_equal(f->join[0].npairs, 1);
  assert_int_equal(f->join[0].pairs[0].before, 0);
  pb_problem_free(p);
}

static const char ball[] = "    model:\n"
                           "      bodies:\n"
                           "        - {name: arm, joints: [{name: arm, type: ry, effort: 5}], "
                           "mass: 1, centre: [0, 0, -0.5]}\n"
                           "        - {name: ball, joints: [tx, tz], mass: 0.5}\n";

static void what_appears_is_an_output_of_the_phase_before(void **state) {
  (void)state;
  char second[1000];
  pb_problem *p;
  snprintf(second, sizeof second, "%s    join: {from: {ball.tx: hand.x, ball.tz: free}}\n", ball);
  if (read_file(&p, "", second) != DM_OK) fail_msg("%s", msg.text);
  const oc_join *join = &p->phases.join[0];
  assert_int_equal(join->npairs, 2);
  assert_int_equal(join->pairs[1].after, 1);
  assert_true(join->pairs[1].before < 0);
  assert_true(join->before.nc >= 3);
  assert_int_equal(join->after.nc, 0);

  // and its program can be made
  const oc_phases_task task = pb_phases_task(&p->phases);
  oc_phases *program;
  if (oc_phases_new(&program, &task, &msg) != DM_OK) fail_msg("%s", msg.text);
  oc_phases_free(program);
  pb_problem_free(p);
}

static void one_phase_can_be_read_alone(void **state) {
  (void)state;
  pb_problem *p;
  char text[3000];
  snprintf(text, sizeof text, file, "", "");
  const char *path = put_file(folder, "p.yaml", text);
  const pb_replace chosen[] = {{.path = "phases.1.horizon.steps", .text = "40"},
                               {.path = "phase", .text = "go-on"}};
  if (pb_problem_vary(&p, path, chosen, 2, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(p->phases.n, 0);
  assert_true(p->has.task);
  assert_int_equal(p->task.N, 40);
  assert_true(strstr(p->file.name, "-go-on") != NULL);
  pb_problem_free(p);
}

// a place at the end of a phase that goes on is passed: that no speed is said there is no slip
static void a_phase_passes_its_goal(void **state) {
  (void)state;
  pb_problem *p;
  if (read_file(&p, "", "") != DM_OK) fail_msg("%s", msg.text);
  const int without = p->warnings.n;
  pb_problem_free(p);
  char passed[3000], stopped[3000];
  snprintf(passed, sizeof passed, file, "", "");
  const char *const at = strstr(passed, "    horizon: {steps: 10");
  snprintf(stopped, sizeof stopped, "%.*s    goal: {q: {arm: 0.5}}\n%s", (int)(at - passed), passed,
           at);
  if (pb_problem_read(&p, put_file(folder, "p.yaml", stopped), &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(p->warnings.n, without);
  assert_true(p->phases.task[0]->goal.q[0] == 0.5);
  pb_problem_free(p);
}

static void what_is_wrong_is_refused_with_line_and_phase(void **state) {
  (void)state;
  static const struct {
    const char *more, *second, *says;
  } wrong[] = {
      {"", "    bounds: {q: {amr: 1}}\n", ":14:18: phase go-on: bounds.q: "},
      {"", "    stpes: 3\n", ":14:5: phase go-on: the file: found the unknown key 'stpes'"},
      {"", "    join: {law: impact}\n", "phase go-on: join.law: found the unknown word 'impact'"},
      {"", "    join: {from: {leg: hand.x}}\n",
       ":14:19: phase go-on: join.from: found 'leg', expected a coordinate of this phase"},
      {"", "    join: {from: {arm: hond.x}}\n",
       "phase go-on: join.from: found 'hond.x', expected a coordinate or a row of outputs of the "
       "phase before; did you mean 'hand.x'?"},
      {"", "    cost: {input: 1, time: 1, per: time}\n",
       ":14:31: phase go-on: cost.per: found it beside 'phases', expected a cost of each motion"},
      {"", "    join: {law: momentum, from: {arm: free}}\n",
       "phase go-on: join: the join by momenta has 'arm' of the phase before 0 times"},
      {"", "  - {name: hold, horizon: {steps: 1, time: 1}}\n", "phases.name: found 'hold' twice"},
      {"", "  - {name: a/b, horizon: {steps: 1, time: 1}}\n",
       "phases.name: found 'a/b', expected letters"},
      {"", "  - {horizon: {steps: 1, time: 1}}\n", "phases: found no 'name', expected one"},
      {"", "  - {name: last}\n", "phase last: found no 'horizon'"},
      {"", "  - {name: last, horizon: {steps: 1, time: 1, error: 0.1}}\n",
       "phase last: horizon.error: found one beside 'phases'"},
      {"", "    total_time: 1\n", ":14:5: phase go-on: found 'total_time' in a phase, expected it"},
      {"total_time: [4, 5]\n", "",
       "total_time: found [4, 5] s, but the phases take 1.5 to 2 s together"},
      {"total_time: [2, 1]\n", "", "total_time: found [2, 1], expected 0 <= low <= high"},
      {"starts: auto\n", "", "found 'starts' beside 'phases', expected one of them"},
      {"simulate: {steps: 1}\n", "", "found 'simulate' beside 'phases', expected one of them"},
      {"transcription: second-order\n", "", "transcription: found second-order beside 'phases'"},
      {"verify: {periods: 3}\n", "",
       "verify.periods: found one beside phases that do not repeat, expected a 'join' in the "
       "first"},
      {"", "    verify: {errors: {ground: 0.1}}\n",
       "verify.errors.ground: found one beside phases that do not repeat"},
      {"phase: hald\n", "",
       "phase: found 'hald', expected the name of a phase; did you mean 'hold'?"},
  };
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    pb_problem *p;
    assert_int_equal(read_file(&p, wrong[i].more, wrong[i].second), DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[i].says)) fail_msg("wanted %s, got %s", wrong[i].says, msg.text);
  }
}

// -- walking

// a leg of two links, pinned to the floor; %s: more of the file, of its constraint, of the phase
static const char walker[] =
    "model:\n"
    "  bodies:\n"
    "    - {name: hip, joints: [tx, tz], mass: 10}\n"
    "    - {name: left, parent: hip, joints: [{name: left, type: ry, effort: 5}], mass: 1, centre: "
    "[0, 0, -0.5]}\n"
    "    - {name: right, parent: hip, joints: [{name: right, type: ry, effort: 5}], mass: 1, "
    "centre: "
    "[0, 0, -0.5]}\n"
    "%s"
    "outputs:\n"
    "  - {name: foot, type: height, bodies: right, points: [0, 0, -1], axis: [0, 0, 1]}\n"
    "  - {name: toe, type: position, bodies: right, points: [0, 0, -1]}\n"
    "  - {name: rate, type: rate, coordinates: [right]}\n"
    "start: {q: free, v: free, assemble: none}\n"
    "cost: {input: 1}\n"
    "phases:\n"
    "  - name: step\n"
    "    horizon: {steps: 10, time: 1}\n"
    "%s";

static const char pin[] = "  constraints: [{name: pin, type: line, bodies: [left, world], points: "
                          "[[0, 0, -1], [0, 0, 0]], "
                          "axis: [0, 1, 0]}]\n";

static dm_status read_walker(pb_problem **out, const char *constraint, const char *phase) {
  char text[3000];
  snprintf(text, sizeof text, walker, constraint, phase);
  return pb_problem_read(out, put_file(folder, "p.yaml", text), &msg);
}

// A join of the first phase follows the last one. A touch is a value of its gap at the end and a bound between
// both ends, and an impact follows it.
static void a_join_of_the_first_phase_makes_a_cycle(void **state) {
  (void)state;
  pb_problem *p;
  oc_phases *program;
  if (read_walker(
          &p, pin,
          "    until: {touch: foot}\n"
          "    join: {swap: [[left, right]], mirror: [left], travel: {hip.tx: [0.1, 0.5]}}\n") !=
      DM_OK)
    fail_msg("%s", msg.text);
  const oc_join *join = &p->phases.join[0];
  assert_true(p->phases.periodic);
  assert_int_equal(join->law, OC_JOIN_MOMENTUM);
  assert_int_equal(join->npairs, 4);
  assert_true(join->pairs[0].low == -0.5 && join->pairs[0].high == -0.1);
  assert_true(join->pairs[2].before == 3 && join->pairs[2].after == 2 && join->pairs[2].mirrored);
  assert_true(join->pairs[3].before == 2 && !join->pairs[3].mirrored);
  const oc_outputs *o = &p->phases.task[0]->outputs;
  assert_int_equal(o->nlimits, 2);
  assert_true(o->limits[0].at.from == 1 && o->limits[0].low == 0 && o->limits[0].high == 0);
  assert_true(o->limits[1].at.from == 0.1 && o->limits[1].at.to == 0.9 && o->limits[1].low == 0);

  // the height of the new stance foot repeats the touch, and is left out
  const oc_phases_task task = pb_phases_task(&p->phases);
  if (oc_phases_new(&program, &task, &msg) != DM_OK) fail_msg("%s", msg.text);
  const oc_transcription *t = oc_phases_program(program, 0);
  const int row = oc_rows_at(t, OC_CONSTRAINT_ROWS, 0);
  const oc_nlp *nlp = oc_phases_nlp(program);
  assert_true((nlp->g_min[row] == -INFINITY) != (nlp->g_min[row + 1] == -INFINITY));
  oc_phases_free(program);
  pb_problem_free(p);
}

static void what_cannot_walk_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *constraint, *phase, *says;
  } wrong[] = {
      {pin, "    until: {touch: foot}\n    join: {swap: [[left, leg]]}\n",
       "join.swap: found 'leg', expected a coordinate of this phase"},
      {pin, "    until: {touch: foot}\n    join: {swap: [[left, right], [right, left]]}\n",
       "join.swap: found 'right' twice, expected each coordinate once"},
      {pin, "    until: {touch: foot}\n    join: {from: {left: right}}\n",
       "the join by momenta has 'left' of the phase before 0 times"},
      {pin, "    until: {touch: foot}\n    join: {mirror: [lift]}\n",
       "join.mirror: found 'lift', expected a coordinate of this phase; did you mean 'left'?"},
      {pin, "    until: {touch: foot}\n    join: {travel: {leg: 1}}\n",
       "join.travel: found 'leg', expected a coordinate of this phase"},
      {pin, "    join: {gains: separate}\n", "join.gains: found it in the first phase"},
      {"", "    until: {touch: foot}\n    join: {}\n",
       "join: found an impact without contact: the phase before ends at a touch"},
      {pin, "    until: {touch: hand}\n",
       "until.touch: found the unknown output 'hand', expected one of foot, toe.x"},
      {pin, "    until: {touch: toe}\n", "until.touch: found 'toe' of 3 rows, expected one: a gap"},
      {pin, "    until: {touch: rate}\n",
       "until.touch: found 'rate', which depends on speeds or inputs"},
      {pin, "    bounds: {friction: {pan: 1}}\n",
       "bounds.friction: found 'pan', expected a constraint of the model"},
      {pin, "    bounds: {friction: {pin: 0}}\n",
       "bounds.friction: found '0', expected a number > 0"},
      {"", "    bounds: {friction: {pin: 1}}\n", "bounds.friction: found no 'model.constraints'"},
      {pin, "    until: {}\n", "until: found no 'touch'"},
      {pin, "    until: {touch: foot}\n    goal: {outputs: {foot: 0.1}}\n",
       "until.touch: found 'foot', whose value at the end the file also gives"},
  };
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    pb_problem *p;
    assert_int_equal(read_walker(&p, wrong[i].constraint, wrong[i].phase), DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[i].says)) fail_msg("wanted %s, got %s", wrong[i].says, msg.text);
  }
}

// feet that stay in place allow no net travel
static void a_gait_that_cannot_close_is_refused(void **state) {
  (void)state;
  static const char *const travel[] = {"0.5", "[0.1, 0.5]", "[0.1, none]", "[0, 0.5]", "free"};
  for (int i = 0; i < 5; i++) {
    char phase[300];
    pb_problem *p;
    oc_phases *program = NULL;
    snprintf(phase, sizeof phase, "    join: {law: momentum, travel: {hip.tx: %s}}\n", travel[i]);
    if (read_walker(&p, pin, phase) != DM_OK) fail_msg("%s", msg.text);
    const oc_phases_task task = pb_phases_task(&p->phases);
    const dm_status s = oc_phases_new(&program, &task, &msg);
    assert_int_equal(s, i < 3 ? DM_BAD_INPUT : DM_OK);
    if (i < 3)
      assert_non_null(strstr(msg.text, "phase step: the constraint 'pin' holds before the join and "
                                       "after it, but the join moves it by"));
    oc_phases_free(program);
    pb_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_phase_is_a_problem_with_its_own_sections),
      cmocka_unit_test(what_appears_is_an_output_of_the_phase_before),
      cmocka_unit_test(one_phase_can_be_read_alone),
      cmocka_unit_test(a_phase_passes_its_goal),
      cmocka_unit_test(what_is_wrong_is_refused_with_line_and_phase),
      cmocka_unit_test(a_join_of_the_first_phase_makes_a_cycle),
      cmocka_unit_test(what_cannot_walk_is_refused),
      cmocka_unit_test(a_gait_that_cannot_close_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
