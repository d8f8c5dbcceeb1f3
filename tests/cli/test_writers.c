// tests/cli/test_writers.c: names that readers would refuse come out of writers as text and nothing
// else: facts of pictures, tables, C, XML, JSON, messages.
#include "cli/console/log.h"
#include "cli/exchange/engine_file.h"
#include "cli/pictures/facts.h"
#include "cli/results/multipliers.h"
#include "control/codegen/controller.h"
#include "control/codegen/replay.h"
#include "lib/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/files.h"

#include <math.h>

// a shell's, a terminal's, a table's, C's words; bytes that are no text
static const char *const hostile[] = {
    "x\n!touch pwned\n",    "`touch pwned`",         "'; system('touch pwned'); '",
    "@x ${y} \"{/Bold b}_", "\033]0;owned\a\x7f",    "a,b\"\r\nc#",
    "*/ int pwned; /*",     "line\\\nint pwned; //", "\x80\xff cut \xe2\x82",
    "csi\xc2\x9b 31m",      "back\xe2\x80\xae",      "|touch pwned"};
static const char *const tame[] = {"a", "b"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

typedef void writer(FILE *f, const cli_call *call);

// a writer's output for a call whose two coordinates and one input have these names
static char *write_named(writer *write, cli_call *call, const char *const *name) {
  static char *text; // the stream goes on knowing where it is
  static size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  call->run.p->names.coord = name;
  call->run.p->names.input = name + 1;
  write(f, call);
  fclose(f);
  return text;
}

static int count_of(const char *text, char what) {
  int n = 0;
  for (; *text; text++) n += *text == what;
  return n;
}

// the text has as many lines as with plain names, and these in the same places
static void expect_same_lines(const char *wild, const char *plain) {
  assert_int_equal(count_of(wild, '\n'), count_of(plain, '\n'));
  assert_null(dm_text_flaw(wild, "\n"));
}

static void set_up(cli_call *call, const char *path) {
  *call = (cli_call){0};
  if (pb_problem_read(&call->run.p, path, &call->msg) != DM_OK) fail_msg("%s", call->msg.text);
  assert_int_equal(pb_problem_guess(call->run.p, &call->run.x), DM_OK);
}

static cli_call cart_pole(void) {
  cli_call call;
  char path[600];
  snprintf(path, sizeof path, "%s/problems/cart-pole/swing-up.yaml", source_folder());
  set_up(&call, path);
  return call;
}

static void drop(cli_call *call) {
  dm_trajectory_free(call->run.x);
  pb_problem_free(call->run.p);
}

static void each_hostile_name(writer *write) {
  static const cli_args args = {0};
  cli_call call = cart_pole();
  call.args = &args;
  char *plain = write_named(write, &call, tame);
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *wild = write_named(write, &call, hostile + i);
    expect_same_lines(wild, plain);
    free(wild);
  }
  free(plain);
  drop(&call);
}

// facts of two folders of the run's motion, whose own names and bodies are those of its coordinates
static void write_facts(FILE *f, const cli_call *call) {
  const char **body = call->run.p->robot.mechanism.tree->body_name;
  for (int i = 0; i < call->run.p->robot.mechanism.tree->nbody; i++)
    body[i] = call->run.p->names.coord[i % 2];
  cli_exhibit x = {.folder = true, .call = *call, .plant = "discrete", .step = call->run.x->h};
  x.name = x.path = strdup(call->run.p->names.coord[0]);
  cli_exhibit y = x;
  cli_exhibit *at[] = {&x, &y};
  const cli_exhibits all = {.at = at, .n = 2, .shown = 2};
  char *asked[] = {strdup(call->run.p->names.coord[0])};
  const cli_request r = {.args = call->args,
                         .what = "moving",
                         .suffix = "svg",
                         .y = {.n = 1, .word = asked},
                         .plane = {-1, -1},
                         .range = {{NAN, NAN}, {NAN, NAN}}};
  dm_message msg;
  assert_int_equal(cli_facts_write(f, &all, &r, &msg), DM_OK);
  free(x.energy);
  free(y.energy);
  free(asked[0]);
  free(x.name);
}

