#include "lib/base/tape.h"

#include "lib/base/spline.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// the natural spline of a table, and a straight line beyond its ends
static void eval_table(const dm_tape_table *t, double x, dm_tape_jet *out, double *third) {
  const int i = dm_spline_locate(t->n, t->x, x);
  const dm_spline_piece p = dm_spline_find_piece(t->x, t->y, t->y_xx, 1, i);
  const double low = t->x[0], high = t->x[t->n - 1];
  const double end = x < low ? low : x > high ? high : x, s = end - t->x[i], beyond = x - end;
  const double slope = p.b + s * (p.c + s * p.d / 2);
  const double y = t->y[i] + s * (p.b + s * (p.c / 2 + s * p.d / 6));
  const bool inside = beyond == 0;
  *out = (dm_tape_jet){.y = y + slope * beyond, .a = slope, .aa = inside ? p.c + s * p.d : 0};
  if (isnan(x)) out->y = NAN;
  *third = inside ? p.d : 0;
}

// -- consequences of the order of the operations

dm_tape dm_tape_of(int nx, int count, dm_tape_operation *list) {
  for (int i = 0; i < count; i++) {
    dm_tape_operation *o = &list[i];
    const bool call = o->kind == DM_TAPE_CALL, two = call && !o->table;
    if (call && o->table) o->at = DM_TAPE_NAMED; // none of the operators
    o->call = two ? dm_tape_function_at(o->at) : NULL;
    o->by_a = call && list[o->a].high > list[o->a].low;
    o->by_b = two && o->call->arguments == 2 && list[o->b].high > list[o->b].low;
    const bool by_number = o->at == DM_TAPE_MULTIPLY || o->at == DM_TAPE_DIVIDE;
    o->bends = call && (!two || o->at > DM_TAPE_SUBTRACT);
    if (two && by_number && !o->by_b) o->bends = false;
    if (two && o->at == DM_TAPE_MULTIPLY && !o->by_a) o->bends = false;
    o->sloped = false;
    o->low = o->kind == DM_TAPE_VARIABLE ? o->at : nx;
    o->high = o->kind == DM_TAPE_VARIABLE ? o->at + 1 : 0;
    for (int side = 0; side < 2; side++) {
      const dm_tape_operation *from = &list[side ? o->b : o->a];
      if (!(side ? o->by_b : o->by_a)) continue;
      if (from->low < o->low) o->low = from->low;
      if (from->high > o->high) o->high = from->high;
    }
  }
  for (int i = count - 1; i >= 0; i--) {
    const dm_tape_operation *o = &list[i];
    if (o->by_a) list[o->a].sloped |= o->bends || o->sloped;
    if (o->by_b) list[o->b].sloped |= o->bends || o->sloped;
  }
  int leaves = 0;
  bool ordered = true;
  for (int i = 0; i < count; i++) list[i].one = list[i].high - list[i].low == 1;
  while (leaves < count && list[leaves].kind != DM_TAPE_CALL) {
    const bool variable = list[leaves].kind == DM_TAPE_VARIABLE;
    ordered = ordered && variable == (leaves < nx) && (!variable || list[leaves].at == leaves);
    leaves++;
  }
  for (int i = leaves; i < count; i++) assert(list[i].kind == DM_TAPE_CALL);
  ordered = ordered && leaves >= nx;
  return (dm_tape){
      .nx = nx, .count = count, .leaves = leaves, .ordered = ordered, .operation = list};
}

// -- evaluation

// work arrays of a call
typedef struct sweep {
  dm_tape_jet *jet; // [count]
  double *by;       // [count] df / d operation
  double *slope;    // [count x nx] of each operation by the variables
  // their changes along a direction, of dm_tape_bend
  double *y_a, *by_a; // [count]
  dm_tape_jet *jet_a; // [count]
  double *slope_a;    // [count x nx]
} sweep;

