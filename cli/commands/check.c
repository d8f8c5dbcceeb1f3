// check: every derivative of this very problem against differences, judged by the order of the
// error: central differences err by e^2, so that halving e divides a true derivative's error by 4,
// until rounding; a wrong one keeps its error.
#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/stages/job.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"
#include "optim/transcription/transcribe.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 15 };

// a function from R^n to R^m, a direction in R^n, and the derivative along it that is claimed
typedef struct probe {
  int n, m;
  const double *x, *d; // [n]
  const double *Jd;    // [m]
  dm_status (*f)(void *self, const double *x, double *y);
  void *self;
  double noise;              // of f, relative to its largest component
  double *at, *plus, *minus; // scratch [n], [m], [m]
} probe;

typedef struct verdict {
  double error, order; // the least error, relative; NAN order: differences are exact to rounding
  bool holds;
} verdict;

// the difference quotient's error at e, over the derivative's size; *floor what rounding makes of
// it
static double error_at(const probe *p, double e, double *floor) {
  double most = 0, error = 0, size = 1;
  for (int i = 0; i < p->n; i++) p->at[i] = p->x[i] + e * p->d[i];
  if (p->f(p->self, p->at, p->plus) != DM_OK) return NAN;
  for (int i = 0; i < p->n; i++) p->at[i] = p->x[i] - e * p->d[i];
  if (p->f(p->self, p->at, p->minus) != DM_OK) return NAN;
  for (int i = 0; i < p->m; i++) {
    most = fmax(most, fmax(fabs(p->plus[i]), fabs(p->minus[i])));
    size = fmax(size, fabs(p->Jd[i]));
    error = fmax(error, fabs((p->plus[i] - p->minus[i]) / (2 * e) - p->Jd[i]));
  }
  *floor = p->noise * most / e / size;
  return error / size;
}

static verdict judge(const probe *p) {
  verdict v = {INFINITY, NAN, false};
  double last = NAN, e = 0.1;
  for (int i = 0; i < HALVINGS; i++, e /= 2) {
    double floor, error = error_at(p, e, &floor);
    // the order of the smallest pair that stands clear of rounding
    if (error > 30 * floor && isfinite(last)) v.order = log2(last / error);
    if (error < v.error) v.error = error;
    last = error;
  }
  v.holds = v.error < 1e-6 && (isnan(v.order) || fabs(v.order - 2) < 0.3);
  return v;
}

// what a check has found so far
typedef struct checks {
  cli_job *job;
  cli_json *list;
  int done, failed;
  unsigned long long seed;
} checks;

static void record(checks *c, const char *name, verdict v) {
  cli_json *o = json_object_new_object();
  cli_json_text(o, "block", name);
  cli_json_number(o, "error", v.error);
  cli_json_number(o, "order", v.order);
  cli_json_bool(o, "holds", v.holds);
  json_object_array_add(c->list, o);
  char order[32];
  snprintf(order, sizeof order, isnan(v.order) ? "exact" : "%.2f", v.order);
  cli_tell(c->job, v.holds ? "holds" : "FAILS", "%-43s error %8.1e   order %s", name, v.error,
           order);
  if (!v.holds)
    cli_error("%s: the derivative is off by %.1e (order %s, expected 2)", name, v.error, order);
  c->done++;
  c->failed += !v.holds;
}

// uniform in [-1,1]
static double draw(checks *c) {
  c->seed ^= c->seed << 13, c->seed ^= c->seed >> 7, c->seed ^= c->seed << 17;
  return 2 * (double)(c->seed >> 11) / 9007199254740992.0 - 1;
}

// --- the program ---

typedef struct program {
  checks *c;
  const oc_transcription *t;             // of first order, or
  const oc_torque_transcription *action; // of second
  const oc_nlp *nlp;
  char *kind;                     // of each variable [n]: q u l v h, w of all velocities
  int *row, *col;                 // of the Jacobian, then of the Hessian
  double *val;                    // of either
  double *x, *d, *lambda, *claim; // [n], [n], [m], [max(n, m)]
  double *room;                   // for the probe
  double sigma;
} program;

