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

// work arrays of a call
typedef struct sweep {
  dm_tape_jet *jet; // [count]
  double *by;       // [count] df / d operation
  double *slope;    // [count x nx] of each operation by the variables
} sweep;

size_t dm_tape_room(const dm_tape *f) {
  return (sizeof(dm_tape_jet) / sizeof(double) + 1 + (size_t)f->nx) * (size_t)f->count;
}

static sweep place_sweep(const dm_tape *f, double *room) {
  double *by = room + sizeof(dm_tape_jet) / sizeof(double) * (size_t)f->count;
  return (sweep){(dm_tape_jet *)room, by, by + f->count};
}

static bool is_number(const dm_tape *f, int i) {
  return f->operation[i].kind == DM_TAPE_NUMBER;
}

// is the second operand of a call an expression, not a number?
static bool has_second(const dm_tape *f, const dm_tape_operation *o) {
  return functions[o->at].arguments == 2 && !is_number(f, o->b);
}

// 1  values, and derivatives of each operation by its operands
static double sweep_forward(const dm_tape *f, const sweep *w, const double *x, int order) {
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    dm_tape_jet *j = &w->jet[i];
    if (o->kind == DM_TAPE_CALL)
      functions[o->at].eval(w->jet[o->a].y, w->jet[o->b].y, order, j);
    else
      j->y = o->kind == DM_TAPE_NUMBER ? o->value : x[o->at];
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
    if (o->kind == DM_TAPE_VARIABLE) f_x[o->at] += by;
    if (o->kind != DM_TAPE_CALL || by == 0) continue; // also if a factor 0 has no derivative
    if (!is_number(f, o->a)) w->by[o->a] += by * w->jet[i].a;
    if (has_second(f, o)) w->by[o->b] += by * w->jet[i].b;
  }
}

// 3  derivatives of each operation by the variables
static void sweep_slopes(const dm_tape *f, const sweep *w) {
  const int nx = f->nx;
  memset(w->slope, 0, (size_t)(f->count * nx) * sizeof *w->slope);
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    double *own = w->slope + i * nx;
    if (o->kind == DM_TAPE_VARIABLE) own[o->at] = 1;
    if (o->kind != DM_TAPE_CALL) continue;
    // u in u v has a slope also where v = 0, and f does not depend on it there to first order
    const bool exists = isfinite(w->jet[i].a) && (!has_second(f, o) || isfinite(w->jet[i].b));
    if (w->by[i] == 0 && !exists) continue;
    const double *a = w->slope + o->a * nx, *b = w->slope + o->b * nx;
    for (int k = 0; !is_number(f, o->a) && k < nx; k++) own[k] += w->jet[i].a * a[k];
    for (int k = 0; has_second(f, o) && k < nx; k++) own[k] += w->jet[i].b * b[k];
  }
}

// H += c a b', and its transpose if both differ
static void add_product(int nx, double c, const double *a, const double *b, double *H) {
  for (int i = 0; i < nx; i++)
    for (int k = 0; a[i] != 0 && k < nx; k++) {
      H[i * nx + k] += c * a[i] * b[k];
      if (a != b) H[k * nx + i] += c * a[i] * b[k];
    }
}

// 4  f_xx = sum of df/dg (g_aa a_x a_x' + g_ab (a_x b_x' + b_x a_x') + g_bb b_x b_x') over the calls g(a,b)
static void sum_curvature(const dm_tape *f, const sweep *w, double *f_xx) {
  const int nx = f->nx;
  memset(f_xx, 0, (size_t)(nx * nx) * sizeof *f_xx);
  for (int i = 0; i < f->count; i++) {
    const dm_tape_operation *o = &f->operation[i];
    const dm_tape_jet *j = &w->jet[i];
    const double by = w->by[i], *a = w->slope + o->a * nx, *b = w->slope + o->b * nx;
    if (o->kind != DM_TAPE_CALL || by == 0) continue;
    const bool first = !is_number(f, o->a), second = has_second(f, o);
    if (first && j->aa != 0) add_product(nx, by * j->aa, a, a, f_xx);
    if (second && j->bb != 0) add_product(nx, by * j->bb, b, b, f_xx);
    if (!first || !second || j->ab == 0) continue;
    add_product(nx, (a == b ? 2 : 1) * by * j->ab, a, b, f_xx);
  }
}

double dm_tape_eval(const dm_tape *f, const double *x, double *room, double *f_x, double *f_xx) {
  const sweep w = place_sweep(f, room);
  const double y = sweep_forward(f, &w, x, f_xx ? 2 : f_x ? 1 : 0);
  if (f_x) sweep_back(f, &w, f_x);
  if (!f_xx) return y;
  sweep_slopes(f, &w);
  sum_curvature(f, &w, f_xx);
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
