#include "problems/map/map.h"

#include "lib/discrete/del.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"
#include "problems/map/replaced.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SHARE = 16 }; // minimum number of states per thread

// data of one thread
typedef struct workspace {
  dm_del *del;
  dm_linearize *linear;
  dm_continuous *continuous;
  double *guess; // [n] initial guess of q1
  double *x1;    // [2n] end of a step if the caller does not want it
  double *A, *B; // [2n x 2n], [2n x nu] the same for its derivatives
  // data of the current call
  const struct call *call;
  int from, to;         // range of states
  dm_status worst;      // status of the first failure, and its message
  dm_message why, said; // said: message of the current state
  pthread_t thread;
} workspace;

struct pb_map {
  pb_problem *problem;
  char *texts; // replacements in the problem file, which the problem borrows
  const dm_system *s;
  int n, nx, nu, nc;
  double h;
  int threads;
  workspace *work;      // [threads]
  pthread_mutex_t lock; // only one call at a time
  bool locks;           // the lock is initialized
  dm_message why;       // message of the last call
};

// An array argument of a call, with its numbers per state; NULL: not requested.
typedef struct array {
  double *at;
  size_t size;
} array;

// The arguments of a call: a function of one state, its inputs and outputs.
typedef struct call {
  const pb_map *map;
  dm_status (*work)(workspace *w, const struct call *c, int i);
  struct {
    const double *at;
    size_t size;
  } in[3];
  array out[5];
  int *status;
  int steps; // number of steps of a rollout
} call;

static const double *in(const call *c, int which, int i) {
  return c->in[which].at ? c->in[which].at + (size_t)i * c->in[which].size : NULL;
}

static double *out(const call *c, int which, int i) {
  return c->out[which].at ? c->out[which].at + (size_t)i * c->out[which].size : NULL;
}

// -- distribution of states over threads

static void fill_with_nan(const array *a, int i) {
  for (size_t j = 0; a->at && j < a->size; j++) a->at[(size_t)i * a->size + j] = NAN;
}

// clear the outputs of a failed state, except those of a rollout
static void mark_failed(workspace *w, const call *c, int i, dm_status s) {
  if (w->worst == DM_OK) {
    w->worst = s;
    dm_fail(&w->why, s, "state %d: %.480s", i, w->said.text[0] ? w->said.text : dm_status_text(s));
  }
  for (int k = 0; !c->steps && k < 5; k++) fill_with_nan(&c->out[k], i);
}

static void *work_on(void *self) {
  workspace *w = self;
  const call *c = w->call;
  w->worst = DM_OK;
  w->why.text[0] = 0;

  // all states in order; keep the first message
  for (int i = w->from; i < w->to; i++) {
    w->said.text[0] = 0;
    const dm_status s = c->work(w, c, i);
    if (c->status) c->status[i] = s;
    if (s != DM_OK) mark_failed(w, c, i, s);
  }
  return NULL;
}

// distribute the states over as many threads as are worthwhile
static dm_status share_out(pb_map *m, const call *c, int count) {
  int parts = (count + LEAST_SHARE - 1) / LEAST_SHARE, begun = 1;
  if (parts > m->threads) parts = m->threads;
  for (int k = 0; k < parts; k++) {
    workspace *w = &m->work[k];
    w->call = c;
    w->from = (int)((long long)count * k / parts);
    w->to = (int)((long long)count * (k + 1) / parts);
  }

  // if a thread cannot be created, this thread processes its part
  while (begun < parts && !pthread_create(&m->work[begun].thread, NULL, work_on, &m->work[begun]))
    begun++;
  for (int k = 0; k < parts; k++)
    if (k == 0 || k >= begun) work_on(&m->work[k]);
  for (int k = 1; k < begun; k++) pthread_join(m->work[k].thread, NULL);

  // parts are in the order of states: find the first failure
  for (int k = 0; k < parts; k++)
    if (m->work[k].worst != DM_OK) {
      m->why = m->work[k].why;
      return m->work[k].worst;
    }
  return DM_OK;
}

static dm_status run_call(pb_map *m, call *c, int count) {
  pthread_mutex_lock(&m->lock);
  m->why.text[0] = 0;
  c->map = m;
  const dm_status s = count > 0 ? share_out(m, c, count) : DM_OK;
  pthread_mutex_unlock(&m->lock);
  return s;
}

// -- functions of one state

// A step from x under u to x1, with the guess of q1 in w->guess. Fails unless the solver converges.
static dm_status take_step(workspace *w, const pb_map *m, const double *x, const double *u,
                           double *x1, int k) {
  dm_del_info info;
  memcpy(x1, w->guess, (size_t)m->n * sizeof *x1);
  dm_status s = dm_del_step(w->del, x, x + m->n, u, m->h, x1, x1 + m->n, &info);
  if (s != DM_OK) dm_del_explain(&w->said, s, w->del, &info, k, m->problem->task.coord_name);
  return s;
}

