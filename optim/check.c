#include "optim/check.h"

#include "lib/base/dense.h"
#include "lib/base/spline.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/differenced.h"
#include "optim/nlp/scaled.h"
#include "optim/program/input_sizes.h"
#include "optim/program/program_scale.h"
#include "optim/starts/guess.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// rounding, relative to the largest component: of a light link at the end of long ones, and of nodes within a
// step and of steps, which are solved iteratively
static const double NOISE = 1e-13,
                    SECOND_NOISE = 1e-12; // of first derivatives, of a step and its linear system

oc_check oc_check_default(void) {
  return (oc_check){.seed = 88172645463325252ULL, .noise = NOISE};
}

static void add_check_row(oc_check *c, const char *block, dm_verdict v) {
  assert(c->rows < OC_CHECK_ROWS);
  oc_check_row *row = &c->row[c->rows++];
  snprintf(row->block, sizeof row->block, "%s", block);
  row->verdict = v;
  c->failed += !v.holds;
}

// uniform in [-1,1]
static double draw_number(oc_check *c) {
  c->seed ^= c->seed << 13;
  c->seed ^= c->seed >> 7;
  c->seed ^= c->seed << 17;
  return 2 * (double)(c->seed >> 11) / 9007199254740992.0 - 1;
}

// -- the program

typedef struct program {
  const oc_nlp *nlp;
  const oc_scaled *scale;         // the scales of its variables, rows and objective; NULL: all 1
  const char *kind;               // of each variable [n]
  const dm_curve *const *curve;   // [n] the curve of a curve parameter, else NULL; or NULL
  int *row, *col;                 // of the Jacobian, then of the Hessian
  double *val;                    // of either
  double *x, *d, *lambda, *claim; // [n], [n], [m], [max(n, m)]
  double *size[3]; // of objective, rows [m] and gradient of the Lagrange function [n]
  double *room;    // for the difference
  double sigma;
} program;

// the scale of variable i
static double find_size(const program *w, int i) {
  return w->scale ? oc_scaled_size(w->scale, i) : 1;
}

static dm_status eval_objective(void *self, const double *x, double *y) {
  program *w = self;
  return w->nlp->f(w->nlp->self, x, y);
}

static dm_status eval_rows(void *self, const double *x, double *y) {
  program *w = self;
  return w->nlp->g(w->nlp->self, x, y);
}

// the gradient of sigma f + lambda g
static dm_status eval_gradient(void *self, const double *x, double *y) {
  program *w = self;
  oc_triplets s = {.val = w->val};
  DM_TRY(w->nlp->grad(w->nlp->self, x, y));
  DM_TRY(w->nlp->jac(w->nlp->self, x, &s));
  for (int i = 0; i < w->nlp->n; i++) y[i] *= w->sigma;
  for (int i = 0; i < s.n; i++) y[w->col[i]] += w->val[i] * w->lambda[w->row[i]];
  return DM_OK;
}

// the rounding of the sums in that gradient relative to its largest entry, both divided by their scales; the
// sum for h is over all rows, which cancel
static dm_status find_rounding(program *w, double *share) {
  const int n = w->nlp->n;
  double *y = w->room, *sum = y + n, largest = 0, most = 0; // not yet used by the difference
  DM_TRY(eval_gradient(w, w->x, y));
  memset(sum, 0, (size_t)n * sizeof *sum);
  for (int i = 0; i < w->nlp->jac_nnz; i++)
    sum[w->col[i]] += fabs(w->val[i] * w->lambda[w->row[i]]);
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(y[i]) / w->size[2][i]);
    most = fmax(most, sum[i] / w->size[2][i]);
  }
  *share = largest > 0 ? fmax(most / largest, 1) : 1;
  return DM_OK;
}

