// Complete solves of problem files by IPOPT and by the stage solver, and the function evaluations
// they consist of.
#include "benchmarks/figures.h"
#include "optim/interior/interior.h"
#include "optim/nlp/ipopt.h"
#include "optim/program/transcribe.h"
#include "optim/solver.h"
#include "problems/readers/task/problem.h"
#include "tests/support/models.h"

enum { RUNS = 9, MOST = 64 }; // MOST coordinates

static const struct {
  const char *name, *file;
} rows[] = {
    {"cart-pole.N100", "benchmarks/cart-pole-100.yaml"},
    {"cart-pole.N500", "benchmarks/cart-pole-500.yaml"},
    {"cart-pole.N2000", "benchmarks/cart-pole-2000.yaml"},
    {"cart-pole.N10000", "benchmarks/cart-pole-10000.yaml"},
    {"pendulum.N100", "problems/pendulum/swing-up.yaml"},
    {"pendulum-bounded.N100", "problems/pendulum/bounded.yaml"},
    {"acrobot.N100", "problems/acrobot/swing-up.yaml"},
    {"pendubot.N100", "problems/pendubot/swing-up.yaml"},
    {"six-axis-arm.N100", "problems/six-axis-arm/reach.yaml"},
    {"six-axis-arm-second.N100", "problems/six-axis-arm/second-order.yaml"},
};

typedef struct program {
  const oc_nlp *nlp;
  double *x, *out, *lambda;
} program;

// move the point before each call, because a program may cache its last one
static void move_point(program *p) {
  p->x[p->nlp->n / 2] += 1e-12;
}

static void evaluate_rows(void *self) {
  program *p = self;
  move_point(p);
  bench_need(p->nlp->g(p->nlp->self, p->x, p->out), "the rows");
}

static void evaluate_jacobian(void *self) {
  program *p = self;
  move_point(p);
  bench_need(p->nlp->jac(p->nlp->self, p->x, &(oc_triplets){.val = p->out}), "the Jacobian");
}

static void evaluate_hessian(void *self) {
  program *p = self;
  move_point(p);
  bench_need(p->nlp->hess(p->nlp->self, p->x, 1, p->lambda, &(oc_triplets){.val = p->out}),
             "the Hessian");
}

static const struct {
  const char *name;
  void (*call)(void *);
} evaluations[] = {{"rows_us", evaluate_rows},
                   {"jacobian_us", evaluate_jacobian},
                   {"hessian_us", evaluate_hessian}};

// solvers, and prefixes of their figures
static const struct solver {
  const char *prefix;
  dm_status (*solve)(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                     oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);
} solvers[] = {{"", oc_ipopt_solve}, {"stage_", oc_interior_solve}};

static void print_row(const char *row, const char *what, double value, const char *unit) {
  char name[96];
  snprintf(name, sizeof name, "%s.%s", row, what);
  bench_print(name, value, unit);
}

// read a problem file in the source tree
static pb_problem *read_problem(const char *file) {
  pb_problem *problem;
  dm_message msg;
  char path[512];
  snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, file);
  dm_status s = pb_problem_read(&problem, path, &msg);
  bench_need(s, s == DM_OK ? "" : msg.text);
  return problem;
}

// memory for a point of the program, and for its longest list of values
static program make_program(const oc_nlp *nlp) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m, longest = n + m;
  if ((size_t)nlp->jac_nnz > longest) longest = (size_t)nlp->jac_nnz;
  if ((size_t)nlp->hess_nnz > longest) longest = (size_t)nlp->hess_nnz;
  return (program){nlp, calloc(n, sizeof(double)), calloc(longest, sizeof(double)),
                   calloc(m, sizeof(double))};
}

// the program of a problem, first-order or by torques
typedef struct task_program {
  pb_problem *problem;
  oc_transcription *t;
  oc_torque_transcription *torque;
  dm_trajectory *guess;
  program p;
} task_program;

static task_program make_task(const char *file) {
  task_program w = {.problem = read_problem(file)};
  const oc_task *task = &w.problem->task;
  dm_message msg;
  bench_need(
      w.problem->transcription.second
          ? oc_torque_transcription_new(&w.torque, task, &w.problem->transcription.action, &msg)
          : oc_transcription_new(&w.t, task, &msg),
      "a program");
  w.p = make_program(w.torque ? oc_torque_transcription_nlp(w.torque) : oc_transcription_nlp(w.t));
  bench_need(pb_problem_guess(w.problem, &w.guess), "a guess");
  return w;
}

