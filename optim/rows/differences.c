#include "optim/rows/differences.h"

#include <math.h>

static const double TIE = 5e-3;       // eps: it changes minimum times by about 1e-5 of themselves
static const double TIE_STEPS = 1e-4; // among free steps: the cost of a second, per mean step

// -- rows

// Rows D = x_b + sign x_a for some unknowns of one kind at each place.
typedef struct pair_rows {
  int a, b;            // index of the first unknown of each operand at the first place
  int stride, last_b;  // stride between places; index of b at the last place
  double sign;         // of a
  int size;            // rows per place, not counting the second row of a limit with free h
  const int *index;    // [size] offsets of the unknowns from a and b; NULL: 0, 1, ..
  const double *limit; // limit on D/h, by the same index; NULL: none
} pair_rows;

// rows between consecutive places of unknowns that begin at x; after the last place comes `next`
static pair_rows pair_places(const oc_rows *r, int x, int stride, int next) {
  return (pair_rows){
      .a = x, .b = x + stride, .stride = stride, .last_b = next, .sign = -1, .size = r->at.size};
}

// rows of a single place
static pair_rows pair_ends(const oc_rows *r, int a, int b, double sign) {
  return (pair_rows){.a = a, .b = b, .last_b = b, .sign = sign, .size = r->at.size};
}

static pair_rows find_pairs(const oc_transcription *t, oc_rows_kind kind) {
  const oc_rows *r = oc_rows_of(t, kind);
  const int stage = oc_transcription_q(t, 1), N = t->N;
  const int inputs = oc_transcription_u(t, t->nchange < N ? t->nchange : 0);
  pair_rows p = {0};
  switch (kind) {
  case OC_SPEED_ROWS:
    p = pair_places(r, oc_transcription_q(t, 0), stage, oc_transcription_q(t, N));
    p.size = t->nlim;
    p.index = t->limited;
    p.limit = t->task.bounds[OC_V].high;
    break;
  case OC_RATE_ROWS:
    p = pair_places(r, oc_transcription_u(t, 0), stage, inputs);
    p.size = t->nrate;
    p.index = t->rated;
    p.limit = t->task.bounds[OC_RATE].high;
    break;
  case OC_ORDER_ROWS:
    p = pair_places(r, t->s, 1, t->s + N);
    break;
  case OC_STEP_ROWS:
    p = pair_places(r, t->times, 1, t->times + N);
    break;
  case OC_TRAVEL_ROWS:
    p = pair_ends(r, oc_transcription_q(t, 0), oc_transcription_q(t, N), -1);
    break;
  case OC_END_VELOCITY_ROWS:
    p = pair_ends(r, t->v[0], t->v[1], -1);
    break;
  case OC_END_IMPULSE_ROWS:
    p = pair_ends(r, oc_transcription_lambda(t, 0), oc_transcription_lambda(t, N), 1);
    break;
  default:
    break;
  }
  return p;
}

// how long the difference at place k takes, in mean steps: a step, or from the middle of a step to that of the next
static double find_part(const oc_transcription *t, bool of_inputs, int k) {
  const double part = oc_task_part(&t->task, k);
  return of_inputs ? (part + oc_task_part(&t->task, (k + 1) % t->N)) / 2 : part;
}

// the unknowns of row l of place k
static void find_pair(const pair_rows *p, int k, int count, int l, int *a, int *b) {
  const int i = p->index ? p->index[l] : l;
  *a = p->a + k * p->stride + i;
  *b = (k + 1 < count ? p->b + k * p->stride : p->last_b) + i;
}

void oc_differences_bound(oc_transcription *t, oc_rows_kind kind) {
  const pair_rows p = find_pairs(t, kind);
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < oc_rows_of(t, kind)->at.count; k++)
    for (int l = 0; l < p.size; l++) {
      // one row if h is fixed, else D - limit h <= 0 <= D + limit h
      const double part = find_part(t, kind == OC_RATE_ROWS, k);
      const double most = part * p.limit[p.index[l]] * t->task.time.T / t->N;
      const bool fixed = !oc_transcription_steps_vary(t);
      t->g_min[row] = fixed ? -most : -INFINITY;
      t->g_max[row++] = fixed ? most : 0;
      if (fixed) continue;
      t->g_min[row] = 0;
      t->g_max[row++] = INFINITY;
    }
}