static dm_status claim_objective(program *w) {
  double *grad = w->room; // not yet used by the difference
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

// the Hessian, stored as its lower triangle, times the direction
static dm_status claim_gradient(program *w) {
  const int *row = w->row + w->nlp->jac_nnz, *col = w->col + w->nlp->jac_nnz;
  double *val = w->val + w->nlp->jac_nnz;
  oc_triplets s = {.val = val};
  DM_TRY(w->nlp->hess(w->nlp->self, w->x, w->sigma, w->lambda, &s));

  // each entry below the diagonal stands for two
  memset(w->claim, 0, (size_t)w->nlp->n * sizeof *w->claim);
  for (int i = 0; i < s.n; i++) {
    w->claim[row[i]] += val[i] * w->d[col[i]];
    if (row[i] != col[i]) w->claim[col[i]] += val[i] * w->d[row[i]];
  }
  return DM_OK;
}

// is variable i a curve parameter?
static bool is_place(const program *w, int i) {
  return w->curve && w->curve[i];
}

// Move a curve parameter to the middle of its spline piece, because the third derivative jumps between
// pieces: differences with the longest step, a tenth of the returned value, stay in the piece.
static double settle_place(const dm_curve *c, double *s) {
  const int i = dm_spline_locate(c->n, c->s, fmin(fmax(*s, 0), 1));
  *s = (c->s[i] + c->s[i + 1]) / 2;
  return 10 * (c->s[i + 1] - c->s[i]) / 2;
}

// the three functions along a random direction in one kind of variable
static dm_status check_variable_kind(oc_check *c, program *w, char kind, const char *what) {
  int n = w->nlp->n, m = w->nlp->m, any = 0;
  const struct {
    const char *name;
    int size;
    dm_status (*f)(void *, const double *, double *);
    dm_status (*claim)(program *);
  } blocks[] = {{"objective, gradient by %s", 1, eval_objective, claim_objective},
                {"rows, Jacobian by %s", m, eval_rows, claim_rows},
                {"Lagrange function, Hessian by %s", n, eval_gradient, claim_gradient}};

  // all variables of this kind according to their scales; the step length alone
  for (int i = 0; i < n; i++) {
    const double r = draw_number(c);
    const bool moves = w->kind[i] == kind;
    double reach = kind == 'h' ? w->x[i] : r * find_size(w, i);
    if (moves && is_place(w, i)) reach = r * settle_place(w->curve[i], &w->x[i]);
    w->d[i] = moves ? reach : 0;
    any += moves;
  }

  for (int b = 0; any && b < 3; b++) {
    if (b == 1 && m == 0) continue; // a program without rows
    char name[64];
    snprintf(name, sizeof name, blocks[b].name, what);
    double share = 1;
    if (b == 2) DM_TRY(find_rounding(w, &share));
    DM_TRY(blocks[b].claim(w));

    // compare with differences along d, by the order of their error
    dm_difference claim = {.n = n,
                           .m = blocks[b].size,
                           .x = w->x,
                           .d = w->d,
                           .Jd = w->claim,
                           .f = blocks[b].f,
                           .self = w,
                           .unit = w->size[b],
                           .noise = c->noise * share};
    add_check_row(c, name, dm_difference_judge(&claim, w->room));
  }
  return DM_OK;
}

// A row whose scale is that of entries that vanish at the guess, such as u^2 at rest, has larger ones here: its
// multiplier is divided by these, so that rounding of its term does not hide the others.
static dm_status temper_multipliers(program *w) {
  const oc_nlp *nlp = w->nlp;
  double *most = w->room;
  oc_triplets s = {.val = w->val};
  DM_TRY(nlp->jac(nlp->self, w->x, &s));
  memset(most, 0, (size_t)nlp->m * sizeof *most);
  for (int i = 0; i < s.n; i++)
    most[w->row[i]] = fmax(most[w->row[i]], fabs(w->val[i]) * find_size(w, w->col[i]));
  for (int i = 0; i < nlp->m; i++)
    if (most[i] > w->size[1][i]) w->lambda[i] *= w->size[1][i] / most[i];
  return DM_OK;
}

// All kinds, at a point displaced from x, where no derivative vanishes by chance; near is how far, in sizes of the
// variables.
static dm_status check_all_kinds(oc_check *c, program *w, const double *x, double near) {
  static const char *const what[] = {"q",
                                     "u",
                                     "impulses",
                                     "end velocities",
                                     "velocities",
                                     "h",
                                     "places on the path",
                                     "accelerations",
                                     "slacks",
                                     "contacts",
                                     "levels",
                                     "times of knots"};
  const oc_nlp *nlp = w->nlp;
  oc_triplets jac = {.row = w->row, .col = w->col};
  oc_triplets hess = {.row = w->row + nlp->jac_nnz, .col = w->col + nlp->jac_nnz};

  // The point [n], the weights of the Lagrange function, and the scales of the three functions, all in the
  // program's own units. Each term of the Lagrange function is dimensionless.
  for (int i = 0; i < nlp->n; i++) {
    const double size = find_size(w, i);
    w->x[i] = x[i] + (w->kind[i] == 'h' ? 0 : near * size) * draw_number(c);
    w->size[2][i] = 1 / size;
  }
  for (int i = 0; i < nlp->m; i++) {
    w->size[1][i] = w->scale ? oc_scaled_row(w->scale, i) : 1;
    w->lambda[i] = draw_number(c) / w->size[1][i];
  }
  w->size[0][0] = w->scale ? 1 / oc_scaled_objective(w->scale) : 1;
  w->sigma = 0.7 / w->size[0][0];

  // patterns, once for all directions
  DM_TRY(nlp->jac(nlp->self, w->x, &jac));
  DM_TRY(nlp->hess(nlp->self, w->x, w->sigma, w->lambda, &hess));
  DM_TRY(temper_multipliers(w));

  // the kinds of first order, then those of second order and of contacts alone
  for (int i = 0; i < 7; i++) DM_TRY(check_variable_kind(c, w, "qulvwhc"[i], what[i]));
  for (int i = 7; i < 12; i++)
    if (memchr(w->kind, "aszmt"[i - 7], (size_t)nlp -> n))
      DM_TRY(check_variable_kind(c, w, "aszmt"[i - 7], what[i]));
  return DM_OK;
}

// All kinds near x. If some fail, as a speed does at rest, where it is not smooth, once more farther from x: a block that fails
// there too is wrong.
static dm_status check_apart(oc_check *c, program *w, const double *x) {
  static const double NEAR = 0.1, APART = 100;
  const int rows = c->rows, failed = c->failed;
  const dm_status s = check_all_kinds(c, w, x, NEAR);
  if (s != DM_OK || c->failed == failed) return s;
  oc_check again = *c;
  again.rows = rows;
  again.failed = failed;
  if (check_all_kinds(&again, w, x, APART * NEAR) == DM_OK && again.failed < c->failed) *c = again;
  return DM_OK;
}

// for variables that may include curve parameters
static dm_status check_on_curves(oc_check *c, const oc_nlp *nlp, const char *kind,
                                 const dm_curve *const *curve, const double *x) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m, longest = n > m ? n : m;
  size_t nnz = (size_t)nlp->jac_nnz + (size_t)nlp->hess_nnz;

  program w = {.nlp = nlp, .kind = kind, .curve = curve};
  oc_scaled *scale = NULL;
  w.x = calloc(3 * n + 2 * m + 1 + 5 * longest + nnz, sizeof *w.x);
  w.row = calloc(2 * nnz, sizeof *w.row);

  dm_status s = w.x && w.row ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && nlp->scale) s = oc_scaled_new(&scale, nlp, x);
  w.scale = scale;
  if (s == DM_OK) {
    // parts of both blocks
    w.d = w.x + n;
    w.lambda = w.d + n;
    w.claim = w.lambda + m;
    w.room = w.claim + longest;
    w.val = w.room + 4 * longest;
    w.size[0] = w.val + nnz;
    w.size[1] = w.size[0] + 1;
    w.size[2] = w.size[1] + m;
    w.col = w.row + nnz;
    s = check_apart(c, &w, x);
  }
  oc_scaled_free(scale);
  free(w.x);
  free(w.row);
  return s;
}

