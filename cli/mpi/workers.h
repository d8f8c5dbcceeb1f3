// cli/mpi/workers.h: compute items on several processors of this computer with child processes,
// each a copy of this process at that moment with separate memory. Therefore data of an item (a
// plant, an estimator, a compiled controller) need not be thread-safe.
//
// Each child takes the next item, and sends its result through a pipe. A child that dies costs only
// time: the caller computes the missing items. Children end with this process; an interrupt ends
// them at once.
#ifndef CLI_MPI_WORKERS_H
#define CLI_MPI_WORKERS_H
#include "cli/console/command.h"

#include <stdbool.h>
#include <stddef.h>

// Set the number of concurrent processes, 1 .. CLI_WORKERS; initially 1: this process alone. 0 sets
// it to the number of available processors. Returns the new number.
int cli_workers_set(int count);
int cli_workers_count(void);

typedef struct cli_crew {
  int count;        // items
  size_t max_bytes; // of a result
  const bool *done; // [count] items that need not be computed

  // In a child: compute an item into result; returns its size in bytes, 0: not done.
  size_t (*work)(void *worker, int item, void *result);
  void *worker;

  // In the parent, in any order: an item's result.
  void (*take)(void *self, int item, const void *result, size_t size);
  void *self;
} cli_crew;

// Compute as many items as possible; returns after an interrupt, or when the children have ended.
// Does nothing if only one process is configured.
void cli_workers_run(const cli_crew *crew);
#endif