void oc_differences_bound_steps(oc_transcription *t, oc_rows_kind kind) {
  const oc_duration *time = &t->task.time;
  const int N = t->N, row = oc_rows_at(t, kind, 0), at = t->times;
  if (at < 0) return;
  for (int k = 0; k < N; k++) {
    t->g_min[row + k] = time->least;
    t->g_max[row + k] = time->most;
  }
  for (int k = 0; k <= N; k++) {
    t->x_min[at + k] = k < N ? 0 : time->free ? time->min : time->T;
    t->x_max[at + k] = k == 0 ? 0 : time->free ? time->max : time->T;
  }
}

void oc_differences_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g) {
  const pair_rows p = find_pairs(t, kind);
  const int count = oc_rows_of(t, kind)->at.count;
  g += oc_rows_at(t, kind, 0);
  for (int k = 0; k < count; k++)
    for (int l = 0; l < p.size; l++) {
      int a, b;
      find_pair(&p, k, count, l, &a, &b);
      const double D = x[b] + p.sign * x[a];
      if (!p.limit || !oc_transcription_steps_vary(t)) {
        *g++ = D;
        continue;
      }
      const double part = find_part(t, kind == OC_RATE_ROWS, k);
      const double h = t->times < 0 ? part * x[t->h] : oc_transcription_step(t, x, k);
      const double most = h * p.limit[p.index[l]];
      *g++ = D - most;
      *g++ = D + most;
    }
}

dm_status oc_differences_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s) {
  const pair_rows p = find_pairs(t, kind);
  const int count = oc_rows_of(t, kind)->at.count,
            sides = p.limit && oc_transcription_steps_vary(t) ? 2 : 1;
  int row = oc_rows_at(t, kind, 0);
  (void)x;
  for (int k = 0; k < count; k++)
    for (int l = 0; l < p.size; l++)
      for (int side = 0; side < sides; side++, row++) {
        int a, b;
        find_pair(&p, k, count, l, &a, &b);
        oc_put(s, row, a, p.sign);
        oc_put(s, row, b, 1);
        if (sides == 1) continue;
        const double limit = find_part(t, kind == OC_RATE_ROWS, k) * p.limit[p.index[l]];
        const double by_h = side ? limit : -limit;
        if (t->h >= 0) oc_put(s, row, t->h, by_h);
        if (t->times >= 0) oc_put(s, row, t->times + k, -by_h);
        if (t->times >= 0) oc_put(s, row, t->times + k + 1, by_h);
      }
  return DM_OK;
}

// -- costs

enum { START, GOAL, INNER, MOST_KNOTS = 4 };

// A difference over consecutive knots, with the velocity at an end, and its share in the cost. For inputs it has two
// places. For positions at times t_a (in mean steps, from the end) it is n! times a divided difference; a velocity counts
// t_0 twice (theory, section 6):
//
//   n! [t_0 .. t_n] q = n! sum_a q_a / prod_{b != a} (t_a - t_b)
//
// Equal steps have 1, -2, 1 and -1, 3, -3, 1.
typedef struct stencil {
  int places; // 0: not used
  bool has_v;
  double share;
} stencil;

// The costs: at the start, at the goal (counted backwards from the end), and between.
static const struct difference_cost {
  oc_quantity of;
  int order; // of the derivative: s / h^(2 order); 0: h
  stencil at[3];
} costs[] = {
    {OC_RATE, 1, {[INNER] = {2, false, 1}}},
    {OC_RATE, 0, {[INNER] = {2, false, 1}}}, // tie-break
    {OC_A, 2, {[START] = {2, true, 0.5}, [GOAL] = {2, true, 0.5}, [INNER] = {3, false, 1}}},
    {OC_JERK, 3, {[START] = {3, true, 1}, [GOAL] = {3, true, 1}, [INNER] = {4, false, 1}}},
};
enum { TIE_BREAK = 1, COSTS = sizeof costs / sizeof *costs };

