#include "optim/program/join_repeats.h"

#include <math.h>
#include <string.h>

enum { BEFORE, AFTER };
enum { STATES = 3 };

// where pairs with a range are: anywhere in it, or at an end
typedef enum place { ANYWHERE, LOW, HIGH } place;

static double draw_number(int i, int draw, int side) {
  return sin(1 + 2.4 * i + 7 * draw + 3.1 * side);
}

// y_b - s y_a of a pair
static double draw_shift(const oc_pair *pair, int p, int draw, place at) {
  static const double FAR = 1000; // m or rad, instead of an end without limit
  const double low = fmax(pair->low, -FAR), high = fmin(pair->high, FAR);
  if (at != ANYWHERE) return at == LOW ? low : high;
  return low + (high - low) * (0.5 + 0.4 * draw_number(p, draw, 2));
}

// y of the functions of a side and their rates, into its y and rate
static bool read_functions(const oc_join_rows *w, int side) {
  const oc_join_side *s = &w->side[side];
  const int n = s->t->n;
  if (!s->f.nc) return true;
  const dm_status status = s->f.eval(s->f.self, s->scratch, s->drawn, s->y, s->y_q);
  for (int r = 0; r < s->f.nc; r++) {
    s->rate[r] = 0;
    for (int i = 0; i < n; i++) s->rate[r] += s->y_q[r * n + i] * s->drawn[n + i];
  }
  return status == DM_OK || status == DM_NOT_FINITE;
}

// the value of a side in a pair, and its rate
static double read_term(const oc_join_side *s, int value, bool rate) {
  if (value >= 0) return s->drawn[rate ? s->t->n + value : value];
  return rate ? s->rate[-1 - value] : s->y[-1 - value];
}

// states (q,v) of both sides that the pairs relate, into `drawn`
static bool draw_states(const oc_join_rows *w, int draw, place at) {
  const oc_join *join = w->join;
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 2 * w->side[s].t->n; i++) w->side[s].drawn[i] = draw_number(i, draw, s);

  // coordinates before by the values after; then coordinates after by functions before
  if (!read_functions(w, AFTER)) return false;
  for (int p = 0; p < join->npairs; p++) {
    const oc_pair *pair = &join->pairs[p];
    const double sign = oc_pair_sign(pair);
    if (pair->before < 0) continue;
    a->drawn[pair->before] =
        sign * (read_term(b, pair->after, false) - draw_shift(pair, p, draw, at));
    a->drawn[a->t->n + pair->before] = sign * read_term(b, pair->after, true);
  }
  if (!read_functions(w, BEFORE)) return false;
  for (int p = 0; p < join->npairs; p++) {
    const oc_pair *pair = &join->pairs[p];
    const double sign = oc_pair_sign(pair);
    if (pair->before >= 0 || pair->after < 0) continue;
    b->drawn[pair->after] =
        sign * read_term(a, pair->before, false) + draw_shift(pair, p, draw, at);
    b->drawn[b->t->n + pair->after] = sign * read_term(a, pair->before, true);
  }
  return true;
}

static bool read_constraint(const oc_join_rows *w, int side, int c, double *value) {
  oc_transcription *t = w->side[side].t;
  const dm_holonomic *h = &t->task.system.hol;
  const dm_status s = h->eval(h->self, t->hol_scratch, w->side[side].drawn, t->hol_value, NULL);
  *value = t->hol_value[c];
  return s == DM_OK;
}

static bool read_output(const oc_join_rows *w, int side, int y, double *value) {
  oc_transcription *t = w->side[side].t;
  const double *q = w->side[side].drawn;
  const dm_status s =
      dm_output_map_eval(&t->task.outputs.y, t->out_scratch, q, q + t->n, t->out_here, NULL, NULL);
  *value = t->out_here[y];
  return s == DM_OK || s == DM_NOT_FINITE;
}

static bool is_equal(double a, double b) {
  const double same = 1e-12;
  return fabs(a - b) <= same * (1 + fabs(a));
}

// is constraint c after minus constraint i before the same number at all states?
static bool find_offset(const oc_join_rows *w, int c, int i, place at, double *offset) {
  bool same = true;
  for (int draw = 0; same && draw < STATES; draw++) {
    double x, y;
    same = draw_states(w, draw, at) && read_constraint(w, BEFORE, i, &x) &&
           read_constraint(w, AFTER, c, &y);
    if (!same) break;
    same = draw == 0 || fabs(y - x - *offset) <= 1e-12 * (1 + fabs(x) + fabs(y));
    *offset = y - x;
  }
  return same && isfinite(*offset);
}

bool oc_join_keeps(const oc_join_rows *w, int c) {
  for (int i = 0; i < w->side[BEFORE].t->nc; i++) {
    double offset;
    if (find_offset(w, c, i, ANYWHERE, &offset) && is_equal(offset, 0)) return true;
  }
  return false;
}

bool oc_join_breaks(const oc_join_rows *w, int c, double *offset) {
  const double room = 1e-9;
  for (int i = 0; i < w->side[BEFORE].t->nc; i++) {
    double high;
    if (!find_offset(w, c, i, LOW, offset) || !find_offset(w, c, i, HIGH, &high)) continue;
    if (fmin(*offset, high) > room || fmax(*offset, high) < -room) return true;
  }
  return false;
}

bool oc_join_touches(const oc_join_rows *w, int c, int y, double value) {
  const oc_outputs *before = &w->side[BEFORE].t->task.outputs;
  bool plus = !oc_outputs_driven(before, y), minus = plus;
  for (int draw = 0; (plus || minus) && draw < STATES; draw++) {
    double h, gap;
    if (!draw_states(w, draw, ANYWHERE) || !read_output(w, BEFORE, y, &gap) ||
        !read_constraint(w, AFTER, c, &h))
      return false;
    plus = plus && is_equal(gap - value, h);
    minus = minus && is_equal(value - gap, h);
  }
  return plus || minus;
}

int oc_join_find_output(const oc_join_rows *w, int y) {
  const oc_transcription *a = w->side[BEFORE].t, *b = w->side[AFTER].t;
  const oc_outputs *before = &a->task.outputs, *after = &b->task.outputs;
  if (oc_outputs_driven(after, y)) return -1;
  if (b->out_rated[y] && w->join->law != OC_JOIN_VELOCITY) return -1;

  // a phase may define another output with the same name
  for (int i = 0; i < before->y.ny; i++) {
    if (strcmp(oc_outputs_name(before, i), oc_outputs_name(after, y)) != 0) continue;
    bool same = true;
    for (int draw = 0; same && draw < STATES; draw++) {
      double x, z;
      same = draw_states(w, draw, ANYWHERE) && read_output(w, BEFORE, i, &x) &&
             read_output(w, AFTER, y, &z) && is_equal(x, z);
    }
    return same ? i : -1;
  }
  return -1;
}
