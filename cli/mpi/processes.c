#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "cli/mpi/processes.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 256 };

// what all of them see
typedef struct board {
  atomic_int next;      // the item that nobody has taken
  atomic_size_t size[]; // [count] bytes of results that are there; then the results
} board;

typedef struct crew {
  const cli_share *s;
  board *board;
  char *results; // [count x max_bytes]
  size_t bytes;  // of the board and the results
  bool *taken;   // [count]
  int left;      // items not taken
  int alive, count;
  pid_t pid[PROCESSES];
} crew;

int cli_processes_count(const cli_args *args, int *count) {
  char *end = NULL;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const long asked = args->threads ? strtol(args->threads, &end, 10) : processors;
  if (args->threads && (*end || end == args->threads || asked < 1 || asked > PROCESSES))
    return cli_fail(args, CLI_INPUT, "--threads: found '%.64s', expected a whole number in [1, %d]",
                    args->threads, PROCESSES);
  *count = asked < 1 ? 1 : (int)(asked < PROCESSES ? asked : PROCESSES);
  if (cli_work_count() > 1) *count = 1;
  return CLI_DONE;
}

static char *get_result(const crew *w, int item) {
  return w->results + (size_t)item * w->s->max_bytes;
}

// take items until there are none
static void compute_items(crew *w) {
  for (int i; (i = atomic_fetch_add(&w->board->next, 1)) < w->s->count && !cli_interrupted();) {
    if (w->s->skip && w->s->skip[i]) continue;
    atomic_store(&w->board->size[i], w->s->work(w->s->self, i, get_result(w, i)));
  }
}

// results that are there and were not taken
static void collect_results(crew *w) {
  for (int i = 0; i < w->s->count; i++) {
    const size_t size = atomic_load(&w->board->size[i]);
    if (w->taken[i] || !size) continue;
    w->taken[i] = true;
    w->left--;
    w->s->collect(w->s->self, i, 0, get_result(w, i), size);
  }
}

// one more process, or none where the machine has no room for it
static void start_process(crew *w) {
  const pid_t parent = getpid();
  pid_t pid = fork();
  if (pid > 0) w->pid[w->alive++] = pid;
  if (pid != 0) return;

  // it writes nothing, so that a signal may end it at once; alone it has nothing to do
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (getppid() == parent) compute_items(w);
  _exit(0);
}

// whether one of them still runs
static bool await_processes(crew *w) {
  for (int i = 0; i < w->alive;) {
    if (waitpid(w->pid[i], NULL, WNOHANG) == 0)
      i++;
    else
      w->pid[i] = w->pid[--w->alive];
  }
  return w->alive > 0;
}

static void run_crew(crew *w, int count) {
  // one item, or one process, needs no other
  for (int i = 0; i < count && count > 1 && w->left > 1; i++) start_process(w);
  if (!w->alive) compute_items(w);

  // results as they come; a wish to end is theirs as well
  while (await_processes(w)) {
    for (int i = 0; cli_interrupted() && i < w->alive; i++) kill(w->pid[i], SIGTERM);
    collect_results(w);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  collect_results(w);
}

dm_status cli_processes_share(const cli_share *s, int count) {
  const size_t items = (size_t)s->count;
  crew w = {.s = s};
  w.bytes = sizeof *w.board + items * (sizeof w.board->size[0] + s->max_bytes);
  w.taken = calloc(items + 1, sizeof *w.taken);
  for (int i = 0; i < s->count; i++) w.left += !(s->skip && s->skip[i]);

  // a board that all write to
  void *shared = mmap(NULL, w.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!w.taken || shared == MAP_FAILED) {
    free(w.taken);
    if (shared != MAP_FAILED) munmap(shared, w.bytes);
    return DM_NO_MEMORY;
  }
  w.board = shared;
  w.results = (char *)shared + sizeof *w.board + items * sizeof w.board->size[0];
  run_crew(&w, count < s->count ? count : s->count);
  munmap(shared, w.bytes);
  free(w.taken);
  return w.left ? DM_INTERRUPTED : DM_OK;
}
