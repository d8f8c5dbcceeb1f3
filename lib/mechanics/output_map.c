#include "lib/mechanics/output_map.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

int dm_output_term_signals(const dm_output_term *t) {
  static const int count[] = {[DM_TERM_VALUE] = 1,         [DM_TERM_RATE] = 1,
                              [DM_TERM_SPEED] = 3,         [DM_TERM_SWEEP] = 2,
                              [DM_TERM_INPUT] = 0,         [DM_TERM_POWER] = 1,
                              [DM_TERM_TIME] = 0,          [DM_TERM_LAMBDA] = 0,
                              [DM_TERM_MOMENTUM] = 0,      [DM_TERM_CONTACT_IMPULSE] = 0,
                              [DM_TERM_CONTACT_FORCE] = 0, [DM_TERM_CONTACT_RATE] = 0};
  return count[t->kind];
}

// -- parts of rows

// |s'|; at rest the derivative is set to 0, the subgradient of least norm
static dm_term_jet eval_speed(const double rate[], double weight) {
  const double r = sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
  dm_term_jet j = {.y = weight * r};
  if (r == 0) return j;
  for (int a = 0; a < 3; a++) {
    j.by_rate[a] = weight * rate[a] / r;
    for (int b = 0; b < 3; b++)
      j.by_rates[a][b] = weight * ((a == b) - rate[a] / r * (rate[b] / r)) / r;
  }
  return j;
}

dm_term_jet dm_output_term_eval(const dm_output_term *t, const double *signals, const double *rates,
                                double u) {
  double s[DM_TERM_SIGNALS], r[DM_TERM_SIGNALS];
  const double c = t->weight;
  for (int k = 0; k < dm_output_term_signals(t); k++) {
    s[k] = signals[t->signal[k]];
    r[k] = rates[t->signal[k]];
  }
  switch (t->kind) {
  case DM_TERM_VALUE:
    return (dm_term_jet){.y = c * s[0], .by_s = {c}};
  case DM_TERM_RATE:
    return (dm_term_jet){.y = c * r[0], .by_rate = {c}};
  case DM_TERM_SPEED:
    return eval_speed(r, c);
  case DM_TERM_SWEEP:
    return (dm_term_jet){.y = c * (s[0] * r[1] - s[1] * r[0]),
                         .by_s = {c * r[1], -c * r[0]},
                         .by_rate = {-c * s[1], c * s[0]},
                         .by_both = {{0, c}, {-c, 0}}};
  case DM_TERM_INPUT:
  case DM_TERM_TIME:
  case DM_TERM_LAMBDA:
  case DM_TERM_MOMENTUM:
    return (dm_term_jet){.y = c * u, .by_u = c};
  case DM_TERM_POWER:
    return (dm_term_jet){.y = c * u * r[0], .by_rate = {c * u}, .by_u = c * r[0], .by_u_rate = c};
  case DM_TERM_CONTACT_IMPULSE:
  case DM_TERM_CONTACT_FORCE:
  case DM_TERM_CONTACT_RATE:
    break; // lib/mechanics/contact_output.h
  }
  return (dm_term_jet){.y = NAN};
}

double dm_output_term_drive(const dm_output_term *t, const dm_step *at, const double *p) {
  const double times[] = {at->time[0], at->time[1], at->h};
  const double *of = NULL;
  switch (t->kind) {
  case DM_TERM_INPUT:
  case DM_TERM_POWER:
    of = at->u;
    break;
  case DM_TERM_TIME:
    of = times;
    break;
  case DM_TERM_LAMBDA:
    of = at->lambda;
    break;
  case DM_TERM_MOMENTUM:
    of = p;
    break;
  default:
    return 0;
  }
  return of ? of[t->input] : NAN;
}

int dm_output_row_slots(const dm_output_map *m, int i) {
  const dm_tape *f = dm_output_map_formula(m, i);
  return f && f->nx > 1 ? f->nx : 1;
}

int dm_output_most_slots(const dm_output_map *m) {
  int most = 1;
  for (int i = 0; m->formula && i < m->ny; i++)
    if (dm_output_row_slots(m, i) > most) most = dm_output_row_slots(m, i);
  return most;
}

