#include "lib/base/tape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- functions with their derivatives

#define FUNCTION(name) static void eval_##name(double a, double b, int order, dm_tape_jet *out)

// a function of one argument: value, slope, curvature
#define ONE(name, value, slope, curve)                                                             \
  FUNCTION(name) {                                                                                 \
    (void)b;                                                                                       \
    const double y = (value);                                                                      \
    *out = (dm_tape_jet){.y = y};                                                                  \
    if (order > 0) out->a = (slope);                                                               \
    if (order > 1) out->aa = (curve);                                                              \
  }

ONE(negate, -a, -1, 0)
ONE(sin, sin(a), cos(a), -y)
ONE(cos, cos(a), -sin(a), -y)
ONE(tan, tan(a), 1 + y * y, 2 * y * (1 + y * y))
ONE(asin, asin(a), 1 / sqrt(1 - a * a), a / ((1 - a * a) * sqrt(1 - a * a)))
ONE(acos, acos(a), -1 / sqrt(1 - a * a), -a / ((1 - a * a) * sqrt(1 - a * a)))
ONE(atan, atan(a), 1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)))
ONE(sinh, sinh(a), cosh(a), y)
ONE(cosh, cosh(a), sinh(a), y)
ONE(tanh, tanh(a), 1 - y * y, -2 * y * (1 - y * y))
ONE(exp, exp(a), y, y)
ONE(log, log(a), a < 0 ? NAN : 1 / a, a < 0 ? NAN : -1 / (a * a))
ONE(sqrt, sqrt(a), 0.5 / y, -0.25 / (y * a))
ONE(abs, fabs(a), (a > 0) - (a < 0), 0)

FUNCTION(add) {
  (void)order;
  *out = (dm_tape_jet){.y = a + b, .a = 1, .b = 1};
}

FUNCTION(subtract) {
  (void)order;
  *out = (dm_tape_jet){.y = a - b, .a = 1, .b = -1};
}

FUNCTION(multiply) {
  (void)order;
  *out = (dm_tape_jet){.y = a * b, .a = b, .b = a, .ab = 1};
}

FUNCTION(divide) {
  const double y = a / b;
  *out = (dm_tape_jet){.y = y};
  if (order > 0) out->a = 1 / b;
  if (order > 0) out->b = -y / b;
  if (order > 1) out->ab = -1 / (b * b);
  if (order > 1) out->bb = 2 * y / (b * b);
}

// a^b; it has a derivative by b only if a > 0
FUNCTION(raise) {
  const double y = pow(a, b);
  *out = (dm_tape_jet){.y = y};
  if (order > 0 && b != 0) out->a = b * pow(a, b - 1);
  if (order > 1 && b != 0 && b != 1) out->aa = b * (b - 1) * pow(a, b - 2);
  if (order == 0) return;
  const double l = a > 0 ? log(a) : NAN;
  out->b = y * l;
  out->bb = y * l * l;
  out->ab = pow(a, b - 1) * (1 + b * l);
}

FUNCTION(atan2) {
  const double s = a * a + b * b;
  *out = (dm_tape_jet){.y = atan2(a, b)};
  if (order > 0) out->a = b / s;
  if (order > 0) out->b = -a / s;
  if (order < 2) return;
  out->aa = -2 * a * b / (s * s);
  out->bb = -out->aa;
  out->ab = (a * a - b * b) / (s * s);
}

FUNCTION(hypot) {
  const double r = hypot(a, b);
  *out = (dm_tape_jet){.y = r};
  if (order > 0) out->a = a / r;
  if (order > 0) out->b = b / r;
  if (order < 2) return;
  out->aa = out->b * out->b / r;
  out->bb = out->a * out->a / r;
  out->ab = -out->a * out->b / r;
}

// sqrt(a^2 + b^2) - b: |a| - b beyond a few widths b > 0
FUNCTION(smoothabs) {
  eval_hypot(a, b, order, out);
  out->y -= b;
  out->b -= 1;
}

