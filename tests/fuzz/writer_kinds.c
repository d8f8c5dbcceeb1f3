// Each writer of a text alone, of a result whose names are the input: exported C, pages, XML, tables.
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/exchange/formats.h"
#include "cli/pictures/facts.h"
#include "cli/pictures/plots.h"
#include "cli/report/page.c" // what a page is made of
#include "cli/results/trajectory.h"
#include "cli/stages/controller.h"
#include "control/codegen/controller.h"
#include "control/codegen/replay.h"
#include "tests/fuzz/grammar.h"
#include "tests/fuzz/kinds.h"
#include "tests/fuzz/named_result.h"

enum { FILES = 4 };
static char plain_bones[FILES][FUZZ_BONES];

// -- C

static cli_call call;
static cli_controller controller;
static const char *unit[FUZZ_NAMES];

static void name_controller(void) {
  fb_codegen_settings *set = &controller.c->set;
  set->name = fuzz_name[PROBLEM];
  set->coord = fuzz_name + COORD;
  set->input = fuzz_name + INPUT;
  for (int i = 0; i < FUZZ_NAMES; i++) unit[i] = fuzz_name[(i + OTHER) % FUZZ_NAMES];
  set->q_unit = set->v_unit = set->p_unit = set->u_unit = unit;
}

// the header, the source, and the program that replays the trace
static void write_code(int file) {
  static void (*const write[])(FILE * f, const fb_codegen *c) = {
      fb_controller_header, fb_controller_source, fb_replay_source, fb_replay_trace_header};
  name_controller();
  FILE *f = fuzz_open_text();
  write[file](f, controller.c);
  fuzz_close_text(f);
}

static void begin_code(void) {
  static cli_args gains;
  const bool form[FB_FORMS] = {true, false, false};
  gains = (cli_args){.command = &cli_command_gains, .operand = "result", .quiet = true};
  gains.silent = true;
  if (cli_call_open(&call, &gains, false) != CLI_DONE || cli_motion(&call) != CLI_DONE ||
      cli_gains(&call, true) != CLI_DONE ||
      cli_controller_open(&controller, &call, form, (cli_controller_names){.prefix = NULL}) !=
          CLI_DONE)
    fuzz_fail("no law", "result");
  fuzz_take_names(NULL, 0);
  for (int file = 0; file < 3; file++) {
    write_code(file);
    const char *why = grammar_c(fuzz_text, plain_bones[file], FUZZ_BONES);
    if (why) fuzz_fail(why, fuzz_text);
  }
  write_code(3);
  memcpy(plain_bones[3], fuzz_text, strlen(fuzz_text) + 1);
}

// the first line of a trace has as many cells as ever
static void check_cells(const char *plain) {
  int cells = 0;
  for (const char *at = fuzz_text; *at; at++) cells += *at == ',';
  for (const char *at = plain; *at; at++) cells -= *at == ',';
  if (cells || strcspn(fuzz_text, "\n\"") != strlen(fuzz_text) - 1)
    fuzz_fail("other cells", fuzz_text);
}

static void run_code(const uint8_t *bytes, size_t size) {
  const int file = (int)(fuzz_draw(bytes, size) % 4);
  fuzz_take_names(bytes, size);
  write_code(file);
  if (file == 3)
    check_cells(plain_bones[3]);
  else
    fuzz_check_bones(grammar_c(fuzz_text, fuzz_bones, FUZZ_BONES), plain_bones[file]);
}

// -- pages

// where the data begin in a page
static const char data_begin[] = "{\"version\"";
static size_t before, behind; // bytes of a page before and behind its data
static char *page_text;       // a page with plain names

