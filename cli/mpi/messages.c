#include "cli/mpi/messages.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
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
#include <sched.h>
#include <string.h>
#include <time.h>

static int rank, count = 1;
static bool stuck; // a message did not get through: no more are exchanged

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

// until a message is through; false where an interrupt has come and the other side does not move
//
// The rest of a long message never comes from a rank that was killed while it sent. MPI then still
// knows the buffer, which is why it is never freed, and no message is exchanged any more.
static bool complete_message(MPI_Request *request) {
  enum { LOOKS = 100 }; // at once, then ten thousand a second
  double interrupted = 0;
  for (int through = 0, looks = 0;; looks++) {
    if (MPI_Test(request, &through, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (through) return true;

    // 0.05 s: a launcher kills soon after it has interrupted
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

// what is under way to others: MPI says that it is through when the other side has looked, and that
// side computes meanwhile
enum { UNDER_WAY = 64 };
static struct {
  MPI_Request request;
  void *copy;
} sent[UNDER_WAY];
static int nsent;

// those that are through
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

  // a copy, which stays until it is through
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

  // is there a message, of whom, and how long
  if (count == 1 || stuck ||
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &s) != MPI_SUCCESS || !there)
    return false;
  MPI_Get_count(&s, MPI_BYTE, &length);
  *from = s.MPI_SOURCE;
  *size = (size_t)length;

  // taken off the queue, whatever its length
  MPI_Request request;
  void *copy = malloc((size_t)length + 1);
  bool come =
      copy &&
      MPI_Irecv(copy, length, MPI_BYTE, *from, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
      complete_message(&request);

  // one that is longer than the buffer is dropped
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
