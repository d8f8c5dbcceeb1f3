// cli/console/answer.h: what a command leaves on stdout with --json: one object, whatever becomes
// of it.
//
// Commands hand in what they found, warnings and reasons as they come; main prints once, at the
// end.
#ifndef CLI_CONSOLE_ANSWER_H
#define CLI_CONSOLE_ANSWER_H
#include "cli/console/json.h"

// From here on an answer is wanted (--json). Without this nothing is ever printed.
void cli_answer_ask(void);

// What the command found; takes a reference to it. The last one counts.
void cli_answer_set(cli_json *found);

// A sentence of the array `warnings`.
// Returns false if the command has it already.
bool cli_answer_warn(const char *sentence);

// Why the command does not end well; the first one counts, and one with an exit status for one
// without (0).
void cli_answer_error(const char *sentence, int exit_status);

// Print the answer: what was found, with `warnings`, and with `status`, `error` and `exit` where
// the exit status is not 0; in place of what was found, where there is nothing or the input was
// bad,
// {"status": "error", "error", "exit", "warnings"}. Prints once.
void cli_answer_print(int exit_status);

// The answer of a command that a signal ends now, with this sentence as its error; NULL where none
// is wanted or it has been printed. Safe to call in a signal handler, where it can be written.
void cli_answer_prepare(const char *sentence);
const char *cli_answer_prepared(void);

// The answer of a command that ends because there is no memory left, which takes none; NULL likewise.
const char *cli_answer_without_memory(void);
#endif
