// cli/mpi/work_sharing.h: distribute work over processes: the ranks started by mpirun, or for a
// single rank its child processes on this computer's processors (cli/mpi/workers.h).
//
// All ranks run the same stages of a command; only rank 0 writes and prints, and receives results
// by message.
//
// Item i belongs to rank i mod K. Rank 0 never waits for a rank that may be gone: after its own
// items it computes missing items of other ranks, the last first; the first result of an item is
// used. Therefore a rank that leaves or is slow costs only time. If one dies, mpirun ends all of
// them, which acts as an interrupt: results received so far are kept.
#ifndef CLI_MPI_WORK_SHARING_H
#define CLI_MPI_WORK_SHARING_H
#include "cli/console/command.h"
#include "lib/base/status.h"

#include <stddef.h>
#include <stdint.h>

// The items to be distributed; equal on all ranks except self.
typedef struct cli_share {
  int count;        // items
  size_t max_bytes; // of a result

  // A digest of all data that results depend on: results of ranks with a different digest are
  // ignored.
  uint64_t digest;

  // [count] on rank 0, for all ranks: items that need not be computed; NULL on all ranks: none.
  const bool *skip;

  // Whether child processes of a single rank may compute items: items may then only write files
  // that no other item uses.
  bool by_children;

  // Compute an item into result; returns its size in bytes, 0: not done.
  size_t (*work)(void *self, int item, void *result);

  // On rank 0, called once per item, in any order, with its result from any rank.
  void (*collect)(void *self, int item, int rank, const void *result, size_t size);
  void *self;
} cli_share;

// Join the other ranks. On ranks other than 0, stdout is discarded and stderr stored for rank 0.
// Returns CLI_DONE, or CLI_INPUT after reporting that this build has no MPI.
int cli_work_begin(int *n, char ***word);

// The number of ranks that share work: 1 within shared work. The number of this rank.
int cli_work_count(void);
int cli_work_this(void);

// The number of processes over which items are distributed: ranks, or children of the only one.
int cli_work_hands(void);

// Distribute items, on all ranks; returns on each when the share has ended.
//   lost  out: on rank 0, a sentence on ranks that left or did not answer; empty if there are none
//         that were not reported before
// Returns DM_OK (rank 0: all results are received), DM_INTERRUPTED with partial results, or
// DM_NO_MEMORY.
dm_status cli_work_share(const cli_share *s, char lost[256]);

// Copy rank 0's bytes to all ranks. Returns DM_OK, DM_INTERRUPTED if rank 0 does not send them any
// more, or DM_NO_MEMORY.
dm_status cli_work_broadcast(void *bytes, size_t size);

// Leave together. Returns the exit status of this process, which on rank 0 is that of the command.
int cli_work_end(int status);

// A digest of bytes, starting from another digest (or 0).
uint64_t cli_work_digest(uint64_t digest, const void *bytes, size_t size);
#endif