static dm_status objective(void *self, const double *x, double *y) {
  program *w = self;
  return w->nlp->f(w->nlp->self, x, y);
}

static dm_status rows(void *self, const double *x, double *y) {
  program *w = self;
  return w->nlp->g(w->nlp->self, x, y);
}

// the gradient of sigma f + lambda g
static dm_status gradient(void *self, const double *x, double *y) {
  program *w = self;
  oc_triplets s = {.val = w->val};
  DM_TRY(w->nlp->grad(w->nlp->self, x, y));
  DM_TRY(w->nlp->jac(w->nlp->self, x, &s));
  for (int i = 0; i < w->nlp->n; i++) y[i] *= w->sigma;
  for (int i = 0; i < s.n; i++) y[w->col[i]] += w->val[i] * w->lambda[w->row[i]];
  return DM_OK;
}

static dm_status claim_objective(program *w) {
  double *grad = w->room; // not yet in use by the probe
  DM_TRY(w->nlp->grad(w->nlp->self, w->x, grad));
  w->claim[0] = 0;
  for (int i = 0; i < w->nlp->n; i++) w->claim[0] += grad[i] * w->d[i];
  return DM_OK;
}

static dm_status claim_rows(program *w) {
  oc_triplets s = {.val = w->val};
  DM_TRY(w->nlp->jac(w->nlp->self, w->x, &s));
  memset(w->claim, 0, (size_t)w->nlp->m * sizeof *w->claim);
  for (int i = 0; i < s.n; i++) w->claim[w->row[i]] += w->val[i] * w->d[w->col[i]];
  return DM_OK;
}

static dm_status claim_gradient(program *w) {
  const int *row = w->row + w->nlp->jac_nnz, *col = w->col + w->nlp->jac_nnz;
  double *val = w->val + w->nlp->jac_nnz;
  oc_triplets s = {.val = val};
  DM_TRY(w->nlp->hess(w->nlp->self, w->x, w->sigma, w->lambda, &s));
  memset(w->claim, 0, (size_t)w->nlp->n * sizeof *w->claim);
  for (int i = 0; i < s.n; i++) {
    w->claim[row[i]] += val[i] * w->d[col[i]];
    if (row[i] != col[i]) w->claim[col[i]] += val[i] * w->d[row[i]];
  }
  return DM_OK;
}

// the kind of each variable: q, u, the constraint impulses l, the end velocities v, the step h; of
// second order, q and the velocities w
static void sort_variables(program *w) {
  const oc_task *t = w->c->job->task;
  size_t n = (size_t)t->system.L.nq, nu = (size_t)dm_system_inputs(&t->system);
  size_t nc = (size_t)t->system.hol.nc;
  memset(w->kind, 'q', (size_t)w->nlp->n);
  for (int k = 0; w->action && k <= t->N; k++) memset(w->kind + (size_t)(2 * k + 1) * n, 'w', n);
  if (w->action) return;
  int h = oc_transcription_h(w->t);
  for (int k = 0; k < t->N; k++) memset(w->kind + oc_transcription_u(w->t, k), 'u', nu);
  for (int k = 0; k <= t->N; k++) memset(w->kind + oc_transcription_lambda(w->t, k), 'l', nc);
  for (int end = 0; end < 2; end++) memset(w->kind + oc_transcription_v(w->t, end), 'v', n);
  for (int k = 1; k < t->N && oc_transcription_has_speeds(w->t); k++) {
    memset(w->kind + oc_transcription_speed(w->t, k), 'w', n);
    memset(w->kind + oc_transcription_speed(w->t, k) + n, 'l', nc);
  }
  if (h >= 0) w->kind[h] = 'h';
}

