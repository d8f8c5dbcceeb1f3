// tests/support/commands.h: the whole program in this process, command after command, in a folder of
// its own: its exit status, and what it said.
#ifndef TESTS_SUPPORT_COMMANDS_H
#define TESTS_SUPPORT_COMMANDS_H
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "cli/console/command.h"
#include "cli/console/interrupt.h"
#include "cli/console/memory.h"
#include "cli/mpi/work_sharing.h"

// what all commands of a process share begins before the first of them, and ends after the last
static inline int program_begin(void) {
  static char name[] = "dmoc";
  char *words[] = {name, NULL}, **word = words;
  int n = 1;
  return cli_work_begin(&n, &word);
}

static inline int program_end(void) {
  return cli_work_end(CLI_DONE);
}

// signals stay as they are, memory that is short ends no process, and MPI begins only once
#define cli_interrupt_catch()   (void)0
#define cli_memory_watch()      (void)0
#define cli_work_begin(n, word) CLI_DONE
#define cli_work_end(status)    (status)
int run_program(int n, char **word);
#define main run_program
#include "cli/main.c"
#undef main
#include "cli/console/answer.c" // its state begins anew with each command
#include "tests/support/files.h"
#include "tests/support/skips.h"

#include <fcntl.h>

// words of a command line, their characters, and those of what is said
enum { PROGRAM_WORDS = 64, PROGRAM_LINE = 2048, PROGRAM_TEXT = 1 << 20 };

// what the last command printed on stdout and on stderr
static char program_out[PROGRAM_TEXT], program_said[PROGRAM_TEXT];

// the words of a command, apart by spaces; a word of an apostrophe alone is empty
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

// put a file in the place of a stream; returns what was there
static inline int program_divert(FILE *stream, const char *path) {
  fflush(stream);
  const int was = dup(fileno(stream));
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(was >= 0 && file >= 0);
  dup2(file, fileno(stream));
  close(file);
  return was;
}

// give a stream back, and take what the file has
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

// the state of an answer, as a process begins with it; what was printed is freed already
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

// Run a command line without the program's name; its exit status.
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

// Run a command, which ends with that status and says that, on stderr or on stdout; whether it does
// not, which is told.
static inline bool program_errs(int status, const char *line, const char *says) {
  const int came = program_run(line);
  const bool said = !says || strstr(program_said, says) || strstr(program_out, says);
  if (came == status && said) return false;
  print_error("dmoc %s: exit status %d, expected %d and '%s', found\n%s%.2000s\n", line, came,
              status, says ? says : "", program_said, program_out);
  return true;
}

// In the place of Python a shell's lines, which read the facts, and write the picture and the reply.
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

// A folder of its own for the commands of a program, and its end with all that is in it.
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
