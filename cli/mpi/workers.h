// cli/mpi/workers.h: items computed on several processors of this computer: by children of this
// process, each with all that it has at that moment, in memory of its own. So whatever an item
// needs (a plant, an estimator, a compiled law) need not know of others.
//
// Children take the items in turn, the next one each, and send results through a pipe. One that
// dies costs time alone: what nobody has computed is left to the caller. Children end with this
// process; an interrupt ends them at once.
#ifndef CLI_MPI_WORKERS_H
#define CLI_MPI_WORKERS_H
#include <stdbool.h>
#include <stddef.h>

// How many work at a time, 1 .. CLI_WORKERS; at the start 1: this process alone. 0 sets the number
// of processors that this process may use. Returns what it is now.
enum { CLI_WORKERS = 256 };
int cli_workers_set(int count);
int cli_workers_count(void);

typedef struct cli_crew {
  int count;        // items
  size_t max_bytes; // of a result
  const bool *done; // [count] items that are not to be computed

  // In a child: compute an item into result; returns its bytes, 0: not done.
  size_t (*work)(void *worker, int item, void *result);
  void *worker;

  // Here, in any order: an item's result.
  void (*take)(void *self, int item, const void *result, size_t size);
  void *self;
} cli_crew;

// Compute items, as many as can be; returns at an interrupt, or when the children are gone. Does
// nothing where one works alone.
void cli_workers_run(const cli_crew *crew);
#endif
