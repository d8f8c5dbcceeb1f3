#include "tests/fuzz/named_result.h"

#include "cli/commands/commands.h"
#include "cli/pictures/plots.h"
#include "problems/readers/format/schema.h"
#include "tests/fuzz/kinds.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 8192, TEXT = 1 << 22 };

// -- names

static char letters[2 * NAME];
const char *fuzz_name[FUZZ_NAMES];

static int read_digit(char c) {
  return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

// the byte that text begins with, as it is written there; returns how many signs that took
static size_t read_sign(const uint8_t *text, size_t size, char *out) {
  *out = (char)*text;
  if (*text != '\\' || size < 2) return 1;
  if (text[1] == 'n') *out = '\n';
  if (text[1] == 'n' || text[1] == '\\') return 2;
  if (text[1] != 'x' || size < 4 || !isxdigit(text[2]) || !isxdigit(text[3])) return 1;
  *out = (char)(16 * read_digit((char)text[2]) + read_digit((char)text[3]));
  return *out ? 4 : 1;
}

// whether another one has this name already: readers refuse that
static bool is_taken(const char *name) {
  for (int i = 0; i < FUZZ_NAMES; i++)
    if (!strcmp(fuzz_name[i], name)) return true;
  return false;
}

// plain names for those that the input does not have
void fuzz_take_names(const uint8_t *bytes, size_t size) {
  static const char *const plain[FUZZ_NAMES] = {
      "arm", "hand", "motor", "servo",     "tool.x", "tool.y", "tool.z", "bob",
      "tip", "one",  "two",   "both arms", "rubber", "oil",    "hinge",  "rod"};
  memcpy(fuzz_name, plain, sizeof plain);
  char *to = letters;
  int n = 0;
  for (size_t at = 0; at < size && n < FUZZ_NAMES && to < letters + NAME; n++) {
    char *from = to;
    while (at < size && bytes[at] != '\n' && to < letters + NAME)
      at += bytes[at] ? read_sign(bytes + at, size - at, to++) : 1;
    *to++ = 0;
    if (n != FOLDER && n != PROBLEM && to - from > PB_NAME_MOST) from[PB_NAME_MOST] = 0;
    if (*from && !is_taken(from)) fuzz_name[n] = from;
    at++;
  }
}

// -- the result

static cli_args args;
cli_exhibits fuzz_result;
char fuzz_text[TEXT], fuzz_bones[FUZZ_BONES];
cli_request fuzz_request;
static char *words[] = {"q", "p"};

static void name_model(dm_model *m) {
  for (int i = 0; m && i < m->nq; i++) m->name[i] = fuzz_name[COORD + i];
  for (int i = 0; m && i < m->nu; i++) m->input_name[i] = fuzz_name[INPUT + i];
  for (int i = 0; m && i < m->nbody; i++) m->body_name[i] = fuzz_name[BODY + i];
}

// columns q.NAME and p.NAME of the table that plots by columns draw
static void name_columns(cli_exhibit *x) {
  static char column[FUZZ_FOLDERS][4][NAME];
  const int folder = x != fuzz_result.at[0];
  for (int i = 0; i < 4 && i + 2 < x->columns.cols; i++) {
    snprintf(column[folder][i], NAME, "%s.%s", words[i / 2], fuzz_name[COORD + i % 2]);
    x->columns.name[i + 2] = column[folder][i];
  }
}

// the names of all that is written
void fuzz_name_result(void) {
  for (int i = 0; i < fuzz_result.n; i++) {
    cli_exhibit *x = fuzz_result.at[i];
    pb_names *names = &x->call.run.p->names;
    names->coord = fuzz_name + COORD;
    names->input = fuzz_name + INPUT;
    names->output = fuzz_name + OUTPUT;
    x->name = x->path = (char *)fuzz_name[FOLDER + i];
    x->call.run.p->file.name = (char *)fuzz_name[PROBLEM];
    name_model(x->call.run.p->robot.mechanism.tree);
    name_model(x->call.run.p->model);
    name_columns(x);
  }
}

// the result twice, with all tables that pictures need
void fuzz_open_result(void) {
  dm_message msg = {""};
  args = (cli_args){.command = &cli_command_plot, .operand = "result", .quiet = true};
  args.silent = true;
  args.operands.n = FUZZ_FOLDERS;
  for (int i = 0; i < FUZZ_FOLDERS; i++) args.operands.word[i] = "result";
  if (cli_exhibits_open(&fuzz_result, &args, NULL) != CLI_DONE) fuzz_fail("no result", "result");
  fuzz_request = (cli_request){.args = &args, .suffix = "svg", .plane = {-1, -1}};
  fuzz_request.y = (cli_words){.n = 2, .word = words};
  for (int i = 0; i < 4; i++) fuzz_request.range[i / 2][i % 2] = NAN;
  for (int i = 0; i < fuzz_result.n; i++) {
    const pb_file file = pb_file_at("result/trajectory.csv");
    if (cli_named_table_read(&fuzz_result.at[i]->columns, &file, &msg) != DM_OK)
      fuzz_fail("no table", msg.text);
    for (int k = 0; k < CLI_PLOT_COUNT; k++)
      if (cli_exhibit_read(fuzz_result.at[i], cli_plots[k].needs) != DM_OK)
        fuzz_fail("no tables", cli_plots[k].word);
  }
}

FILE *fuzz_open_text(void) {
  fuzz_text[0] = 0; // which the C library looks for
  FILE *f = fmemopen(fuzz_text, sizeof fuzz_text, "w");
  if (!f) fuzz_fail("no stream", "text");
  return f;
}

void fuzz_close_text(FILE *f) {
  const long size = ftell(f);
  fclose(f);
  if (size < 0 || size >= TEXT) fuzz_fail("too long", "text");
  fuzz_text[size] = 0;
}

void fuzz_check_bones(const char *why, const char *plain) {
  if (why) fuzz_fail(why, fuzz_text);
  if (!strcmp(fuzz_bones, plain)) return;
  size_t at = 0;
  while (fuzz_bones[at] && fuzz_bones[at] == plain[at]) at++;
  fprintf(stderr, "fuzz: %.80s\nfuzz: in place of: %.80s\n", fuzz_bones + at, plain + at);
  fuzz_fail("a name is more than text", fuzz_text);
}

unsigned fuzz_draw(const uint8_t *bytes, size_t size) {
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++) sum = sum * 31 + bytes[i];
  return sum >> 8;
}
