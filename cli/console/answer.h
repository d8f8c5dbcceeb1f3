// cli/console/answer.h: the output of a command with --json: one object, whatever happens.
//
// Commands submit results, warnings and errors as they occur; main prints once at the end.
#ifndef CLI_CONSOLE_ANSWER_H
#define CLI_CONSOLE_ANSWER_H
#include "cli/console/json.h"

// Request an answer (--json). Without this call nothing is printed.
void cli_answer_ask(void);

// Set the result of the command; takes a reference to it. The last one is used.
void cli_answer_set(cli_json *found);

// Add a sentence to the array `warnings`. Returns false if the command has it already.
bool cli_answer_warn(const char *sentence);

// Set the reason for an unsuccessful end; the first one is used, but one with an exit status
// replaces one without (0).
void cli_answer_error(const char *sentence, int exit_status);

// Print the answer: the result with `warnings`, and with `status`, `error` and `exit` if the exit
// status is not 0; or, without a result or with invalid input, {"status": "error", "error", "exit",
// "warnings"}. Prints once.
void cli_answer_print(int exit_status);

// The answer if a signal ends the command now, with this sentence as its error; NULL if none was
// requested or it was printed. The first function makes the text, the second may be called in a
// signal handler.
void cli_answer_prepare(const char *sentence);
const char *cli_answer_prepared(void);

// The answer of a command that ends because it is out of memory; allocates nothing; NULL as above.
const char *cli_answer_without_memory(void);
#endif
