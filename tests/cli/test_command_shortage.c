// tests/cli/test_command_shortage.c: commands whose calls fail, one a run: each allocation and each
// call of the file system of our own sources, once for each way of calls that leads to it. A command
// ends with its exit status, or says what it lacks; and the next one finds all in order.
#define _GNU_SOURCE
#include "tests/support/commands.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>

// -- calls that fail: the linker has those of this program come here (tests/meson.build)

enum { WAYS = 1 << 16, DEPTH = 40, CALLS = 1 << 17 };

static struct {
  bool counts;          // calls are looked at
  int at;               // of these the one that fails, from 1; 0: none
  int calls;            // so far
  int error;            // errno of what fails
  int n, fresh[CALLS];  // those that came by a way that none came before, as calls
  uint64_t known[WAYS]; // the ways, by their hash
  void *way[DEPTH];     // by which the one that failed came
  int depth;
  jmp_buf end; // of the command, where it is left
} fault;

// whether calls never came here by this way before
static bool is_new_way(void) {
  void *way[DEPTH];
  uint64_t hash = 1469598103934665603u;
  const int n = backtrace(way, DEPTH);
  for (int i = 0; i < n; i++) hash = (hash ^ (uintptr_t)way[i]) * 1099511628211u;
  hash += hash == 0;

  // an open table, which has room
  size_t at = hash % WAYS;
  while (fault.known[at] && fault.known[at] != hash) at = (at + 1) % WAYS;
  const bool is_new = !fault.known[at];
  fault.known[at] = hash;
  return is_new;
}

// whether this call is to fail
static bool strike(void) {
  if (!fault.counts) return false;
  fault.counts = false; // what is called from here does not count
  fault.calls++;
  if (fault.at == 0 && fault.n < CALLS && is_new_way()) fault.fresh[fault.n++] = fault.calls;
  const bool fails = fault.calls == fault.at;
  if (fails) fault.depth = backtrace(fault.way, DEPTH);
  if (fails) errno = fault.error;
  fault.counts = true;
  return fails;
}

static bool of_files; // calls of the file system fail, else allocations

#define WRAP(type, name, params, args, files, failed)                                              \
  type __real_##name params;                                                                       \
  type __wrap_##name params;                                                                       \
  type __wrap_##name params {                                                                      \
    return of_files == (files) && strike() ? (failed) : __real_##name args;                        \
  }
WRAP(void *, malloc, (size_t a), (a), false, NULL)
WRAP(void *, calloc, (size_t a, size_t b), (a, b), false, NULL)
WRAP(void *, realloc, (void *p, size_t a), (p, a), false, NULL)
WRAP(void *, aligned_alloc, (size_t a, size_t b), (a, b), false, NULL)
WRAP(char *, strdup, (const char *a), (a), false, NULL)
WRAP(FILE *, open_memstream, (char **a, size_t *b), (a, b), false, NULL)
WRAP(FILE *, fopen, (const char *a, const char *b), (a, b), true, NULL)
WRAP(FILE *, fdopen, (int a, const char *b), (a, b), true, NULL)
WRAP(int, mkdir, (const char *a, mode_t b), (a, b), true, -1)
WRAP(int, mkdirat, (int a, const char *b, mode_t c), (a, b, c), true, -1)
WRAP(int, rename, (const char *a, const char *b), (a, b), true, -1)
WRAP(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d), true, -1)
// a disk that is in no hurry
int __wrap_fsync(int file);
int __wrap_fsync(int file) {
  (void)file;
  return of_files && strike() ? -1 : 0;
}
WRAP(int, unlink, (const char *a), (a), true, -1)
WRAP(int, unlinkat, (int a, const char *b, int c), (a, b, c), true, -1)
WRAP(int, rmdir, (const char *a), (a), true, -1)
WRAP(int, stat, (const char *a, struct stat *b), (a, b), true, -1)
WRAP(int, lstat, (const char *a, struct stat *b), (a, b), true, -1)
WRAP(int, fstat, (int a, struct stat *b), (a, b), true, -1)
WRAP(int, fstatat, (int a, const char *b, struct stat *c, int d), (a, b, c, d), true, -1)
WRAP(int, access, (const char *a, int b), (a, b), true, -1)
WRAP(int, faccessat, (int a, const char *b, int c, int d), (a, b, c, d), true, -1)
WRAP(int, flock, (int a, int b), (a, b), true, -1)
WRAP(int, mkstemp, (char *a), (a), true, -1)
WRAP(FILE *, tmpfile, (void), (), true, NULL)
WRAP(DIR *, opendir, (const char *a), (a), true, NULL)
WRAP(DIR *, fdopendir, (int a), (a), true, NULL)
WRAP(char *, realpath, (const char *a, char *b), (a, b), true, NULL)