size_t dm_tape_room(const dm_tape *f) {
  return (sizeof(dm_tape_jet) / sizeof(double) + 1 + (size_t)f->nx) * (size_t)f->count;
}

size_t dm_tape_bend_room(const dm_tape *f) {
  return 2 * dm_tape_room(f) + (size_t)f->count;
}

static sweep place_sweep(const dm_tape *f, double *room) {
  double *by = room + sizeof(dm_tape_jet) / sizeof(double) * (size_t)f->count;
  return (sweep){.jet = (dm_tape_jet *)room, .by = by, .slope = by + f->count};
}

// a call; the most frequent ones in place, without their second derivatives, which are constant
static void eval_call(const dm_tape_operation *o, double a, double b, int order, dm_tape_jet *out) {
  double third;
  switch (o->at) {
  case DM_TAPE_ADD:
    out->y = a + b;
    out->a = out->b = 1;
    break;
  case DM_TAPE_SUBTRACT:
    out->y = a - b;
    out->a = 1;
    out->b = -1;
    break;
  case DM_TAPE_MULTIPLY:
    out->y = a * b;
    out->a = b;
    out->b = a;
    break;
  default:
    if (o->call)
      o->call->eval(a, b, order, out);
    else
      eval_table(o->table, a, out, &third);
  }
}

static bool is_product(const dm_tape_operation *o) {
  return o->at == DM_TAPE_MULTIPLY;
}

// second derivatives of the calls in place
static void complete_jets(const dm_tape *f, const sweep *w) {
  for (int i = f->leaves; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    dm_tape_jet *j = &w->jet[i];
    if (o->at >= DM_TAPE_ADD && o->at <= DM_TAPE_MULTIPLY) {
      j->aa = j->bb = 0;
      j->ab = is_product(o);
    }
  }
}

// A derivative by the variables of an operation. Most operations have one; numbers replace loops over it.
typedef struct slope {
  const double *by; // [nx]
  int low, high;
} slope;

static slope slope_of(const dm_tape *f, const double *slopes, int i) {
  return (slope){slopes + i * f->nx, f->operation[i].low, f->operation[i].high};
}

// to += c x; if c is 0, x may have no value
static void add_multiple(double c, slope x, double *to) {
  for (int k = x.low; c != 0 && k < x.high; k++) to[k] += c * x.by[k];
}

// its derivatives by the variables, also if f does not depend on it here: at x = 0 the Hessian of x (y + z) contains
// those of y + z
static void find_slope(const dm_tape *f, const sweep *w, const dm_tape_operation *o,
                       const dm_tape_jet *j, double *own) {
  const int low = o->low;
  if (o->one) {
    double sum = 0;
    if (o->by_a && j->a != 0) sum = j->a * w->slope[o->a * f->nx + low];
    if (o->by_b && j->b != 0) sum += j->b * w->slope[o->b * f->nx + low];
    own[low] = sum;
    return;
  }
  for (int k = low; k < o->high; k++) own[k] = 0;
  if (o->by_a) add_multiple(j->a, slope_of(f, w->slope, o->a), own);
  if (o->by_b) add_multiple(j->b, slope_of(f, w->slope, o->b), own);
}

// 1  values, derivatives of each operation by its operands, and with order 2 by the variables
static double sweep_forward(const dm_tape *f, const sweep *w, const double *x, int order) {
  const dm_tape_operation *o = f->operation, *const calls = o + f->leaves,
                          *const end = o + f->count;
  dm_tape_jet *const jet = w->jet, *j = jet;
  double *own = w->slope;
  for (int i = 0; f->ordered && i < f->nx; i++, o++, j++, own += f->nx) {
    j->y = x[i];
    if (order > 1) own[i] = 1;
  }
  for (; f->ordered && o < calls; o++, j++) j->y = o->value;
  own = w->slope + (j - jet) * f->nx;
  for (; o < calls; o++, j++, own += f->nx) {
    j->y = o->kind == DM_TAPE_NUMBER ? o->value : x[o->at];
    if (order > 1 && o->sloped) own[o->at] = 1;
  }
  for (; o < end; o++, j++, own += f->nx) {
    eval_call(o, jet[o->a].y, jet[o->b].y, order, j);
    if (order > 1 && o->sloped) find_slope(f, w, o, j, own);
  }
  return j[-1].y;
}