// A cost of a program: its weights [size], the number of its differences, and h^power.
typedef struct cost_walk {
  const struct difference_cost *of;
  const double *w;
  bool of_inputs;
  int size, count; // differences: at the start, at the goal, then those between
  double power, scale;
} cost_walk;

static cost_walk begin_cost(const oc_transcription *t, int cost, double h) {
  const struct difference_cost *of = &costs[cost];
  cost_walk c = {.of = of,
                 .w = cost == TIE_BREAK ? t->tie : t->task.cost[of->of].running,
                 .of_inputs = of->of == OC_RATE,
                 .size = of->of == OC_RATE ? t->nf : t->n};
  if (!oc_has_weight(c.size, c.w)) return c;

  // for positions only if there are enough knots for the stencil at an end; for inputs, the changes only
  const int inner = c.of_inputs ? t->nchange : t->N + 2 - of->at[INNER].places;
  if (c.of_inputs || t->N + 1 >= of->at[START].places) c.count = 2 + (inner > 0 ? inner : 0);
  c.power = of->order ? (t->task.sum ? 0 : 1) - 2 * of->order : 1;
  c.scale = pow(h, c.power);
  return c;
}

// A difference D = sum_a c_a x_a in a program, the velocity of an end last.
typedef struct difference {
  int n, x[MOST_KNOTS + 1];
  double c[MOST_KNOTS + 1];
  bool has_v;      // then the last coefficient is h by_v
  double by_v, wF; // weight times share h^power
} difference;

// the coefficients of a divided difference at times at [n], and of h v at at[0]
static void set_coefficients(const double *at, const stencil *s, difference *d) {
  const int n = s->places;
  double factor = 1;
  for (int order = n - !s->has_v; order > 1; order--) factor *= order;
  for (int a = 0; a < n; a++) {
    double product = 1, inverse = 0;
    for (int b = 0; b < n; b++) {
      if (b == a) continue;
      product *= (at[a] - at[b]) * (s->has_v && b == 0 ? at[a] - at[b] : 1);
      inverse += 1 / (at[a] - at[b]);
    }
    d->c[a] = factor / product * (s->has_v && a == 0 ? -inverse : 1);
    if (s->has_v && a == 0) d->by_v = factor / product;
  }
}

// The time that difference e of positions stands for in a cost, in mean steps: of an acceleration the half of the steps
// beside its knot, of a jerk the step in its middle.
static double find_time(const oc_transcription *t, const stencil *s, int e, int first) {
  if (e == START) return oc_task_part(&t->task, 0);
  if (e == GOAL) return oc_task_part(&t->task, t->N - 1);
  return s->places == 3 ? find_part(t, true, first) : oc_task_part(&t->task, first + 1);
}

// difference e of entry i, from its stencil
static difference place_difference(const oc_transcription *t, const cost_walk *c, int e, int i,
                                   double h) {
  const stencil *s = &c->of->at[e < INNER ? e : INNER];
  const int first = e < INNER ? 0 : e - INNER;
  const double *grid = t->task.time.grid;
  double at[MOST_KNOTS];
  difference d = {.wF = c->w[i] * s->share * c->scale, .c = {-1, 1}};
  if (grid && c->of_inputs) d.wF *= pow(find_part(t, true, first), c->power);
  if (grid && !c->of_inputs && !t->task.sum) d.wF *= find_time(t, s, e, first);
  for (int a = 0; a < s->places; a++) {
    // after the last step of a periodic motion comes its first step
    const int k = e == GOAL ? t->N - a : first + a;
    d.x[d.n] =
        i + (c->of_inputs ? oc_transcription_u(t, k < t->N ? k : 0) : oc_transcription_q(t, k));
    at[a] = grid ? grid[k] - grid[e == GOAL ? t->N : first] : e == GOAL ? -a : a;
    d.n++;
  }
  if (!c->of_inputs) set_coefficients(at, s, &d);
  if (!s->has_v) return d;
  d.has_v = true;
  d.x[d.n] = t->v[e] + i;
  d.c[d.n++] = h * d.by_v;
  return d;
}