// the three functions along a random direction in one kind of variable
static dm_status check_kind(program *w, char kind, const char *what) {
  static const struct {
    const char *name;
    dm_status (*f)(void *, const double *, double *);
    dm_status (*claim)(program *);
  } blocks[] = {{"objective, gradient by %s", objective, claim_objective},
                {"rows, Jacobian by %s", rows, claim_rows},
                {"Lagrange function, Hessian by %s", gradient, claim_gradient}};
  int n = w->nlp->n, m = w->nlp->m, most = n > m ? n : m, any = 0;
  for (int i = 0; i < n; i++) {
    double r = draw(w->c);
    bool moves = w->kind[i] == kind;
    w->d[i] = !moves ? 0 : kind == 'h' ? w->x[i] : r;
    any += moves;
  }
  for (int b = 0; any && b < 3; b++) {
    if (b == 1 && m == 0) continue;
    char name[64];
    snprintf(name, sizeof name, blocks[b].name, what);
    DM_TRY(blocks[b].claim(w));
    probe p = {.n = n,
               .m = b == 0   ? 1
                    : b == 1 ? m
                             : n,
               .x = w->x,
               .d = w->d,
               .Jd = w->claim,
               .f = blocks[b].f,
               .self = w,
               .noise = DBL_EPSILON,
               .at = w->room,
               .plus = w->room + most,
               .minus = w->room + 2 * most};
    record(w->c, name, judge(&p));
  }
  return DM_OK;
}

// start [n] is where the program begins
static dm_status check_program(program w, const double *start) {
  checks *c = w.c;
  size_t n = (size_t)w.nlp->n, m = (size_t)w.nlp->m, most = n > m ? n : m;
  size_t nnz = (size_t)w.nlp->jac_nnz + (size_t)w.nlp->hess_nnz;
  double *numbers = calloc(2 * n + m + 4 * most + nnz, sizeof *numbers);
  int *pattern = calloc(2 * nnz, sizeof *pattern);
  w.kind = calloc(n, 1);
  dm_status s = numbers && pattern && w.kind ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) {
    w.x = numbers, w.d = w.x + n, w.lambda = w.d + n, w.claim = w.lambda + m;
    w.room = w.claim + most, w.val = w.room + 3 * most;
    w.row = pattern, w.col = pattern + nnz;
    sort_variables(&w);
    oc_triplets jac = {.row = w.row, .col = w.col};
    oc_triplets hess = {.row = w.row + w.nlp->jac_nnz, .col = w.col + w.nlp->jac_nnz};
    memcpy(w.x, start, n * sizeof *start);
    // off the guess, where nothing vanishes by chance
    for (size_t i = 0; i < n; i++) w.x[i] += (w.kind[i] == 'h' ? 0 : 0.1) * draw(c);
    for (size_t i = 0; i < m; i++) w.lambda[i] = draw(c);
    s = w.nlp->jac(w.nlp->self, w.x, &jac);
    if (s == DM_OK) s = w.nlp->hess(w.nlp->self, w.x, w.sigma, w.lambda, &hess);
    static const char *const what[] = {"q", "u", "impulses", "end velocities", "velocities", "h"};
    for (int i = 0; s == DM_OK && i < 6; i++) s = check_kind(&w, "qulvwh"[i], what[i]);
  }
  free(numbers);
  free(pattern);
  free(w.kind);
  return s;
}

// --- one step ---

typedef struct step {
  dm_del *del;
  dm_del_info info; // of the last step
  int n, nu, knot;  // near which the state is drawn
  double h;
} step;

// y = (q1,p1) of x = (q0,p0,u)
static dm_status take_step(void *self, const double *x, double *y) {
  step *w = self;
  memcpy(y, x, (size_t)w->n * sizeof *y);
  return dm_del_step(w->del, x, x + w->n, x + 2 * w->n, w->h, y, y + w->n, &w->info);
}