size_t dm_output_row_room(const dm_output_map *m) {
  size_t most = 0;
  for (int i = 0; m->formula && i < m->ny; i++)
    if (m->formula[i] && dm_tape_room(m->formula[i]) > most) most = dm_tape_room(m->formula[i]);
  return most;
}

double dm_output_row_eval(const dm_output_map *m, int i, const double *x, double *room, double *f_x,
                          double *f_xx) {
  const dm_tape *f = dm_output_map_formula(m, i);
  if (f) return dm_tape_eval(f, x, room, f_x, f_xx);
  if (f_x) f_x[0] = 1;
  if (f_xx) f_xx[0] = 0;
  return x[0];
}

// -- the map

// work arrays of a call, in the caller's scratch
typedef struct map_place {
  void *scratch;          // of the signals
  double *s, *rate;       // [ns] s, s'
  double *s_q;            // [ns x n]
  double *rate_q;         // [ns x n] s_qq v
  double *by_s, *by_rate; // [ns] sum lambda psi_s, sum lambda psi_s'
  // of momenta: L_v and its slopes, sum lambda psi_p [n]; only if a row has momenta
  void *of_L;
  dm_jet L;
  double *by_p, *still;
  // of a row with slots: their values and slopes by q and v, and derivatives of its formula
  double *x, *x_q, *x_v; // [slots], [slots x n]
  double *f_x, *f_xx;    // [slots], [slots x slots]
  double *room;          // of its tape
} map_place;

const dm_tape *dm_output_map_formula(const dm_output_map *m, int i) {
  return m->formula ? m->formula[i] : NULL;
}

static void lay_out_map(map_place *w, dm_block *b, const dm_output_map *m) {
  const size_t ns = (size_t)m->s.nc, n = (size_t)m->n;
  const size_t np = m->momenta ? n : 0;
  w->scratch = dm_block_alloc(b, m->s.scratch, 1);
  w->of_L = dm_block_alloc(b, m->momenta ? m->L.scratch : 0, 1);
  double **momenta[] = {&w->L.L_q, &w->L.L_v, &w->by_p, &w->still};
  for (int i = 0; i < 4; i++) *momenta[i] = dm_block_alloc(b, np, sizeof(double));
  double **slopes[] = {&w->L.L_qq, &w->L.L_qv, &w->L.L_vv};
  for (int i = 0; i < 3; i++) *slopes[i] = dm_block_alloc(b, np * np, sizeof(double));
  double **vectors[] = {&w->s, &w->rate, &w->by_s, &w->by_rate};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, ns, sizeof(double));
  w->s_q = dm_block_alloc(b, ns * n, sizeof(double));
  w->rate_q = dm_block_alloc(b, ns * n, sizeof(double));
  const size_t slots = (size_t)dm_output_most_slots(m);
  w->x = dm_block_alloc(b, slots, sizeof(double));
  w->x_q = dm_block_alloc(b, slots * n, sizeof(double));
  w->x_v = dm_block_alloc(b, slots * n, sizeof(double));
  w->f_x = dm_block_alloc(b, slots, sizeof(double));
  w->f_xx = dm_block_alloc(b, slots * slots, sizeof(double));
  w->room = dm_block_alloc(b, dm_output_row_room(m), sizeof(double));
}

static map_place place_map(const dm_output_map *m, void *scratch) {
  dm_block b = {.base = scratch};
  map_place w;
  lay_out_map(&w, &b, m);
  return w;
}

// sizes that follow from the rows
static void finish_map(dm_output_map *m) {
  dm_block b = {0};
  map_place w;
  m->rated = m->timed = m->momenta = false;
  m->impulses = 0;
  for (int i = 0; i < m->ny; i++) m->rated = m->rated || dm_output_map_is_rated(m, i);
  for (int t = 0; m->first && t < m->first[m->ny]; t++) {
    const dm_output_term *term = &m->term[t];
    m->timed = m->timed || (term->kind == DM_TERM_TIME && term->input < 2);
    m->momenta = m->momenta || term->kind == DM_TERM_MOMENTUM;
    if (term->kind == DM_TERM_LAMBDA && term->input >= m->impulses) m->impulses = term->input + 1;
  }
  lay_out_map(&w, &b, m);
  m->scratch = m->first ? (b.used + 63) & ~(size_t)63 : m->s.scratch;
  // the scratch of the signals comes first; L needs the position again
  m->kept = m->momenta ? 0 : m->s.kept;
}

