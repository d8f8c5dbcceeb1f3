// tests/cli/test_kinds.c: result.json and cli/results/kinds.inc have the same keys; sentences of the
// summary are rendered from them.
#include "cli/results/sentences.h"
#include "optim/nlp/ipopt.h"
#include "tests/support/command_rows.h"
#include "tests/support/small_commands.h"

#define REST    "model: {urdf: cart-pole.urdf}\nbalance: {q: {pole: pi}, steps: 100, time: 2}\n"
#define SAMPLES "samples: 4, seed: 1, spread: {q: 0.01, v: 0.01}"

// more problems, for keys that appear in special cases
static const struct {
  const char *name, *text;
} special[] = {
    {"weak.yaml", PENDULUM "horizon: {steps: 20, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 3, v: "
                           "0}\ncost: {input: 1}\nbounds: {u: {arm: [-0.1, 0.1]}}\n"},
    {"quick.yaml", PENDULUM "horizon: {steps: 10, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 0.1, v: "
                            "0}\ncost: {input: 1}\nbounds: {a: 100, jerk: 1e5}\n"},
    {"uneven.yaml", PENDULUM "horizon: {steps: 10, time: 1, density: 2 - s}\nstart: {q: 0, v: 0}\n"
                             "goal: {q: 0.1, v: 0}\ncost: {input: 1}\n"},
    {"vast.yaml", PENDULUM TASK "guess: {rollout: {u: 1e200}}\n"},
    {"taut.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                           "feedback: {Q: {q: 0, p: 0}, R: 1}\n"},
    {"lossy.yaml", REST "feedback: {Q: {q: 100, p: 1}, R: 1, envelope_cost: auto}\n"
                        "verify: {" SAMPLES ", tolerance: 1e-9}\n"},
    {"priced.yaml", REST "feedback: {Q: {q: 100, p: 1}, R: 1, envelope_cost: auto}\n"
                         "verify: {" SAMPLES ", plants: exported, tolerance: 0.5}\n"},
    {"unseen.yaml", REST "feedback: {Q: {q: 100, p: 1}, R: 1, estimator: {encoder: {pole: 1e-3}, "
                         "process: 1e-3, disturbance: {time: 10}}}\n"
                         "verify: {" SAMPLES ", required: 0}\n"},
    {"horizon.yaml", REST "feedback: {Q: {q: 100, p: 1}, R: 1}\nmpc: {horizon: 5}\n"
                          "verify: {" SAMPLES ", law: mpc, required: 0}\n"},
    {"stop.yaml",
     "model: {bodies: [{name: b, joints: [{name: j, type: rz, effort: 5, limits: [-0.05, 2]}], "
     "inertia: [0.1, 0.1, 0.1], mass: 1}]}\n" TASK "feedback: {Q: {q: 100, p: 1}, R: 1}\n"
     "verify: {samples: 20, spread: {q: 0.2, v: 2}, limits: stop}\n"},
    {"shown.yaml", PENDULUM TASK "identify: {parameters: [links, damping]}\n"},
    {"tip.yaml",
     PENDULUM TASK "outputs: [{name: tip, type: position, bodies: bob, points: [0, 0, -1]}]\n"
                   "feedback: {Q: {q: 10, p: 1}, R: 1}\n"
                   "verify: {" SAMPLES ", tolerance: {outputs: {tip: 1e-9}}}\n"},
};

// commands on them and on worked problems
static const char *const more[] = {
    "optimize weak.yaml -o weak",
    "optimize quick.yaml -o quick",
    "optimize uneven.yaml -o uneven",
    "descend vast.yaml --max-iter 1 -o vast",
    "descend tip.yaml -o compared --compare --starts 2 --method lbfgs,newton",
    "run taut.yaml -o taut",
    "run lossy.yaml -o lossy --threads 1",
    "run priced.yaml -o priced --threads 1",
    "run unseen.yaml -o unseen --threads 1",
    "run horizon.yaml -o horizon --threads 1",
    "run stop.yaml -o stop --threads 1",
    "run tip.yaml -o tip --threads 1",
    "run soft.yaml -o soft --threads 1",
    "linearize way --knot 2 -o shown",
    "export priced --prefix arm",
    "simulate %s/problems/two-point/line-xy-two.yaml -o points",
    "simulate %s/problems/double-spherical-pendulum/variable.yaml -o variable",
    "optimize %s/problems/walking/compass.yaml -o cycle",
    "optimize %s/problems/six-axis-arm/eight.yaml -o eight",
    "optimize %s/problems/two-link/elbow-penalty.yaml -o elbow",
    "excite shown.yaml -o excited",
    "optimize %s/problems/periodic/oscillator.yaml -o oscillator",
    "optimize %s/problems/periodic/cart.yaml -o cart",
    "optimize %s/problems/contact/step.yaml -o step",
    "optimize %s/problems/contact/jump.yaml -o jump",
    "run %s/problems/walking/compass-hip.yaml -o gait --threads 1",
};

// rows that none of these commands write, and when they appear
static const struct {
  const char *key, *when;
} rare[] = {
    {"error", "simulate: a step fails"},
    {"tie_break", "optimize: the objective needs a small cost on inputs"},
    {"saddles", "optimize: the search ends at a saddle and continues"},
    {"accuracy.q_order", "optimize: three grids give an order"},
    {"fitted", "optimize: a joint has damping faster than a step"},
    {"fitted.step", "the same"},
    {"fitted.inertia", "the same"},
    {"fitted.inertia.*", "the same"},
    {"methods.*.knot", "descend: a step fails at a knot"},
    {"output_limits[].reference_from", "optimize: an output has a reference that changes"},
    {"output_limits[].reference_to", "the same"},
    {"plant.failed", "optimize: the plant cannot take a step of the plan"},
    {"gains.exit", "run: memory runs out in the stage"},
    {"controller.exit", "the same"},
    {"verify.exit", "the same"},
    {"linearization.status", "linearize: the stage fails"},
    {"linearization.exit", "the same"},
    {"gains.slope", "gains: the motion is not stationary"},
    {"estimator.unseen_disturbance", "gains: encoders cannot distinguish a disturbance"},
    {"verify.status", "verify: an interrupt"},
    {"verify.ran", "the same"},
    {"verify.*.slip", "verify: wheels roll in MuJoCo, which a build may lack (rolling.sh)"},
    {"verify.*.slip.wheel", "the same"},
    {"verify.*.slip.length", "the same"},
    {"verify.*.slip.sample", "the same"},
    {"verify.*.slip.beyond", "the same"},
    {"verify.*.lost.limit", "verify: most samples fail at a limit of position"},
    {"verify.*.lost.passed_by", "the same"},
    {"verify.*.lost.t", "verify: most samples leave the plan for good"},
    {"verify.*.lost.pair", "verify: no single cause explains most failures"},
    {"verify.*.lost.pair.first", "the same"},
    {"verify.*.lost.pair.second", "the same"},
    {"verify.*.lost.pair.held", "the same"},
};

static bool is_rare(const char *key) {
  // written if the stage solver fails and IPOPT continues
  if (!strcmp(key, "solver.stage")) return !oc_ipopt_is_built();
  for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
    if (!strcmp(rare[i].key, key)) return true;
  return false;
}

static int count_unknown_of(const char *line) {
  const int status = program_run(line);
  if (status > CLI_OUTCOME) print_error("dmoc %s: %s\n", line, program_said);
  return (status > CLI_OUTCOME) + count_unknown_keys(line);
}

static void results_have_the_keys_of_the_table(void **state) {
  (void)state;
  program_draws("echo a picture\necho '{}' >&3\n");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    put_file(".", files[i].name, files[i].text);
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    put_file(".", special[i].name, special[i].text);
  take_problem("cart-pole.urdf", "cart-pole/cart-pole.urdf", NULL, NULL);
  int unknown = 0;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) unknown += count_unknown_of(lines[i]);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    char line[PROGRAM_LINE];
    snprintf(line, sizeof line, more[i], source_folder());
    unknown += count_unknown_of(line);
  }
  assert_int_equal(unknown, 0);
}