dm_status oc_check_nlp(oc_check *c, const oc_nlp *nlp, const char *kind, const double *x) {
  assert(c && nlp && kind && x);
  return check_on_curves(c, nlp, kind, NULL, x);
}

// the kind of each first-order variable, and the curve of curve parameters
static void sort_first(const oc_transcription *t, char *kind, const dm_curve **curve) {
  const oc_task *task = &t->task;
  size_t n = (size_t)t->n, nu = (size_t)t->nu, nc = (size_t)t->nc;
  int h = oc_transcription_h(t);

  // stages, both end velocities, inner velocities with their kappa, curve parameters, the step
  if (t->s >= 0) memset(kind + t->s, 'c', (size_t)task->N + 1);
  for (int k = 0; t->s >= 0 && k <= task->N; k++) curve[t->s + k] = task->outputs.follow.curve;
  for (int k = 0; k < task->N; k++) memset(kind + oc_transcription_u(t, k), 'u', nu);
  for (int k = 0; k <= task->N; k++) memset(kind + oc_transcription_lambda(t, k), 'l', nc);
  for (int end = 0; end < 2; end++) memset(kind + oc_transcription_v(t, end), 'v', n);
  for (int k = 1; k < task->N && oc_transcription_has_speeds(t); k++) {
    memset(kind + oc_transcription_velocity(t, k), 'w', n);
    memset(kind + oc_transcription_velocity(t, k) + n, 'l', nc);
  }
  memset(kind + t->level, 'm', (size_t)task->outputs.nlevels * (size_t)(task->N + 2));
  memset(kind + oc_transcription_contact(t, 0), 'z', (size_t)(task->N + 1) * (size_t)t->nz);
  if (h >= 0) kind[h] = 'h';
  if (t->times >= 0) memset(kind + t->times, 't', (size_t)task->N + 1);
}