// The first step from a state: the guess follows from its velocity, without impulses of an earlier
// call.
static dm_status begin_step(workspace *w, const pb_map *m, const double *x, const double *u,
                            double *x1) {
  memset(w->del->lambda, 0, (size_t)m->nc * sizeof *w->del->lambda);
  memset(w->guess, 0, (size_t)m->n * sizeof *w->guess);

  // v from L_v(q,v) = p; at rest if it cannot be solved
  const bool moves = dm_velocity_of(w->continuous, x, x + m->n, w->guess) == DM_OK;
  for (int i = 0; i < m->n; i++) w->guess[i] = x[i] + (moves ? m->h * w->guess[i] : 0);
  return take_step(w, m, x, u, x1, 0);
}

static void put_impulses(const workspace *w, const pb_map *m, double *lambda) {
  if (lambda) memcpy(lambda, w->del->lambda, (size_t)m->nc * sizeof *lambda);
}

static dm_status step_state(workspace *w, const call *c, int i) {
  DM_TRY(begin_step(w, c->map, in(c, 0, i), in(c, 1, i), out(c, 0, i)));
  put_impulses(w, c->map, out(c, 1, i));
  return DM_OK;
}

static dm_status roll_state(workspace *w, const call *c, int i) {
  const pb_map *m = c->map;
  const double *u = in(c, 1, i);
  double *x = out(c, 0, i), *lambda = out(c, 1, i);
  dm_status s = DM_OK;
  fill_with_nan(&c->out[0], i);
  fill_with_nan(&c->out[1], i);
  memcpy(x, in(c, 0, i), (size_t)m->nx * sizeof *x);

  // each step is extrapolated from the previous one
  for (int k = 0; k < c->steps && s == DM_OK; k++, x += m->nx, u += m->nu) {
    s = k ? take_step(w, m, x, u, x + m->nx, k) : begin_step(w, m, x, u, x + m->nx);
    if (s != DM_OK) fill_with_nan(&(array){x + m->nx, (size_t)m->nx}, 0);
    if (s == DM_OK && lambda) put_impulses(w, m, lambda + (size_t)k * (size_t)m->nc);
    for (int j = 0; j < m->n; j++) w->guess[j] = 2 * x[m->nx + j] - x[j];
  }
  return s;
}

// the step with its A and B
static dm_status differentiate(workspace *w, const call *c, int i, double *x1, double *A,
                               double *B) {
  const pb_map *m = c->map;
  const double *x = in(c, 0, i), *u = in(c, 1, i);
  DM_TRY(begin_step(w, m, x, u, x1));
  dm_status s = dm_linearize_step(w->linear, x, x1, u, w->del->lambda, m->h, A, B);
  if (s != DM_OK) dm_linearize_explain(&w->said, s, w->linear, 0, m->problem->task.coord_name);
  return s;
}

static dm_status linearize_state(workspace *w, const call *c, int i) {
  DM_TRY(differentiate(w, c, i, out(c, 0, i), out(c, 1, i), out(c, 2, i)));
  double *lambda_x = out(c, 3, i), *lambda_u = out(c, 4, i);
  if (c->map->nc && lambda_x && lambda_u) dm_linearize_multipliers(w->linear, lambda_x, lambda_u);
  return DM_OK;
}

// second derivatives of the step: contracted with zeta, or for each component of f
static dm_status bend_state(workspace *w, const call *c, int i) {
  const pb_map *m = c->map;
  const double *x = in(c, 0, i), *u = in(c, 1, i), *zeta = in(c, 2, i);
  double *xx = out(c, 0, i), *xu = out(c, 1, i), *uu = out(c, 2, i);
  DM_TRY(differentiate(w, c, i, w->x1, w->A, w->B));
  return zeta ? dm_linearize_second(w->linear, x, w->x1, u, w->del->lambda, m->h, zeta, xx, xu, uu)
              : dm_linearize_tensor(w->linear, x, w->x1, u, w->del->lambda, m->h, xx, xu, uu);
}

static dm_status make_state(workspace *w, const call *c, int i) {
  return dm_state_of(w->continuous, in(c, 0, i), in(c, 1, i), out(c, 0, i));
}

static dm_status find_velocity(workspace *w, const call *c, int i) {
  double *v = out(c, 1, i);
  memset(v, 0, (size_t)c->map->n * sizeof *v);
  return dm_configuration_of(w->continuous, in(c, 0, i), out(c, 0, i), v);
}