dm_output_map dm_output_map_new(dm_holonomic s, int n, int ny, const int *first,
                                const dm_output_term *term, const char *const *name) {
  dm_output_map m = {.s = s, .n = n, .ny = ny, .first = first, .term = term, .name = name};
  finish_map(&m);
  return m;
}

void dm_output_map_compose(dm_output_map *m, const dm_tape *const *formula) {
  m->formula = formula;
  finish_map(m);
}

void dm_output_map_weigh(dm_output_map *m, const dm_lagrangian *L) {
  m->L = *L;
  finish_map(m);
}

dm_output_map dm_output_map_of(dm_holonomic s, int n) {
  return dm_output_map_new(s, n, s.nc, NULL, NULL, NULL);
}

static bool is_contact_term(const dm_output_term *t) {
  return t->kind >= DM_TERM_CONTACT_IMPULSE && t->kind <= DM_TERM_CONTACT_RATE;
}

static bool is_driven_term(const dm_output_term *t) {
  return t->kind == DM_TERM_INPUT || t->kind == DM_TERM_POWER || t->kind == DM_TERM_TIME ||
         t->kind == DM_TERM_LAMBDA || is_contact_term(t);
}

// the end of those terms of row i that say its kind: those of a sum are all of one kind
static int end_of_kinds(const dm_output_map *m, int i) {
  if (!m->first) return 0;
  const int first = m->first[i], end = m->first[i + 1];
  return dm_output_map_formula(m, i) || first == end ? end : first + 1;
}

bool dm_output_map_is_rated(const dm_output_map *m, int i) {
  for (int t = m->first ? m->first[i] : 0; t < end_of_kinds(m, i); t++)
    if (m->term[t].kind != DM_TERM_VALUE) return !dm_output_map_is_driven(m, i);
  return false;
}

bool dm_output_map_is_driven(const dm_output_map *m, int i) {
  for (int t = m->first ? m->first[i] : 0; t < end_of_kinds(m, i); t++)
    if (is_driven_term(&m->term[t])) return true;
  return false;
}

bool dm_output_map_is_contact(const dm_output_map *m, int i) {
  return m->first && m->first[i] < m->first[i + 1] && is_contact_term(&m->term[m->first[i]]);
}

bool dm_output_map_is_contact_rate(const dm_output_map *m, int i) {
  return dm_output_map_is_contact(m, i) && m->term[m->first[i]].kind == DM_TERM_CONTACT_RATE;
}

// may coordinate j or its velocity affect the momentum of a term?
static bool moves_momentum(const dm_output_map *m, const dm_output_term *t, int j) {
  if (t->kind != DM_TERM_MOMENTUM) return false;
  return !m->L.mask || m->L.mask[t->input * m->n + j];
}

bool dm_output_map_moves(const dm_output_map *m, int i, int j) {
  if (!m->s.mask) return true;
  if (!m->first) return m->s.mask[i * m->n + j];
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (moves_momentum(m, &m->term[t], j)) return true;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    for (int k = 0; k < dm_output_term_signals(&m->term[t]); k++)
      if (m->s.mask[m->term[t].signal[k] * m->n + j]) return true;
  return false;
}

const char *dm_output_map_name(const dm_output_map *m, int i) {
  if (m->name) return m->name[i];
  return m->s.row_name ? m->s.row_name(m->s.self, i) : "?";
}

static dm_term_jet eval_term(const map_place *w, const dm_output_term *t) {
  static const dm_step none = {0};
  return dm_output_term_eval(t, w->s, w->rate, dm_output_term_drive(t, &none, w->L.L_v));
}

// -- values and first derivatives

// q for a second call at the same position
static const double *find_again(const dm_output_map *m, const double *q) {
  return m->kept ? NULL : q;
}

