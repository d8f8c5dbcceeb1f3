// cli/mpi/messages.h: messages between processes started by mpirun; the only part that uses MPI. A
// build without MPI, or a program started alone, is a single process without messages.
#ifndef CLI_MPI_MESSAGES_H
#define CLI_MPI_MESSAGES_H
#include <stdbool.h>
#include <stddef.h>

// Join the other processes, if a launcher started several; call first. Returns false if it did but
// this build has no MPI.
bool cli_message_open(int *n, char ***word);

int cli_message_rank(void);  // 0 ..
int cli_message_count(void); // 1: alone

// Send a copy of bytes to a rank without waiting. If too many messages are pending, wait until that
// rank receives, after an interrupt at most 0.05 s. Returns false if it cannot be reached.
bool cli_message_send(int to, const void *bytes, size_t size);

// Receive the next message, if any, into buffer [room]; longer ones are dropped. After an interrupt
// during a partial message that makes no progress, no more messages are received.
bool cli_message_next(int *from, void *buffer, size_t room, size_t *size);

// Leave MPI. whole: all ranks do the same, and wait for each other; otherwise they are aborted.
void cli_message_close(bool whole, int status);
#endif
