#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/report/page.h"
#include "cli/report/phase_list.h"
#include "cli/report/study.h"
#include "cli/stages/alone.h"

#include <stdlib.h>
#include <string.h>

// the folders of one page
typedef struct reported {
  cli_args args; // operands: those of the command line, with folders replaced by their phases
  cli_phase_list *phases[CLI_OPERANDS]; // per operand of the command line; NULL: none
  double begin[CLI_OPERANDS];           // s
  bool phase[CLI_OPERANDS];             // whether it is the folder of a phase
  int group[CLI_OPERANDS];              // index of the command-line operand
  char *odd[CLI_OPERANDS];              // why a folder's motion cannot be shown; or NULL
  cli_whole whole[CLI_OPERANDS];        // per operand
  int groups;
  cli_exhibits all;
} reported;

static int write_page(const void *self, FILE *f) {
  const reported *w = self;
  const cli_page page = {.all = &w->all,
                         .begin = w->begin,
                         .group = w->group,
                         .odd = w->odd,
                         .groups = w->groups,
                         .whole = w->whole};
  const dm_status s = cli_page_write(f, &page);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail_status(&w->args, s, &w->all.at[0]->call.msg);
}

// append a folder; NULL: out of memory
static const char **add_operand(reported *w, const char *word, double begin, bool phase) {
  cli_args *args = &w->args;
  if (args->operands.n == CLI_OPERANDS) return NULL;
  const int i = args->operands.n++;
  w->begin[i] = begin;
  w->phase[i] = phase;
  w->group[i] = w->groups - 1;
  args->operands.word[i] = word;
  return &args->operands.word[i];
}

static int fail_many(const cli_args *args) {
  return cli_fail(args, CLI_INPUT, "a page takes %d folders at most, each phase one", CLI_OPERANDS);
}

// process an operand: a study, a folder, or its phases
static int take_word(reported *w, const char *word) {
  cli_phase_list *phases = calloc(1, sizeof *phases);
  if (!phases) return cli_fail(&w->args, CLI_FAULT, "out of memory");
  w->phases[w->groups++] = phases;
  const int status = cli_is_study(word) ? CLI_DONE : cli_phase_list_read(phases, &w->args, word);
  if (status != CLI_DONE) return status;
  if (phases->whole) {
    // append the phases of a folder instead of it
    w->whole[w->groups - 1] = (cli_whole){&phases->folder, phases->whole};
    for (int i = 0; i < phases->n; i++)
      if (!add_operand(w, phases->dir[i], phases->begin[i], true)) return fail_many(&w->args);
    return CLI_DONE;
  }
  return add_operand(w, word, 0, false) ? CLI_DONE : fail_many(&w->args);
}

// whether a folder is readable and has a result, even if damaged
static bool has_result(const char *dir, bool below) {
  pb_folder at;
  if (cli_folder_hold(&at, dir, below, false, NULL) != DM_OK) return false;
  const pb_file file = pb_file_in(&at, "result.json");
  const bool there = pb_file_there(&file);
  pb_folder_close(&at);
  return there;
}

// open the folders; if a motion cannot be read, use the other data
static int open_folders(reported *w) {
  const cli_args args = w->args;
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < args.operands.n; i++) {
    char why[1024] = "";
    const char *word = args.operands.word[i];
    if (cli_is_study(word)) {
      status = cli_exhibits_add_study(&w->all, &args, word);
      continue;
    }
    cli_args one = args;
    one.operands.n = 1;
    one.operands.word[0] = word;
    one.below = w->phase[i];
    const bool bare = has_result(word, one.below);
    cli_hushed before = {NULL, 0};
    if (bare) before = cli_hush(why, sizeof why);
    status = cli_exhibits_open(&w->all, &one, NULL);
    if (bare) cli_hush(before.text, before.size);
    if (status == CLI_FAULT && bare) return cli_fail(&args, status, "%s", why);
    if (status != CLI_INPUT || !bare) continue;

    // damaged: say so on the page and on the terminal
    w->odd[w->all.n - 1] = strdup(why);
    cli_note(&args, "%s", why);
    status = CLI_DONE;
  }
  w->all.shown = w->all.n;
  return status;
}

