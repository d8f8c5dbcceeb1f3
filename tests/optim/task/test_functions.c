// A cost and a constraint on every kind of function, by every solver: their derivatives hold in first and second
// order, the descent accepts them, or the solver refuses them by name.
#include "optim/descent/descent.h"
#include "tests/support/actions.h"
#include "tests/support/asked.h"
#include "tests/support/checked.h"
#include "tests/support/functions.h"

static dm_message msg;

// outputs of the robot, then functions in C
enum { PLACE, PLACE_Y, PLACE_Z, SPEED, SPEED_Y, SPEED_Z, FORCE, POWER, OWN, OWN_STEP, ROWS };

// [0]: a cost, [1]: a limit; first order has all of them
typedef struct function_kind {
  int row;
  const char *name;
  bool second[2], descent[2];
} function_kind;

static const function_kind kinds[] = {
    {PLACE, "tip", {true, true}, {true, false}},
    {SPEED, "speed", {true, true}, {true, false}},
    {FORCE, "force", {false, false}, {false, false}},
    {POWER, "power", {false, false}, {false, false}},
    {OWN, "own", {true, false}, {true, true}},
    {OWN_STEP, "power", {false, false}, {false, false}},
};

static const oc_activation activations[OC_ACTIVATIONS] = {
    {.kind = OC_QUADRATIC},
    {.kind = OC_LINEAR},
    {.kind = OC_ONE_SIDED},
    {.kind = OC_SMOOTH_ABSOLUTE, .width = 0.3}};

// q_0 v_1 + sin(u_0)
static dm_status eval_own(const void *self, const functions_own *at, int order, const double *x,
                          double *c, double *c_x, double *c_xx) {
  const int n = at->n, m = 2 * n + at->nf, v = n + 1, u = 2 * n;
  (void)self;
  *c += x[0] * x[v] + sin(x[u]);
  if (order < 1) return DM_OK;
  c_x[0] += x[v];
  c_x[v] += x[0];
  c_x[u] += cos(x[u]);
  if (order < 2) return DM_OK;
  c_xx[v] += 1;
  c_xx[v * m] += 1;
  c_xx[u * m + u] -= sin(x[u]);
  return DM_OK;
}

// a task with one cost or limit on a function
typedef struct function_bench {
  tasks_task x;
  dm_outputs *w;
  dm_output_map map;
  dm_driven_outputs driven;
  functions_own own;
  oc_output_cost cost;
  oc_output_limit limit;
  oc_term term;
  oc_path_constraint path;
} function_bench;

static void open_bench(function_bench *b) {
  static const int input[] = {1};
  static const double one[] = {1};
  const dm_output list[] = {
      {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}},
      {.name = "speed", .kind = DM_OUTPUT_VELOCITY, .body = {1, -1}, .point = {{0, 0, -1}}},
      {.name = "force", .kind = DM_OUTPUT_INPUT, .n = 1, .input = input, .weight = one},
      {.name = "power", .kind = DM_OUTPUT_POWER, .n = 1, .input = input, .weight = one}};
  *b = (function_bench){.x = arm_task(8)};
  b->map = asked_map(&b->w, b->x.m, 4, list);
  b->driven = (dm_driven_outputs){&b->map, b->x.t.system.nu};
  b->own = (functions_own){.name = "own", .eval = eval_own};
}

static void close_bench(function_bench *b) {
  dm_outputs_free(b->w);
  tasks_free(&b->x);
}

static void ask_output(function_bench *b, int row, bool limit, oc_activation activation) {
  b->limit = (oc_output_limit){.output = row, .at = {0, 1}, .low = -50, .high = 50};
  b->cost = (oc_output_cost){
      .output = row, .at = {0.2, 1}, .weight = 2, .reference = -3, .activation = activation};
  b->x.t.outputs = (oc_outputs){
      .y = b->map, .nlimits = limit, .limits = &b->limit, .ncosts = !limit, .costs = &b->cost};
}

static void ask_own(function_bench *b, int row, bool limit, oc_activation activation) {
  const bool of_step = row == OWN_STEP;
  const int at = of_step ? POWER : 0;
  const dm_function y =
      of_step ? dm_driven_outputs_function(&b->driven) : functions_of(&b->own, &b->x.t);
  b->path = (oc_path_constraint){.y = y, .row = at, .low = -50, .high = 50};
  b->term = (oc_term){
      .y = y,
      .cost = {
          .output = at, .at = {0.2, 1}, .weight = 2, .reference = -3, .activation = activation}};
  b->x.t.functions.paths = &b->path;
  b->x.t.functions.npaths = limit;
  b->x.t.functions.terms = &b->term;
  b->x.t.functions.nterms = !limit;
}

