#include "cli/mpi/messages.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "config.h"
#include "lib/base/loaded_library.h"

#include <stdlib.h>

// the number of processes according to the launcher, before MPI_Init: variables of Open MPI, and of
// MPICH and its derivatives
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
#include <sched.h>
#include <string.h>
#include <time.h>

#ifdef OPEN_MPI
#define MPI_CONSTANTS(X) X(ompi_mpi_comm_world) X(ompi_mpi_byte) X(ompi_mpi_errors_return)
#define WORLD            ((MPI_Comm)(void *)mpi.ompi_mpi_comm_world)
#define BYTE             ((MPI_Datatype)(void *)mpi.ompi_mpi_byte)
#define ERRORS_RETURN    ((MPI_Errhandler)(void *)mpi.ompi_mpi_errors_return)
#else
#define MPI_CONSTANTS(X)
#define WORLD         MPI_COMM_WORLD
#define BYTE          MPI_BYTE
#define ERRORS_RETURN MPI_ERRORS_RETURN
#endif
#define MPI_SYMBOLS(X)                                                                             \
  X(MPI_Abort)                                                                                     \
  X(MPI_Comm_rank)                                                                                 \
  X(MPI_Comm_set_errhandler)                                                                       \
  X(MPI_Comm_size)                                                                                 \
  X(MPI_Finalize)                                                                                  \
  X(MPI_Get_count)                                                                                 \
  X(MPI_Init)                                                                                      \
  X(MPI_Iprobe)                                                                                    \
  X(MPI_Irecv)                                                                                     \
  X(MPI_Isend)                                                                                     \
  X(MPI_Test)                                                                                      \
  MPI_CONSTANTS(X)
DM_LOADED_LIBRARY(mpi, MPI_FILE, MPI_SYMBOLS)

static int rank, count = 1;
static bool stuck; // a message failed: no more are exchanged

bool cli_message_open(int *n, char ***word) {
  if (count_launched() == 1) return true;
  if (!mpi_load()) return false;

  // single-copy transfers read the memory of other processes: if one is killed, Open MPI ends both
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  if (mpi.MPI_Init(n, word) != MPI_SUCCESS) return false;
  mpi.MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN);
  mpi.MPI_Comm_rank(WORLD, &rank);
  mpi.MPI_Comm_size(WORLD, &count);
  return true;
}

int cli_message_rank(void) {
  return rank;
}

int cli_message_count(void) {
  return count;
}

// Wait until a message is complete; returns false after an interrupt if the other side makes no
// progress.
//
// The rest of a long message never arrives from a rank that was killed while sending. MPI still
// refers to the buffer, which is therefore never freed, and no further messages are exchanged.
static bool complete_message(MPI_Request *request) {
  enum { LOOKS = 100 }; // immediately, then at ten thousand polls per second
  double interrupted = 0;
  for (int through = 0, looks = 0;; looks++) {
    if (mpi.MPI_Test(request, &through, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (through) return true;

    // 0.05 s: launchers kill processes soon after interrupting them
    if (cli_interrupted() && interrupted == 0) interrupted = cli_clock();
    if (interrupted > 0 && cli_clock() - interrupted > 0.05) {
      stuck = true;
      return false;
    }
    if (looks < LOOKS)
      sched_yield();
    else
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
}

// pending messages: MPI completes a send only when the receiver polls, and receivers are busy
// computing
enum { UNDER_WAY = 64 };
static struct {
  MPI_Request request;
  void *copy;
} sent[UNDER_WAY];
static int nsent;

// release completed messages
static void forget_sent(void) {
  int kept = 0;
  for (int i = 0; i < nsent && !stuck; i++) {
    int through = 0;
    mpi.MPI_Test(&sent[i].request, &through, MPI_STATUS_IGNORE);
    if (through)
      free(sent[i].copy);
    else
      sent[kept++] = sent[i];
  }
  if (!stuck) nsent = kept;
}

bool cli_message_send(int to, const void *bytes, size_t size) {
  forget_sent();
  if (nsent == UNDER_WAY && complete_message(&sent[0].request)) forget_sent();
  if (stuck || nsent == UNDER_WAY || size > INT_MAX) return false;

  // a copy, kept until the send completes
  void *copy = malloc(size + 1);
  if (!copy) return false;
  memcpy(copy, bytes, size);
  if (mpi.MPI_Isend(copy, (int)size, BYTE, to, 0, WORLD, &sent[nsent].request) != MPI_SUCCESS) {
    free(copy);
    return false;
  }
  sent[nsent].copy = copy;
  nsent++;
  return true;
}

bool cli_message_next(int *from, void *buffer, size_t room, size_t *size) {
  int there = 0, length = 0;
  MPI_Status s;
  forget_sent();

  // probe for a message: source and length
  if (count == 1 || stuck || mpi.MPI_Iprobe(MPI_ANY_SOURCE, 0, WORLD, &there, &s) != MPI_SUCCESS ||
      !there)
    return false;
  mpi.MPI_Get_count(&s, BYTE, &length);
  *from = s.MPI_SOURCE;
  *size = (size_t)length;

  // receive it, whatever its length
  MPI_Request request;
  void *copy = malloc((size_t)length + 1);
  bool come = copy && mpi.MPI_Irecv(copy, length, BYTE, *from, 0, WORLD, &request) == MPI_SUCCESS &&
              complete_message(&request);

  // drop it if it exceeds the buffer
  bool fits = come && *size <= room;
  if (fits) memcpy(buffer, copy, *size);
  if (!stuck) free(copy);
  return fits;
}

void cli_message_close(bool whole, int status) {
  if (count == 1) return;
  for (int i = 0; whole && i < nsent && !stuck; i++) complete_message(&sent[i].request);
  forget_sent();
  if (whole)
    mpi.MPI_Finalize();
  else
    mpi.MPI_Abort(WORLD, status);
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