// s, s_q, and if v is given the rates and, if `slopes` is set, s_qq v
static dm_status eval_signals(const dm_output_map *m, map_place *w, const double *q,
                              const double *v, bool slopes) {
  const int n = m->n;
  const dm_status s = m->s.eval(m->s.self, w->scratch, q, w->s, slopes || v ? w->s_q : NULL);
  if (s < 0 && s != DM_NOT_FINITE) return s;
  for (int i = 0; i < m->s.nc; i++) {
    // a signal without a value has no rate
    w->rate[i] = v && !isnan(w->s[i]) ? 0 : NAN;
    for (int j = 0; v && j < n; j++) w->rate[i] += w->s_q[i * n + j] * v[j];
  }
  for (int i = 0; m->momenta && i < n; i++) w->L.L_v[i] = NAN;
  if (m->momenta && m->L.eval && v)
    DM_TRY(m->L.eval(m->L.self, w->of_L, slopes ? 2 : 1, q, v, &w->L));
  if (!slopes || !v || !m->rated) return DM_OK;
  memset(w->by_rate, 0, (size_t)m->s.nc * sizeof *w->by_rate);
  const dm_status r =
      m->s.directional(m->s.self, w->scratch, find_again(m, q), v, w->by_rate, w->rate_q, NULL);
  return r == DM_NOT_FINITE ? DM_OK : r;
}

// add a term's contribution to the derivatives of its row
static void add_term_slopes(const dm_output_map *m, const map_place *w, const dm_output_term *t,
                            const dm_term_jet *jet, double *y_q, double *y_v) {
  const int n = m->n;
  for (int k = 0; k < dm_output_term_signals(t); k++) {
    const double *s_q = w->s_q + t->signal[k] * n, *rate_q = w->rate_q + t->signal[k] * n;
    const bool rated = t->kind != DM_TERM_VALUE;
    for (int j = 0; j < n; j++) y_q[j] += jet->by_s[k] * s_q[j];
    for (int j = 0; rated && j < n; j++) y_q[j] += jet->by_rate[k] * rate_q[j];
    for (int j = 0; rated && y_v && j < n; j++) y_v[j] += jet->by_rate[k] * s_q[j];
  }
  if (t->kind != DM_TERM_MOMENTUM) return;
  for (int j = 0; j < n; j++) y_q[j] += jet->by_u * w->L.L_qv[j * n + t->input];
  for (int j = 0; y_v && j < n; j++) y_v[j] += jet->by_u * w->L.L_vv[t->input * n + j];
}

static void fill_nan(double *x, int n) {
  for (int j = 0; x && j < n; j++) x[j] = NAN;
}

static bool is_finite(const double *x, int n) {
  for (int j = 0; x && j < n; j++)
    if (!isfinite(x[j])) return false;
  return true;
}

// x [slots] of row i, and if x_q is not NULL their slopes x_q and x_v [slots x n]; x_v may be NULL
static void sum_terms(const dm_output_map *m, const map_place *w, int i, double *x, double *x_q,
                      double *x_v) {
  const int n = m->n, slots = dm_output_row_slots(m, i);
  for (int a = 0; a < slots; a++) x[a] = 0;
  for (int j = 0; x_q && j < slots * n; j++) x_q[j] = 0;
  for (int j = 0; x_v && j < slots * n; j++) x_v[j] = 0;
  for (int t = m->first[i]; t < m->first[i + 1]; t++) {
    const dm_output_term *term = &m->term[t];
    const dm_term_jet jet = eval_term(w, term);
    const int at = term->slot * n;
    x[term->slot] += jet.y;
    if (x_q) add_term_slopes(m, w, term, &jet, x_q + at, x_v ? x_v + at : NULL);
  }
}

// out = sum_a f_a x_a'
static void combine_slots(int slots, int n, const double *f_x, const double *slope, double *out) {
  for (int j = 0; j < n; j++) out[j] = 0;
  for (int a = 0; a < slots; a++)
    for (int j = 0; j < n; j++) out[j] += f_x[a] * slope[a * n + j];
}

