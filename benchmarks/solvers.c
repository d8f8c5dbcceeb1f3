// The stage solver, IPOPT, and their combination (`auto`) on random tasks: the worked problems,
// first unchanged and then with other ends, times, limits, grids and guesses; a third of them are
// hard or infeasible.
//
//   solvers [COUNT [SEED [FIRST]]]    prints statuses against each other, objectives, iterations,
//                                     processor time; a line for each task goes to stderr
#include "benchmarks/bench.h"
#include "optim/interior/hand_over.h"
#include "optim/interior/interior.h"
#include "problems/readers/task/problem.h"
#include "tests/support/models.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT_DEFAULT = 2000, MOST_COORDS = 64, MOST_ITERATIONS = 500, STATUSES = 6 };

static const char *const files[] = {
    "problems/pendulum/swing-up.yaml",        "problems/pendulum/bounded.yaml",
    "problems/cart-pole/swing-up.yaml",       "problems/cart-pole/minimum-time.yaml",
    "problems/cart-pole/headroom.yaml",       "problems/acrobot/swing-up.yaml",
    "problems/pendubot/swing-up.yaml",        "problems/quadrotor/sidestep.yaml",
    "problems/quadrotor/flip.yaml",           "problems/quadrotor/flip-3d.yaml",
    "problems/six-axis-arm/reach.yaml",       "problems/four-bar/turn.yaml",
    "problems/two-string-load/servo.yaml",    "problems/two-string-load/winches.yaml",
    "problems/satellite/reorient.yaml",       "problems/series-elastic/lift.yaml",
    "problems/series-elastic/swing-up.yaml",  "problems/two-link/swing-up.yaml",
    "problems/acrobot/second-order.yaml",     "problems/cart-pole/second-order.yaml",
    "problems/six-axis-arm/second-order.yaml"};
enum { FILES = sizeof files / sizeof *files };

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// uniform in [low, high]
static double draw(uint64_t *seed, double low, double high) {
  return low + (high - low) * 0.5 * (1 + models_random(seed));
}

typedef struct outcome {
  dm_status status;
  double objective, seconds, violation;
  int iterations;
} outcome;

enum { BY_IPOPT, BY_STAGE, BY_AUTO, SOLVERS };

typedef struct totals {          // IPOPT compared with another solver
  int table[STATUSES][STATUSES]; // status of IPOPT, of the other
  int both, same, lower,
      higher; // solved by both: objectives within 1e-8, the other's lower, higher
  int iterations[2];
  double seconds[2], solved_seconds[2];
} totals;

// -- a task

// a file's task with other ends, time and limits
typedef struct variant {
  oc_task task;
  double q_start[MOST_COORDS], q_goal[MOST_COORDS], v_goal[MOST_COORDS];
  double u_min[MOST_COORDS], u_max[MOST_COORDS];
  double noise; // of the guess
} variant;

static const double *shift(uint64_t *seed, const double *from, int n, double by, double *to) {
  if (!from) return NULL;
  for (int i = 0; i < n; i++) to[i] = from[i] + by * models_random(seed);
  return to;
}

static const double *stretch(const double *from, int n, double by, double *to) {
  if (!from) return NULL;
  for (int i = 0; i < n; i++) to[i] = from[i] * by;
  return to;
}

static void vary_task(variant *v, const oc_task *task, uint64_t seed, bool hard) {
  const int n = task->system.L.nq;
  v->task = *task;
  v->noise = 0;
  if (seed == 0) return;
  const double by = hard ? 1 : 0.3;
  v->task.N = (int)draw(&seed, 8, 60);
  v->task.start.q = shift(&seed, task->start.q, n, 0.2 * by, v->q_start);
  v->task.goal.q = shift(&seed, task->goal.q, n, by, v->q_goal);
  v->task.goal.v = shift(&seed, task->goal.v, n, hard ? 0.5 : 0, v->v_goal);
  v->task.time.T *= hard ? draw(&seed, 0.3, 1) : draw(&seed, 0.8, 1.5);

  // forces limited as in the file, scaled
  const double strength = hard ? draw(&seed, 0.2, 1) : draw(&seed, 0.8, 1.5);
  v->task.bounds[OC_U].low = stretch(task->bounds[OC_U].low, task->system.nu, strength, v->u_min);
  v->task.bounds[OC_U].high = stretch(task->bounds[OC_U].high, task->system.nu, strength, v->u_max);
  v->noise = draw(&seed, 0, hard ? 1 : 0.2);
  // references belong to the file's grid
  v->task.cost[OC_Q].reference = v->task.cost[OC_V].reference = v->task.cost[OC_P].reference =
      v->task.cost[OC_U].reference = NULL;
}