// names alone, or one page of sixteen as a whole
static void write_page(bool whole) {
  static const double begin[FUZZ_FOLDERS];
  static const int group[FUZZ_FOLDERS];
  static char *const odd[FUZZ_FOLDERS];
  static const cli_whole none;
  fuzz_name_result();
  fuzz_result.shown = 1;
  const cli_page page = {&fuzz_result, begin, group, odd, 1, &none};
  cli_exhibit *x = fuzz_result.at[0];
  x->path = whole ? "result" : x->path;
  FILE *f = fuzz_open_text();
  if (whole) {
    if (cli_page_write(f, &page) != DM_OK) fuzz_fail("no page", "result");
  } else {
    cli_json *o = json_object_new_object();
    cli_json_text(o, "version", fuzz_name[OTHER]);
    cli_json_text(o, "title", fuzz_name[PROBLEM]);
    cli_json_text(o, fuzz_name[FOLDER], x->path);
    cli_page_names(o, x);
    write_data(f, (char *)json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    json_object_put(o);
  }
  fuzz_close_text(f);
}

static void begin_page(void) {
  fuzz_open_result();
  fuzz_take_names(NULL, 0);
  write_page(true);
  page_text = strdup(fuzz_text);
  const char *from = strstr(page_text, data_begin);
  if (!from) fuzz_fail("no data", "page");
  before = (size_t)(from - page_text);

  // an element of data ends with the first of its kind
  const char *end = strstr(from, "</script");
  if (!end) fuzz_fail("no end of the data", "page");
  behind = strlen(end);
}

// markup and data: what is around the data is as ever, nothing in them ends or begins an element
static void run_page(const uint8_t *bytes, size_t size) {
  fuzz_take_names(bytes, size);
  write_page(fuzz_draw(bytes, size) % 16 == 0);
  const size_t n = strlen(fuzz_text), plain = strlen(page_text);
  char *end = fuzz_text + n - behind;
  if (n < before + behind || memcmp(fuzz_text, page_text, before) != 0 ||
      memcmp(end, page_text + plain - behind, behind) != 0)
    fuzz_fail("another page", "around its data");
  *end = 0;
  char *data = fuzz_text + before;
  if (strchr(data, '<')) fuzz_fail("markup in the data", data);
  const char *why = grammar_json(data);
  if (why) fuzz_fail(why, data);
}

// -- the facts of pictures

enum { SHORTER = 20 };

// of a motion so short that it has a few poses
static void begin_facts(void) {
  fuzz_open_result();
  for (int i = 0; i < fuzz_result.n; i++) fuzz_result.at[i]->call.run.x->h /= SHORTER;
}

// one object, whatever names are
static void run_facts(const uint8_t *bytes, size_t size) {
  dm_message msg = {""};
  fuzz_take_names(bytes, size);
  fuzz_name_result();
  fuzz_request.what = cli_plots[fuzz_draw(bytes, size) % CLI_PLOT_COUNT].word;
  fuzz_result.shown = fuzz_result.n;
  FILE *f = fuzz_open_text();
  if (cli_facts_write(f, &fuzz_result, &fuzz_request, &msg) != DM_OK)
    fuzz_fail("no facts", msg.text);
  fuzz_close_text(f);
  const char *why = grammar_json(fuzz_text);
  if (why) fuzz_fail(why, fuzz_text);
}

// -- XML for MuJoCo

static void write_engine(void) {
  const cli_phase_list phases = {0};
  const cli_conversion c = {.args = fuzz_request.args, .phases = &phases, .all = &fuzz_result};
  fuzz_name_result();
  fuzz_result.shown = fuzz_result.n = 1;
  FILE *f = fuzz_open_text();
  if (cli_format_mujoco.write(&c, f) != CLI_DONE) fuzz_fail("no file", "mujoco");
  fuzz_close_text(f);
}

static void begin_engine(void) {
  fuzz_open_result();
  fuzz_take_names(NULL, 0);
  write_engine();
  const char *why = grammar_xml(fuzz_text, plain_bones[0], FUZZ_BONES);
  if (why) fuzz_fail(why, fuzz_text);
}

static void run_engine(const uint8_t *bytes, size_t size) {
  fuzz_take_names(bytes, size);
  write_engine();
  fuzz_check_bones(grammar_xml(fuzz_text, fuzz_bones, FUZZ_BONES), plain_bones[0]);
}

// -- tables and JSON, which are read back

static void run_table(const uint8_t *bytes, size_t size) {
  dm_trajectory *x = NULL;
  dm_message msg = {""};
  fuzz_take_names(bytes, size);
  fuzz_name_result();
  const cli_exhibit *of = fuzz_result.at[0];
  FILE *f = fuzz_open_text();
  cli_trajectory_write(f, &of->call.run.p->names, of->call.run.x, NULL);
  fuzz_close_text(f);
  fuzz_put("named.csv", fuzz_text, strlen(fuzz_text));
  const pb_file file = pb_file_at("named.csv");
  if (cli_trajectory_read(&x, &file, &of->call.run.p->names, &msg) != DM_OK)
    fuzz_fail(msg.text, fuzz_text);
  if (x->N != of->call.run.x->N ||
      memcmp(x->q, of->call.run.x->q, (size_t)x->N * sizeof *x->q) != 0)
    fuzz_fail("another motion", fuzz_text);
  dm_trajectory_free(x);
}

static void run_json(const uint8_t *bytes, size_t size) {
  fuzz_take_names(bytes, size);
  cli_json *o = json_object_new_object();
  cli_json_text(o, fuzz_name[COORD], fuzz_name[INPUT]);
  cli_json_names(o, "names", fuzz_name, FUZZ_NAMES);
  cli_json_text(cli_json_object(o, fuzz_name[FOLDER]), fuzz_name[BODY], fuzz_name[PROBLEM]);
  const char *pretty = cli_json_pretty(o);
  const char *why = grammar_json(pretty);
  if (why) fuzz_fail(why, pretty);
  json_object_put(o);
}

const fuzz_kind fuzz_writers[] = {{"code", begin_code, run_code},
                                  {"page", begin_page, run_page},
                                  {"facts", begin_facts, run_facts},
                                  {"engine", begin_engine, run_engine},
                                  {"named-table", fuzz_open_result, run_table},
                                  {"json", NULL, run_json},
                                  {NULL, NULL, NULL}};