static dm_status find_energy(workspace *w, const call *c, int i) {
  double *q = w->x1, *v = q + c->map->n;
  memset(v, 0, (size_t)c->map->n * sizeof *v);
  DM_TRY(dm_configuration_of(w->continuous, in(c, 0, i), q, v));
  return dm_energies(w->continuous, q, v, out(c, 0, i), out(c, 1, i));
}

// -- public functions

dm_status pb_map_state(pb_map *m, int count, const double *q, const double *v, double *x,
                       int *status) {
  const size_t n = (size_t)m->n;
  call c = {.work = make_state, .in = {{q, n}, {v, n}}, .out = {{x, 2 * n}}, .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_velocity(pb_map *m, int count, const double *x, double *q, double *v,
                          int *status) {
  const size_t n = (size_t)m->n;
  call c = {.work = find_velocity, .in = {{x, 2 * n}}, .out = {{q, n}, {v, n}}, .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_energy(pb_map *m, int count, const double *x, double *kinetic, double *potential,
                        int *status) {
  call c = {.work = find_energy,
            .in = {{x, (size_t)m->nx}},
            .out = {{kinetic, 1}, {potential, 1}},
            .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_step(pb_map *m, int count, const double *x, const double *u, double *x1,
                      double *lambda, int *status) {
  const size_t nx = (size_t)m->nx;
  call c = {.work = step_state,
            .in = {{x, nx}, {u, (size_t)m->nu}},
            .out = {{x1, nx}, {lambda, (size_t)m->nc}},
            .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_rollout(pb_map *m, int count, int steps, const double *x, const double *u,
                         double *x1, double *lambda, int *status) {
  const size_t nx = (size_t)m->nx, N = steps > 0 ? (size_t)steps : 0;
  call c = {.work = roll_state,
            .in = {{x, nx}, {u, N * (size_t)m->nu}},
            .out = {{x1, (N + 1) * nx}, {lambda, N * (size_t)m->nc}},
            .status = status,
            .steps = (int)N};
  return run_call(m, &c, count);
}

dm_status pb_map_linear(pb_map *m, int count, const double *x, const double *u, double *x1,
                        double *A, double *B, double *lambda_x, double *lambda_u, int *status) {
  const size_t nx = (size_t)m->nx, nu = (size_t)m->nu, nc = (size_t)m->nc;
  call c = {.work = linearize_state,
            .in = {{x, nx}, {u, nu}},
            .out = {{x1, nx}, {A, nx * nx}, {B, nx * nu}, {lambda_x, nc * nx}, {lambda_u, nc * nu}},
            .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_hessian(pb_map *m, int count, const double *x, const double *u, const double *zeta,
                         double *xx, double *xu, double *uu, int *status) {
  const size_t nx = (size_t)m->nx, nu = (size_t)m->nu;
  call c = {.work = bend_state,
            .in = {{x, nx}, {u, nu}, {zeta, nx}},
            .out = {{xx, nx * nx}, {xu, nx * nu}, {uu, nu * nu}},
            .status = status};
  return run_call(m, &c, count);
}

dm_status pb_map_tensor(pb_map *m, int count, const double *x, const double *u, double *xx,
                        double *xu, double *uu, int *status) {
  const size_t nx = (size_t)m->nx, nu = (size_t)m->nu;
  call c = {.work = bend_state,
            .in = {{x, nx}, {u, nu}},
            .out = {{xx, nx * nx * nx}, {xu, nx * nx * nu}, {uu, nx * nu * nu}},
            .status = status};
  return run_call(m, &c, count);
}

void pb_map_explain(const pb_map *m, dm_message *msg) {
  *msg = m->why;
}

// -- names and counts

int pb_map_count(const pb_map *m, const char *what) {
  const struct {
    const char *word;
    int count;
  } row[] = {{"coordinate", m->n},  {"input", m->nu},       {"kinematic", m->s->nk},
             {"constraint", m->nc}, {"thread", m->threads}, {"warning", m->problem->warnings.n}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (!strcmp(row[i].word, what)) return row[i].count;
  return -1;
}

const char *pb_map_name(const pb_map *m, const char *what, int i) {
  const pb_problem *p = m->problem;
  if (i < 0 || i >= pb_map_count(m, what)) return NULL;
  if (!strcmp(what, "coordinate")) return p->model->name[i];
  if (!strcmp(what, "input")) return p->names.input[i];
  if (!strcmp(what, "constraint")) return p->names.row[i];
  return strcmp(what, "warning") ? NULL : p->warnings.text[i];
}

const char *pb_map_unit(const pb_map *m, const char *what, int i) {
  return strlen(what) == 1 ? pb_problem_unit(m->problem, what[0], i) : NULL;
}

dm_status pb_map_limits(const pb_map *m, const char *what, int i, double *low, double *high) {
  const oc_task *task = &m->problem->task;
  const dm_limits robot = dm_model_limits(m->problem->model);
  const struct {
    const char *word;
    int n;
    dm_bounds of; // low NULL: -high
  } row[] = {{"q", m->n, task->bounds[OC_Q].high ? task->bounds[OC_Q] : robot.q},
             {"v", m->n, task->bounds[OC_V].high ? task->bounds[OC_V] : robot.v},
             {"u", m->nu, task->bounds[OC_U]}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    if (strcmp(row[k].word, what) || i < 0 || i >= row[k].n) continue;
    *high = row[k].of.high[i];
    *low = row[k].of.low ? row[k].of.low[i] : -*high;
    return DM_OK;
  }
  return DM_BAD_INPUT;
}

double pb_map_step_length(const pb_map *m) {
  return m->h;
}

// -- open and close

// the feature of a file that makes its map different; NULL: none
static const char *find_other_map(const pb_problem *p) {
  const pb_simulation *s = &p->simulate;
  if (p->phases.n) return "phases, expected one of them: say which by 'phase'";
  if (p->robot.mechanism.contacts || p->task.system.contacts)
    return "model.contacts or dry friction, expected none: contacts make no smooth map";
  if (!p->has.simulate) return NULL;
  if (s->order > 2)
    return "simulate.order above 2, expected 2: rule.lagrangian has lobatto-3 and lobatto-4, of "
           "order "
           "4 and 6 in one step";
  if (s->points.two) return "constraints between knots, expected them at knots";
  return s->comparator ? "a simulate.method for comparison, expected the variational steps" : NULL;
}

static dm_status make_workspace(workspace *w, const pb_map *m) {
  const size_t n = (size_t)m->n, nx = 2 * n, nu = (size_t)m->nu;
  double *block = calloc(n + nx + nx * nx + nx * nu, sizeof *block);
  if (!block) return DM_NO_MEMORY;

  // one block for all arrays of a workspace
  w->guess = block;
  w->x1 = block + n;
  w->A = w->x1 + nx;
  w->B = w->A + nx * nx;
  DM_TRY(dm_del_new(&w->del, m->s, NULL));
  DM_TRY(dm_linearize_new(&w->linear, m->s));
  return dm_continuous_new(&w->continuous, m->s);
}

static dm_status fill_map(pb_map *m, double step, int threads, dm_message *msg) {
  pb_problem *p = m->problem;
  const char *other = find_other_map(p);
  if (other) return dm_fail(msg, DM_BAD_INPUT, "%.200s: found %s", p->file.path, other);

  // the system, fitted to the requested step
  if (step > 0) DM_TRY(pb_problem_refit(p, step));
  m->h = step > 0 ? step : p->fit.step;
  m->s = &p->task.system;
  m->n = m->s->L.nq;
  m->nx = 2 * m->n;
  m->nu = dm_system_inputs(m->s);
  m->nc = m->s->hol.nc;

  // workspaces of the threads
  m->work = calloc((size_t)threads, sizeof *m->work);
  if (!m->work) return DM_NO_MEMORY;
  m->threads = threads;
  for (int k = 0; k < threads; k++) DM_TRY(make_workspace(&m->work[k], m));
  m->locks = pthread_mutex_init(&m->lock, NULL) == 0;
  return m->locks ? DM_OK : DM_NO_MEMORY;
}

dm_status pb_map_open(pb_map **out, const char *path, const char *copies,
                      const char *const *replace, int nreplace, double step, int threads,
                      dm_message *msg) {
  *out = NULL;
  if (threads < 1)
    return dm_fail(msg, DM_BAD_INPUT, "threads: found %d, expected one at least", threads);
  if (!(step >= 0) || isinf(step))
    return dm_fail(msg, DM_BAD_INPUT, "step: found %g, expected a number > 0, or 0 for the file's",
                   step);
  pb_map *m = calloc(1, sizeof *m);
  if (!m) return dm_fail(msg, DM_NO_MEMORY, "%.300s: out of memory", path);

  // the file, then the map
  dm_status s = pb_problem_replaced(&m->problem, &m->texts, path, copies, replace, nreplace, msg);
  if (s == DM_OK && (s = fill_map(m, step, threads, msg)) == DM_NO_MEMORY)
    dm_fail(msg, s, "%.300s: out of memory", path);
  if (s == DM_OK)
    *out = m;
  else
    pb_map_close(m);
  return s;
}

void pb_map_close(pb_map *m) {
  if (!m) return;
  for (int k = 0; m->work && k < m->threads; k++) {
    dm_del_free(m->work[k].del);
    dm_linearize_free(m->work[k].linear);
    dm_continuous_free(m->work[k].continuous);
    free(m->work[k].guess);
  }
  free(m->work);
  if (m->locks) pthread_mutex_destroy(&m->lock);
  pb_problem_free(m->problem);
  free(m->texts);
  free(m);
}
