#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/args.h"
#include "cli/console/log.h"
#include "cli/exchange/formats.h"
#include "cli/stages/alone.h"
#include "lib/base/names.h"

#include <stdlib.h>
#include <string.h>

// a folder being converted
typedef struct converted {
  cli_args args; // operands: the folder, or its phases
  const char *dir;
  const cli_format *format;
  cli_phase_list phases;
  cli_exhibits all;
} converted;

// -- the format

static bool ends_so(const char *text, const char *suffix) {
  const size_t n = strlen(text), m = strlen(suffix);
  return n > m && !strcmp(text + n - m, suffix);
}

// list the formats, or their suffixes
static const char *list_formats(bool suffixes, char text[160]) {
  const char *word[8];
  int n = 0;
  for (; cli_formats[n] && n < 8; n++)
    word[n] = suffixes ? cli_formats[n]->suffix : cli_formats[n]->word;
  return dm_names_list(word, n, text, 160);
}

// the format from --to, or from the suffix of -o; NULL after reporting why it cannot be found
static const cli_format *find_format(const cli_args *args) {
  char text[160];

  // the format named by --to
  if (args->to) {
    const int i = cli_args_pick(args, "--to", args->to);
    const cli_format *format = i < 0 ? NULL : cli_formats[i];
    if (!format || !args->out || ends_so(args->out, format->suffix)) return format;
    cli_fail(args, CLI_INPUT, "-o takes FILE%s for --to %s, got '%s'", format->suffix, format->word,
             args->out);
    return NULL;
  }

  // the format of the file name
  for (int i = 0; args->out && cli_formats[i]; i++)
    if (ends_so(args->out, cli_formats[i]->suffix)) return cli_formats[i];
  if (args->out)
    cli_fail(args, CLI_INPUT, "-o takes a file that ends in %s, got '%s'", list_formats(true, text),
             args->out);
  else
    cli_fail(args, CLI_INPUT, "say which format: --to %s", list_formats(false, text));
  return NULL;
}

// -- the folder

// replace a folder by its phases, if the format supports them
static int take_parts(converted *w) {
  dm_message msg;
  const int status = cli_phase_list_read(&w->phases, &w->args, w->dir);
  if (status != CLI_DONE || !w->phases.whole) return status;
  if (!w->format->phases)
    return cli_fail(&w->args, CLI_INPUT,
                    "%s has phases, and --to %s is of one motion: take the folder of a phase, "
                    "such as %s",
                    w->dir, w->format->word, w->phases.n ? w->phases.dir[0] : w->dir);
  w->args.operands.n = w->phases.n;
  for (int i = 0; i < w->phases.n; i++) w->args.operands.word[i] = w->phases.dir[i];
  w->args.below = true;
  const dm_status s = cli_record_check(&w->phases.folder, w->phases.whole, &msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(&w->args, s, &msg);
}

static int open_parts(converted *w) {
  const int status = cli_exhibits_open(&w->all, &w->args, NULL);
  for (int i = 0; status == CLI_DONE && i < w->all.n; i++)
    if (!w->all.at[i]->folder)
      return cli_fail(&w->args, CLI_INPUT, "%s is a table: expected a result folder",
                      w->all.at[i]->path);
  return status;
}

// -- the file

static int write_converted(const void *self, FILE *f) {
  const converted *w = self;
  const cli_conversion c = {.args = &w->args, .phases = &w->phases, .all = &w->all};
  return w->format->write(&c, f);
}

// write to the folder, or to the path of -o; the path, to be freed
static int convert_folder(converted *w, char **path) {
  int status = take_parts(w);
  if (status == CLI_DONE) status = open_parts(w);
  if (status != CLI_DONE) return status;
  *path = w->args.out ? strdup(w->args.out) : cli_join(w->dir, w->format->file);
  if (!*path) return cli_fail(&w->args, CLI_FAULT, "out of memory");
  return cli_alone_write(&w->args, *path, write_converted, w);
}

static int close_converted(converted *w, int status) {
  status = cli_exhibits_close(&w->all, status);
  cli_phase_list_free(&w->phases);
  return status;
}

static void tell_file(cli_call *call, const converted *w, const char *path) {
  cli_tell_path(call, w->format->word, path);
  cli_json_text(call->result, w->format->word, path);
}

static int convert(const cli_args *args) {
  converted w = {.args = *args, .dir = args->operand, .format = find_format(args)};
  char *path = NULL;
  if (!w.format) return CLI_INPUT;
  const int status = convert_folder(&w, &path);
  if (status == CLI_DONE) tell_file(&w.all.at[0]->call, &w, path);
  free(path);
  return close_converted(&w, status);
}

// -- again

static int convert_again(cli_call *call, const cli_format *format) {
  converted w = {.args = {.command = &cli_command_convert,
                          .operand = call->place.written,
                          .operands = {.n = 1, .word = {call->place.written}},
                          .silent = true,
                          .quiet = true},
                 .dir = call->place.written,
                 .format = format};
  char *path = NULL, why[CLI_PATH + 256] = "out of memory";
  const cli_hushed before = cli_hush(why, sizeof why);
  const int status = convert_folder(&w, &path);
  cli_hush(before.text, before.size);
  if (status == CLI_DONE) tell_file(call, &w, path);
  free(path);
  close_converted(&w, CLI_DONE);
  return status == CLI_DONE ? status : cli_fail_shown(call, status, format->file, why);
}

int cli_convert_again(cli_call *call) {
  int status = CLI_DONE;
  for (int i = 0; cli_formats[i]; i++) {
    const bool there = cli_call_wrote(call, cli_formats[i]->file);
    const int made = there ? convert_again(call, cli_formats[i]) : CLI_DONE;
    if (status == CLI_DONE) status = made;
  }
  return status;
}

const cli_command cli_command_convert = {
    .name = "convert",
    .what = "a result as a file for other programs: Foxglove, PlotJuggler, Rerun, NumPy, MuJoCo",
    .run = convert,
    .usage = "DIR [--to FORMAT] [-o FILE]",
    .phases = true,
};