// -- solving

typedef struct program {
  oc_transcription *first;
  oc_torque_transcription *second;
  const oc_nlp *nlp;
  double *guess, *x;
  oc_point point;
  double rounding;
} program;

static bool make_program(program *w, const pb_problem *p, const oc_task *task) {
  dm_message msg;
  dm_status s = p->transcription.second
                    ? oc_torque_transcription_new(&w->second, task, &p->transcription.action, &msg)
                    : oc_transcription_new(&w->first, task, &msg);
  if (s != DM_OK) return false;
  w->nlp = w->second ? oc_torque_transcription_nlp(w->second) : oc_transcription_nlp(w->first);
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  w->guess = calloc(4 * n + m, sizeof *w->guess);
  w->x = w->guess + n;
  w->point = (oc_point){w->x, w->x + 3 * n, w->x + n, w->x + 2 * n};
  return w->guess != NULL;
}

static void free_program(program *w) {
  oc_transcription_free(w->first);
  oc_torque_transcription_free(w->second);
  free(w->guess);
}

// the file's guess on the variant's grid, with noise
static bool make_guess(program *w, const pb_problem *p, const variant *v, uint64_t seed) {
  dm_trajectory *x, *guess;
  if (w->second) {
    oc_torque_transcription_cubic(w->second, w->guess);
    oc_torque_transcription_clip(w->second, w->guess);
    w->rounding = 0;
    oc_torque_transcription_rounding(w->second, w->guess, NULL, &w->rounding);
  } else {
    if (pb_problem_guess(p, &guess) < 0) return false;
    if (dm_trajectory_of(&x, v->task.N, &v->task.system) < 0) return false;
    x->h = oc_task_step(&v->task);
    oc_guess_resample(&v->task, guess, x);
    oc_transcription_pack(w->first, x, w->guess);
    dm_trajectory_free(x);
    dm_trajectory_free(guess);
  }
  for (int j = 0; j < w->nlp->n; j++) {
    double at = w->guess[j] + v->noise * models_random(&seed);
    w->guess[j] = fmin(fmax(at, w->nlp->x_min[j]), w->nlp->x_max[j]);
  }
  return true;
}

static outcome solve_program(program *w, int by) {
  static dm_status (*const solvers[SOLVERS])(const oc_nlp *, const oc_options *, const oc_hooks *,
                                             oc_point *, oc_iterate *, int, oc_ipopt_info *) = {
      oc_ipopt_solve, oc_interior_solve, oc_hand_over_solve};
  const size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  oc_options set = oc_options_default();
  oc_ipopt_info info;
  set.max_iter = MOST_ITERATIONS;
  set.program.rounding = w->rounding;
  memcpy(w->x, w->guess, n * sizeof *w->x);
  memset(w->x + n, 0, (2 * n + m) * sizeof *w->x);
  double begun = processor_time();
  dm_status s = solvers[by](w->nlp, &set, NULL, &w->point, NULL, 0, &info);
  return (outcome){s, info.objective, processor_time() - begun, info.max_violation,
                   info.iterations};
}

// -- counting

static const char *const words[STATUSES] = {"solved",  "acceptable", "infeasible",
                                            "stalled", "limit",      "failed"};

static int place_of(dm_status s) {
  static const dm_status known[] = {DM_OK, DM_ACCEPTABLE, DM_INFEASIBLE, DM_STALLED, DM_MAX_ITER};
  for (int i = 0; i < 5; i++)
    if (known[i] == s) return i;
  return 5;
}

