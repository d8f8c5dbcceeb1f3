#include "cli/console/answer.h"

#include "cli/console/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  bool asked, printed;
  cli_json *found, *warnings;
  char *error;
  int error_exit; // of the error; 0: it was said, and the command went on
  char *interrupted;
  char *volatile prepared; // what a signal handler writes
} answer;

static cli_json *explain_end(const char *status, const char *error, int exit_status) {
  cli_json *o = json_object_new_object();
  cli_json_text(o, "status", status);
  cli_json_text(o, "error", error);
  cli_json_int(o, "exit", exit_status);
  return o;
}

static void add_warnings(cli_json *o) {
  cli_json *list = answer.warnings ? json_object_get(answer.warnings) : json_object_new_array();
  json_object_object_add(o, "warnings", list);
}

// the text for a signal handler, anew: it never sees one that is not whole
static void prepare_answer(void) {
  // nobody asked for JSON, or it is printed already
  if (!answer.asked || answer.printed) return;
  cli_json *o = explain_end("interrupted", answer.interrupted, CLI_OUTCOME);
  add_warnings(o);
  char *text = strdup(cli_json_pretty(o)), *old = answer.prepared;
  answer.prepared = text;
  free(old);
  json_object_put(o);
}

void cli_answer_ask(void) {
  answer.asked = true;
  prepare_answer();
}

void cli_answer_set(cli_json *found) {
  json_object_put(answer.found);
  answer.found = json_object_get(found);
}

bool cli_answer_warn(const char *sentence) {
  if (!answer.warnings) answer.warnings = json_object_new_array();
  const size_t n = json_object_array_length(answer.warnings);
  for (size_t i = 0; i < n; i++) {
    json_object *known = json_object_array_get_idx(answer.warnings, i);
    if (!strcmp(json_object_get_string(known), sentence)) return false;
  }
  json_object_array_add(answer.warnings, json_object_new_string(sentence));
  prepare_answer();
  return true;
}

void cli_answer_error(const char *sentence, int exit_status) {
  if (answer.error && (answer.error_exit || !exit_status)) return;
  free(answer.error);
  answer.error = strdup(sentence);
  answer.error_exit = exit_status;
}

void cli_answer_prepare(const char *sentence) {
  free(answer.interrupted);
  answer.interrupted = strdup(sentence);
  prepare_answer();
}

const char *cli_answer_prepared(void) {
  return answer.prepared;
}

const char *cli_answer_without_memory(void) {
  static const char text[] = "{\n  \"status\": \"error\",\n  \"error\": \"out of memory\",\n"
                             "  \"exit\": 3,\n  \"warnings\": []\n}";
  _Static_assert(CLI_FAULT == 3, "the exit status in the text");
  return answer.asked && !answer.printed ? text : NULL;
}

// what was found counts, unless the input was bad or the fault ours
static cli_json *choose_answer(int exit_status) {
  bool failed = exit_status != CLI_DONE && exit_status != CLI_OUTCOME;

  // nothing was found, or the input or we failed
  if (!answer.found || (failed && answer.error_exit))
    return explain_end(exit_status == CLI_DONE ? "done" : "error", answer.error, exit_status);

  // with why it is no success, where the command did not say so itself
  cli_json *o = json_object_get(answer.found);
  if (exit_status == CLI_DONE) return o;
  if (!json_object_object_get_ex(o, "status", NULL)) cli_json_text(o, "status", "failed");
  if (answer.error && !json_object_object_get_ex(o, "error", NULL))
    cli_json_text(o, "error", answer.error);
  cli_json_int(o, "exit", exit_status);
  return o;
}

void cli_answer_print(int exit_status) {
  if (!answer.asked || answer.printed) return;
  cli_json *o = choose_answer(exit_status);
  add_warnings(o);

  const char *text = cli_json_pretty(o);

  // from here on a signal finds nothing to write, and nothing asks for memory
  char *prepared = answer.prepared;
  answer.printed = true;
  answer.prepared = NULL;
  puts(text);

  // all that belongs to the answer ends with it
  free(prepared);
  json_object_put(o);
  json_object_put(answer.found);
  json_object_put(answer.warnings);
  free(answer.error);
  free(answer.interrupted);
}