static void each_key_of_the_table_is_written(void **state) {
  (void)state;
  int missing = 0;
  for (int i = 0; i < CLI_KINDS; i++) {
    if (kind_written[i] != is_rare(cli_kinds[i].key)) continue;
    print_error("%s: %s\n", cli_kinds[i].key,
                kind_written[i] ? "written, but listed as rare" : "never written");
    missing++;
  }
  assert_int_equal(missing, 0);
}

static void each_key_has_one_row(void **state) {
  (void)state;
  for (int i = 0; i < CLI_KINDS; i++) {
    assert_true(cli_kinds[i].doc[0]);
    for (int j = 0; j < i; j++) assert_string_not_equal(cli_kinds[i].key, cli_kinds[j].key);
  }
}

static void unknown_keys_and_other_types_are_found(void **state) {
  (void)state;
  static const struct {
    const char *text, *place;
  } wrong[] = {
      {"{\"nonsense\": 1}", "nonsense"},
      {"{\"steps\": 1.5}", "steps"},
      {"{\"steps\": \"1\"}", "steps"},
      {"{\"solver\": {\"warm\": 1}}", "solver.warm"},
      {"{\"plant\": {\"speed\": {\"nonsense\": 1}}}", "plant.position.nonsense"},
      {"{\"phases\": [{\"name\": \"a\"}, {\"nme\": \"b\"}]}", "phases[].nme"},
      {"{\"outputs\": {\"tool\": {\"x\": {\"end\": true}}}}", "outputs.**.end"},
      {"{\"momentum\": {\"drift\": [1, \"2\"]}}", "momentum.drift"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char place[CLI_KIND_PATH];
    json_object *o = json_tokener_parse(wrong[i].text);
    assert_false(cli_kinds_hold(o, NULL, place));
    assert_string_equal(place, wrong[i].place);
    json_object_put(o);
  }
}

// -- sentences of the summary

static void sentences_are_rendered(void **state) {
  (void)state;
  static const char record[] =
      "{\"n\": 3, \"x\": 0.12345, \"name\": \"arm\", \"none\": null, \"of\": {\"low\": -1.5}, "
      "\"list\": [1, 2.5], \"~only\": 7}";
  static const struct {
    const char *text, *lines;
  } each[] = {
      {"{n} of {name}", "  label         3 of arm\n"},
      {"{x:.2g} and {x*100:.1f} %", "  label         0.12 and 12.3 %\n"},
      {"{of.low:g}, {list.1:.2f}", "  label         -1.5, 2.50\n"},
      {"a[ {name}][ {none}][ {absent}].", "  label         a arm.\n"},
      {"[{none:g}|{absent:g}|{n} else]", "  label         3 else\n"},
      {"[{n} first|{n} else]\nnext", "  label         3 first\n                next\n"},
      {"[{absent}]\nnext\n[{absent}]", "                next\n"},
      {"{none:.3g}, {~only}", "  label         inf, 7\n"},
  };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    json_object *o = json_tokener_parse(record);
    cli_tell_sentence(f, &(cli_sentence){"", "label", each[i].text}, o);
    fclose(f);
    assert_string_equal(text, each[i].lines);
    free(text);
    json_object_put(o);
  }
}

