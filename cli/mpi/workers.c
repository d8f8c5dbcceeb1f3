#define _GNU_SOURCE // sched_getaffinity
#include "cli/mpi/workers.h"

#include "cli/console/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#endif

// precedes a result in the pipe
typedef struct label {
  int item;
  size_t size;
} label;

typedef struct team {
  const cli_crew *crew;
  int count;                     // number of children
  pid_t pid[CLI_WORKERS];        // 0: gone
  struct pollfd in[CLI_WORKERS]; // fd -1: closed
  atomic_int *next;              // next item, shared by all children
  void *result;                  // [max_bytes]
} team;

static int workers = 1;

// the number of processors available to this process
static int count_processors(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int cli_workers_set(int count) {
  if (count == 0) count = count_processors();
  if (count < 1) count = 1;
  workers = count < CLI_WORKERS ? count : CLI_WORKERS;
  return workers;
}

int cli_workers_count(void) {
  return workers;
}

static bool write_whole(int file, const void *bytes, size_t size) {
  for (const char *at = bytes; size;) {
    ssize_t n = write(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

static bool read_whole(int file, void *bytes, size_t size) {
  for (char *at = bytes; size;) {
    ssize_t n = read(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

// -- child process

// end with the parent, and ignore other signals
static void bind_child(pid_t parent) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(0);
}

// compute items until there are none or one fails; never returns, and flushes nothing
static void work_as_child(team *t, int out, pid_t parent) {
  const cli_crew *c = t->crew;
  bind_child(parent);
  workers = 1; // shares within an item are computed by this child alone
  for (int i = 0; i < t->count; i++) close(t->in[i].fd);
  for (int item; (item = atomic_fetch_add(t->next, 1)) < c->count;) {
    if (c->done[item]) continue;
    const label head = {.item = item, .size = c->work(c->worker, item, t->result)};
    if (!head.size || !write_whole(out, &head, sizeof head) ||
        !write_whole(out, t->result, head.size))
      break;
  }
  _exit(0);
}

// -- parent process

static bool start_child(team *t) {
  int ends[2];
  const pid_t parent = getpid();
  if (pipe(ends) != 0) return false;

  // the child keeps the write end
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    work_as_child(t, ends[1], parent);
  }

  // the parent keeps the read end
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return false;
  }
  t->pid[t->count] = pid;
  t->in[t->count] = (struct pollfd){.fd = ends[0], .events = POLLIN};
  t->count++;
  return true;
}

static void end_child(team *t, int i) {
  if (!t->pid[i]) return;
  close(t->in[i].fd);
  t->in[i].fd = -1;
  kill(t->pid[i], SIGKILL);
  while (waitpid(t->pid[i], NULL, 0) < 0 && errno == EINTR) continue;
  t->pid[i] = 0;
}

// read a result of child i; returns false if there are no more
static bool take_from_child(team *t, int i) {
  const cli_crew *c = t->crew;
  label head;
  if (!read_whole(t->in[i].fd, &head, sizeof head) || head.size > c->max_bytes ||
      !read_whole(t->in[i].fd, t->result, head.size))
    return false;
  c->take(c->self, head.item, t->result, head.size);
  return true;
}

// collect results until all children are done
static void hear_children(team *t) {
  enum { PATIENCE = 50 }; // ms between checks for an interrupt
  for (int left = t->count; left && !cli_interrupted();) {
    if (poll(t->in, (nfds_t)t->count, PATIENCE) <= 0) continue;
    for (int i = 0; i < t->count; i++) {
      if (t->in[i].fd < 0 || !t->in[i].revents || take_from_child(t, i)) continue;
      end_child(t, i);
      left--;
    }
  }
}

void cli_workers_run(const cli_crew *crew) {
  const int most = crew->count < workers ? crew->count : workers;
  if (most < 2) return;

  // the shared counter, and a result buffer that each child copies
  team t = {.crew = crew, .result = malloc(crew->max_bytes + 1)};
  void *shared =
      mmap(NULL, sizeof *t.next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t.result && shared != MAP_FAILED) {
    t.next = shared;
    atomic_init(t.next, 0);
    while (t.count < most && start_child(&t)) continue;
    hear_children(&t);
    for (int i = 0; i < t.count; i++) end_child(&t, i);
  }
  if (shared != MAP_FAILED) munmap(shared, sizeof *t.next);
  free(t.result);
}