// H += c a a', without the upper triangle
static void add_square(int nx, double c, slope a, double *H) {
  for (int i = a.low; i < a.high; i++)
    for (int k = a.low; a.by[i] != 0 && k <= i; k++) H[i * nx + k] += c * a.by[i] * a.by[k];
}

// H += c (a b' + b a'), without the upper triangle
static void add_product(int nx, double c, slope a, slope b, double *H) {
  for (int i = a.low; i < a.high; i++)
    for (int k = b.low; a.by[i] != 0 && k < b.high; k++)
      H[i > k ? i * nx + k : k * nx + i] += (i == k ? 2 : 1) * c * a.by[i] * b.by[k];
}

// the upper triangle of H
static void mirror(int nx, double *H) {
  for (int i = 0; i < nx; i++)
    for (int k = 0; k < i; k++) H[k * nx + i] = H[i * nx + k];
}

// that part of a call of one variable
static double curve_of_one(const dm_tape_operation *o, const dm_tape_jet *j, double a, double b) {
  double sum = 0;
  if (o->by_a && j->aa != 0) sum += j->aa * a * a;
  if (o->by_b && j->bb != 0) sum += j->bb * b * b;
  if (o->by_a && o->by_b && j->ab != 0) sum += 2 * j->ab * a * b;
  return sum;
}

// df/dg (g_aa a_x a_x' + g_ab (a_x b_x' + b_x a_x') + g_bb b_x b_x') of a call g(a,b), with by = df/dg
static void add_curvature(const dm_tape *f, const sweep *w, const dm_tape_operation *o,
                          const dm_tape_jet *j, double by, double *f_xx) {
  const int nx = f->nx;
  if (o->one) {
    const double a = w->slope[o->a * nx + o->low], b = w->slope[o->b * nx + o->low];
    f_xx[o->low * (nx + 1)] += by * (is_product(o) ? 2 * a * b : curve_of_one(o, j, a, b));
    return;
  }
  const slope a = slope_of(f, w->slope, o->a), b = slope_of(f, w->slope, o->b);
  if (is_product(o)) {
    add_product(nx, by, a, b, f_xx);
  } else {
    if (o->by_a && j->aa != 0) add_square(nx, by * j->aa, a, f_xx);
    if (o->by_b && j->bb != 0) add_square(nx, by * j->bb, b, f_xx);
    if (o->by_a && o->by_b && j->ab != 0) add_product(nx, by * j->ab, a, b, f_xx);
  }
}

// 2  derivatives of f by each operation, and f_xx, to which each call that bends adds
static void sweep_back(const dm_tape *f, const sweep *w, double *f_x, double *f_xx) {
  const int nx = f->nx;
  double *const by = w->by;
  for (int i = 0; i < f->count; i++) by[i] = 0;
  for (int i = 0; f_xx && i < nx * nx; i++) f_xx[i] = 0;
  by[f->count - 1] = 1;
  for (int i = f->count - 1; i >= f->leaves; i--) {
    const dm_tape_operation *o = &f->operation[i];
    const dm_tape_jet *j = &w->jet[i];
    if (by[i] == 0) continue; // also if a factor 0 has no derivative
    by[o->a] += by[i] * j->a; // also of numbers, where nothing reads it
    if (o->by_b) by[o->b] += by[i] * j->b;
    if (f_xx && o->bends) add_curvature(f, w, o, j, by[i], f_xx);
  }
  for (int i = 0; i < nx; i++) f_x[i] = f->ordered ? 0 + by[i] : 0;
  for (int i = 0; !f->ordered && i < f->leaves; i++)
    if (f->operation[i].kind == DM_TAPE_VARIABLE) f_x[f->operation[i].at] += by[i];
  if (f_xx) mirror(nx, f_xx);
}