// Move d to difference e of entry i, from the start on: the ones between follow each other by a stage.
static void move_difference(const oc_transcription *t, const cost_walk *c, int e, int i, double h,
                            difference *d) {
  const int last = e - INNER + c->of->at[INNER].places - 1;
  const bool wraps = c->of_inputs && last >= t->N;
  if (e <= INNER || wraps || t->task.time.grid) {
    *d = place_difference(t, c, e, i, h);
    return;
  }
  for (int a = 0; a < d->n; a++) d->x[a] += oc_transcription_q(t, 1);
}

static double take_difference(const difference *d, const double *x) {
  double D = 0;
  for (int a = 0; a < d->n; a++) D += d->c[a] * x[d->x[a]];
  return D;
}

// D by h
static double find_slope(const difference *d, const double *x) {
  return d->has_v ? d->by_v * x[d->x[d->n - 1]] : 0;
}

static double sum_cost(const oc_transcription *t, int cost, const double *x, double h) {
  const cost_walk c = begin_cost(t, cost, h);
  double sum = 0;
  difference d = {0};
  for (int i = 0; i < c.size; i++)
    for (int e = 0; e < c.count && c.w[i] > 0; e++) {
      move_difference(t, &c, e, i, h, &d);
      const double D = take_difference(&d, x);
      sum += 0.5 * d.wF * D * D;
    }
  return sum;
}

// -- the tie-break among free steps, w/2 (h_{k+1} - h_k)^2, which a minimum time leaves undetermined

static double weigh_steps(const oc_transcription *t) {
  const oc_duration *time = &t->task.time;
  return t->times >= 0 && time->free ? TIE_STEPS * time->weight / oc_task_step(&t->task) : 0;
}

static const double bend[] = {1, -2, 1};

// the difference of steps k and k + 1
static double find_bend_of_steps(const oc_transcription *t, const double *x, int k) {
  const double *at = x + t->times + k;
  return at[0] - 2 * at[1] + at[2];
}

static double sum_steps(const oc_transcription *t, const double *x) {
  const double w = weigh_steps(t);
  double sum = 0;
  for (int k = 0; w > 0 && k + 2 <= t->N; k++)
    sum += 0.5 * w * find_bend_of_steps(t, x, k) * find_bend_of_steps(t, x, k);
  return sum;
}

static void add_steps_gradient(const oc_transcription *t, const double *x, double *grad) {
  const double w = weigh_steps(t);
  for (int k = 0; w > 0 && k + 2 <= t->N; k++)
    for (int a = 0; a < 3; a++) grad[t->times + k + a] += w * bend[a] * find_bend_of_steps(t, x, k);
}

static void put_steps_hessian(const oc_transcription *t, double sigma, oc_triplets *s) {
  const double w = weigh_steps(t);
  for (int k = 0; w > 0 && k + 2 <= t->N; k++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b <= a; b++)
        oc_put(s, t->times + k + a, t->times + k + b, sigma * w * bend[a] * bend[b]);
}

double oc_difference_costs(const oc_transcription *t, const double *x, double h) {
  double sum = sum_steps(t, x);
  for (int cost = 0; cost < COSTS; cost++) sum += sum_cost(t, cost, x, h);
  return sum;
}

double oc_difference_costs_tie(const oc_transcription *t, const double *x, double h) {
  return sum_cost(t, TIE_BREAK, x, h) + sum_steps(t, x);
}

static void add_gradient(const oc_transcription *t, int cost, const double *x, double h,
                         double *grad) {
  const cost_walk c = begin_cost(t, cost, h);
  difference d = {0};
  for (int i = 0; i < c.size; i++)
    for (int e = 0; e < c.count && c.w[i] > 0; e++) {
      move_difference(t, &c, e, i, h, &d);

      // F D c_a, and by h through h^power and the coefficient of the velocity
      const double D = take_difference(&d, x);
      for (int a = 0; a < d.n; a++) grad[d.x[a]] += d.wF * D * d.c[a];
      if (t->h >= 0) grad[t->h] += 0.5 * d.wF * c.power / h * D * D + d.wF * D * find_slope(&d, x);
    }
}