dm_status oc_check_program(oc_check *c, const oc_solution *w) {
  assert(c && w && w->guess);
  const oc_nlp *nlp = w->nlp;
  size_t n = (size_t)w->task.system.L.nq;
  char *kind = malloc((size_t)nlp->n);
  const dm_curve **curve = calloc((size_t)nlp->n, sizeof *curve);
  if (!kind || !curve) {
    free(kind);
    free(curve);
    return DM_NO_MEMORY;
  }
  memset(kind, 'q', (size_t)nlp->n);
  if (w->first) sort_first(w->first, kind, curve);
  if (w->phases) {
    // for several phases, followed by the impulses of joins
    memset(kind, 'l', (size_t)w->nlp->n);
    for (int i = 0; i < w->phased.n; i++) {
      const oc_transcription *t = oc_phases_program(w->phases, i);
      const int place = oc_phases_place(w->phases, i);
      memset(kind + place, 'q', (size_t)oc_transcription_nlp(t)->n);
      sort_first(t, kind + place, curve + place);
    }
  }
  for (int k = 0; w->second && k <= w->task.N; k++) {
    // knots (q,v), of third order (q,v,a)
    char *knot = kind + (size_t)k * (size_t)w->second->size;
    memset(knot + n, 'w', n);
    if (w->second->k > 2) memset(knot + 2 * n, 'a', n);
    if (k < w->task.N) continue;
    knot += w->second->size;
    // after the last one inputs and forces of constraints at nodes, then slacks
    const size_t nf = (size_t)w->second->nf, nz = (size_t)w->second->nz;
    for (int s = 0; s < w->task.N * w->second->nodes; s++, knot += nz) {
      memset(knot, 'u', nf);
      memset(knot + nf, 'l', nz - nf);
    }
    memset(knot, 's', (size_t)(kind + nlp->n - knot));
  }
  dm_status s = check_on_curves(c, nlp, kind, curve, w->guess);
  free(kind);
  free(curve);
  return s;
}

