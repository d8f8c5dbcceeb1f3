#include "cli/console/log.h"

#include "cli/console/answer.h"
#include "cli/console/terminal.h"
#include "lib/base/names.h"
#include "lib/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SENTENCE = 1024 };

static cli_hushed hushed; // destination of errors; text NULL: stderr

cli_hushed cli_hush(char *text, size_t size) {
  const cli_hushed before = hushed;
  hushed = (cli_hushed){text, size};
  return before;
}

// format a sentence as plain text, truncated if too long
static const char *write_sentence(char text[SENTENCE], const char *format, va_list list) {
  vsnprintf(text, SENTENCE, format, list);
  return dm_text_make_plain(text, NULL, '?');
}

// print a line whose first word is colored on a color terminal
static void put_line(const char *sentence, cli_colour colour) {
  if (hushed.text)
    snprintf(hushed.text, hushed.size, "%s", sentence);
  else
    fprintf(stderr, "%sdmoc:%s %s\n", cli_terminal_colour(stderr, colour),
            cli_terminal_colour(stderr, CLI_PLAIN), sentence);
}

static void put_error(const char *sentence, int exit_status) {
  if (!hushed.text) cli_answer_error(sentence, exit_status);
  put_line(sentence, CLI_RED);
}

int cli_fail(const cli_args *args, int exit_status, const char *format, ...) {
  char text[SENTENCE];
  va_list list;
  (void)args;
  va_start(list, format);
  put_error(write_sentence(text, format, list), exit_status);
  va_end(list);
  return exit_status;
}

int cli_exit_of(dm_status s) {
  switch (s) {
  // usable results; errors that the caller can fix; internal errors; and negative outcomes
  case DM_OK:
  case DM_ACCEPTABLE:
    return CLI_DONE;
  case DM_BAD_INPUT:
  case DM_IO:
  case DM_UNAVAILABLE:
    return CLI_INPUT;
  case DM_NO_MEMORY:
  case DM_FAULT:
    return CLI_FAULT;
  default:
    return CLI_OUTCOME;
  }
}

bool cli_is_solution(const char *status) {
  static const char *const words[] = {"solved", "solved_acceptable", "done"};
  for (size_t i = 0; status && i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], status) == 0) return true;
  return false;
}

const char *cli_status_word(dm_status s) {
  static const struct {
    dm_status status;
    const char *word;
  } words[] = {{DM_OK, "solved"},
               {DM_ACCEPTABLE, "solved_acceptable"},
               {DM_MAX_ITER, "iteration_limit"},
               {DM_STALLED, "stalled"},
               {DM_SADDLE, "saddle"},
               {DM_INTERRUPTED, "interrupted"},
               {DM_INFEASIBLE, "infeasible"},
               {DM_NOT_FINITE, "not_finite"}};

  // any other failure
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].status == s) return words[i].word;
  return "failed";
}

int cli_fail_status(const cli_args *args, dm_status s, const dm_message *msg) {
  if (msg && msg->text[0] && strcmp(msg->text, dm_status_text(s)) != 0)
    return cli_fail(args, cli_exit_of(s), "%s", msg->text);

  // the status alone does not name its subject: add the operand
  const char *hint = s == DM_NOT_FINITE ? "; values in SI units may be too large or too small" : "";
  const bool named = args && args->operand;
  return cli_fail(args, cli_exit_of(s), "%s%s%s%s", named ? args->operand : "", named ? ": " : "",
                  dm_status_text(s), hint);
}

void cli_error(const char *format, ...) {
  char text[SENTENCE];
  va_list list;
  va_start(list, format);
  put_error(write_sentence(text, format, list), 0);
  va_end(list);
  if (!hushed.text) cli_answer_warn(text);
}

void cli_note(const cli_args *args, const char *format, ...) {
  static const char mark[] = "warning: ";

  char text[SENTENCE];
  va_list list;
  va_start(list, format);
  write_sentence(text, format, list);
  va_end(list);

  // in JSON a warning has no prefix
  size_t marked = strncmp(text, mark, strlen(mark)) ? 0 : strlen(mark);
  const bool told = !hushed.text && !cli_answer_warn(text + marked);
  if (!args->quiet && !told) put_line(text, marked ? CLI_YELLOW : CLI_PLAIN);
}

void cli_note_warnings(const cli_args *args, const struct pb_warnings *w) {
  for (int i = 0; i < w->n; i++) {
    char text[SENTENCE];
    int count;
    const bool first = pb_warnings_first(w, i, &count);
    const bool told = !hushed.text && !cli_answer_warn(w->text[i]);
    if (args->quiet || told || !first) continue;
    if (count > 1)
      snprintf(text, sizeof text, "warning: %.400s (and %d more of this kind: --json has all)",
               w->text[i], count - 1);
    else
      snprintf(text, sizeof text, "warning: %.500s", w->text[i]);
    put_line(text, CLI_YELLOW);
  }
}

const char *cli_suggest(const char *const *known, int n, const char *word,
                        char text[CLI_SUGGESTION]) {
  const char *near = dm_names_nearest(known, n, word);
  text[0] = 0;
  if (near) snprintf(text, CLI_SUGGESTION, "; did you mean '%.230s'?", near);
  return text;
}

cli_progress cli_progress_of(const cli_args *args) {
  const double now = cli_clock();
  return (cli_progress){.args = args, .began = now, .last = now};
}

// a time in a suitable unit
static void write_time(char text[32], double s) {
  if (s < 100)
    snprintf(text, 32, "%.0f s", s);
  else if (s < 6000)
    snprintf(text, 32, "%.0f min", s / 60);
  else
    snprintf(text, 32, "%.1f h", s / 3600);
}

// the remaining time at the current pace, or else the elapsed time
static void add_time(char text[SENTENCE], const cli_progress *p, double now, double share) {
  const size_t used = strlen(text);
  const double past = now - p->began;
  char time[32], most[32];

  // the pace is unreliable before the first percent
  if (share >= 0.01) {
    write_time(time, past * (1 - share) / share);
    snprintf(text + used, SENTENCE - used, ", %s left", time);
    return;
  }
  write_time(time, past);
  write_time(most, p->limit);
  if (p->limit > 0 && p->limit < 1e6)
    snprintf(text + used, SENTENCE - used, ", %s of %s at most", time, most);
  else
    snprintf(text + used, SENTENCE - used, ", %s", time);
}

void cli_progress_show(cli_progress *p, double share, const char *format, ...) {
  // on a terminal 10 updates per second on one line, in a file one line per 2 s
  const double now = cli_clock();
  if (p->args->quiet || now - p->last < 0.1) return;
  const int width = cli_terminal_width(stderr);
  if (!width && now - p->last < 2) return;
  p->last = now;
  char text[SENTENCE];
  va_list list;
  va_start(list, format);
  write_sentence(text, format, list);
  va_end(list);
  add_time(text, p, now, share);

  // overwrite the previous line, which must not wrap; or append a line
  if (width)
    fprintf(stderr, "\r\033[K%s", cli_terminal_cut(text, width - 1));
  else
    fprintf(stderr, "%s\n", text);
  p->drawn = width > 0;
  fflush(stderr);
}

void cli_progress_end(cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = 0;
}

void cli_show(char *text) {
  fputs(dm_text_make_plain(text, "\n", '?'), stdout);
}

double cli_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