void oc_difference_costs_gradient(const oc_transcription *t, const double *x, double h,
                                  double *grad) {
  for (int cost = 0; cost < COSTS; cost++) add_gradient(t, cost, x, h, grad);
  add_steps_gradient(t, x, grad);
}

void oc_difference_costs_tie_gradient(const oc_transcription *t, const double *x, double h,
                                      double *grad) {
  add_gradient(t, TIE_BREAK, x, h, grad);
  add_steps_gradient(t, x, grad);
}

// the entries of one difference; returns the second derivative by h
static double put_difference(const oc_transcription *t, const difference *d, double power,
                             const double *x, double h, double sigma, oc_triplets *s) {
  const bool values = s->val != NULL;
  const double F = values ? sigma * d->wF : 0, F_h = values ? F * power / h : 0;
  const double D = values ? take_difference(d, x) : 0, D_h = values ? find_slope(d, x) : 0;
  for (int a = 0; a < d->n; a++) {
    for (int b = 0; b <= a; b++) {
      // the lower triangle: at the goal the stencil runs backwards, and a periodic one wraps to the start
      const int row = d->x[a] > d->x[b] ? d->x[a] : d->x[b];
      const int col = d->x[a] > d->x[b] ? d->x[b] : d->x[a];
      oc_put(s, row, col, F * d->c[a] * d->c[b]);
    }
    if (t->h < 0) continue;
    const double D_xh = d->has_v && a == d->n - 1 ? d->by_v : 0;
    oc_put(s, t->h, d->x[a], (F_h * D + F * D_h) * d->c[a] + F * D * D_xh);
  }
  if (!values) return 0;
  return 0.5 * F_h * (power - 1) / h * D * D + 2 * F_h * D * D_h + F * D_h * D_h;
}

void oc_difference_costs_put_hessian(const oc_transcription *t, const double *x, double h,
                                     double sigma, oc_triplets *s) {
  double hh = 0;
  bool any = false;
  put_steps_hessian(t, sigma, s);
  for (int cost = 0; cost < COSTS; cost++) {
    const cost_walk c = begin_cost(t, cost, h);
    difference d = {0};
    for (int i = 0; i < c.size; i++)
      for (int e = 0; e < c.count && c.w[i] > 0; e++) {
        move_difference(t, &c, e, i, h, &d);
        if (d.n == 0) continue;
        hh += put_difference(t, &d, c.power, x, h, sigma, s);
        any = true;
      }
  }
  if (t->h >= 0 && any) oc_put(s, t->h, t->h, hh);
}

// -- limits of accelerations and jerks

// a limit of |D| at place p: at the start, at the knots between, at the goal
typedef struct bend_walk {
  cost_walk c;
  const int *index; // [size] limited coordinates
  int size, places, sides;
  double h, power; // limit times power is that of D; by h: power_h, power_hh
  double power_h, power_hh;
} bend_walk;

static const struct difference_cost *find_bend(oc_rows_kind kind) {
  return &costs[kind == OC_JERK_ROWS ? TIE_BREAK + 2 : TIE_BREAK + 1];
}

int oc_bend_rows_places(const oc_transcription *t, oc_rows_kind kind) {
  const struct difference_cost *of = find_bend(kind);
  const int inner = t->N + 2 - of->at[INNER].places;
  return t->N + 1 >= of->at[START].places ? 2 + (inner > 0 ? inner : 0) : 0;
}

static bend_walk begin_bend(const oc_transcription *t, oc_rows_kind kind, double h) {
  const struct difference_cost *of = find_bend(kind);
  const int e = kind == OC_JERK_ROWS, n = of->order;
  return (bend_walk){.c = {.of = of, .w = t->task.bounds[of->of].high, .size = t->n, .scale = 1},
                     .index = t->bent[e],
                     .size = t->nbent[e],
                     .places = oc_bend_rows_places(t, kind),
                     .sides = t->h < 0 ? 1 : 2,
                     .h = h,
                     .power = pow(h, n),
                     .power_h = n * pow(h, n - 1),
                     .power_hh = n * (n - 1) * pow(h, n - 2)};
}