// -- one step

typedef struct step {
  const oc_task *task;
  const dm_system *system;
  dm_scale *scale; // of the task
  dm_del *del;
  dm_del_info info; // of the last step
  dm_continuous *continuous;
  dm_linearize *lin;
  int n, nu, knot; // the knot near which the state is drawn
  double h;
  double *x, *d, *claim, *A, *B; // [2n + nu] three times, [2n x 2n], [2n x nu]
  double *unit;                  // [2n] sizes of q, and of p the momentum at the size of v
  double *input;                 // [nu] sizes of inputs
  double *room;                  // [4 (2n + nu)]
  double *end, *zeta;            // (q1,p1) and an adjoint of it [2n]
  double *inverse, *hessian;     // [2n + nu], [(2n + nu) x (2n + nu + 1)]
} step;

// y = (q1,p1) of x = (q0,p0,u)
static dm_status step_state(void *self, const double *x, double *y) {
  step *w = self;
  // q0 is the initial guess of q1
  memcpy(y, x, (size_t)w->n * sizeof *y);
  return dm_del_step(w->del, x, x + w->n, x + 2 * w->n, w->h, y, y + w->n, &w->info);
}

// the sizes of each coordinate and its momentum at (q,v)
static dm_status find_units(step *w, const double *q, const double *v) {
  const int n = w->n;
  double *p = w->room, *moved = p + n, *velocity = moved + n;
  DM_TRY(dm_momentum_of(w->continuous, q, v, p));
  memcpy(velocity, v, (size_t)n * sizeof *v);
  for (int i = 0; i < n; i++) {
    velocity[i] = v[i] + w->scale->v[i];
    DM_TRY(dm_momentum_of(w->continuous, q, velocity, moved));
    velocity[i] = v[i];
    const double change = fabs(moved[i] - p[i]);
    w->unit[i] = w->scale->q[i];
    w->unit[n + i] = change > 0 ? change : w->scale->p[i];
  }
  return DM_OK;
}

// A random state and inputs near (q,v), on the constraints. Within the horizon, an input at a joint changes
// its velocity by at most its size.
static dm_status draw_state(oc_check *c, step *w, const double *q, const double *v, double spread,
                            dm_message *msg) {
  const dm_system *s = w->system;
  int n = w->n, nx = 2 * n;
  double *x = w->x, *velocity = w->d;

  // a prescribed coordinate stays, and its next value is an input
  for (int i = 0, rho = nx + s->nu; i < n; i++) {
    bool kinematic = s->kinematic && s->kinematic[i];
    x[i] = q[i] + (kinematic ? 0 : 0.3 * w->scale->q[i] * spread * draw_number(c));
    velocity[i] = v[i] + 0.3 * w->scale->v[i] * spread * draw_number(c);
    if (kinematic) x[rho++] = x[i] + w->h * velocity[i];
  }
  if (s->hol.nc) DM_TRY(dm_assembly_project(s, x, msg));
  DM_TRY(find_units(w, x, velocity));
  for (int i = 0; i < s->nu; i++) {
    double size = w->input[i];
    if (i < s->nu - s->force.nu) {
      const double gear = s->input_gear ? fabs(s->input_gear[i]) : 1;
      const double need = w->unit[n + s->input_coord[i]] / (gear * w->scale->time);
      size = isfinite(need) ? need : size;
    }
    x[nx + i] = spread * size * draw_number(c);
  }
  return dm_momentum_of(w->continuous, x, velocity, x + n);
}

// A and B at this state
static dm_status linearize_state(step *w, dm_message *msg) {
  const double *u = w->x + 2 * w->n;
  dm_status s = step_state(w, w->x, w->end);
  if (s != DM_OK) {
    dm_del_explain(msg, s, w->del, &w->info, w->knot, w->task->coord_name);
    return s;
  }
  s = dm_linearize_step(w->lin, w->x, w->end, u, w->del->lambda, w->h, w->A, w->B);
  return s == DM_OK ? s : dm_linearize_explain(msg, s, w->lin, w->knot, w->task->coord_name);
}

