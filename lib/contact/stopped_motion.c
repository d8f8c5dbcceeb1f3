#include "lib/contact/stopped_motion.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/contact/row_impulses.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/mass_matrix.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_EVENTS = 200 };
static const double TOUCH =
    1e-9; // smaller gaps are closed, rad, or of a length of robot and motion
static const double TANGENT = 1e-10;  // smaller rates and accelerations relative to |G|_W |v|_M are
                                      // zero
static const double SHORTEST = 1e-12; // time between events, relative to the interval

struct dm_stopped_motion {
  int n, ng;
  dm_unilateral g;
  dm_continuous *c;     // accelerations, momenta, projections on equalities
  dm_mass_matrix *mass; // of the physical Lagrangian
  dm_row_impulses *impulses;
  int met;         // number of impacts and closures in the step
  const double *u; // constant over the interval
  // C, the closed constraints
  int nclosed;
  int *closed;    // [n] their indices
  double *lambda; // [n] their multipliers at the last evaluation of the rate
  double *pull;   // [n] multipliers times |G|_W over |a|_M: the fraction of the acceleration due to
                  // a constraint
  bool *is_closed,
      *pressed; // [ng] in C; in C for any multiplier, as it would be met again at once
  // all constraints at the start of an interval
  double *gap, *rate, *floor; // [ng] g, G v; lower limit of g
  double *size;               // [ng] scale of g: a radian or the length
  double *gap1, *rate1;       // [ng] at another state
  double *value;              // [ng] of rows
  // selected rows
  int *which;                  // [ng]
  double *G, *WG;              // [ng x n]
  dm_sparse_rows rows;         // G as a list
  bool *in;                    // [ng] with an impulse
  double *b, *impulse;         // [ng]
  const double *at;            // configuration of the rows
  double *row;                 // [n] of a list, in full
  double *S;                   // [n x n] G W G' of C
  int *piv;                    // [n]
  double *H;                   // [n x n] D2g of one
  double *p, *a;               // [n] a momentum, an acceleration
  double *start, *trial, *end; // [2n] states
  dm_advance advance;          // of the current step
  void *self;
  void *scratch; // of g
};

