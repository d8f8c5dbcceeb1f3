// tests/support/commands.h: run the whole program in this process, one command after another, in a
// temporary folder: exit status and output.
#ifndef TESTS_SUPPORT_COMMANDS_H
#define TESTS_SUPPORT_COMMANDS_H
#include "cli/console/command.h"
#include "cli/console/interrupt.h"
#include "cli/console/memory.h"
#include "cli/mpi/work_sharing.h"
#include "tests/support/cmocka.h"

// the state that all commands of a process share begins before the first one and ends after the
// last one
static inline int program_begin(void) {
  static char name[] = "dmoc";
  char *words[] = {name, NULL}, **word = words;
  int n = 1;
  return cli_work_begin(&n, &word);
}

static inline int program_end(void) {
  return cli_work_end(CLI_DONE);
}

// signals keep their handlers, memory shortage does not end the process, and MPI is initialized
// only once
#define cli_interrupt_catch()   (void)0
#define cli_memory_watch()      (void)0
#define cli_work_begin(n, word) CLI_DONE
#define cli_work_end(status)    (status)
int run_program(int n, char **word);
#define main run_program
#include "cli/main.c"
#undef main
#include "cli/console/answer.c" // its state is reset for each command
#include "tests/support/files.h"
#include "tests/support/skips.h"

#include <fcntl.h>

// limits: words of a command line, its characters, and characters of the output
enum { PROGRAM_WORDS = 64, PROGRAM_LINE = 2048, PROGRAM_TEXT = 1 << 20 };

// stdout and stderr of the last command
static char program_out[PROGRAM_TEXT], program_said[PROGRAM_TEXT];

// the words of a command, separated by spaces; a single apostrophe stands for an empty word
static inline int program_words(char line[PROGRAM_LINE], char *word[PROGRAM_WORDS]) {
  static char name[] = "dmoc";
  int n = 0;
  word[n++] = name;
  for (char *rest = line, *at; (at = strtok_r(rest, " ", &rest));) {
    assert_true(n < PROGRAM_WORDS - 1);
    word[n++] = strcmp(at, "'") ? at : at + 1;
  }
  word[n] = NULL;
  return n;
}

// redirect a stream to a file; returns the original descriptor
static inline int program_divert(FILE *stream, const char *path) {
  fflush(stream);
  const int was = dup(fileno(stream));
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(was >= 0 && file >= 0);
  dup2(file, fileno(stream));
  close(file);
  return was;
}

// restore a stream, and read the file
static inline void program_restore(FILE *stream, int was, const char *path, char *text) {
  fflush(stream);
  dup2(was, fileno(stream));
  close(was);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  text[fread(text, 1, PROGRAM_TEXT - 1, f)] = 0;
  fclose(f);
  unlink(path);
}

// reset the state of the answer to its value at process start; printed text has already been freed
static inline void program_forget(void) {
  if (!answer.printed) {
    json_object_put(answer.found);
    json_object_put(answer.warnings);
    free(answer.error);
    free(answer.interrupted);
    free(answer.prepared);
  }
  memset(&answer, 0, sizeof answer);
}

// Run a command line, given without the program's name; returns its exit status.
static inline int program_run(const char *line) {
  static char text[PROGRAM_LINE];
  char *word[PROGRAM_WORDS];
  assert_true(strlen(line) < sizeof text);
  snprintf(text, sizeof text, "%s", line);
  const int n = program_words(text, word);

  program_forget();
  const int out = program_divert(stdout, ".out"), err = program_divert(stderr, ".err");
  const int status = run_program(n, word);
  program_restore(stdout, out, ".out", program_out);
  program_restore(stderr, err, ".err", program_said);
  return status;
}

// Run a command and compare its exit status, and its output on stderr or stdout, with the expected
// ones. Returns whether they differ, and prints the difference.
static inline bool program_errs(int status, const char *line, const char *says) {
  const int came = program_run(line);
  const bool said = !says || strstr(program_said, says) || strstr(program_out, says);
  if (came == status && said) return false;
  print_error("dmoc %s: exit status %d, expected %d and '%s', found\n%s%.2000s\n", line, came,
              status, says ? says : "", program_said, program_out);
  return true;
}

// Replace Python by a shell script, whose lines read the facts, and write the picture and the reply.
static inline void program_draws(const char *lines) {
  char place[PROGRAM_LINE], path[2 * PROGRAM_LINE], text[PROGRAM_LINE];
  mkdir("bin", 0700);
  snprintf(text, sizeof text, "#!/bin/sh\n%s", lines);
  put_file("bin", "python3", text);
  assert_int_equal(chmod("bin/python3", 0700), 0);
  assert_non_null(getcwd(place, sizeof place));
  snprintf(path, sizeof path, "%s/bin/python3", place);
  setenv("DMOC_PYTHON", path, 1);
}

// Create a temporary folder for the commands of a test program; remove it with all its contents.
static inline int program_open(void **state) {
  (void)state;
  const char *folder = make_folder();
  return folder && chdir(folder) == 0 ? program_begin() : -1;
}

static inline int program_close(void **state) {
  (void)state;
  char folder[PROGRAM_LINE], line[PROGRAM_LINE + 16];
  if (!getcwd(folder, sizeof folder) || chdir("/") != 0) return -1;
  snprintf(line, sizeof line, "rm -rf '%s'", folder);
  program_forget();
  return system(line) == 0 ? program_end() : -1;
}
#endif