// with a mode where a file may be made
int __real_openat(int at, const char *name, int how, ...);
int __wrap_openat(int at, const char *name, int how, ...);
int __wrap_openat(int at, const char *name, int how, ...) {
  va_list list;
  va_start(list, how);
  const mode_t mode = how & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return of_files && strike() ? -1 : __real_openat(at, name, how, mode);
}

// a stream into memory has no file that could be full
int __real_fflush(FILE *f);
int __wrap_fflush(FILE *f);
int __wrap_fflush(FILE *f) {
  return of_files && f && fileno(f) >= 0 && strike() ? EOF : __real_fflush(f);
}

// where the program would end, the command does
void __wrap_cli_memory_end(void);
void __wrap_cli_memory_end(void) {
  fault.counts = false;
  longjmp(fault.end, 1);
}

// what a command leaves that is cut off so is no leak
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

// -- the commands, and the files that they read

#define PENDULUM                                                                                   \
  "model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 20}], mass: 1, centre: "    \
  "[0, 0, -1]}]}\n"
#define TASK                                                                                       \
  "horizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n"

static const struct {
  const char *name, *text;
} files[] = {
    {"task.yaml", PENDULUM TASK "feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccati}\n"
                                "verify: {samples: 2, seed: 1, spread: {q: 0.01, v: 0.01}, "
                                "tolerance: 0.5, required: 0, start: {q: {arm: 0.1}}}\n"},
    {"hard.yaml", PENDULUM TASK
     "outputs: [{name: tip, type: position, bodies: bob, points: [0, 0, -1]}]\n"
     "feedback: {Q: {q: 10, p: 1}, R: 1, rate: 100, hold: 0.2, delay: 1, "
     "estimator: {encoder: 1e-3, process: 1e-3}}\n"
     "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, tolerance: {state: 0.5, outputs: {tip: "
     "1}}, required: 0, plants: all, errors: {mass: 0.1}, noise: {torque: "
     "0.1}, encoders: {step: 1e-3}, friction: 0.1, sweep: {points: 2, "
     "samples: 1}, region: {directions: 2, halvings: 1, most: 1, rate: 0.5, confidence: 0.5, "
     "samples: 2}}\n"},
    {"soft.yaml", PENDULUM TASK
     "feedback: {Q: {q: 10, p: 1}, R: 1, tune: {tries: 2, seed: 3}}\n"
     "verify: {samples: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, criteria: [{vary: delay, "
     "to: 0.1, levels: 2}]}\n"},
    {"paper.yaml", PENDULUM TASK "feedback: {Q: {q: 10, p: 1}, R: 1}\nguess: rollout\n"},
    {"design.yaml",
     "model: {bodies: [{name: block, joints: [{name: x, type: tx, effort: 100}], mass: 2}], "
     "springs: [{name: s, joint: x, stiffness: 3}]}\n"
     "design: [{name: k, at: model.springs.0.stiffness, within: [0, 40]}]\n"
     "horizon: {steps: 6, time: 1.5}\nstart: {q: -1, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: "
     "1}\n"},
    {"phases.yaml",
     PENDULUM "start: {q: 0, v: 0}\ncost: {input: 1}\nphases:\n"
              "  - {name: up, horizon: {steps: 3, time: 0.5}}\n"
              "  - {name: down, horizon: {steps: 3, time: 0.5}, goal: {q: 1, v: 0}}\n"
              "feedback: {Q: {q: 10, p: 1}, R: 1, Qf: {q: 100, p: 1}}\n"
              "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, required: 0}\n"},
    {"second.yaml", PENDULUM TASK "transcription: second-order\n"
                                  "feedback: {Q: {q: 10, p: 1}, R: 1}\n"},
    {"flow.yaml",
     "model: {gravity: [0, 0, 0], bodies: [{name: point, joints: [{name: x, type: tx}], mass: "
     "1}]}\ninputs: [{joint: x}]\ntranscription: second-order\ncost: {input: 1}\n"
     "simulate: {steps: 3, step: 0.5, start: {q: 0, v: 1}}\n"},
    {"hoist.yaml",
     "model:\n  bodies:\n"
     "    - {name: load, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}\n"
     "    - {name: crane, joints: [{name: hook, type: tx, kinematic: true}]}\n"
     "  constraints: [{name: string, type: distance, bodies: [load, crane], length: 1}]\n"
     "simulate: {steps: 4, step: 0.01, start: {q: {z: -1}}}\n"
     "feedback: {Q: {q: {x: 10, hook: 1}, p: 1}, R: 1, measure: velocity}\n"
     "verify: {samples: 2, spread: {q: 0.05, v: 0.1}, tolerance: 0.05, required: 0}\n"},
    {"ball.yaml", "model:\n  bodies: [{name: ball, joints: [{name: z, type: tz}], mass: 1}]\n"
                  "  contacts: [{name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1], "
                  "restitution: 0.5}]\n"
                  "simulate: {steps: 30, step: 0.01, start: {q: {z: 0.1}}}\n"},
    {"swing.yaml", PENDULUM "horizon: {steps: 6, time: 2}\nstart: {q: 0, v: 0}\ngoal: {q: 4, v: "
                            "0}\ncost: {input: 1}\nstarts: {count: 3}\n"
                            "outputs: [{name: tip, type: position, bodies: bob, points: [0, 0, "
                            "-1]}]\nbounds: {outputs: {tip.z: [none, 2]}}\n"},
    {"fine.yaml", PENDULUM "horizon: {steps: 3, time: 1, error: 0.05}\nstart: {q: 0, v: 0}\ngoal: "
                           "{q: 1, v: 0}\ncost: {input: 1}\n"},
    {"past.yaml",
     "model: {bodies: [{name: hand, joints: [{name: x, type: tx, effort: 100}, {name: z, type: tz, "
     "effort: 100}], mass: 1}]}\n"
     "keep_out: {clearance: 0.01, shapes: [{name: ball, type: sphere, body: hand, radius: 0.1}, "
     "{name: post, type: sphere, point: [0.5, 0, 0.02], radius: 0.2}]}\n"
     "horizon: {steps: 9, time: 2, gap: none}\ncost: {input: 1}\n"
     "start: {q: {x: 0, z: 0}, v: 0}\ngoal: {q: {x: 1, z: 0}, v: 0}\n"},
    {"exported.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                               "feedback: {Q: {q: 10, p: 1}, R: 1, envelope: 0.3, rate_limit: 100, "
                               "integral: [arm]}\n"
                               "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, "
                               "required: 0, plants: exported, delay: 0.03}\n"},
    {"all.yaml",
     "model:\n"
     "  bodies: [{name: load, joints: [tx, ty, tz], mass: 0.5}, {name: arm, joints: [{name: a, "
     "type: "
     "ry}], mass: 1, centre: [0, 0, -1]}, {name: bob, joints: [tx, ty, tz], mass: 1}]\n"
     "  constraints: [{name: rod, type: distance, bodies: [load, world], length: 1}, {name: held, "
     "type: point, bodies: [bob, arm], points: [[0, 0, 1], [0, 0, 0]]}]\n"
     "  springs: [{name: hinge, joint: a, stiffness: 3}, {name: over, path: [{body: load}, {body: "
     "world, point: [2, 0, 0]}], stiffness: 20, rest: 1}]\n"
     "  dampers: [{name: oil, bodies: [load, arm], damping: 0.3}]\n"
     "  wrenches: [{name: wind, body: load, frame: mixed, force: [1, 2, 3]}]\n"
     "keep_out: {shapes: [{name: ball, type: sphere, body: load, radius: 0.1}, {name: crate, type: "
     "box, point: [9, 0, 0], size: [1, 1, 1]}]}\n"
     "simulate: {steps: 3, step: 0.01, start: {q: {load.tz: -1, bob.tz: -1}}}\n"},
    {"level.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                            "feedback: {Q: {q: 10, p: 1}, R: 1}\n"},
};

// in this order: each command may read the files of the one before
static const char *const lines[] = {
    "info hard.yaml",
    "eval hard.yaml --q 1 --v 1 --a 1 --output all --hessian",
    "check task.yaml",
    "optimize task.yaml -o way --json",
    "run task.yaml -o way --from way --threads 1",
    "gains way",
    "verify way --threads 1 --json",
    "export way --all --force",
    "linearize way --second",
    "report way -o way.html",
    "convert way --to mcap",
    "convert way --to npz",
    "convert way --to mujoco",
    "plot way --what moving -o way.svg",
    "run hard.yaml -o hard --threads 1",
    "sweep task.yaml --vary cost.input=1,2 --threads 1 -o cases --keep",
    "report cases -o cases.html",
    "tune soft.yaml --threads 1 -o tuned.yaml",
    "descend paper.yaml -o steep",
    "optimize design.yaml -o design",
    "check design.yaml",
    "check phases.yaml",
    "optimize swing.yaml -o swing --threads 1",
    "optimize fine.yaml -o fine",
    "optimize past.yaml -o past",
    "run exported.yaml -o exported --threads 1",
    "plot way -o way.svg",
    "plot cases --what order --y objective --against 1 -o order.svg",
    "plot way way --what difference -o difference.svg",
    "plot way --what frames -o frames.svg",
    "plot way --what path -o path.svg",
    "plot way --y q,u -o columns.svg",
    "simulate all.yaml -o all",
    "convert all --to mujoco",
    "run phases.yaml -o phases --threads 1",
    "report phases -o phases.html",
    "convert phases --to mcap",
    "run second.yaml -o second",
    "simulate flow.yaml -o flow",
    "run hoist.yaml -o hoist --threads 1",
    "simulate ball.yaml -o ball",
    "report ball -o ball.html",
    "convert ball --to mcap",
    "convert ball --to mujoco",
    "run level.yaml -o level",
};

// -- one of them

static int free_file; // the first that no command has opened

// a command that is left where memory runs out leaves its files open, and what it says unsaid
static int run_disturbed(const char *line, int at) {
  static char text[PROGRAM_LINE];
  static char *word[PROGRAM_WORDS];
  volatile int status = CLI_FAULT;
  snprintf(text, sizeof text, "%s", line);
  const int n = program_words(text, word);

  program_forget();
  cli_hush(NULL, 0);
  const int out = program_divert(stdout, ".out"), err = program_divert(stderr, ".err");
  fault.calls = 0;
  fault.at = at;
  if (setjmp(fault.end) == 0) {
    fault.counts = true;
    status = run_program(n, word);
  } else {
    fprintf(stderr, "out of memory\n");
  }
  fault.counts = false;
  program_restore(stdout, out, ".out", program_out);
  program_restore(stderr, err, ".err", program_said);
  for (int file = free_file; file < free_file + 64; file++) close(file);
  return status;
}

// A command ends as ever, or with a fault and a word of why; or where a finer grid fails
// alone, with the coarse one and that word. Whether it does not.
static bool is_wrong(const char *line, int usual, int at, int status) {
  const int expected = of_files ? CLI_INPUT : CLI_FAULT;
  const char *why = of_files ? "dmoc: " : "memory";
  const bool told = strstr(program_said, why) != NULL;
  const bool coarse = status == CLI_OUTCOME && strstr(program_said, "coarse: ");
  if (status == usual || (told && (status == expected || coarse))) return false;
  print_error("dmoc %s, call %d: exit status %d, expected %d or %d and '%s', found\n%s", line, at,
              status, usual, expected, why, program_said);
  backtrace_symbols_fd(fault.way, fault.depth, STDERR_FILENO);
  return true;
}

static int each = 1; // of its calls every so many

// how many of them it does not survive
static int try_line(const char *line) {
  int wrong = 0;
  fault.n = 0;
  const int usual = run_disturbed(line, 0);
  if (usual > CLI_OUTCOME) fail_msg("dmoc %s: %s", line, program_said);
  for (int i = 0; i < fault.n; i += each) {
    const int status = run_disturbed(line, fault.fresh[i]);
    wrong += is_wrong(line, usual, fault.fresh[i], status);
  }

  // nothing of that is in the way of the next
  const int again = program_run(line);
  if (again != usual) fail_msg("dmoc %s: exit status %d afterwards: %s", line, again, program_said);
  return wrong;
}

static void try_all(bool files_fail) {
  void *way[1];
  backtrace(way, 1); // loads what it needs
  of_files = files_fail;
  fault.error = files_fail ? EIO : ENOMEM;
  memset(fault.known, 0, sizeof fault.known);
  program_draws("cat >facts\necho a picture\necho '{\"lines\": [[\"order\", \"2\"]], \"found\": "
                "{\"orders\": [1]}}' >&3\n");
  free_file = dup(0);
  close(free_file);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    put_file(".", files[i].name, files[i].text);
  int wrong = 0;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) wrong += try_line(lines[i]);
  assert_int_equal(wrong, 0);
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  try_all(false);
}

static void each_call_of_the_file_system_may_fail(void **state) {
  (void)state;
  try_all(true);
}

// test_command_shortage [EACH]: of the calls of a command every EACH-th one, from the first on
int main(int argc, char **argv) {
  if (argc > 1) each = atoi(argv[1]);
  if (each < 1) return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(each_call_of_the_file_system_may_fail),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
