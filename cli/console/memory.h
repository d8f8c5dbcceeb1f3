// cli/console/memory.h: end the program if a library runs out of memory.
//
// Our own code checks every allocation, cleans up and reports the failure. Few libraries do: json-c
// drops parts of a text and asserts the type of objects that it could not allocate, libxml2 2.9
// crashes or reports broken XML, and IPOPT throws exceptions through C frames.
// Therefore, if an allocation by a library fails, the program ends immediately, as on a signal
// (cli/console/interrupt): partial files are removed, stderr says `out of memory`, stdout (with
// --json) contains its object, and the exit status is CLI_FAULT. A worker process ends silently,
// and its parent does its work.
//
// This is implemented by replacing malloc and related functions of glibc, unless a sanitizer
// already does.
#ifndef CLI_CONSOLE_MEMORY_H
#define CLI_CONSOLE_MEMORY_H

// From here on, failed allocations in libraries end the program.
void cli_memory_watch(void);

// End the program as if an allocation in a library had failed, for small allocations whose callers
// could not handle the failure. Returns if cli_memory_watch was not called.
void cli_memory_end(void);
#endif