// y, and if y_q is not NULL y_q and y_v, of row i
static void eval_row(const dm_output_map *m, const map_place *w, int i, double *y, double *y_q,
                     double *y_v) {
  const int slots = dm_output_row_slots(m, i);
  if (!dm_output_map_formula(m, i)) {
    sum_terms(m, w, i, y, y_q, y_v);
    return;
  }
  sum_terms(m, w, i, w->x, y_q ? w->x_q : NULL, y_v ? w->x_v : NULL);
  *y = dm_output_row_eval(m, i, w->x, w->room, y_q ? w->f_x : NULL, NULL);
  if (y_q) combine_slots(slots, m->n, w->f_x, w->x_q, y_q);
  if (y_v) combine_slots(slots, m->n, w->f_x, w->x_v, y_v);
}

dm_status dm_output_map_eval(const dm_output_map *m, void *scratch, const double *q,
                             const double *v, double *y, double *y_q, double *y_v) {
  const int n = m->n;
  if (!m->first) {
    if (y_v) memset(y_v, 0, (size_t)(m->ny * n) * sizeof *y_v);
    return m->s.eval(m->s.self, scratch, q, y, y_q);
  }

  map_place w = place_map(m, scratch);
  dm_status status = DM_OK;
  DM_TRY(eval_signals(m, &w, q, v, y_q != NULL));
  for (int i = 0; i < m->ny; i++) {
    double *by_q = y_q ? y_q + i * n : NULL, *by_v = y_v ? y_v + i * n : NULL;
    if (dm_output_map_is_driven(m, i)) {
      y[i] = NAN;
      fill_nan(by_q, n);
      fill_nan(by_v, n);
      continue;
    }
    eval_row(m, &w, i, &y[i], by_q, by_v);

    // a row without a value or a derivative; derivatives by v are ignored if v is NULL
    const bool rated = dm_output_map_is_rated(m, i), fails = !isfinite(y[i]);
    if (fails) y[i] = NAN;
    if (!fails && is_finite(by_q, n) && is_finite(by_v, n)) continue;
    fill_nan(by_q, n);
    fill_nan(by_v, n);
    if (v || !rated) status = DM_NOT_FINITE;
  }
  return status;
}

bool dm_output_map_fault(const dm_output_map *m, void *scratch, int i, const dm_step *at, int order,
                         char *text, size_t size) {
  const dm_tape *f = dm_output_map_formula(m, i);
  map_place w = place_map(m, scratch);
  if (!f || eval_signals(m, &w, at->q0, at->q1, false) != DM_OK) return false;
  memset(w.x, 0, (size_t)f->nx * sizeof *w.x);
  for (int t = m->first[i]; t < m->first[i + 1]; t++) {
    const dm_output_term *term = &m->term[t];
    const double by = dm_output_term_drive(term, at, w.L.L_v);
    w.x[term->slot] += dm_output_term_eval(term, w.s, w.rate, by).y;
  }
  return dm_tape_fault(f, w.x, order, w.room, text, size);
}

// -- second derivatives

// add sigma_x' psi_sigma,sigma sigma_y, the part without second derivatives of the signals
static void add_term_curvature(const dm_output_map *m, const map_place *w, const dm_output_term *t,
                               const dm_term_jet *jet, double lambda, double *H_qq, double *H_qv,
                               double *H_vv) {
  const int n = m->n, count = dm_output_term_signals(t);
  // pairs (s_a, s_b') and (s_a', s_b') of the term's signals
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) {
      const double both = lambda * jet->by_both[a][b], rates = lambda * jet->by_rates[a][b];
      const double *s_a = w->s_q + t->signal[a] * n, *s_b = w->s_q + t->signal[b] * n;
      const double *r_a = w->rate_q + t->signal[a] * n, *r_b = w->rate_q + t->signal[b] * n;
      if (both == 0 && rates == 0) continue;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          const int ij = i * n + j;
          H_qq[ij] += both * (s_a[i] * r_b[j] + r_b[i] * s_a[j]) + rates * r_a[i] * r_b[j];
          H_qv[ij] += both * s_a[i] * s_b[j] + rates * r_a[i] * s_b[j];
          H_vv[ij] += rates * s_a[i] * s_b[j];
        }
    }
}

