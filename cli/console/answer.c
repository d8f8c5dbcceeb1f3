#include "cli/console/answer.h"

#include "cli/console/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  bool asked, printed;
  cli_json *found, *warnings;
  char *error;
  int error_exit; // of the error; 0: a warning, the command continued
  char *interrupted;
  char *volatile prepared; // text for the signal handler
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

// update the text for the signal handler, which never sees an incomplete one
static void prepare_answer(void) {
  // JSON was not requested, or is already printed
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

// use the command's result, unless the input was invalid or we failed
static cli_json *choose_answer(int exit_status) {
  bool failed = exit_status != CLI_DONE && exit_status != CLI_OUTCOME;

  // no result, or the input was invalid, or we failed
  if (!answer.found || (failed && answer.error_exit))
    return explain_end(exit_status == CLI_DONE ? "done" : "error", answer.error, exit_status);

  // add the reason of a failure, unless the command did
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

  // from here on signals write nothing, and nothing is allocated
  char *prepared = answer.prepared;
  answer.printed = true;
  answer.prepared = NULL;
  puts(text);

  // free everything with the answer
  free(prepared);
  json_object_put(o);
  json_object_put(answer.found);
  json_object_put(answer.warnings);
  free(answer.error);
  free(answer.interrupted);
}
