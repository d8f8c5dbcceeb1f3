// cli/console/interrupt.h: handling of SIGINT and SIGTERM.
//
// If nothing worth keeping has been computed, the first signal ends the program immediately: it
// removes temporary files, ends its child, writes a sentence that begins with `interrupted` to
// stderr and (with --json) an object to stdout, and exits with CLI_OUTCOME. If something is worth
// keeping, the first signal requests the work to stop and write its results. The second signal
// always ends the program immediately.
#ifndef CLI_CONSOLE_INTERRUPT_H
#define CLI_CONSOLE_INTERRUPT_H
#include <stdbool.h>
#include <sys/types.h>

// What an interrupt would lose at the moment: nothing; work that ends within 0.1 s of processor
// time (and 1 s of wall time); work that ends within 10 s (and 20 s), such as iterations with a
// stop check; or everything, however long it takes.
typedef enum cli_worth { CLI_NOTHING, CLI_BRIEF, CLI_SOON, CLI_ALL } cli_worth;

// Catch the two signals from here on.
void cli_interrupt_catch(void);

// Whether a signal has arrived while something was worth keeping.
bool cli_interrupted(void);

// The same, as a `stop` callback of the library; user is ignored.
bool cli_interrupt_asked(void *user);

// Set the results worth keeping, initially CLI_NOTHING; returns the previous value. Setting CLI_NOTHING
// after a signal ends the program.
cli_worth cli_interrupt_worth(cli_worth now);

// Set a lower bound for the results worth keeping, for processes that others depend on.
void cli_interrupt_minimum(cli_worth least);

// Delay signals, or deliver them again: for critical sections such as renaming files.
void cli_interrupt_wait(bool wait);

// Set the sentence that is printed if the program ends immediately; initially "interrupted".
void cli_interrupt_sentence(const char *text);

// Set a sentence (borrowed) that is printed to stderr immediately on a first signal whose work
// takes long to end; NULL, the initial value: none.
void cli_interrupt_promise(const char *text);

// Register a file, or a folder that is empty without registered files, to be removed if the program
// ends immediately; and unregister it.
void cli_interrupt_removes(const char *name);
void cli_interrupt_spares(const char *name);

// End the program immediately, as on a signal with nothing worth keeping: with a sentence, an
// answer (NULL: none) and an exit status. Allocates nothing. Returns only if another thread is
// already ending the program.
void cli_interrupt_leave(const char *why, const char *answer, int exit_status);

// Set a process to be ended with this one; 0: none.
void cli_interrupt_ends(pid_t process);
#endif