double dm_tape_eval(const dm_tape *f, const double *x, double *room, double *f_x, double *f_xx) {
  const sweep w = place_sweep(f, room);
  const double y = sweep_forward(f, &w, x, f_xx ? 2 : f_x ? 1 : 0);
  if (f_x) sweep_back(f, &w, f_x, f_xx);
  return y;
}

// -- third derivatives along a direction: the sweeps above, differentiated

// 1'  changes of values and of the derivatives of each operation by its operands
static void sweep_change(const dm_tape *f, const sweep *w, const double *x_a) {
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    dm_tape_jet *to = &w->jet_a[i];
    *to = (dm_tape_jet){0};
    w->y_a[i] = o->kind == DM_TAPE_VARIABLE ? x_a[o->at] : 0;
    if (o->kind != DM_TAPE_CALL) continue;
    const dm_tape_jet *j = &w->jet[i];
    dm_tape_third t = {0};
    dm_tape_jet again;
    const double a = o->by_a ? w->y_a[o->a] : 0;
    if (o->call && o->bends) o->call->third(w->jet[o->a].y, w->jet[o->b].y, &t);
    if (!o->call) eval_table(o->table, w->jet[o->a].y, &again, &t.aaa);
    w->y_a[i] = j->a * a;
    to->a = j->aa * a;
    to->aa = t.aaa * a;
    if (!o->by_b) continue;
    const double b = w->y_a[o->b];
    w->y_a[i] += j->b * b;
    to->a += j->ab * b;
    to->b = j->ab * a + j->bb * b;
    to->aa += t.aab * b;
    to->ab = t.aab * a + t.abb * b;
    to->bb = t.abb * a + t.bbb * b;
  }
}

// 2'  changes of the derivatives of f by each operation
static void sweep_back_change(const dm_tape *f, const sweep *w) {
  memset(w->by_a, 0, (size_t)f->count * sizeof *w->by_a);
  for (int i = f->count - 1; i >= 0; i--) {
    const dm_tape_operation *o = &f->operation[i];
    if (w->by[i] == 0 && w->by_a[i] == 0) continue;
    const dm_tape_jet *j = &w->jet[i], *j_a = &w->jet_a[i];
    if (o->by_a) w->by_a[o->a] += w->by_a[i] * j->a + w->by[i] * j_a->a;
    if (o->by_b) w->by_a[o->b] += w->by_a[i] * j->b + w->by[i] * j_a->b;
  }
}

// 3'  changes of the derivatives of each operation by the variables
static void sweep_slopes_change(const dm_tape *f, const sweep *w) {
  const int nx = f->nx;
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    double *own = w->slope_a + i * nx;
    if (!o->sloped) continue;
    for (int k = o->low; k < o->high; k++) own[k] = 0;
    const dm_tape_jet *j = &w->jet[i], *j_a = &w->jet_a[i];
    const int operand[] = {o->a, o->b};
    const double by[] = {j->a, j->b}, by_a[] = {j_a->a, j_a->b};
    const bool has[] = {o->by_a, o->by_b};
    for (int side = 0; side < 2; side++) {
      if (!has[side]) continue;
      add_multiple(by[side], slope_of(f, w->slope_a, operand[side]), own);
      add_multiple(by_a[side], slope_of(f, w->slope, operand[side]), own);
    }
  }
}

