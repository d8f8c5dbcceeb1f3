// cli/console/interrupt.h: what SIGINT and SIGTERM do.
//
// Where nothing is computed yet that is worth keeping, the first of them ends the program at once,
// whatever it is at: its temporary files are removed, its child is ended, stderr has a sentence
// that begins `interrupted`, stdout (with --json) its object, the exit status is CLI_OUTCOME. Where
// something is worth keeping, the first is a wish that the work itself heeds where it can, to write
// what it has. The second always ends the program at once.
#ifndef CLI_CONSOLE_INTERRUPT_H
#define CLI_CONSOLE_INTERRUPT_H
#include <stdbool.h>
#include <sys/types.h>

// What is worth keeping at the moment: nothing; what takes 0.1 s of processor time (and 1 s) at
// most to come to an end; what takes 10 s (and 20 s), as iterations do that look at their end; all,
// whatever it takes.
typedef enum cli_worth { CLI_NOTHING, CLI_BRIEF, CLI_SOON, CLI_ALL } cli_worth;

// From here on the two signals are caught.
void cli_interrupt_catch(void);

// Whether the first has come and something was worth keeping.
bool cli_interrupted(void);

// The same, for a library that asks by `stop`; user is not read.
bool cli_interrupt_asked(void *user);

// Set what is worth keeping; returns what was. At the start it is CLI_NOTHING. Where a signal has
// come, setting CLI_NOTHING ends the program.
cli_worth cli_interrupt_worth(cli_worth now);

// What is worth keeping is never less than this: of a process that others wait for.
void cli_interrupt_minimum(cli_worth least);

// Whether signals wait: while files are put in their places.
void cli_interrupt_wait(bool wait);

// The sentence of a program that is ended at once; at the start "interrupted".
void cli_interrupt_sentence(const char *text);

// What is answered at once, on stderr, to a first signal that is a wish, where its work takes long to end:
// a sentence that is borrowed; NULL, at the start: nothing.
void cli_interrupt_promise(const char *text);

// What is to be removed where the program is ended at once: files, and folders that are empty
// without them; and what no longer is.
void cli_interrupt_removes(const char *name);
void cli_interrupt_spares(const char *name);

// End the program at once, as a signal does that finds nothing worth keeping: with a sentence, an
// answer (NULL: none is wanted) and an exit status. Allocates nothing. Returns where another thread
// is at it already.
void cli_interrupt_leave(const char *why, const char *answer, int exit_status);

// A process to be ended with this one; 0: none.
void cli_interrupt_ends(pid_t process);
#endif