// b log(1 + exp(a/b)): nearly max(a, 0) beyond a few widths b > 0
FUNCTION(softplus) {
  const double s = a / b, small = exp(-fabs(s)), l = (s > 0 ? s : 0) + log1p(small);
  const double slope = s > 0 ? 1 / (1 + small) : small / (1 + small);
  const double curve = small / ((1 + small) * (1 + small) * b);
  *out = (dm_tape_jet){.y = b * l};
  if (order > 0) out->a = slope;
  if (order > 0) out->b = l - s * slope;
  if (order < 2) return;
  out->aa = curve;
  out->ab = -s * curve;
  out->bb = s * s * curve;
}

// a^2/2 within a width b > 0, b (|a| - b/2) beyond it; its curvature jumps there
FUNCTION(huber) {
  (void)order;
  const double size = fabs(a), sign = (a > 0) - (a < 0);
  if (size <= b)
    *out = (dm_tape_jet){.y = a * a / 2, .a = a, .aa = 1};
  else
    *out =
        (dm_tape_jet){.y = b * (size - b / 2), .a = b * sign, .b = size - b, .ab = sign, .bb = -1};
}

FUNCTION(max) {
  (void)order;
  *out = (dm_tape_jet){.y = fmax(a, b), .a = a >= b, .b = a < b};
}

FUNCTION(min) {
  (void)order;
  *out = (dm_tape_jet){.y = fmin(a, b), .a = a <= b, .b = a > b};
}

static const dm_tape_function functions[] = {[DM_TAPE_NEGATE] = {"-", 1, eval_negate, NULL},
                                             [DM_TAPE_ADD] = {"+", 2, eval_add, NULL},
                                             [DM_TAPE_SUBTRACT] = {"-", 2, eval_subtract, NULL},
                                             [DM_TAPE_MULTIPLY] = {"*", 2, eval_multiply, NULL},
                                             [DM_TAPE_DIVIDE] = {"/", 2, eval_divide, NULL},
                                             [DM_TAPE_RAISE] = {"^", 2, eval_raise, NULL},
                                             {"sin", 1, eval_sin, NULL},
                                             {"cos", 1, eval_cos, NULL},
                                             {"tan", 1, eval_tan, NULL},
                                             {"asin", 1, eval_asin, NULL},
                                             {"acos", 1, eval_acos, NULL},
                                             {"atan", 1, eval_atan, NULL},
                                             {"sinh", 1, eval_sinh, NULL},
                                             {"cosh", 1, eval_cosh, NULL},
                                             {"tanh", 1, eval_tanh, NULL},
                                             {"exp", 1, eval_exp, NULL},
                                             {"log", 1, eval_log, NULL},
                                             {"sqrt", 1, eval_sqrt, NULL},
                                             {"atan2", 2, eval_atan2, NULL},
                                             {"hypot", 2, eval_hypot, NULL},
                                             {"smoothabs", 2, eval_smoothabs, NULL},
                                             {"softplus", 2, eval_softplus, NULL},
                                             {"huber", 2, eval_huber, NULL},
                                             {"abs", 1, eval_abs, "smoothabs(x, width)"},
                                             {"max", 2, eval_max, "y + softplus(x - y, width)"},
                                             {"min", 2, eval_min, "x - softplus(x - y, width)"}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

int dm_tape_functions(void) {
  return FUNCTIONS;
}

const dm_tape_function *dm_tape_function_at(int i) {
  return &functions[i];
}

// -- evaluation

// work arrays of a call, [count] each
typedef struct sweep {
  dm_tape_jet *jet;
  double *by;   // df / d operation
  double *move; // change of each operation with one variable
  double *turn; // change of `by`
} sweep;

size_t dm_tape_room(const dm_tape *f) {
  return (sizeof(dm_tape_jet) / sizeof(double) + 3) * (size_t)f->count;
}

static sweep place_sweep(const dm_tape *f, double *room) {
  const size_t jets = sizeof(dm_tape_jet) / sizeof(double) * (size_t)f->count;
  double *by = room + jets;
  return (sweep){(dm_tape_jet *)room, by, by + f->count, by + 2 * f->count};
}

// 1  values, and derivatives of each operation by its operands
static double sweep_forward(const dm_tape *f, const sweep *w, const double *x, int order) {
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    if (o->kind == DM_TAPE_CALL)
      functions[o->at].eval(w->jet[o->a].y, w->jet[o->b].y, order, &w->jet[i]);
    else
      w->jet[i] = (dm_tape_jet){.y = o->kind == DM_TAPE_NUMBER ? o->value : x[o->at]};
  }
  return w->jet[f->count - 1].y;
}

