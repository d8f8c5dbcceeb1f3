// cli/console/memory.h: the program where memory runs out.
//
// Our own sources look at what an allocation returns, give back what they have and say why. Few
// libraries do: one drops parts of a text without a word, another aborts, a third throws through
// frames of C. So where a library asks for memory and there is none, the program ends at once, as
// by a signal (cli/console/interrupt): what is half written is removed, stderr says `out of
// memory`, stdout (with --json) has its object, the exit status is CLI_FAULT. A process that works
// for this one ends without a word, and its work is done by the one that waits for it.
//
// This is done in place of the C library's own malloc and its kin, where it is glibc and no
// sanitizer has taken them.
#ifndef CLI_CONSOLE_MEMORY_H
#define CLI_CONSOLE_MEMORY_H

// From here on what a library does not get ends the program.
void cli_memory_watch(void);

// End the program, as where a library's memory runs out: for what is small, and wanted by many who
// could do nothing else. Returns where nobody watches.
void cli_memory_end(void);
#endif
