// cli/console/memory.h: end the program if it is out of memory where no caller can report it.
//
// Elsewhere each function that allocates returns DM_NO_MEMORY, and its command reports it. The
// program ends as on a signal (cli/console/interrupt): partial files are removed, stderr says
// `out of memory`, stdout (with --json) contains its object, and the exit status is CLI_FAULT. A
// worker process ends silently, and its parent does its work.
#ifndef CLI_CONSOLE_MEMORY_H
#define CLI_CONSOLE_MEMORY_H

// From here on, cli_memory_end ends the program.
void cli_memory_watch(void);

// End the program because a small allocation failed. Returns if cli_memory_watch was not called.
void cli_memory_end(void);
#endif
