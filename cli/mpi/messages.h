// cli/mpi/messages.h: messages between the processes that mpirun started; the only room with MPI in
// it. A build without MPI, and a program started by itself, is one process that gets no mail.
#ifndef CLI_MPI_MESSAGES_H
#define CLI_MPI_MESSAGES_H
#include <stdbool.h>
#include <stddef.h>

// Join the others, where a launcher started several; before anything else. False where it did and
// this build has no MPI.
bool cli_message_open(int *n, char ***word);

int cli_message_rank(void);  // 0 ..
int cli_message_count(void); // 1: alone

// Send bytes to a rank, a copy of them: goes on while they are under way. Where very many are it waits
// until that rank looks, after an interrupt 0.05 s at most. False where it cannot be reached.
bool cli_message_send(int to, const void *bytes, size_t size);

// The next message that has come, if any, into buffer [room]; longer ones are dropped. Where an
// interrupt finds one half sent that does not go on, none comes any more.
bool cli_message_next(int *from, void *buffer, size_t room, size_t *size);

// Leave. whole: all ranks do the same, and wait for each other; else they are ended.
void cli_message_close(bool whole, int status);
#endif
