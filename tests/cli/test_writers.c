// tests/cli/test_writers.c: names that readers would refuse come out of writers as text and nothing
// else: facts of pictures, tables, C, XML, JSON, messages.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "cli/console/log.h"
#include "cli/exchange/engine_file.h"
#include "cli/pictures/facts.h"
#include "control/codegen/controller.h"
#include "control/codegen/replay.h"
#include "lib/base/text.h"
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

typedef void writer(FILE *f, const cli_job *job);

// a writer's output for a job whose two coordinates and one input have these names
static char *write_named(writer *write, cli_job *job, const char *const *name) {
  static char *text; // the stream goes on knowing where it is
  static size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  job->names.coord = name;
  job->names.input = name + 1;
  write(f, job);
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

static void set_up(cli_job *job, const char *path) {
  *job = (cli_job){0};
  if (pb_problem_read(&job->p, path, &job->msg) != DM_OK) fail_msg("%s", job->msg.text);
  job->task = &job->p->task;
  job->names = (cli_names){.n = 2, .nu = 1};
  assert_int_equal(pb_problem_guess(job->p, &job->x), DM_OK);
}

static cli_job cart_pole(void) {
  cli_job job;
  char path[600];
  snprintf(path, sizeof path, "%s/problems/cart-pole/swing-up.yaml", source_folder());
  set_up(&job, path);
  return job;
}

static void drop(cli_job *job) {
  dm_trajectory_free(job->x);
  pb_problem_free(job->p);
}

static void each_hostile_name(writer *write) {
  static const cli_args args = {0};
  cli_job job = cart_pole();
  job.args = &args;
  char *plain = write_named(write, &job, tame);
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *wild = write_named(write, &job, hostile + i);
    expect_same_lines(wild, plain);
    free(wild);
  }
  free(plain);
  drop(&job);
}

// facts of two folders of the job's motion, whose own names and bodies are those of its coordinates
static void write_facts(FILE *f, const cli_job *job) {
  const char **body = job->p->robot.mechanism.tree->body_name;
  for (int i = 0; i < job->p->robot.mechanism.tree->nbody; i++) body[i] = job->names.coord[i % 2];
  cli_exhibit x = {.folder = true, .job = *job, .plant = "discrete", .step = job->x->h};
  x.name = x.path = strdup(job->names.coord[0]);
  cli_exhibit y = x;
  cli_exhibit *at[] = {&x, &y};
  const cli_exhibits all = {.at = at, .n = 2, .shown = 2};
  char *asked[] = {strdup(job->names.coord[0])};
  const cli_request r = {.args = job->args,
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

static void write_header(FILE *f, const cli_job *job) {
  for (int i = 0; i < CLI_FILES; i++) {
    if (!cli_result_files[i]->header) continue;
    cli_result_files[i]->header(f, &job->names);
    fputc('\n', f);
  }
}

// the law's text, of a law of zeros
static void write_law(FILE *f, const cli_job *job) {
  static double zero[5000];
  static int none[4];
  fb_output_feedback law = {.f = {.N = 100, .nx = 4, .nu = 1, .h = 0.02}, .n = 2, .ny = 4};
  law.y_d = law.G = law.c = zero;
  law.turns = none;
  fb_codegen c = {.law = {[FB_STATE] = &law}, .set = fb_codegen_default()};
  c.set.name = job->p->name;
  c.set.coord = job->names.coord;
  c.set.input = job->names.input;
  c.set.q_unit = c.set.p_unit = job->names.coord;
  c.set.u_unit = job->names.input;
  fb_controller_header(f, &c);
  fb_controller_source(f, &c);
  fb_replay_source(f, &c);
}

// the facts for pictures are one line of JSON, for any names
static void facts_are_plain_json(void **state) {
  (void)state;
  static const cli_args args = {0};
  each_hostile_name(write_facts);
  cli_job job = cart_pole();
  job.args = &args;
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_facts, &job, hostile + i);
    json_object *again = json_tokener_parse(text);
    assert_non_null(again);
    assert_non_null(cli_json_get_object(again, "request"));
    json_object_put(again);
    free(text);
  }
  drop(&job);
}

static void tables_have_no_other_columns(void **state) {
  (void)state;
  each_hostile_name(write_header);
  cli_job job = cart_pole();
  char *plain = write_named(write_header, &job, tame);
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *wild = write_named(write_header, &job, hostile + i);
    assert_int_equal(count_of(wild, ','), count_of(plain, ','));
    assert_int_equal(count_of(wild, '"'), 0);
    free(wild);
  }
  free(plain);
  drop(&job);
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
  cli_job job = cart_pole();
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_law, &job, hostile + i);
    expect_comments(text);
    free(text);
  }
  drop(&job);
}

// each name is one attribute, and what is no text of XML is none of it
static void write_attribute(FILE *f, const cli_job *job) {
  const cli_engine_file w = {.f = f};
  cli_engine_name(&w, "name", job->names.coord[0]);
}

static void names_in_xml_are_text(void **state) {
  (void)state;
  cli_job job = {0};
  for (int i = 0; i + 1 < HOSTILE; i++) {
    char *text = write_named(write_attribute, &job, hostile + i);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_plain_json),        cmocka_unit_test(tables_have_no_other_columns),
      cmocka_unit_test(result_files_are_told_apart), cmocka_unit_test(law_texts_have_no_other_code),
      cmocka_unit_test(names_in_xml_are_text),       cmocka_unit_test(json_is_utf_8_and_reads_back),
      cmocka_unit_test(messages_are_one_line_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