static void free_task(task_program *w) {
  dm_trajectory_free(w->guess);
  free(w->p.x);
  free(w->p.out);
  free(w->p.lambda);
  oc_torque_transcription_free(w->torque);
  oc_transcription_free(w->t);
  pb_problem_free(w->problem);
}

// set the initial point, and the rounding error of the gradient
static void start_solve(task_program *w, oc_options *set) {
  double *x = w->p.x;
  if (w->t) oc_transcription_pack(w->t, w->guess, x);
  if (!w->torque) return;
  oc_torque_transcription_cubic(w->torque, x);
  oc_torque_transcription_clip(w->torque, x);
  bench_need(oc_torque_transcription_rounding(w->torque, x, NULL, &set->program.rounding),
             "its rounding");
}

// time solves from the guess with one solver
static void time_solves(const char *name, task_program *w, const struct solver *by) {
  const size_t n = (size_t)w->p.nlp->n;
  oc_point point = {w->p.x, w->p.lambda, calloc(n, sizeof(double)), calloc(n, sizeof(double))};
  oc_options set = oc_options_default();
  oc_ipopt_info info;
  double ms = INFINITY, share = 0;
  char what[64];
  for (int r = 0; r < RUNS; r++) {
    start_solve(w, &set);
    double begun = bench_now();
    bench_need(by->solve(w->p.nlp, &set, NULL, &point, NULL, 0, &info), name);
    double took = 1e3 * (bench_now() - begun);
    if (took > ms) continue;
    ms = took;
    share = info.derivatives_s / info.total_s;
  }
  free(point.z_l);
  free(point.z_u);

  const struct {
    const char *what, *unit;
    double value;
  } figures[] = {{"solve_ms", "ms", ms},
                 {"iterations", "iterations", info.iterations},
                 {"derivative_share", "of the solve", share}};
  for (int i = 0; i < COUNT(figures); i++) {
    snprintf(what, sizeof what, "%s%s", by->prefix, figures[i].what);
    print_row(name, what, figures[i].value, figures[i].unit);
  }
}

// Solves in one workspace (optim/solver.h): again, and from a start 0.01 off in its first coordinate and back.
static void time_continued_solves(const char *name, const char *file) {
  pb_problem *p = read_problem(file);
  const int n = p->task.system.L.nq;
  double q[2][MOST] = {{0}}, least[3] = {INFINITY, INFINITY, INFINITY};
  int most = 0;
  oc_solver *s;
  dm_trajectory *guess;
  dm_message msg;
  oc_setup set = oc_setup_default();
  if (p->transcription.second || !p->task.start.q || n > MOST) {
    pb_problem_free(p);
    return;
  }
  bench_need(pb_problem_guess(p, &guess), "its guess");
  set.options = p->options;
  set.guess = guess;
  bench_need(oc_solver_new(&s, &p->task, &set, &msg), msg.text);
  bench_need(oc_solver_solve(s, NULL, NULL, &msg), name);
  for (int k = 0; k < 2; k++) memcpy(q[k], p->task.start.q, (size_t)n * sizeof **q);
  q[0][0] += 0.01;

  // from its own solution; to the moved start; back
  for (int r = 0; r < RUNS; r++)
    for (int k = 0; k < 3; k++) {
      const oc_end start = {.q = k ? q[k - 1] : NULL};
      const double begun = bench_now();
      bench_need(oc_solver_solve(s, &start, NULL, &msg), name);
      least[k] = fmin(least[k], 1e6 * (bench_now() - begun));
      const int taken = oc_solver_info(s)->iterations;
      if (k == 1 && taken > most) most = taken;
    }
  print_row(name, "again_us", least[0], "us");
  print_row(name, "moved_us", least[1], "us");
  print_row(name, "moved_iterations", most, "iterations");
  oc_solver_free(s);
  dm_trajectory_free(guess);
  pb_problem_free(p);
}

static void run_program(const char *name, const char *file) {
  time_continued_solves(name, file);
  task_program w = make_task(file);
  for (int i = 0; i < COUNT(solvers); i++) time_solves(name, &w, solvers + i);

  // evaluations at the solution
  for (int e = 0; e < COUNT(evaluations); e++)
    print_row(name, evaluations[e].name, bench_time_us(evaluations[e].call, &w.p), "us");
  free_task(&w);
}

void bench_programs(void) {
  for (int r = 0; r < COUNT(rows); r++)
    if (bench_wanted(rows[r].name)) run_program(rows[r].name, rows[r].file);
}