// 4'  the change of f_xx
static void sum_bend(const dm_tape *f, const sweep *w, double *f_xxa) {
  const int nx = f->nx;
  memset(f_xxa, 0, (size_t)(nx * nx) * sizeof *f_xxa);
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    const double by = w->by[i], by_a = w->by_a[i];
    if (!o->bends || (by == 0 && by_a == 0)) continue;
    const dm_tape_jet *j = &w->jet[i], *j_a = &w->jet_a[i];
    const slope a = slope_of(f, w->slope, o->a), b = slope_of(f, w->slope, o->b);
    const slope a_a = slope_of(f, w->slope_a, o->a), b_a = slope_of(f, w->slope_a, o->b);
    const double aa = by_a * j->aa + by * j_a->aa, bb = by_a * j->bb + by * j_a->bb;
    const double ab = by_a * j->ab + by * j_a->ab;
    if (o->by_a && aa != 0) add_square(nx, aa, a, f_xxa);
    if (o->by_a && j->aa != 0) add_product(nx, by * j->aa, a, a_a, f_xxa);
    if (o->by_b && bb != 0) add_square(nx, bb, b, f_xxa);
    if (o->by_b && j->bb != 0) add_product(nx, by * j->bb, b, b_a, f_xxa);
    if (!o->by_a || !o->by_b) continue;
    if (ab != 0) add_product(nx, ab, a, b, f_xxa);
    if (j->ab == 0) continue;
    add_product(nx, by * j->ab, a_a, b, f_xxa);
    add_product(nx, by * j->ab, b_a, a, f_xxa);
  }
  mirror(nx, f_xxa);
}

void dm_tape_bend(const dm_tape *f, const double *x, const double *x_a, double *room,
                  double *f_xxa) {
  sweep w = place_sweep(f, room);
  double *more = room + dm_tape_room(f);
  w.jet_a = (dm_tape_jet *)more;
  w.y_a = more + sizeof(dm_tape_jet) / sizeof(double) * (size_t)f->count;
  w.by_a = w.y_a + f->count;
  w.slope_a = w.by_a + f->count;
  sweep_forward(f, &w, x, 2);
  sweep_back(f, &w, f_xxa, NULL);
  complete_jets(f, &w);
  sweep_change(f, &w, x_a);
  sweep_back_change(f, &w);
  sweep_slopes_change(f, &w);
  sum_bend(f, &w, f_xxa);
}

// -- messages

static void describe_call(const dm_tape_operation *o, double a, double b, char *text, size_t size) {
  const dm_tape_function *g = dm_tape_function_at(o->at);
  if (o->table)
    snprintf(text, size, "%s(%.4g) at character %d", o->table->name, a, o->place + 1);
  else if (o->at < DM_TAPE_NAMED)
    snprintf(text, size, "%.4g %s %.4g at character %d", a, g->name, b, o->place + 1);
  else if (g->arguments == 1)
    snprintf(text, size, "%s(%.4g) at character %d", g->name, a, o->place + 1);
  else
    snprintf(text, size, "%s(%.4g, %.4g) at character %d", g->name, a, b, o->place + 1);
}

bool dm_tape_fault(const dm_tape *f, const double *x, int order, double *room, char *text,
                   size_t size) {
  const sweep w = place_sweep(f, room);
  sweep_forward(f, &w, x, 0);
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    if (o->kind != DM_TAPE_CALL) continue;
    const double a = w.jet[o->a].y, b = w.jet[o->b].y;
    if (!isfinite(a) || !isfinite(b)) continue;
    dm_tape_jet j = {.y = w.jet[i].y};
    if (order > 0) eval_call(o, a, b, order, &j);
    const bool slopes =
        (!o->by_a || isfinite(j.a + j.aa)) && (!o->by_b || isfinite(j.b + j.ab + j.bb));
    if (isfinite(j.y) && slopes) continue;
    const int used = isfinite(j.y) ? snprintf(text, size, "the derivative of ") : 0;
    if ((size_t)used < size) describe_call(o, a, b, text + used, size - (size_t)used);
    return true;
  }
  return false;
}