static void lay_out_stopped(void *self, dm_block *b) {
  // arrays per constraint, vectors and states
  dm_stopped_motion *w = self;
  const size_t n = (size_t)w->n, ng = (size_t)w->ng;
  double **const rows[] = {&w->gap,   &w->rate, &w->floor,   &w->gap1, &w->rate1,
                           &w->value, &w->b,    &w->impulse, &w->size};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_block_alloc(b, ng, sizeof(double));
  double **const vectors[] = {&w->lambda, &w->pull, &w->p, &w->a, &w->row};
  for (size_t i = 0; i < 5; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  double **const states[] = {&w->start, &w->trial, &w->end};
  for (size_t i = 0; i < 3; i++) *states[i] = dm_block_alloc(b, 2 * n, sizeof(double));
  // rows, and matrices of the closed set
  w->G = dm_block_alloc(b, ng * n, sizeof *w->G);
  w->WG = dm_block_alloc(b, ng * n, sizeof *w->WG);
  dm_sparse_rows_lay_out(&w->rows, b, w->n, ng, ng * n);
  w->in = dm_block_alloc(b, ng, sizeof *w->in);
  w->S = dm_block_alloc(b, n * n, sizeof *w->S);
  w->H = dm_block_alloc(b, n * n, sizeof *w->H);
  w->closed = dm_block_alloc(b, n, sizeof *w->closed);
  w->piv = dm_block_alloc(b, n, sizeof *w->piv);
  w->which = dm_block_alloc(b, ng, sizeof *w->which);
  w->is_closed = dm_block_alloc(b, ng, sizeof *w->is_closed);
  w->pressed = dm_block_alloc(b, ng, sizeof *w->pressed);
  w->scratch = dm_block_alloc(b, w->g.scratch, 1);
}

void dm_stopped_motion_free(dm_stopped_motion *w) {
  if (!w) return;
  dm_continuous_free(w->c);
  dm_mass_matrix_free(w->mass);
  dm_row_impulses_free(w->impulses);
  dm_block_free(w);
}

dm_status dm_stopped_motion_new(dm_stopped_motion **out, const dm_system *s,
                                const dm_unilateral *g) {
  assert(out && s && g);
  *out = NULL;
  // unsupported systems
  if (s->nk || g->friction) return DM_UNAVAILABLE;
  for (int i = 0; i < g->ng; i++)
    if (!g->restitution || g->restitution[i] != 0) return DM_UNAVAILABLE;

  dm_stopped_motion sizes = {.n = s->L.nq, .ng = g->ng, .g = *g};
  dm_stopped_motion *w = dm_block_make(&sizes, sizeof sizes, lay_out_stopped);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_continuous_new(&w->c, s);
  if (status == DM_OK) status = dm_mass_matrix_new(&w->mass, s->physical ? s->physical : &s->L);
  if (status == DM_OK) status = dm_row_impulses_new(&w->impulses, w->n, 0, w->ng);
  if (status != DM_OK) {
    dm_stopped_motion_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

// -- rows

// G of m constraints at q, and W G
static dm_status find_rows(dm_stopped_motion *w, const double *q, int m, const int *which) {
  const int n = w->n;
  w->at = q;
  DM_TRY(w->g.rows(w->g.self, w->scratch, q, m, which, w->value, w->G));
  dm_mass_matrix_place(w->mass, q);
  DM_TRY(dm_mass_matrix_velocity(w->mass, m, w->G, w->WG));
  for (int i = 0; w->c->s.hol.nc && i < m; i++)
    DM_TRY(dm_velocity_restrict(w->c, q, dm_row(w->WG, i, n)));
  return DM_OK;
}

// the metric of w->impulses: W, under the equalities, times t times row i of B
static dm_status append_response(void *self, double t, const dm_sparse_rows *B, int i,
                                 dm_sparse_rows *out) {
  dm_stopped_motion *w = self;
  memset(w->row, 0, (size_t)w->n * sizeof *w->row);
  dm_sparse_rows_add_to(B, i, t, w->row);
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, w->row, w->row));
  if (w->c->s.hol.nc) DM_TRY(dm_velocity_restrict(w->c, w->at, w->row));
  dm_sparse_rows_append_dense(out, w->row);
  return DM_OK;
}

// w->impulse: nonnegative impulses along the m rows of find_rows, after which b + G r >= -tol |G|
static dm_status find_impulses(dm_stopped_motion *w, int m, double tol) {
  const dm_sparse_rows none = {.n = w->n};
  w->rows.m = 0;
  for (int i = 0; i < m; i++) {
    dm_sparse_rows_append_dense(&w->rows, dm_row(w->G, i, w->n));
    w->in[i] = w->b[i] < 0;
  }
  const dm_row_problem x = {
      .metric = append_response, .self = w, .A = &none, .G = &w->rows, .b = w->b, .tol = tol};
  DM_TRY(dm_row_impulses_measure(w->impulses, &x));
  return dm_row_impulses_solve(w->impulses, &x, w->in, w->impulse);
}

// norm |G|_W of row i
static double find_row_size(const dm_stopped_motion *w, int i) {
  return sqrt(fmax(dm_inner(w->n, dm_row(w->G, i, w->n), dm_row(w->WG, i, w->n)), 0));
}

// norm |x|_M of a velocity or an acceleration at q
static dm_status find_motion_size(dm_stopped_motion *w, const double *q, const double *x,
                                  double *size) {
  DM_TRY(dm_momentum_of(w->c, q, x, w->p));
  *size = sqrt(fmax(dm_inner(w->n, x, w->p), 0));
  return DM_OK;
}

// v' D2g v of constraint i
static dm_status find_curvature(dm_stopped_motion *w, const double *q, const double *v, int i,
                                double *out) {
  const double one = 1;
  const int n = w->n;
  memset(w->H, 0, (size_t)n * (size_t)n * sizeof *w->H);
  DM_TRY(w->g.contract(w->g.self, w->scratch, q, 1, &i, &one, w->H));
  *out = 0;
  for (int j = 0; j < n; j++) *out += v[j] * dm_inner(n, dm_row(w->H, j, n), v);
  return DM_OK;
}

// gaps [ng] at y = (q,v), and their rates
static dm_status find_gaps(dm_stopped_motion *w, const double *y, double *gap, double *rate) {
  DM_TRY(w->g.rows(w->g.self, w->scratch, y, w->ng, NULL, gap, w->G));
  for (int i = 0; i < w->ng; i++) rate[i] = dm_inner(w->n, dm_row(w->G, i, w->n), y + w->n);
  return DM_OK;
}

// w->size for an interval h from y: a length of the robot, or a tenth of the distance moved
static dm_status find_sizes(dm_stopped_motion *w, const double *y, double h) {
  const dm_system *s = &w->c->s;
  const double *v = y + w->n;
  double length = dm_system_length(s, y);
  if (s->length) DM_TRY(dm_acceleration(w->c, y, v, w->u, w->a));
  for (int i = 0; s->length && i < w->n; i++)
    if (s->length[i]) length = fmax(length, 0.1 * h * fmax(fabs(v[i]), h * fabs(w->a[i])));
  if (!(length > 0 && isfinite(length))) length = 1;
  for (int i = 0; i < w->ng; i++)
    w->size[i] = w->g.scale[i] * (w->g.angle && w->g.angle[i] ? 1 : length);
  return DM_OK;
}

// -- motion under C

// w->b of rows 0 to m - 1 at y for acceleration a: G a + D2g(v,v)
static dm_status find_row_accelerations(dm_stopped_motion *w, const double *y, const double *a,
                                        int m, const int *which) {
  for (int i = 0; i < m; i++) {
    DM_TRY(find_curvature(w, y, y + w->n, which[i], &w->b[i]));
    w->b[i] += dm_inner(w->n, dm_row(w->G, i, w->n), a);
  }
  return DM_OK;
}

// a <- a + W G' lambda with G a + D2g(v,v) = 0 for all of C
static dm_status hold_closed(dm_stopped_motion *w, const double *y, double *a) {
  const int n = w->n, m = w->nclosed;
  if (m == 0) return DM_OK;
  DM_TRY(find_rows(w, y, m, w->closed));
  DM_TRY(find_row_accelerations(w, y, a, m, w->closed));

  // (G W G') lambda = -(G a + D2g(v,v))
  for (int i = 0; i < m; i++) {
    w->lambda[i] = -w->b[i];
    for (int j = 0; j < m; j++)
      w->S[i * m + j] = dm_inner(n, dm_row(w->G, i, n), dm_row(w->WG, j, n));
  }
  DM_TRY(dm_lu_factor(m, w->S, w->piv));
  dm_lu_solve(m, w->S, w->piv, 1, w->lambda);
  for (int i = 0; i < m; i++) dm_add_to(n, w->lambda[i], dm_row(w->WG, i, n), a);
  return DM_OK;
}

// (q,v)' = (v, a)
static dm_status find_stopped_rate(void *self, const double *y, double *rate) {
  dm_stopped_motion *w = self;
  const int n = w->n;
  memcpy(rate, y + n, (size_t)n * sizeof *rate);
  DM_TRY(dm_acceleration(w->c, y, y + n, w->u, rate + n));
  return hold_closed(w, y, rate + n);
}

// -- events

// Step 1: impact of the contacts that approach.
static dm_status take_impact(dm_stopped_motion *w, double *y) {
  const int n = w->n;
  double speed;
  int m = 0;
  bool approaches = false;
  for (int i = 0; i < w->ng; i++) {
    if (w->gap[i] > TOUCH * w->size[i]) continue;
    w->which[m++] = i;
    approaches |= w->rate[i] < 0;
  }
  if (!approaches) return DM_OK;

  // v <- v + W G' r
  DM_TRY(find_motion_size(w, y, y + n, &speed));
  DM_TRY(find_rows(w, y, m, w->which));
  for (int i = 0; i < m; i++) w->b[i] = w->rate[w->which[i]];
  DM_TRY(find_impulses(w, m, 1e-12 * speed));
  for (int i = 0; i < m; i++) dm_add_to(n, w->impulse[i], dm_row(w->WG, i, n), y + n);
  for (int i = 0; i < m; i++) w->met += w->impulse[i] > 0;
  return find_gaps(w, y, w->gap, w->rate);
}

// Step 2: C at y, of the contacts that do not separate.
static dm_status choose_closed(dm_stopped_motion *w, const double *y) {
  const int n = w->n;
  double speed, size, *a = w->a;
  w->nclosed = 0;
  memset(w->is_closed, 0, (size_t)w->ng * sizeof *w->is_closed);
  int m = 0;
  for (int i = 0; i < w->ng; i++)
    if (w->gap[i] <= TOUCH * w->size[i]) w->which[m++] = i;
  if (m == 0) return DM_OK;

  // contacts with a rate that is zero relative to the speed; rows are compacted
  DM_TRY(find_motion_size(w, y, y + n, &speed));
  DM_TRY(find_rows(w, y, m, w->which));
  int rest = 0;
  for (int i = 0; i < m; i++)
    if (w->rate[w->which[i]] <= TANGENT * find_row_size(w, i) * speed)
      w->which[rest++] = w->which[i];
  if (rest == 0) return DM_OK;

  // lambda >= 0, from the acceleration without contact forces
  DM_TRY(dm_acceleration(w->c, y, y + n, w->u, a));
  DM_TRY(find_motion_size(w, y, a, &size));
  DM_TRY(find_rows(w, y, rest, w->which));
  DM_TRY(find_row_accelerations(w, y, a, rest, w->which));
  DM_TRY(find_impulses(w, rest, 1e-12 * size));
  for (int i = 0; i < rest; i++) {
    if (!(w->impulse[i] > 0 || w->pressed[w->which[i]]) || w->nclosed == n) continue;
    w->is_closed[w->which[i]] = true;
    w->closed[w->nclosed++] = w->which[i];
  }
  return DM_OK;
}

// -- step 3

// the multipliers of C at y relative to the acceleration without them, in W: < 0 if one pulls
static dm_status find_pulls(dm_stopped_motion *w, const double *y) {
  const int n = w->n;
  double size;
  if (w->nclosed == 0) return DM_OK;
  DM_TRY(dm_acceleration(w->c, y, y + n, w->u, w->a));
  DM_TRY(find_motion_size(w, y, w->a, &size));
  DM_TRY(hold_closed(w, y, w->a));
  for (int i = 0; i < w->nclosed; i++)
    w->pull[i] = size > 0 ? w->lambda[i] * find_row_size(w, i) / size : 0;
  return DM_OK;
}

// distance of w->trial beyond an event, > 0: a relative gap, or a relative multiplier
typedef struct event {
  double beyond;
  int met; // constraint of the gap; -1: a constraint of C pulls
} event;

// the event that w->trial exceeds most
static dm_status find_event(dm_stopped_motion *w, event *e) {
  *e = (event){.beyond = -INFINITY, .met = -1};
  DM_TRY(find_gaps(w, w->trial, w->gap1, w->rate1));
  for (int i = 0; i < w->ng; i++) {
    const double beyond = (w->floor[i] - w->gap1[i]) / w->size[i];
    if (!w->is_closed[i] && beyond > e->beyond) *e = (event){beyond, i};
  }
  DM_TRY(find_pulls(w, w->trial));
  for (int i = 0; i < w->nclosed; i++)
    if (-w->pull[i] - TANGENT > fmax(e->beyond, 0)) *e = (event){-w->pull[i] - TANGENT, -1};
  return DM_OK;
}

// w->trial at time t after w->start, and its event
static dm_status try_time(dm_stopped_motion *w, double t, event *e) {
  dm_status s = DM_OK;
  memcpy(w->trial, w->start, 2 * (size_t)w->n * sizeof *w->trial);
  if (t > 0) s = w->advance(w->self, find_stopped_rate, w, t, w->trial);
  return s == DM_OK ? find_event(w, e) : s;
}

// minimizer in (0, end) of the cubic with values a, b and slopes ra < 0 < rb, and the minimum
static double find_least(double end, double a, double ra, double b, double rb, double *least) {
  // g = a + ra t + c t^2 + d t^3, g' = 0
  const double slope = (b - a) / end;
  const double c = (3 * slope - 2 * ra - rb) / end, d = (ra + rb - 2 * slope) / (end * end);
  const double root = sqrt(fmax(c * c - 3 * d * ra, 0));
  const double t = fmin(fmax(-ra / (c + root), 0), end);
  *least = a + t * (ra + t * (c + t * d));
  return t;
}

// A constraint that is met and left before `end`, whose state is in w->trial: sets *end to a time
// at which it is violated, and e to that event; otherwise w->trial is unchanged.
static dm_status find_dip(dm_stopped_motion *w, double *end, event *e) {
  const size_t bytes = 2 * (size_t)w->n * sizeof *w->end;
  const double whole = *end;
  memcpy(w->end, w->trial, bytes);
  for (int i = 0; i < w->ng; i++) {
    double least;
    if (w->is_closed[i] || !(w->rate[i] < 0) || !(w->rate1[i] > 0)) continue;
    const double t = find_least(whole, w->gap[i], w->rate[i], w->gap1[i], w->rate1[i], &least);
    if (!(least < w->floor[i]) || !(t > 0 && t < whole)) continue;
    dm_status s = try_time(w, t, e);
    if (s != DM_OK) return s;
    *end = t;
    if (e->beyond > 0) return DM_OK;

    // no violation: restore the gaps and rates at the end
    *end = whole;
    memcpy(w->trial, w->end, bytes);
    DM_TRY(find_event(w, e));
  }
  return DM_OK;
}

// The first event after w->start, within `left`: its time, and w->trial there, just before a new
// contact or just after a constraint pulls. *met: the new contact; -1: another event or none.
static dm_status go_to_event(dm_stopped_motion *w, double left, double *t, int *met) {
  event e;
  double low = 0, high = left;
  *met = -1;
  *t = left;
  dm_status s = try_time(w, left, &e);
  if (s == DM_OK && !(e.beyond > 0)) s = find_dip(w, &high, &e);
  if (s != DM_OK || !(e.beyond > 0)) return s;

  // low is before the event, high after it, until they differ by rounding; alternate bisections and
  // secants
  double below = -e.beyond, above = e.beyond;
  *met = e.met;
  for (int k = 0; high - low > SHORTEST / 10 * left; k++) {
    const double share = k % 2 ? below / (below - above) : 0.5;
    const double middle = low + fmin(fmax(share, 1e-3), 1 - 1e-3) * (high - low);
    s = try_time(w, middle, &e);
    if (s != DM_OK) return s;
    if (e.beyond > 0) {
      high = middle;
      above = e.beyond;
      *met = e.met;
      continue;
    }
    low = middle;
    below = e.beyond;
    if (*met >= 0 && e.beyond >= -2 * TOUCH) break;
  }
  *t = *met >= 0 ? low : high;
  return try_time(w, *t, &e);
}

int dm_stopped_motion_met(const dm_stopped_motion *w) {
  return w->met;
}

dm_status dm_stopped_motion_step(dm_stopped_motion *w, const double *u, double h, double *y,
                                 dm_advance advance, void *self) {
  const size_t bytes = 2 * (size_t)w->n * sizeof *y;
  double left = h;
  w->met = 0;
  w->u = u;
  w->advance = advance;
  w->self = self;
  memcpy(w->start, y, bytes);
  memset(w->pressed, 0, (size_t)w->ng * sizeof *w->pressed);
  DM_TRY(find_sizes(w, y, h));

  for (int k = 0; left > 0; k++) {
    if (k == MAX_EVENTS) return DM_MAX_ITER;

    // 1, 2  impacts, then the closed set
    DM_TRY(find_gaps(w, w->start, w->gap, w->rate));
    DM_TRY(take_impact(w, w->start));
    DM_TRY(choose_closed(w, w->start));
    w->met += w->nclosed;
    for (int i = 0; i < w->ng; i++) w->floor[i] = fmin(w->gap[i], 0) - TOUCH * w->size[i];

    // 3  integrate to the next event
    double t;
    int met;
    const dm_status s = go_to_event(w, left, &t, &met);
    if (s != DM_OK) return s;
    memcpy(w->start, w->trial, bytes);
    left = t < left ? left - t : 0;

    // 4  a contact that is met again at once rests
    if (t > SHORTEST * h) memset(w->pressed, 0, (size_t)w->ng * sizeof *w->pressed);
    if (t <= SHORTEST * h && met >= 0) w->pressed[met] = true;
  }
  memcpy(y, w->start, bytes);
  return DM_OK;
}