static void write_header(FILE *f, const cli_call *call) {
  for (int i = 0; i < CLI_FILES; i++) {
    if (cli_result_files[i]->first) cli_table_begin(f, cli_result_files[i], &call->run.p->names);
  }
}

// the law's text, of a law of zeros
static void write_law(FILE *f, const cli_call *call) {
  static double zero[5000];
  static int none[4];
  fb_output_feedback law = {.f = {.N = 100, .nx = 4, .nu = 1, .h = 0.02}, .n = 2, .ny = 4};
  law.y_d = law.G = law.c = zero;
  law.turns = none;
  fb_codegen c = {.law = {[FB_STATE] = &law}, .set = fb_codegen_default()};
  c.set.name = call->run.p->file.name;
  c.set.coord = call->run.p->names.coord;
  c.set.input = call->run.p->names.input;
  c.set.q_unit = c.set.p_unit = call->run.p->names.coord;
  c.set.u_unit = call->run.p->names.input;
  fb_controller_header(f, &c);
  fb_controller_source(f, &c);
  fb_replay_source(f, &c);
}

// the facts for pictures are one line of JSON, for any names
static void facts_are_plain_json(void **state) {
  (void)state;
  static const cli_args args = {0};
  each_hostile_name(write_facts);
  cli_call call = cart_pole();
  call.args = &args;
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_facts, &call, hostile + i);
    json_object *again = json_tokener_parse(text);
    assert_non_null(again);
    assert_non_null(cli_json_get_object(again, "request"));
    json_object_put(again);
    free(text);
  }
  drop(&call);
}

static void tables_have_no_other_columns(void **state) {
  (void)state;
  each_hostile_name(write_header);
  cli_call call = cart_pole();
  char *plain = write_named(write_header, &call, tame);
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *wild = write_named(write_header, &call, hostile + i);
    assert_int_equal(count_of(wild, ','), count_of(plain, ','));
    assert_int_equal(count_of(wild, '"'), 0);
    free(wild);
  }
  free(plain);
  drop(&call);
}

// every file has a name and a stage of its own, and every table says what it is
static void result_files_are_told_apart(void **state) {
  (void)state;
  for (int i = 0; i < CLI_FILES; i++) {
    const cli_result_file *file = cli_result_files[i];
    const char *dot = strrchr(file->name, '.');
    assert_int_equal(cli_result_find(file->name), i);
    assert_non_null(file->stage);
    assert_non_null(dot);
    assert_int_equal(file->columns != NULL, strcmp(dot, ".csv") == 0);
    assert_in_range(file->part, 0, CLI_PARTS - 1);
  }
  assert_int_equal(cli_result_find("strange.csv"), -1);
}

// words of a name stand in comments alone, each of which ends with its line
static void expect_comments(const char *text) {
  for (const char *at = strstr(text, "pwned"); at; at = strstr(at + 1, "pwned")) {
    const char *line = at;
    while (line > text && line[-1] != '\n') line--;
    assert_memory_equal(line, "//", 2);
    assert_null(memchr(line, '\\', strcspn(line, "\n"))); // else the next line is one too
  }
}

static void law_texts_have_no_other_code(void **state) {
  (void)state;
  each_hostile_name(write_law);
  cli_call call = cart_pole();
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_law, &call, hostile + i);
    expect_comments(text);
    free(text);
  }
  drop(&call);
}

// each name is one attribute, and what is no text of XML is none of it
static void write_attribute(FILE *f, const cli_call *call) {
  const cli_engine_file w = {.f = f};
  cli_engine_name(&w, "name", call->run.p->names.coord[0]);
}

static void names_in_xml_are_text(void **state) {
  (void)state;
  pb_problem p = {0};
  cli_call call = {.run.p = &p};
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_attribute, &call, hostile + i);
    assert_null(dm_text_flaw(text, NULL));
    assert_int_equal(count_of(text, '"'), 2);
    free(text);
  }
}