// 2  derivatives of f by each operation
static void sweep_back(const dm_tape *f, const sweep *w, double *f_x) {
  memset(w->by, 0, (size_t)f->count * sizeof *w->by);
  memset(f_x, 0, (size_t)f->nx * sizeof *f_x);
  w->by[f->count - 1] = 1;
  for (int i = f->count - 1; i >= 0; i--) {
    const dm_tape_operation *o = &f->operation[i];
    const double by = w->by[i];
    if (by == 0) continue; // also where an unused operand has no derivative
    if (o->kind == DM_TAPE_VARIABLE) f_x[o->at] += by;
    if (o->kind != DM_TAPE_CALL) continue;
    w->by[o->a] += by * w->jet[i].a;
    if (functions[o->at].arguments == 2) w->by[o->b] += by * w->jet[i].b;
  }
}

// 3  row `x` of the Hessian: the change of step 1, then of step 2, with variable x
static void sweep_both(const dm_tape *f, const sweep *w, int x, double *row) {
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    const bool two = o->kind == DM_TAPE_CALL && functions[o->at].arguments == 2;
    w->turn[i] = 0;
    w->move[i] = o->kind == DM_TAPE_VARIABLE && o->at == x;
    if (o->kind != DM_TAPE_CALL) continue;
    if (w->move[o->a] != 0) w->move[i] += w->jet[i].a * w->move[o->a];
    if (two && w->move[o->b] != 0) w->move[i] += w->jet[i].b * w->move[o->b];
  }
  memset(row, 0, (size_t)f->nx * sizeof *row);
  for (int i = f->count - 1; i >= 0; i--) {
    const dm_tape_operation *o = &f->operation[i];
    const dm_tape_jet *j = &w->jet[i];
    const double by = w->by[i], turn = w->turn[i];
    if (o->kind == DM_TAPE_VARIABLE) row[o->at] += turn;
    if (o->kind != DM_TAPE_CALL || (by == 0 && turn == 0)) continue;
    const bool two = functions[o->at].arguments == 2;
    const double a = w->move[o->a], b = two ? w->move[o->b] : 0;
    double of_a = turn * j->a, of_b = turn * j->b;
    if (a != 0) of_a += by * j->aa * a;
    if (a != 0) of_b += by * j->ab * a;
    if (b != 0) of_a += by * j->ab * b;
    if (b != 0) of_b += by * j->bb * b;
    w->turn[o->a] += of_a;
    if (two) w->turn[o->b] += of_b;
  }
}

double dm_tape_eval(const dm_tape *f, const double *x, double *room, double *f_x, double *f_xx) {
  const sweep w = place_sweep(f, room);
  const double y = sweep_forward(f, &w, x, f_xx ? 2 : f_x ? 1 : 0);
  if (f_x) sweep_back(f, &w, f_x);
  for (int i = 0; f_xx && i < f->nx; i++) sweep_both(f, &w, i, f_xx + i * f->nx);
  return y;
}

// -- messages

static void describe_call(const dm_tape_operation *o, double a, double b, char *text, size_t size) {
  const dm_tape_function *g = &functions[o->at];
  if (o->at < DM_TAPE_NAMED)
    snprintf(text, size, "%.4g %s %.4g at character %d", a, g->name, b, o->place + 1);
  else if (g->arguments == 1)
    snprintf(text, size, "%s(%.4g) at character %d", g->name, a, o->place + 1);
  else
    snprintf(text, size, "%s(%.4g, %.4g) at character %d", g->name, a, b, o->place + 1);
}

bool dm_tape_fault(const dm_tape *f, const double *x, double *room, char *text, size_t size) {
  const sweep w = place_sweep(f, room);
  sweep_forward(f, &w, x, 0);
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    if (o->kind != DM_TAPE_CALL || isfinite(w.jet[i].y)) continue;
    const double a = w.jet[o->a].y, b = w.jet[o->b].y;
    if (!isfinite(a) || !isfinite(b)) continue;
    describe_call(o, a, b, text, size);
    return true;
  }
  return false;
}