static void count_outcomes(totals *t, outcome ipopt, outcome other) {
  const outcome o[2] = {ipopt, other};
  t->table[place_of(o[0].status)][place_of(o[1].status)]++;
  for (int i = 0; i < 2; i++) {
    t->iterations[i] += o[i].iterations;
    t->seconds[i] += o[i].seconds;
  }
  if (o[0].status != DM_OK || o[1].status != DM_OK) return;
  double off = (o[1].objective - o[0].objective) / fmax(1, fabs(o[0].objective));
  t->both++;
  t->same += fabs(off) <= 1e-8;
  t->lower += off < -1e-8;
  t->higher += off > 1e-8;
  for (int i = 0; i < 2; i++) t->solved_seconds[i] += o[i].seconds;
}

static void print_totals(const totals *t, const char *other) {
  printf("ipopt \\ %-5s", other);
  for (int j = 0; j < STATUSES; j++) printf(" %10s", words[j]);
  printf("\n");
  for (int i = 0; i < STATUSES; i++) {
    printf("%-13s", words[i]);
    for (int j = 0; j < STATUSES; j++) printf(" %10d", t->table[i][j]);
    printf("\n");
  }
  printf("solved by both %d: objectives within 1e-8 %d, %s lower %d, higher %d\n", t->both, t->same,
         other, t->lower, t->higher);
  printf("iterations: ipopt %d, %s %d\n", t->iterations[0], other, t->iterations[1]);
  printf("processor time: ipopt %.2f s, %s %.2f s; of those solved by both %.2f s, %.2f s\n",
         t->seconds[0], other, t->seconds[1], t->solved_seconds[0], t->solved_seconds[1]);
}

static void print_task(int i, const variant *v, bool hard, const outcome o[SOLVERS]) {
  fprintf(stderr, "%4d %-38s N %3d %s ", i, files[i % FILES] + 9, v->task.N,
          hard ? "hard" : "    ");
  for (int k = 0; k < SOLVERS; k++)
    fprintf(stderr, " %-10s %.10g %.1e %d %.1f ms", words[place_of(o[k].status)], o[k].objective,
            o[k].violation, o[k].iterations, 1e3 * o[k].seconds);
  fprintf(stderr, "\n");
}

// solve one task with all solvers, counted in t[BY_STAGE] and t[BY_AUTO]; returns false if there is
// no program
static bool compare_task(int i, uint64_t seed, totals t[SOLVERS]) {
  char path[1024];
  dm_message msg;
  pb_problem *p;
  program w = {0};
  static variant v;
  snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, files[i % FILES]);
  dm_status s = pb_problem_read(&p, path, &msg);
  bench_need(s, s == DM_OK ? "" : msg.text);

  uint64_t own = i < FILES ? 0 : seed + 1000003u * (uint64_t)i;
  bool hard = i >= FILES && i / FILES % 3 == 0;
  vary_task(&v, &p->task, own, hard);
  bool made = make_program(&w, p, &v.task) && make_guess(&w, p, &v, own + 1);
  if (made) {
    outcome o[SOLVERS];
    for (int k = 0; k < BY_AUTO; k++) o[k] = solve_program(&w, k);
    // `auto` equals the stage solver if that succeeds
    bool solved = o[BY_STAGE].status == DM_OK || o[BY_STAGE].status == DM_ACCEPTABLE;
    o[BY_AUTO] = solved ? o[BY_STAGE] : solve_program(&w, BY_AUTO);
    print_task(i, &v, hard, o);
    for (int k = BY_STAGE; k < SOLVERS; k++) count_outcomes(t + k, o[BY_IPOPT], o[k]);
  }
  free_program(&w);
  pb_problem_free(p);
  return made;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : COUNT_DEFAULT, first = argc > 3 ? atoi(argv[3]) : 0;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static totals t[SOLVERS];
  int made = 0;
  openblas_set_num_threads(1);
  for (int i = first; i < first + count; i++) made += compare_task(i, seed, t);
  printf("%d tasks of %d, seed %llu\n", made, count, (unsigned long long)seed);
  print_totals(t + BY_STAGE, "stage");
  print_totals(t + BY_AUTO, "auto");
  return 0;
}