// The change of input j that moves the state by its size, according to B; the input's own size if it moves
// nothing.
static double find_reach(const step *w, int j) {
  double claimed = 0;
  for (int i = 0; i < 2 * w->n; i++)
    claimed = fmax(claimed, fabs(w->B[i * w->nu + j]) / w->unit[i]);
  return claimed > 0 && isfinite(1 / claimed) ? 1 / claimed : w->input[j];
}

// the direction d in one block, q, p or u
static dm_status draw_block(oc_check *c, step *w, int block) {
  const int n = w->n, nx = 2 * n;
  memset(w->d, 0, (size_t)(nx + w->nu) * sizeof *w->d);
  if (block == 1) {
    // the change of p for a random change of velocity: light and heavy links move equally
    double *velocity = w->room, *moved = velocity + n, *d = w->d + n;
    memset(velocity, 0, (size_t)n * sizeof *velocity);
    DM_TRY(dm_momentum_of(w->continuous, w->x, velocity, d));
    for (int i = 0; i < n; i++) velocity[i] = w->scale->v[i] * draw_number(c);
    DM_TRY(dm_momentum_of(w->continuous, w->x, velocity, moved));
    for (int i = 0; i < n; i++) d[i] = moved[i] - d[i];
    return DM_OK;
  }
  for (int i = 0; block == 0 && i < n; i++) w->d[i] = w->unit[i] * draw_number(c);
  for (int j = 0; block == 2 && j < w->nu; j++) w->d[nx + j] = draw_number(c) * find_reach(w, j);
  return DM_OK;
}

// A and B along random directions in q, in p and in u
static dm_status check_blocks(oc_check *c, step *w) {
  int nx = 2 * w->n, nu = w->nu, ny = nx + nu;
  static const char *const names[] = {"step, A by q", "step, A by p", "step, B"};
  for (int b = 0; b < (nu ? 3 : 2); b++) {
    // the direction d, and the prediction A d_x + B d_u
    DM_TRY(draw_block(c, w, b));
    for (int i = 0; i < nx; i++) {
      w->claim[i] = 0;
      for (int j = 0; j < nx; j++) w->claim[i] += w->A[i * nx + j] * w->d[j];
      for (int j = 0; j < nu; j++) w->claim[i] += w->B[i * nu + j] * w->d[nx + j];
    }

    // compare with differences of the step
    dm_difference claim = {.n = ny,
                           .m = nx,
                           .x = w->x,
                           .d = w->d,
                           .Jd = w->claim,
                           .f = step_state,
                           .self = w,
                           .unit = w->unit,
                           .noise = NOISE};
    add_check_row(c, names[b], dm_difference_judge(&claim, w->room));
  }
  return DM_OK;
}

// z = (A, B)'zeta at x = (q0,p0,u)
static dm_status find_adjoint(void *self, const double *x, double *z) {
  step *w = self;
  const int nx = 2 * w->n, nu = w->nu;
  const double *u = x + nx;
  DM_TRY(step_state(w, x, w->end));
  DM_TRY(dm_linearize_step(w->lin, x, w->end, u, w->del->lambda, w->h, w->A, w->B));
  for (int j = 0; j < nx + nu; j++) {
    z[j] = 0;
    for (int i = 0; i < nx; i++)
      z[j] += w->zeta[i] * (j < nx ? w->A[i * nx + j] : w->B[i * nu + j - nx]);
  }
  return DM_OK;
}

