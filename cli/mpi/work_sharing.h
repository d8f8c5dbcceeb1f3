// cli/mpi/work_sharing.h: work shared by processes: the ranks that mpirun started, or where there
// is one, children of it on this computer's processors (cli/mpi/workers.h).
//
// All ranks run the same stages of a command; rank 0 alone writes and speaks, and results come to
// it by message.
//
// Item i belongs to rank i mod K. Rank 0 never waits for a rank that may be gone: done with its own
// items, it computes those that others have not sent, the last first; the first result of an item
// counts. So a rank that leaves or is slow costs time and nothing else. Where one dies, mpirun ends
// all of them: that is an interrupt, and what has come until then is kept.
#ifndef CLI_MPI_WORK_SHARING_H
#define CLI_MPI_WORK_SHARING_H
#include "cli/console/command.h"
#include "lib/base/status.h"

#include <stddef.h>
#include <stdint.h>

// Items to be shared out, the same on all ranks but for self.
typedef struct cli_share {
  int count;        // items
  size_t max_bytes; // of a result

  // A digest of all that results follow from: of ranks where it differs nothing is taken.
  uint64_t digest;

  // [count] on rank 0, for all: items that are not to be computed; NULL on all ranks: none.
  const bool *skip;

  // Whether children of an only rank may compute items: these write no files but such as items have
  // each to themselves.
  bool by_children;

  // Compute an item into result; returns its bytes, 0: not done.
  size_t (*work)(void *self, int item, void *result);

  // On rank 0, once for an item, in any order: its result, of whichever rank.
  void (*collect)(void *self, int item, int rank, const void *result, size_t size);
  void *self;
} cli_share;

// Join the ranks there are. Those after the first lose their stdout, and their stderr is kept for
// rank 0. Returns CLI_DONE, or CLI_INPUT after saying that this build has no MPI.
int cli_work_begin(int *n, char ***word);

// How many ranks share work: 1 within shared work itself. Which this is.
int cli_work_count(void);
int cli_work_this(void);

// Among how many items are shared out: ranks, or children of the only one.
int cli_work_hands(void);

// Share items out, on all ranks; returns on each when the share has ended.
//   lost  out: on rank 0, a sentence on ranks that left or did not answer; empty where there are
//         none but those it told of before
// Returns DM_OK (rank 0: all are taken), DM_INTERRUPTED with what has come taken, DM_NO_MEMORY.
dm_status cli_work_share(const cli_share *s, char lost[256]);

// What rank 0 has in bytes, on all ranks. Returns DM_OK, DM_INTERRUPTED where rank 0 does not say
// it any more, DM_NO_MEMORY.
dm_status cli_work_broadcast(void *bytes, size_t size);

// Leave together. Returns the exit status of this process: that of the command on rank 0.
int cli_work_end(int status);

// A digest of bytes, to go on from another (0).
uint64_t cli_work_digest(uint64_t digest, const void *bytes, size_t size);
#endif