// D of limited coordinate l at place p
static difference find_bend_at(const oc_transcription *t, const bend_walk *w, int p, int l) {
  const int e = p == 0 ? START : p == w->places - 1 ? GOAL : INNER + p - 1;
  return place_difference(t, &w->c, e, w->index[l], w->h);
}

void oc_bend_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const bend_walk w = begin_bend(t, kind, t->task.time.T / t->N);
  int row = oc_rows_at(t, kind, 0);
  for (int p = 0; p < w.places; p++)
    for (int l = 0; l < w.size; l++) {
      // D within limit h^n, or with free h D - limit h^n <= 0 <= D + limit h^n
      const double most = w.c.w[w.index[l]] * w.power;
      t->g_min[row] = w.sides == 1 ? -most : -INFINITY;
      t->g_max[row++] = w.sides == 1 ? most : 0;
      if (w.sides == 1) continue;
      t->g_min[row] = 0;
      t->g_max[row++] = INFINITY;
    }
}

void oc_bend_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g) {
  const bend_walk w = begin_bend(t, kind, oc_transcription_mean(t, x));
  g += oc_rows_at(t, kind, 0);
  for (int p = 0; p < w.places; p++)
    for (int l = 0; l < w.size; l++) {
      const difference d = find_bend_at(t, &w, p, l);
      const double D = take_difference(&d, x), most = w.c.w[w.index[l]] * w.power;
      *g++ = w.sides == 1 ? D : D - most;
      if (w.sides == 2) *g++ = D + most;
    }
}

dm_status oc_bend_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                           oc_triplets *s) {
  const double h = t->h < 0 ? oc_task_step(&t->task) : s->val ? x[t->h] : 1;
  const bend_walk w = begin_bend(t, kind, h);
  int row = oc_rows_at(t, kind, 0);
  for (int p = 0; p < w.places; p++)
    for (int l = 0; l < w.size; l++)
      for (int side = 0; side < w.sides; side++, row++) {
        const difference d = find_bend_at(t, &w, p, l);
        const double limit = w.c.w[w.index[l]] * w.power_h;
        for (int a = 0; a < d.n; a++) oc_put(s, row, d.x[a], d.c[a]);
        if (w.sides == 1) continue;
        oc_put(s, row, t->h, (s->val ? find_slope(&d, x) : 0) + (side ? limit : -limit));
      }
  return DM_OK;
}

dm_status oc_bend_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double sigma, const double *lambda, oc_triplets *s) {
  const bend_walk w = begin_bend(t, kind, t->h < 0 || !s->val ? 1 : x[t->h]);
  int row = oc_rows_at(t, kind, 0);
  double hh = 0;
  (void)sigma;
  if (t->h < 0 || w.size == 0 || w.places == 0) return DM_OK;
  for (int p = 0; p < w.places; p++)
    for (int l = 0; l < w.size; l++, row += 2) {
      const difference d = find_bend_at(t, &w, p, l);
      const double low = s->val ? lambda[row] : 0, high = s->val ? lambda[row + 1] : 0;
      if (d.has_v) oc_put(s, t->h, d.x[d.n - 1], (low + high) * d.by_v);
      hh += (high - low) * w.c.w[w.index[l]] * w.power_hh;
    }
  oc_put(s, t->h, t->h, hh);
  return DM_OK;
}

// -- the tie-break

void oc_tie_break(const oc_task *task, double *tie) {
  const bool timed = task->time.free && task->time.weight > 0;
  const double second = timed ? task->time.weight : 1; // c: the cost of a second
  // free steps let forces switch at knots, and have a tie-break of their own
  if (oc_task_frees_steps(task)) return;
  // a cost on rates is a tie-break already; without a cost on time, the scale of other costs is unknown
  if (task->cost[OC_RATE].running ||
      (!timed && (task->functions.nterms > 0 || oc_task_has_weights(task))))
    return;

  for (int j = 0; j < task->system.nu; j++) {
    // eps c / u_max^2, for forces that have limits and no cost of their own
    const double range = (oc_high(task, OC_U, j) - oc_low(task, OC_U, j)) / 2;
    const bool own = oc_weight(task->cost[OC_U].running, j) > 0;
    if (!own && range > 0 && isfinite(range)) tie[j] = TIE * second / (range * range);
  }
}