// A by q, A by p and B at a random state near (q,v), those of a knot
static dm_status check_step(checks *c, step *w, dm_continuous *cont, dm_linearize *lin,
                            const double *q, const double *v, double *room) {
  int n = w->n, nx = 2 * n, nu = w->nu, ny = nx + nu;
  double *x = room, *d = x + ny, *claim = d + ny, *A = claim + nx, *B = A + nx * nx,
         *rest = B + nx * nu;
  const dm_system *sys = &cont->s;
  for (int i = 0, rho = nx + sys->nu; i < n; i++) {
    bool kinematic = sys->kinematic && sys->kinematic[i];
    x[i] = q[i] + (kinematic ? 0 : 0.3 * draw(c));
    d[i] = v[i] + 0.3 * draw(c); // a velocity, until p is known
    if (kinematic) x[rho++] = x[i] + w->h * d[i];
  }
  for (int i = 0; i < sys->nu; i++) x[nx + i] = draw(c);
  if (sys->hol.nc) DM_TRY(dm_assembly_project(sys, x, &c->job->msg));
  DM_TRY(dm_momentum_of(cont, x, d, x + n));
  const char *const *name = c->job->names.coord;
  dm_status s = take_step(w, x, rest);
  if (s != DM_OK) return dm_del_explain(&c->job->msg, s, w->del, &w->info, w->knot, name), s;
  s = dm_linearize_step(lin, x, rest, x + nx, w->del->lambda, w->h, A, B);
  if (s != DM_OK) return dm_linearize_explain(&c->job->msg, s, lin, w->knot, name);
  static const char *const names[] = {"step, A by q", "step, A by p", "step, B"};
  const int first[] = {0, n, nx}, last[] = {n, nx, ny};
  for (int b = 0; b < (nu ? 3 : 2); b++) {
    for (int j = 0; j < ny; j++) d[j] = j >= first[b] && j < last[b] ? draw(c) : 0;
    for (int i = 0; i < nx; i++) {
      claim[i] = 0;
      for (int j = 0; j < nx; j++) claim[i] += A[i * nx + j] * d[j];
      for (int j = 0; j < nu; j++) claim[i] += B[i * nu + j] * d[nx + j];
    }
    probe p = {.n = ny,
               .m = nx,
               .x = x,
               .d = d,
               .Jd = claim,
               .f = take_step,
               .self = w,
               .noise = 1e-13,
               .at = rest,
               .plus = rest + ny,
               .minus = rest + 2 * ny};
    record(c, names[b], judge(&p));
  }
  return DM_OK;
}

static dm_status check_steps(checks *c, int knot, const double *q, const double *v, double h) {
  const dm_system *sys = &c->job->task->system;
  int n = sys->L.nq, nx = 2 * n, nu = dm_system_inputs(sys);
  step w = {.n = n, .nu = nu, .knot = knot, .h = h};
  dm_continuous *cont = NULL;
  dm_linearize *lin = NULL;
  double *room = calloc((size_t)(6 * (nx + nu) + nx * (nx + nu) + nx), sizeof *room);
  dm_status s = room ? dm_del_new(&w.del, sys, NULL) : DM_NO_MEMORY;
  if (s == DM_OK) s = dm_continuous_new(&cont, sys);
  if (s == DM_OK) s = dm_linearize_new(&lin, sys);
  if (s == DM_OK) s = check_step(c, &w, cont, lin, q, v, room);
  dm_linearize_free(lin);
  dm_continuous_free(cont);
  dm_del_free(w.del);
  free(room);
  return s;
}

// --- the command ---