// H += lambda sum_ab f_ab x_a' x_b'^T, with the slopes A, B [slots x n] by two of q and v
static void add_products(int slots, int n, const double *f_xx, double lambda, const double *A,
                         const double *B, double *H) {
  for (int ab = 0; ab < slots * slots; ab++) {
    const double c = lambda * f_xx[ab], *of_a = A + ab / slots * n, *of_b = B + ab % slots * n;
    if (c == 0) continue;
    for (int i = 0; i < n; i++)
      for (int j = 0; of_a[i] != 0 && j < n; j++) H[i * n + j] += c * of_a[i] * of_b[j];
  }
}

// f_x of row i, and the part of its second derivatives with f_xx
static void contract_formula(const dm_output_map *m, const map_place *w, int i, double lambda,
                             double *H_qq, double *H_qv, double *H_vv) {
  const int slots = dm_output_row_slots(m, i), n = m->n;
  w->f_x[0] = 1;
  if (!dm_output_map_formula(m, i)) return;
  sum_terms(m, w, i, w->x, w->x_q, w->x_v);
  dm_output_row_eval(m, i, w->x, w->room, w->f_x, w->f_xx);
  add_products(slots, n, w->f_xx, lambda, w->x_q, w->x_q, H_qq);
  if (!dm_output_map_is_rated(m, i)) return;
  add_products(slots, n, w->f_xx, lambda, w->x_q, w->x_v, H_qv);
  add_products(slots, n, w->f_xx, lambda, w->x_v, w->x_v, H_vv);
}

dm_status dm_output_map_contract(const dm_output_map *m, void *scratch, const double *q,
                                 const double *v, const double *lambda, double *H_qq, double *H_qv,
                                 double *H_vv) {
  const dm_holonomic *s = &m->s;
  if (!m->first) return s->contract(s->self, scratch, q, lambda, H_qq);

  // coefficients of the second derivatives of each signal and each rate
  map_place w = place_map(m, scratch);
  bool rated = false, composed = false;
  for (int i = 0; i < m->ny; i++) {
    if (lambda[i] == 0) continue;
    rated = rated || dm_output_map_is_rated(m, i);
    composed = composed || dm_output_map_formula(m, i);
  }
  const bool placed = rated || composed;
  if (placed) DM_TRY(eval_signals(m, &w, q, rated ? v : NULL, true));
  const double *again = find_again(m, q);
  memset(w.by_s, 0, (size_t)s->nc * sizeof *w.by_s);
  memset(w.by_rate, 0, (size_t)s->nc * sizeof *w.by_rate);
  bool weighed = false;
  for (int i = 0; m->momenta && i < m->n; i++) w.by_p[i] = w.still[i] = 0;
  for (int i = 0; i < m->ny; i++) {
    if (lambda[i] == 0 || dm_output_map_is_driven(m, i)) continue;
    contract_formula(m, &w, i, lambda[i], H_qq, H_qv, H_vv);
    for (int t = m->first[i]; t < m->first[i + 1]; t++) {
      const dm_output_term *term = &m->term[t];
      const double by_x = lambda[i] * w.f_x[term->slot];
      if (term->kind == DM_TERM_VALUE) {
        w.by_s[term->signal[0]] += by_x * term->weight;
        continue;
      }
      if (term->kind == DM_TERM_MOMENTUM) {
        w.by_p[term->input] += by_x * term->weight;
        weighed = true;
        continue;
      }
      const dm_term_jet jet = eval_term(&w, term);
      for (int k = 0; k < dm_output_term_signals(term); k++) {
        w.by_s[term->signal[k]] += by_x * jet.by_s[k];
        w.by_rate[term->signal[k]] += by_x * jet.by_rate[k];
      }
      add_term_curvature(m, &w, term, &jet, by_x, H_qq, H_qv, H_vv);
    }
  }

  // by_p p_zz, the Hessian of DL.(0, by_p)
  if (weighed) {
    if (!m->L.contract) return DM_NOT_FINITE;
    DM_TRY(m->L.contract(m->L.self, w.of_L, q, v, w.still, w.by_p, &w.L));
    for (int ij = 0; ij < m->n * m->n; ij++) {
      H_qq[ij] += w.L.L_qq[ij];
      H_qv[ij] += w.L.L_qv[ij];
      H_vv[ij] += w.L.L_vv[ij];
    }
  }

  // by_s s_qq and by_rate s_qqq v; by_rate s_qq in the (q,v) block
  DM_TRY(s->contract(s->self, w.scratch, placed ? again : q, w.by_s, H_qq));
  if (!rated) return DM_OK;
  DM_TRY(s->contract(s->self, w.scratch, again, w.by_rate, H_qv));
  return s->directional(s->self, w.scratch, again, v, w.by_rate, w.rate_q, H_qq);
}

