#include "cli/mpi/messages.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "config.h"

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

static int rank, count = 1;
static bool stuck; // a message failed: no more are exchanged

bool cli_message_open(int *n, char ***word) {
  if (count_launched() == 1) return true;

  // single-copy transfers read the memory of other processes: if one is killed, Open MPI ends both
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

// Wait until a message is complete; returns false after an interrupt if the other side makes no
// progress.
//
// The rest of a long message never arrives from a rank that was killed while sending. MPI still
// refers to the buffer, which is therefore never freed, and no further messages are exchanged.
static bool complete_message(MPI_Request *request) {
  enum { LOOKS = 100 }; // immediately, then at ten thousand polls per second
  double interrupted = 0;
  for (int through = 0, looks = 0;; looks++) {
    if (MPI_Test(request, &through, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
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
    MPI_Test(&sent[i].request, &through, MPI_STATUS_IGNORE);
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
  if (MPI_Isend(copy, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sent[nsent].request) !=
      MPI_SUCCESS) {
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
  if (count == 1 || stuck ||
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &s) != MPI_SUCCESS || !there)
    return false;
  MPI_Get_count(&s, MPI_BYTE, &length);
  *from = s.MPI_SOURCE;
  *size = (size_t)length;

  // receive it, whatever its length
  MPI_Request request;
  void *copy = malloc((size_t)length + 1);
  bool come =
      copy &&
      MPI_Irecv(copy, length, MPI_BYTE, *from, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
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