// The second derivatives of zeta.(q1,p1) along a random direction in all of (q0,p0,u), as differences of (A, B)'zeta.
static dm_status check_second(oc_check *c, step *w) {
  const int nx = 2 * w->n, nu = w->nu, ny = nx + nu;
  double *xx = w->hessian, *xu = xx + nx * nx, *uu = xu + nx * nu, *d = w->hessian + ny * ny;

  // every state with its size; the direction of all blocks together
  for (int i = 0; i < nx; i++) w->zeta[i] = draw_number(c) / w->unit[i];
  memset(d, 0, (size_t)ny * sizeof *d);
  for (int b = 0; b < (nu ? 3 : 2); b++) {
    DM_TRY(draw_block(c, w, b));
    for (int i = 0; i < ny; i++) d[i] += w->d[i];
  }
  memcpy(w->d, d, (size_t)ny * sizeof *d);
  DM_TRY(linearize_state(w, NULL));
  const double *u = w->x + nx;
  const dm_status s =
      dm_linearize_second(w->lin, w->x, w->end, u, w->del->lambda, w->h, w->zeta, xx, xu, uu);
  if (s != DM_OK) return s == DM_UNAVAILABLE ? DM_OK : s;
  for (int i = 0; i < nx; i++)
    w->claim[i] = dm_inner(nx, xx + i * nx, w->d) + dm_inner(nu, xu + i * nu, w->d + nx);
  for (int i = 0; i < nu; i++) {
    w->claim[nx + i] = dm_inner(nu, uu + i * nu, w->d + nx);
    for (int j = 0; j < nx; j++) w->claim[nx + i] += xu[j * nu + i] * w->d[j];
  }

  // its entries relative to the inverse sizes of the variables
  for (int i = 0; i < ny; i++) {
    const double size = i < nx ? w->unit[i] : find_reach(w, i - nx);
    w->inverse[i] = 1 / size;
  }
  dm_difference claim = {.n = ny,
                         .m = ny,
                         .x = w->x,
                         .d = w->d,
                         .Jd = w->claim,
                         .f = find_adjoint,
                         .self = w,
                         .unit = w->inverse,
                         .noise = SECOND_NOISE};
  add_check_row(c, "step, second derivatives", dm_difference_judge(&claim, w->room));
  return DM_OK;
}

// the workspaces and arrays of a step
static dm_status make_step(step *w) {
  int nx = 2 * w->n, ny = nx + w->nu;
  w->x = calloc((size_t)(12 * ny + 4 * nx + nx * ny + ny * ny + w->nu), sizeof *w->x);
  if (!w->x) return DM_NO_MEMORY;
  // its own arrays, then workspaces of other modules
  w->d = w->x + ny;
  w->claim = w->d + ny;
  w->A = w->claim + ny;
  w->B = w->A + nx * nx;
  w->unit = w->B + nx * w->nu;
  w->input = w->unit + nx;
  w->room = w->input + w->nu;
  w->end = w->room + 4 * ny;
  w->zeta = w->end + nx;
  w->inverse = w->zeta + nx;
  w->hessian = w->inverse + ny;

  DM_TRY(oc_task_scale(&w->scale, w->task, w->h * fmax(w->task->N, 1)));
  DM_TRY(oc_input_sizes(w->task, w->scale, w->input));
  DM_TRY(dm_del_new(&w->del, w->system, NULL));
  DM_TRY(dm_continuous_new(&w->continuous, w->system));
  return dm_linearize_new(&w->lin, w->system);
}

enum { NEARER = 4 }; // attempts, each nearer to the given state

// the error of third derivatives that are differences, along a random direction
static dm_status check_differenced(oc_check *c, const dm_lagrangian *L, const double *q,
                                   const double *v) {
  const size_t n = (size_t)L->nq;
  if (!dm_lagrangian_is_differenced(L)) return DM_OK;
  const size_t room = (L->scratch + (6 * n * n + 2 * n) * sizeof(double) + 63) & ~(size_t)63;
  char *memory = aligned_alloc(64, room);
  if (!memory) return DM_NO_MEMORY;
  double *a = (double *)(void *)(memory + L->scratch) + 6 * n * n;
  for (size_t i = 0; i < 2 * n; i++) a[i] = draw_number(c);
  dm_verdict found = {0};
  const dm_status s = dm_differenced_error(L, memory, q, v, a, a + n, &found.error, &found.order);
  found.clean = true;
  found.holds = found.error < DM_DIFFERENCE_ERROR;
  if (s == DM_OK) add_check_row(c, "Lagrangian, third derivatives by differences", found);
  free(memory);
  return s;
}