// -- as a function of x = (q, v)

// work arrays of a call, in the caller's scratch
typedef struct function_place {
  void *scratch;  // of the map
  double *y_x[2]; // [ny x n] y_q, y_v
  double *H[3];   // [n x n] by (q,q), (q,v), (v,v)
} function_place;

static void lay_out_function(function_place *w, dm_block *b, const dm_output_map *m) {
  const size_t n = (size_t)m->n;
  w->scratch = dm_block_alloc(b, m->scratch, 1);
  for (int i = 0; i < 2; i++) w->y_x[i] = dm_block_alloc(b, (size_t)m->ny * n, sizeof(double));
  for (int i = 0; i < 3; i++) w->H[i] = dm_block_alloc(b, n * n, sizeof(double));
}

static function_place place_function(const dm_output_map *m, void *scratch) {
  dm_block b = {.base = scratch};
  function_place w;
  lay_out_function(&w, &b, m);
  return w;
}

static dm_status eval_function(const void *self, void *scratch, const double *x, double *y,
                               double *y_x) {
  const dm_output_map *m = self;
  const int n = m->n;
  const double *v = n && isnan(x[n]) ? NULL : x + n;
  function_place w = place_function(m, scratch);
  const dm_status s =
      dm_output_map_eval(m, w.scratch, x, v, y, y_x ? w.y_x[0] : NULL, y_x ? w.y_x[1] : NULL);
  for (int i = 0; y_x && i < m->ny; i++)
    for (int j = 0; j < n; j++) {
      y_x[i * 2 * n + j] = w.y_x[0][i * n + j];
      y_x[i * 2 * n + n + j] = w.y_x[1][i * n + j];
    }
  return s;
}

static dm_status contract_function(const void *self, void *scratch, const double *x,
                                   const double *lambda, double *H) {
  const dm_output_map *m = self;
  const int n = m->n;
  function_place w = place_function(m, scratch);
  const int blocks = m->rated ? 3 : 1;
  for (int i = 0; i < blocks; i++) memset(w.H[i], 0, (size_t)(n * n) * sizeof *H);
  DM_TRY(dm_output_map_contract(m, w.scratch, find_again(m, x), x + n, lambda, w.H[0], w.H[1],
                                w.H[2]));

  // y_qq y_qv
  // y_vq y_vv
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[i * 2 * n + j] += w.H[0][i * n + j];
      if (blocks == 1) continue;
      H[i * 2 * n + n + j] += w.H[1][i * n + j];
      H[(n + j) * 2 * n + i] += w.H[1][i * n + j];
      H[(n + i) * 2 * n + n + j] += w.H[2][i * n + j];
    }
  return DM_OK;
}

static bool moves_function(const void *self, int row, int a) {
  const dm_output_map *m = self;
  if (dm_output_map_is_driven(m, row)) return false;
  return dm_output_map_moves(m, row, a % m->n) && (a < m->n || dm_output_map_is_rated(m, row));
}

static const char *name_function(const void *self, int row) {
  return dm_output_map_name(self, row);
}

dm_function dm_output_map_function(const dm_output_map *m) {
  dm_block b = {0};
  function_place w;
  lay_out_function(&w, &b, m);
  return (dm_function){.ny = m->ny,
                       .size = {[DM_Q] = m->n, [DM_V] = m->n},
                       .self = m,
                       .scratch = (b.used + 63) & ~(size_t)63,
                       .kept = m->kept,
                       .eval = eval_function,
                       .contract = contract_function,
                       .moves = moves_function,
                       .row_name = name_function};
}