static const cli_kind *find_row(const char *key) {
  for (int i = 0; i < CLI_KINDS; i++)
    if (!strcmp(cli_kinds[i].key, key)) return &cli_kinds[i];
  return NULL;
}

// whether a figure of a sentence is in the table below its group
static bool has_row(const char *group, const char *figure, size_t length) {
  char path[CLI_KIND_PATH];
  const cli_kind *of = find_row(group);
  const bool single = of->type != CLI_GROUP && of->type != CLI_LIST; // a key of the record itself
  snprintf(path, sizeof path, "%s", single ? "" : group);
  for (const char *end = figure + length; figure < end;) {
    const size_t name = strcspn(figure, ".*:}");
    const cli_kind *above = find_row(path);
    if (above && above->like) snprintf(path, sizeof path, "%s", above->like);
    if (above && above->type == CLI_VECTOR) return true; // a place in it
    const size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "%s%.*s", used ? "." : "", (int)name, figure);
    figure += name + 1;
  }
  const cli_kind *found = find_row(path);
  return found && found->type != CLI_GROUP && found->type != CLI_LIST;
}

static void sentences_have_figures_of_the_table(void **state) {
  (void)state;
  for (const cli_sentence *s = cli_sentences; s < cli_sentences + CLI_SENTENCES; s++) {
    assert_non_null(find_row(s->key));
    for (const char *at = s->text; (at = strchr(at, '{')); at++) {
      const size_t length = strcspn(at + 1, "*:}");
      if (at[1] == '~' || has_row(s->key, at + 1, length)) continue;
      fail_msg("%s: {%.*s} has no row in kinds.inc", s->key, (int)length, at + 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_key_has_one_row),
      cmocka_unit_test(unknown_keys_and_other_types_are_found),
      cmocka_unit_test(sentences_are_rendered),
      cmocka_unit_test(sentences_have_figures_of_the_table),
      cmocka_unit_test(results_have_the_keys_of_the_table),
      cmocka_unit_test(each_key_of_the_table_is_written),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
