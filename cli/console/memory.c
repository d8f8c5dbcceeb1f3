#include "cli/console/memory.h"

#include "cli/console/answer.h"
#include "cli/console/command.h"
#include "cli/console/interrupt.h"

#include <unistd.h>

static pid_t watched; // process that watches; 0: none

void cli_memory_watch(void) {
  watched = getpid();
}

void cli_memory_end(void) {
  if (!watched) return;
  if (getpid() != watched) _exit(CLI_FAULT);
  cli_interrupt_leave("out of memory", cli_answer_without_memory(), CLI_FAULT);
  for (;;) pause(); // another thread ends the program
}
