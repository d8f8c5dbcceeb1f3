// cli/console/log.h: messages to stderr, and progress. Whatever a file brought into them is shown
// as plain text (lib/base/text.h).
#ifndef CLI_CONSOLE_LOG_H
#define CLI_CONSOLE_LOG_H
#include "cli/console/command.h"
#include "lib/base/status.h"
#include "problems/readers/format/warnings.h"

#include <stddef.h>

// Say why a command ends, on stderr and in the answer of --json (cli/console/answer.h). Returns the
// exit status given, so that `return cli_fail(...)` reads well.
int cli_fail(const cli_args *args, int exit_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// From here on errors are not printed: the last of them is written to text [size]. NULL: they are
// printed. Returns what was in force before, for a second call that restores it.
typedef struct cli_hushed {
  char *text;
  size_t size;
} cli_hushed;
cli_hushed cli_hush(char *text, size_t size);

// A line on stderr, with --quiet as well, and a sentence of the answer's `warnings`: what went wrong
// in a command that goes on to write. The first one is also why the command does not end well.
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// cli_fail for a status of the library and its message; if that is empty or NULL, the status in words
// after the command's operand.
int cli_fail_status(const cli_args *args, dm_status s, const dm_message *msg);

// The exit status that a failure of the library amounts to.
int cli_exit_of(dm_status s);

// What an optimization has come to, in a word of result.json.
const char *cli_status_word(dm_status s);

// Whether a status of result.json is that of a motion to go on with: solved, solved_acceptable, or
// done. NULL is not.
bool cli_is_solution(const char *status);

// A line on stderr, unless --quiet; and a sentence of the answer's `warnings`, less "warning: ".
void cli_note(const cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same of what a reader warned of, in JSON one by one, on stderr the first of each kind with how many
// more there are.
void cli_note_warnings(const cli_args *args, const struct pb_warnings *w);

// "; did you mean 'NAME'?" for the name of known [n] that is nearest to a word, or "" where none is
// near, in text; returns text, for the end of a message.
enum { CLI_SUGGESTION = 256 };
const char *cli_suggest(const char *const *known, int n, const char *word,
                        char text[CLI_SUGGESTION]);

// Progress on stderr, unless --quiet: on a terminal one line that is written over, ten times a
// second at most, and no wider than the terminal; elsewhere plain lines, one in two seconds at most.
// Begin with cli_progress_of.
typedef struct cli_progress {
  const cli_args *args;
  double began, last; // the work; when something was printed               s
  double limit;       // the work ends after that time, done or not         s; 0: it does not
  int drawn;          // a line stands on the terminal
} cli_progress;

cli_progress cli_progress_of(const cli_args *args);

// Show how far the work is. share: how much of it is done, in [0,1], which tells how much time is
// left, at the pace so far; CLI_UNKNOWN: nobody knows, and the time that has passed is shown.
#define CLI_UNKNOWN (-1.0)
void cli_progress_show(cli_progress *p, double share, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_progress_end(cli_progress *p); // clear the line

// Lines for stdout.
void cli_show(char *text);

// Wall clock, s.
double cli_clock(void);
#endif