static void json_is_utf_8_and_reads_back(void **state) {
  (void)state;
  cli_json *o = json_object_new_object();
  cli_json_names(o, "names", hostile, HOSTILE);
  for (int i = 0; i < HOSTILE; i++) cli_json_text(o, hostile[i], hostile[i]);
  const char *text = cli_json_pretty(o);
  assert_null(dm_text_flaw(text, "\n"));
  json_object *again = json_tokener_parse(text);
  assert_non_null(again);
  assert_string_equal(cli_json_get_text(again, hostile[0]), hostile[0]);
  json_object_put(again);
  json_object_put(o);
}

// stderr after a sentence with each of the names
static void messages_are_one_line_each(void **state) {
  (void)state;
  static const cli_args args = {0};
  char text[4096] = "";
  FILE *kept = tmpfile();
  int was = dup(STDERR_FILENO);
  assert_non_null(kept);
  fflush(stderr);
  dup2(fileno(kept), STDERR_FILENO);
  for (int i = 0; i < HOSTILE; i++) cli_note(&args, "warning: found %s", hostile[i]);
  for (int i = 0; i < HOSTILE; i++) cli_error("found %s", hostile[i]);
  for (int i = 0; i < HOSTILE; i++) cli_fail(&args, CLI_INPUT, "found %s", hostile[i]);
  fflush(stderr);
  dup2(was, STDERR_FILENO);
  close(was);
  rewind(kept);
  text[fread(text, 1, sizeof text - 1, kept)] = 0;
  fclose(kept);
  assert_int_equal(count_of(text, '\n'), 3 * HOSTILE);
  assert_null(dm_text_flaw(text, "\n"));
}

// a point is read back from a file in this order, and from no other
static void multipliers_in_another_order_are_refused(void **state) {
  (void)state;
  enum { N = 2, M = 3 };
  const oc_nlp nlp = {.n = N, .m = M};
  double x[N] = {1, 2}, lambda[M] = {3, 4, 5}, z_l[N] = {6, 0}, z_u[N] = {0, 7};
  double y[N], mu[M], w_l[N], w_u[N];
  const oc_point point = {x, lambda, z_l, z_u};
  oc_point again = {y, mu, w_l, w_u};
  static const struct {
    const char *text, *says; // NULL: as written
  } tables[] = {
      {NULL, NULL},
      {"i,x,lambda,z_l,z_u\n0,1,3,6,0\n1,2,4,0,7\n2,,5,,\n",
       "the columns are i,x,lambda,z_l,z_u, expected i,x,lambda,z_l,z_u,order"},
      {"i,x,lambda,z_l,z_u,order\n0,1,3,6,0,1\n1,2,4,0,7,1\n2,,5,,,1\n",
       "found order 1, expected 2: another version of dmoc wrote it"},
      {"i,x,lambda,z_l,z_u,order\n0,1,3,6,0,2\n1,2,4,0,7,2\n2,,5,,,\n", "found order nan"},
  };
  const char *folder = make_folder();
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const char *path = put_file(folder, "multipliers.csv", tables[i].text ? tables[i].text : "");
    FILE *f = tables[i].text ? NULL : fopen(path, "w");
    if (f) cli_multipliers_write(f, &nlp, &point);
    if (f) fclose(f);
    const pb_file file = pb_file_at(path);
    dm_message msg = {""};
    const dm_status s = cli_multipliers_read(&file, &nlp, &again, &msg);
    assert_int_equal(s, tables[i].says ? DM_BAD_INPUT : DM_OK);
    if (tables[i].says) assert_non_null(strstr(msg.text, tables[i].says));
    unlink(path);
  }
  assert_memory_equal(y, x, sizeof x);
  assert_memory_equal(mu, lambda, sizeof lambda);
  assert_memory_equal(w_l, z_l, sizeof z_l);
  assert_memory_equal(w_u, z_u, sizeof z_u);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_plain_json),
      cmocka_unit_test(tables_have_no_other_columns),
      cmocka_unit_test(result_files_are_told_apart),
      cmocka_unit_test(law_texts_have_no_other_code),
      cmocka_unit_test(names_in_xml_are_text),
      cmocka_unit_test(json_is_utf_8_and_reads_back),
      cmocka_unit_test(messages_are_one_line_each),
      cmocka_unit_test(multipliers_in_another_order_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
