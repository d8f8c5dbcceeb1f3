#define _XOPEN_SOURCE 700 // setitimer
#include "cli/console/interrupt.h"

#include "cli/console/answer.h"
#include "cli/console/command.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATHS = 96, PATH = 1200, TICK_US = 25000 };

// how long to wait after a first signal, by cli_worth: s of processor time, and timer ticks
static const struct {
  double time;
  int ticks;
} patience[CLI_ALL] = {[CLI_BRIEF] = {0.1, 40}, [CLI_SOON] = {10, 800}};

// the only data that the signal handler may use
static volatile sig_atomic_t interrupted, worth, child, ticks;
// Any thread may handle a signal, also threads of libraries, whose signal masks we do not control:
// critical sections set `waiting`, and a signal during them is kept.
static volatile sig_atomic_t waiting, kept;
static double began; // processor time at the first signal
static struct {
  char name[PATH];
  volatile sig_atomic_t taken;
} path[PATHS];
static char sentence[1300] = "interrupted";
static const char *_Atomic promise;
static cli_worth lowest;

// write a text, or as much as the file accepts; safe in a signal handler
static void put_text(int file, const char *text) {
  size_t left = strlen(text);
  while (left) {
    ssize_t n = write(file, text, left);
    if (n <= 0) return;
    text += n;
    left -= (size_t)n;
  }
}

// write a line to stderr, after clearing progress on a terminal; keeps errno
static void put_line(const char *text) {
  const int error = errno;
  if (isatty(STDERR_FILENO)) put_text(STDERR_FILENO, "\r\033[K");
  put_text(STDERR_FILENO, "dmoc: ");
  put_text(STDERR_FILENO, text);
  put_text(STDERR_FILENO, "\n");
  errno = error;
}

// calls only functions that are safe in a signal handler
void cli_interrupt_leave(const char *why, const char *answer, int exit_status) {
  static atomic_flag leaving = ATOMIC_FLAG_INIT; // another thread may be leaving already

  if (atomic_flag_test_and_set(&leaving)) return;

  // end the drawing child, then remove files, then their folders
  if (child > 0 && kill((pid_t)child, SIGKILL) == 0) waitpid((pid_t)child, NULL, 0);
  for (int i = 0; i < PATHS; i++)
    if (path[i].taken) unlink(path[i].name);
  for (int i = 0; i < 2 * PATHS; i++)
    if (path[i % PATHS].taken) rmdir(path[i % PATHS].name); // two passes, so that folders are empty

  // the reason on a separate line, and the answer if JSON was requested
  put_line(why);
  if (answer) {
    put_text(STDOUT_FILENO, answer);
    put_text(STDOUT_FILENO, "\n");
  }
  _exit(exit_status);
}

static void leave_at_once(void) {
  cli_interrupt_leave(sentence, cli_answer_prepared(), CLI_OUTCOME);
}

// of this process, s
static double read_processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take_signal(int signal) {
  bool again = interrupted;

  // critical sections keep the signal until their end
  if (waiting) {
    kept = signal;
    return;
  }

  // a second signal, or one with nothing to lose, ends the program
  interrupted = 1;
  if (again || worth == CLI_NOTHING) leave_at_once();
  const char *answer = promise;
  if (answer) put_line(answer);
  if (worth == CLI_ALL) return;

  // check periodically whether the work has ended
  const struct timeval tick = {.tv_usec = TICK_US};
  began = read_processor_time();
  setitimer(ITIMER_REAL, &(struct itimerval){tick, tick}, NULL);
}

// end the program if the work did not end soon enough, in processor time and in ticks
static void take_tick(int signal) {
  const int kind = (int)worth;
  (void)signal;
  ticks = ticks + 1;
  if (waiting || kind == CLI_ALL) return;
  if (read_processor_time() - began > patience[kind].time || ticks > patience[kind].ticks)
    leave_at_once();
}

// both signals and the timer; none interrupts the handler of another
static sigset_t list_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGALRM);
  return set;
}

void cli_interrupt_catch(void) {
  struct sigaction act = {
      .sa_handler = take_signal, .sa_mask = list_signals(), .sa_flags = SA_RESTART};
  struct sigaction late = {
      .sa_handler = take_tick, .sa_mask = list_signals(), .sa_flags = SA_RESTART};
  cli_interrupt_sentence(sentence); // before the first signal
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGALRM, &late, NULL);
}

bool cli_interrupted(void) {
  return interrupted;
}

bool cli_interrupt_asked(void *user) {
  (void)user;
  return interrupted;
}

cli_worth cli_interrupt_worth(cli_worth now) {
  cli_worth was = (cli_worth)worth;
  worth = (sig_atomic_t)(now > lowest ? now : lowest);
  if (interrupted && worth == CLI_NOTHING) leave_at_once();
  return was;
}

void cli_interrupt_minimum(cli_worth least) {
  lowest = least;
  cli_interrupt_worth((cli_worth)worth);
}

void cli_interrupt_wait(bool wait) {
  sigset_t set = list_signals();

  // block signals until the last critical section ends
  if (wait) {
    sigprocmask(SIG_BLOCK, &set, NULL);
    waiting = waiting + 1;
    return;
  }
  waiting = waiting - 1;
  if (waiting) return;
  sigprocmask(SIG_UNBLOCK, &set, NULL);

  // deliver a signal kept meanwhile
  int signal = kept;
  kept = 0;
  if (signal) raise(signal);
}

void cli_interrupt_sentence(const char *text) {
  cli_interrupt_wait(true);
  if (text != sentence) snprintf(sentence, sizeof sentence, "%s", text);
  cli_answer_prepare(sentence);
  cli_interrupt_wait(false);
}

void cli_interrupt_promise(const char *text) {
  promise = text;
}

void cli_interrupt_removes(const char *name) {
  // use the first free entry; without a free entry the file remains, which is harmless
  for (int i = 0; i < PATHS; i++)
    if (!path[i].taken && strlen(name) < PATH) {
      memcpy(path[i].name, name, strlen(name) + 1);
      path[i].taken = 1;
      return;
    }
}

void cli_interrupt_spares(const char *name) {
  for (int i = 0; i < PATHS; i++)
    if (path[i].taken && !strcmp(path[i].name, name)) path[i].taken = 0;
}

void cli_interrupt_ends(pid_t process) {
  child = (sig_atomic_t)process;
}