// the program of the job, and its point x to be freed
static int open_program(program *w, oc_transcription **t, oc_torque_transcription **action,
                        double **x) {
  cli_job *job = w->c->job;
  dm_trajectory *guess = NULL;
  bool same;
  dm_status s =
      job->p->transcription.second
          ? oc_torque_transcription_new(action, job->task, &job->p->transcription.action, &job->msg)
          : oc_transcription_new(t, job->task, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  w->t = *t, w->action = *action;
  w->nlp = *action ? oc_torque_transcription_nlp(*action) : oc_transcription_nlp(*t);
  if (!(*x = calloc((size_t)w->nlp->n, sizeof **x)))
    return cli_fail(job->args, CLI_FAULT, "out of memory");
  if (*action) return cli_knots(job, *action, *x, &same);
  int status = cli_guess(job, &guess, &same);
  if (status == CLI_DONE) oc_transcription_pack(*t, guess, *x);
  dm_trajectory_free(guess);
  return status;
}

static int check_task(checks *c) {
  cli_job *job = c->job;
  oc_transcription *t = NULL;
  oc_torque_transcription *action = NULL;
  double *x = NULL;
  program w = {.c = c, .sigma = 0.7};
  int status = open_program(&w, &t, &action, &x);
  if (status == CLI_DONE) {
    const oc_nlp *nlp = w.nlp;
    cli_json_text(job->result, "transcription", action ? "second-order" : "first-order");
    cli_json *o = cli_json_object(job->result, "sizes");
    cli_json_int(o, "variables", nlp->n);
    cli_json_int(o, "constraints", nlp->m);
    cli_json_int(o, "jacobian_nnz", nlp->jac_nnz);
    cli_json_int(o, "hessian_nnz", nlp->hess_nnz);
    cli_tell(job, "sizes",
             "%d steps, %d variables, %d rows, %d entries in the Jacobian, %d in the "
             "Hessian",
             job->task->N, nlp->n, nlp->m, nlp->jac_nnz, nlp->hess_nnz);
    dm_status s = check_program(w, x);
    dm_trajectory *guess = NULL;
    bool same;
    if (s != DM_OK)
      status = cli_fail_status(job->args, s, &job->msg);
    else
      status = cli_guess(job, &guess, &same);
    if (status == CLI_DONE) {
      int knot = guess->N / 2, at = knot * guess->n;
      s = check_steps(c, knot, guess->q + at, guess->v + at, guess->h);
      if (s != DM_OK) status = cli_fail_status(job->args, s, &job->msg);
    }
    dm_trajectory_free(guess);
  }
  oc_torque_transcription_free(action);
  oc_transcription_free(t);
  free(x);
  return status;
}

static int check_problem(const cli_args *args) {
  cli_job job;
  checks c = {.job = &job, .seed = 88172645463325252ULL};
  int status = cli_job_open(&job, args, false);
  if (status != CLI_DONE) return cli_job_close(&job, status);
  c.list = json_object_new_array();
  json_object_object_add(job.result, "blocks", c.list);
  cli_tell(&job, "model", "%d coordinates, %d inputs", job.names.n, job.names.nu);
  if (job.p->has_task)
    status = check_task(&c);
  else if (job.p->has_simulate) {
    dm_status s = check_steps(&c, 0, job.p->simulate.q, job.p->simulate.v, job.p->simulate.h);
    if (s != DM_OK) status = cli_fail_status(args, s, &job.msg);
  } else if (job.p->rest) {
    dm_status s = check_steps(&c, 0, job.p->rest->q, job.p->rest->v, job.p->rest->h);
    if (s != DM_OK) status = cli_fail_status(args, s, &job.msg);
  }
  if (status == CLI_DONE) {
    cli_tell(&job, "derivatives", "%d of %d blocks hold", c.done - c.failed, c.done);
    cli_json_text(job.result, "status", c.failed ? "failed" : "done");
    if (c.failed) status = CLI_OUTCOME;
  }
  return cli_job_close(&job, status);
}

const cli_command cli_command_check = {
    .name = "check",
    .what = "read a problem, print its sizes, hold its derivatives against differences",
    .usage = "PROBLEM",
    .run = check_problem,
};