static void ask(function_bench *b, const function_kind *kind, bool limit, int activation) {
  if (kind->row < OWN)
    ask_output(b, kind->row, limit, activations[activation]);
  else
    ask_own(b, kind->row, limit, activations[activation]);
}

// fixed and free final time, integrated and summed
static void first_order_has_all(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(kinds); i++)
    for (int a = 0; a <= OC_ACTIVATIONS; a++) // the last: a limit
      for (int way = 0; way < 4; way++) {
        function_bench b;
        open_bench(&b);
        ask(&b, &kinds[i], a == OC_ACTIVATIONS, a % OC_ACTIVATIONS);
        asked_vary(&b.x.t, way);
        checked_task(&b.x.t, NULL, 6);
        close_bench(&b);
      }
}

static void check_refusal(dm_status s, const char *solver, const function_kind *kind) {
  if (s != DM_BAD_INPUT || !strstr(msg.text, kind->name))
    fail_msg("%s does not refuse '%s' by name: '%s'", solver, kind->name, msg.text);
}

static void second_order_has_them_or_refuses(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(kinds); i++)
    for (int a = 0; a <= OC_ACTIVATIONS; a++) {
      const bool limit = a == OC_ACTIVATIONS;
      function_bench b;
      open_bench(&b);
      ask(&b, &kinds[i], limit, a % OC_ACTIVATIONS);
      oc_torque_transcription_settings second = settings(&b.x, "hermite-gauss");
      oc_setup set = oc_setup_default();
      set.second = &second;
      msg.text[0] = 0;
      if (kinds[i].second[limit])
        checked_task(&b.x.t, &set, 6);
      else
        check_refusal(oc_torque_transcription_check(&b.x.t, &second, NULL, &msg), "second order",
                      &kinds[i]);
      close_bench(&b);
    }
}

static void the_descent_has_them_or_refuses(void **state) {
  (void)state;
  for (int i = 0; i < 2 * COUNT(kinds); i++) {
    const function_kind *kind = &kinds[i / 2];
    function_bench b;
    open_bench(&b);
    ask(&b, kind, i % 2, OC_QUADRATIC);
    msg.text[0] = 0;
    const dm_status s = oc_descent_check(&b.x.t, false, NULL, &msg);
    if (!kind->descent[i % 2])
      check_refusal(s, "the descent", kind);
    else if (s != DM_OK)
      fail_msg("'%s' %d: %s", kind->name, i % 2, msg.text);
    close_bench(&b);
  }
}

static void bad_terms_are_refused(void **state) {
  (void)state;
  function_bench b;
  open_bench(&b);
  const struct {
    oc_output_cost cost;
    const char *says;
  } bad[] = {{{.at = {0, 0}, .weight = 1}, "found the span [0, 0], expected 0 <= from < to <= 1"},
             {{.at = {0, 1}, .weight = -1}, "found the weight -1, expected a number >= 0"},
             {{.at = {0, 1}, .weight = 1, .once = true}, "expected an integral"},
             {{.at = {0, 1}, .weight = 1, .output = 2}, "found row 2 of a function, expected 0..0"},
             {{.at = {0, 1}, .weight = 1, .activation = {.kind = OC_SMOOTH_ABSOLUTE}},
              "found the width 0 of its activation, expected > 0"},
             {{.at = {0, 1}, .weight = 1, .reference = NAN}, "has a reference that is not finite"}};
  for (int i = 0; i < COUNT(bad); i++) {
    ask_own(&b, OWN, false, activations[0]);
    b.term.cost = bad[i].cost;
    assert_int_equal(oc_task_check(&b.x.t, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, bad[i].says)) fail_msg("%s", msg.text);
  }
  ask_own(&b, OWN, false, activations[0]);
  b.term.y.size[DM_U] = 7;
  assert_int_equal(oc_task_check(&b.x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'own': found a function of 7 forces, expected 0 or 2"));
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_order_has_all),
      cmocka_unit_test(second_order_has_them_or_refuses),
      cmocka_unit_test(the_descent_has_them_or_refuses),
      cmocka_unit_test(bad_terms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
