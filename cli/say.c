#include "cli/say.h"

#include "cli/json.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; // a signal handler can reach nothing else

static char *hushed; // where errors go instead of stderr
static size_t hush_size;

void cli_hush(char *text, size_t size) {
  hushed = text, hush_size = size;
}

static void line(const char *format, va_list list) {
  if (hushed) {
    vsnprintf(hushed, hush_size, format, list);
    return;
  }
  fputs("dmoc: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
}

int cli_fail(const cli_args *args, int exit_status, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  cli_error("%s", text);
  if (args->json) {
    json_object *o = json_object_new_object();
    json_object_object_add(o, "status", json_object_new_string("error"));
    json_object_object_add(o, "error", json_object_new_string(text));
    json_object_object_add(o, "exit", json_object_new_int(exit_status));
    cli_json_print(o);
    json_object_put(o);
  }
  return exit_status;
}

int cli_exit_of(dm_status s) {
  switch (s) {
  case DM_OK:
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

const char *cli_status_word(dm_status s) {
  static const struct {
    dm_status status;
    const char *word;
  } words[] = {{DM_OK, "solved"},
               {DM_MAX_ITER, "iteration_limit"},
               {DM_STALLED, "stalled"},
               {DM_INTERRUPTED, "interrupted"},
               {DM_INFEASIBLE, "infeasible"},
               {DM_NOT_FINITE, "not_finite"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].status == s) return words[i].word;
  return "failed";
}

int cli_fail_status(const cli_args *args, dm_status s, const dm_message *msg) {
  return cli_fail(args, cli_exit_of(s), "%s", msg && msg->text[0] ? msg->text : dm_status_text(s));
}

void cli_error(const char *format, ...) {
  va_list list;
  va_start(list, format);
  line(format, list);
  va_end(list);
}

void cli_note(const cli_args *args, const char *format, ...) {
  if (args->quiet) return;
  va_list list;
  va_start(list, format);
  line(format, list);
  va_end(list);
}

cli_progress cli_progress_of(const cli_args *args) {
  return (cli_progress){.args = args, .last = cli_clock()};
}

void cli_progress_say(cli_progress *p, const char *format, ...) {
  bool terminal = isatty(STDERR_FILENO);
  double now = cli_clock();
  if (p->args->quiet || now - p->last < (terminal ? 0.1 : 2)) return;
  p->last = now;
  va_list list;
  va_start(list, format);
  if (terminal) fputs("\r\033[K", stderr);
  vfprintf(stderr, format, list);
  if (!terminal) fputc('\n', stderr);
  va_end(list);
  p->drawn = terminal;
  fflush(stderr);
}

void cli_progress_end(cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = 0;
}

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

void cli_interrupt_catch(void) {
  struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
}

bool cli_interrupted(void) {
  return interrupted;
}

double cli_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
