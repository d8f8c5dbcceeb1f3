// Whole solves of problem files through IPOPT, and the evaluations that they are made of.
#include "benchmarks/figures.h"
#include "optim/nlp/ipopt.h"
#include "optim/transcription/transcribe.h"
#include "problems/readers/task/problem.h"
#include "tests/support/models.h"

enum { RUNS = 9 };

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

// another point at each call: a program may remember its last one
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

static void print_row(const char *row, const char *what, double value, const char *unit) {
  char name[96];
  snprintf(name, sizeof name, "%s.%s", row, what);
  bench_print(name, value, unit);
}

// the problem of a file below the sources
static pb_problem *read_problem(const char *file) {
  pb_problem *problem;
  dm_message msg;
  char path[512];
  snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, file);
  dm_status s = pb_problem_read(&problem, path, &msg);
  bench_need(s, s == DM_OK ? "" : msg.text);
  return problem;
}

// room for a point of the program, and for its longest list of values
static program make_program(const oc_nlp *nlp) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m, longest = n + m;
  if ((size_t)nlp->jac_nnz > longest) longest = (size_t)nlp->jac_nnz;
  if ((size_t)nlp->hess_nnz > longest) longest = (size_t)nlp->hess_nnz;
  return (program){nlp, calloc(n, sizeof(double)), calloc(longest, sizeof(double)),
                   calloc(m, sizeof(double))};
}

static void run_program(const char *name, const char *file) {
  pb_problem *problem = read_problem(file);
  dm_message msg;

  // its transcription, of first order or by torques
  oc_transcription *t = NULL;
  oc_torque_transcription *torque = NULL;
  bench_need(problem->transcription.second
                 ? oc_torque_transcription_new(&torque, &problem->task,
                                               &problem->transcription.action, &msg)
                 : oc_transcription_new(&t, &problem->task, &msg),
             "a program");
  const oc_nlp *nlp = torque ? oc_torque_transcription_nlp(torque) : oc_transcription_nlp(t);
  const size_t n = (size_t)nlp->n;
  program p = make_program(nlp);
  oc_point point = {p.x, p.lambda, calloc(n, sizeof(double)), calloc(n, sizeof(double))};
  dm_trajectory *guess;
  bench_need(pb_problem_guess(problem, &guess), "a guess");

  // solves from the guess
  oc_ipopt_settings set = oc_ipopt_default();
  oc_ipopt_info info;
  double ms[RUNS], share[RUNS];
  for (int r = 0; r < RUNS; r++) {
    if (torque) {
      oc_torque_transcription_cubic(torque, p.x);
      oc_torque_transcription_clip(torque, p.x);
      bench_need(oc_torque_transcription_rounding(torque, p.x, &set.rounding), "its rounding");
    }
    if (t) oc_transcription_pack(t, guess, p.x);
    bench_need(oc_ipopt_solve(nlp, &set, &point, NULL, 0, &info), name);
    ms[r] = 1e3 * info.total_s;
    share[r] = info.derivatives_s / info.total_s;
  }
  print_row(name, "solve_ms", bench_median(ms, RUNS), "ms");
  print_row(name, "iterations", info.iterations, "iterations");
  print_row(name, "derivative_share", bench_median(share, RUNS), "of the solve");

  // evaluations at the solution
  for (int e = 0; e < COUNT(evaluations); e++)
    print_row(name, evaluations[e].name, bench_time_us(evaluations[e].call, &p), "us");

  dm_trajectory_free(guess);
  free(p.x);
  free(p.out);
  free(p.lambda);
  free(point.z_l);
  free(point.z_u);
  oc_torque_transcription_free(torque);
  oc_transcription_free(t);
  pb_problem_free(problem);
}

void bench_programs(void) {
  for (int r = 0; r < COUNT(rows); r++)
    if (bench_wanted(rows[r].name)) run_program(rows[r].name, rows[r].file);
}