dm_status oc_check_step(oc_check *c, const oc_task *task, int knot, const double *q,
                        const double *v, double h, dm_message *msg) {
  assert(c && task && q && v && h > 0);
  dm_message why = {""};
  step w = {.task = task,
            .system = &task->system,
            .n = task->system.L.nq,
            .nu = dm_system_inputs(&task->system),
            .knot = knot,
            .h = h};

  // a state, its step and A, B; nearer to (q,v) if the step fails; then the differences
  dm_status s = make_step(&w);
  bool taken = false;
  double spread = 1;
  for (int i = 0; s != DM_NO_MEMORY && w.lin && i < NEARER && !taken; i++, spread /= 8) {
    s = draw_state(c, &w, q, v, spread, &why);
    if (s >= 0) s = linearize_state(&w, &why);
    taken = s == DM_OK;
  }
  if (taken) s = check_blocks(c, &w);
  if (taken && s == DM_OK) s = check_second(c, &w);
  if (taken && s == DM_OK) s = check_differenced(c, &task->system.L, q, v);

  dm_scale_free(w.scale);
  dm_linearize_free(w.lin);
  dm_continuous_free(w.continuous);
  dm_del_free(w.del);
  free(w.x);
  if (s == DM_OK) return s;
  return dm_fail(msg, s, "%s", why.text[0] ? why.text : dm_status_text(s));
}

dm_status oc_check_motion(oc_check *c, const oc_task *task, const dm_trajectory *x,
                          dm_message *msg) {
  assert(c && task && x);
  const int N = x->N, knots[] = {N / 2, N / 4, 3 * N / 4, 0, N - 1};
  dm_status s = DM_OK;
  for (size_t i = 0; i < sizeof knots / sizeof *knots; i++) {
    const int at = knots[i] * x->n;
    s = oc_check_step(c, task, knots[i], x->q + at, x->v + at, x->h, msg);
    if (s == DM_OK || s == DM_NO_MEMORY) break;
  }
  return s;
}

// -- both checks

// a formula without a value on the line of the guess, or the status as text
static dm_status explain_status(const oc_task *task, dm_status s, dm_message *msg) {
  dm_trajectory *line;
  char fault[200] = "";
  if (s == DM_NOT_FINITE && dm_trajectory_of(&line, task->N, &task->system) == DM_OK) {
    if (oc_guess_line(task, line) == DM_OK)
      oc_outputs_fault(&task->outputs, line, task->start.v, task->goal.v, fault, sizeof fault);
    dm_trajectory_free(line);
  }
  return dm_fail(msg, s, "%s", *fault ? fault : dm_status_text(s));
}

dm_status oc_check_task(oc_check *c, const oc_task *task, const oc_setup *set, dm_message *msg) {
  assert(c && task);
  oc_solution *w = NULL;
  dm_trajectory *line = NULL;
  DM_TRY(oc_solution_new(&w, task, set, msg));

  // the program at its guess
  dm_status s = oc_solution_start(w, NULL);
  if (s >= 0) s = oc_check_program(c, w);
  if (s >= 0) s = dm_trajectory_of(&line, task->N, &task->system);
  if (s >= 0) s = oc_guess_line(task, line);
  oc_solution_free(w);
  if (s < 0) {
    s = explain_status(task, s, msg);
    dm_trajectory_free(line);
    return s;
  }

  s = oc_check_motion(c, task, line, msg);
  dm_trajectory_free(line);
  return s;
}
