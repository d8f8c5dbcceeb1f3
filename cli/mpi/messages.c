#include "cli/mpi/messages.h"

#include "config.h"

#include <stdlib.h>

// what a launcher says, before MPI is asked: Open MPI's; MPICH's and its kin's
static int count_launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    if (text && atoi(text) > 1) return atoi(text);
  }
  return 1;
}

#ifdef HAVE_MPI
#include <limits.h>
#include <mpi.h>

static int rank, count = 1;

bool cli_message_open(int *n, char ***word) {
  if (count_launched() == 1) return true;

  // a rank reads another's memory by itself: where that one has been killed, Open MPI ends both
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  if (MPI_Init(n, word) != MPI_SUCCESS) return false;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return true;
}

int cli_message_rank(void) {
  return rank;
}

int cli_message_count(void) {
  return count;
}

bool cli_message_send(int to, const void *bytes, size_t size) {
  return size <= INT_MAX &&
         MPI_Send(bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

bool cli_message_next(int *from, void *buffer, size_t room, size_t *size) {
  int there = 0, length = 0;
  MPI_Status s;

  // is there a message, of whom, and how long
  if (count == 1 || MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &s) != MPI_SUCCESS ||
      !there)
    return false;
  MPI_Get_count(&s, MPI_BYTE, &length);
  *from = s.MPI_SOURCE;
  *size = (size_t)length;

  // into the buffer; one that is longer is taken off the queue and dropped
  if ((size_t)length <= room)
    return MPI_Recv(buffer, length, MPI_BYTE, *from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
  void *spare = malloc((size_t)length);
  if (spare) MPI_Recv(spare, length, MPI_BYTE, *from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(spare);
  return false;
}

void cli_message_close(bool whole, int status) {
  if (count == 1) return;
  if (whole)
    MPI_Finalize();
  else
    MPI_Abort(MPI_COMM_WORLD, status);
}
#else
bool cli_message_open(int *n, char ***word) {
  (void)n;
  (void)word;
  return count_launched() == 1;
}

int cli_message_rank(void) {
  return 0;
}

int cli_message_count(void) {
  return 1;
}

bool cli_message_send(int to, const void *bytes, size_t size) {
  (void)to;
  (void)bytes;
  (void)size;
  return false;
}

bool cli_message_next(int *from, void *buffer, size_t room, size_t *size) {
  (void)from;
  (void)buffer;
  (void)room;
  (void)size;
  return false;
}

void cli_message_close(bool whole, int status) {
  (void)whole;
  (void)status;
}
#endif
