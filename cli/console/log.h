// cli/console/log.h: messages to stderr, and progress. Text from files is shown as plain text
// (lib/base/text.h).
#ifndef CLI_CONSOLE_LOG_H
#define CLI_CONSOLE_LOG_H
#include "cli/console/command.h"
#include "lib/base/status.h"
#include "problems/readers/format/warnings.h"

#include <stddef.h>

// Report why a command ends, on stderr and in the answer of --json (cli/console/answer.h). Returns
// the given exit status, so that `return cli_fail(...)` is possible.
int cli_fail(const cli_args *args, int exit_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Redirect errors to text [size], which keeps the last one. NULL: print them. Returns the previous
// destination, so that it can be restored.
typedef struct cli_hushed {
  char *text;
  size_t size;
} cli_hushed;
cli_hushed cli_hush(char *text, size_t size);

// Print a line to stderr, also with --quiet, and add it to the answer's `warnings`: an error in a
// command that continues to write results. The first one is also the reason why the command does
// not succeed.
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// cli_fail for a status of the library and its message; if that is empty or NULL, the command's
// operand and the status in words.
int cli_fail_status(const cli_args *args, dm_status s, const dm_message *msg);

// The exit status for a failure of the library.
int cli_exit_of(dm_status s);

// The status of an optimization as a word for result.json.
const char *cli_status_word(dm_status s);

// Whether a status in result.json belongs to a usable motion: solved, solved_acceptable, or done.
// False for NULL.
bool cli_is_solution(const char *status);

// Print a line to stderr, unless --quiet, and add it to the answer's `warnings` without "warning:
// ".
void cli_note(const cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for the warnings of a reader: all of them in JSON; on stderr the first of each kind,
// with the number of others.
void cli_note_warnings(const cli_args *args, const struct pb_warnings *w);

// "; did you mean 'NAME'?" for the known name [n] nearest to a word, or "" if none is similar,
// written to text, for the end of a message; returns text.
enum { CLI_SUGGESTION = 256 };
const char *cli_suggest(const char *const *known, int n, const char *word,
                        char text[CLI_SUGGESTION]);

// Progress on stderr, unless --quiet: on a terminal one line that is overwritten, at most ten times
// per second and no wider than the terminal; otherwise plain lines, at most one per 2 s. Begin with
// cli_progress_of.
typedef struct cli_progress {
  const cli_args *args;
  double began, last; // start of the work; time of the last output  [s]
  double limit;       // time limit of the work  [s]; 0: none
  int drawn;          // a line is on the terminal
} cli_progress;

cli_progress cli_progress_of(const cli_args *args);

// Show progress. share: the completed part in [0,1], from which the remaining time is estimated;
// CLI_UNKNOWN: show the elapsed time instead.
#define CLI_UNKNOWN (-1.0)
void cli_progress_show(cli_progress *p, double share, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_progress_end(cli_progress *p); // clear the line

// Print lines to stdout.
void cli_show(char *text);

// Wall clock, s.
double cli_clock(void);
#endif