// write to the first folder, or to the path of -o; the path, to be freed
static int place_page(reported *w, char **path) {
  dm_status s = cli_exhibits_name(&w->all, NULL);
  if (s != DM_OK) return cli_fail_status(&w->args, s, NULL);
  const char *first = w->args.operand;
  if (w->args.out)
    *path = strdup(w->args.out);
  else
    *path = cli_is_study(first) ? cli_study_page(first, CLI_PAGE) : cli_join(first, CLI_PAGE);
  if (!*path) return cli_fail(&w->args, CLI_FAULT, "out of memory");
  return cli_alone_write(&w->args, *path, write_page, w);
}

// make the page for the operands of w->args; its path, to be freed
static int make_page(reported *w, char **path) {
  const cli_args words = w->args;

  // all operands
  int status = CLI_DONE;
  w->args.operands.n = 0;
  for (int i = 0; status == CLI_DONE && i < words.operands.n; i++)
    status = take_word(w, words.operands.word[i]);

  if (status == CLI_DONE) status = open_folders(w);
  return status == CLI_DONE ? place_page(w, path) : status;
}

// report through the call of the first folder
static int close_page(reported *w, int status) {
  for (int i = w->all.n - 1; i >= 0; i--) {
    cli_call *call = &w->all.at[i]->call;
    const int closed = call->args ? cli_call_close(call, w->odd[i] ? CLI_INPUT : status) : status;
    if (i == 0 && !w->odd[i]) status = closed;
  }
  cli_exhibits_free(&w->all);
  for (int i = 0; i < CLI_OPERANDS; i++) {
    if (w->phases[i]) cli_phase_list_free(w->phases[i]);
    free(w->phases[i]);
    free(w->odd[i]);
  }
  return status;
}

static void tell_page(cli_call *call, const char *path) {
  // no other summary for a damaged folder
  if (!call->result || !call->summary.file) {
    char line[CLI_PATH + 32];
    snprintf(line, sizeof line, "  report        %s\n", path);
    if (!call->args || !call->args->json) cli_show(line);
    return;
  }
  cli_tell_path(call, "report", path);
  cli_json_text(call->result, "report", path);
}

// refuse file names that are not pages
static int check_page_name(const cli_args *args) {
  const char *dot = args->out ? strrchr(args->out, '.') : NULL;
  if (!args->out || (dot && (!strcmp(dot, ".html") || !strcmp(dot, ".htm")))) return CLI_DONE;
  return cli_fail(args, CLI_INPUT, "-o takes FILE.html, got '%s'", args->out);
}

static int report_folders(const cli_args *args) {
  reported w = {.args = *args};
  char *path = NULL;
  if (check_page_name(args) != CLI_DONE) return CLI_INPUT;
  const int status = make_page(&w, &path);
  if (status == CLI_DONE) tell_page(&w.all.at[0]->call, path);
  free(path);
  return close_page(&w, status);
}

// why the first unreadable folder cannot be read; a new folder must be readable
static const char *find_odd(const reported *w) {
  for (int i = 0; i < w->all.n; i++)
    if (w->odd[i]) return w->odd[i];
  return NULL;
}

int cli_report_written(cli_call *call) {
  reported w = {.args = {.command = &cli_command_report,
                         .operand = call->place.written,
                         .operands = {.n = 1, .word = {call->place.written}},
                         .silent = true,
                         .quiet = true}};
  char *path = NULL, why[CLI_PATH + 256] = "out of memory";
  const cli_hushed before = cli_hush(why, sizeof why);
  int status = make_page(&w, &path);
  cli_hush(before.text, before.size);
  if (status == CLI_DONE) tell_page(call, path);
  if (status == CLI_DONE && find_odd(&w)) {
    snprintf(why, sizeof why, "%s", find_odd(&w));
    status = CLI_INPUT;
  }
  free(path);
  close_page(&w, CLI_DONE);
  return status == CLI_DONE ? status : cli_fail_shown(call, status, CLI_PAGE, why);
}

int cli_report_again(cli_call *call) {
  return cli_call_wrote(call, CLI_PAGE) ? cli_report_written(call) : CLI_DONE;
}

const cli_command cli_command_report = {
    .name = "report",
    .what = "a page for the browser: the robot moving, its curves, what was found",
    .usage = "DIR|FILE... [-o FILE.html]",
    .run = report_folders,
    .phases = true,
};
