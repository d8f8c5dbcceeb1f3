#include "lib/base/tape_functions.h"

#include "lib/base/tape_text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// -- functions with their derivatives

#define FUNCTION(name) static void eval_##name(double a, double b, int order, dm_tape_jet *out)
#define THIRD(name)    static void bend_##name(double a, double b, dm_tape_third *out)

// a function of one argument: value, and its derivatives, and the first two as text
#define ONE(name, value, slope, curve, third)                                                      \
  static const dm_tape_text text_##name = {"", #value, #slope, NULL};                              \
  FUNCTION(name) {                                                                                 \
    (void)b;                                                                                       \
    const double y = (value);                                                                      \
    *out = (dm_tape_jet){.y = y};                                                                  \
    if (order > 0) out->a = (slope);                                                               \
    if (order > 1) out->aa = (curve);                                                              \
  }                                                                                                \
  THIRD(name) {                                                                                    \
    (void)b;                                                                                       \
    const double y = (value);                                                                      \
    (void)y;                                                                                       \
    *out = (dm_tape_third){.aaa = (third)};                                                        \
  }

ONE(negate, -a, -1, 0, 0)
ONE(sin, sin(a), cos(a), -y, -cos(a))
ONE(cos, cos(a), -sin(a), -y, sin(a))
ONE(tan, tan(a), 1 + y * y, 2 * y * (1 + y * y), 2 * (1 + y * y) * (1 + 3 * y * y))
ONE(asin, asin(a), 1 / sqrt(1 - a * a), a / ((1 - a * a) * sqrt(1 - a * a)),
    (1 + 2 * a * a) * pow(1 - a * a, -2.5))
ONE(acos, acos(a), -1 / sqrt(1 - a * a), -a / ((1 - a * a) * sqrt(1 - a * a)),
    -(1 + 2 * a * a) * pow(1 - a * a, -2.5))
ONE(atan, atan(a), 1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)),
    (6 * a * a - 2) / ((1 + a * a) * (1 + a * a) * (1 + a * a)))
ONE(sinh, sinh(a), cosh(a), y, cosh(a))
ONE(cosh, cosh(a), sinh(a), y, sinh(a))
ONE(tanh, tanh(a), 1 - y * y, -2 * y * (1 - y * y), (1 - y * y) * (6 * y * y - 2))
ONE(exp, exp(a), y, y, y)
ONE(log, log(a), a < 0 ? NAN : 1 / a, a < 0 ? NAN : -1 / (a * a), a < 0 ? NAN : 2 / (a * a * a))
ONE(sqrt, sqrt(a), 0.5 / y, -0.25 / (y * a), 0.375 / (y * a * a))
ONE(abs, fabs(a), (a > 0) - (a < 0), 0, 0)

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

THIRD(divide) {
  const double b3 = b * b * b;
  *out = (dm_tape_third){.abb = 2 / b3, .bbb = -6 * a / (b3 * b)};
}

// a function of two arguments: quantities that follow, its value y, derivatives y_a and y_b, second derivatives aa, ab, bb,
// where ab and bb may contain y_aa; and as text
#define TWO(name, quantities, value, slope_a, slope_b, aa_, ab_, bb_)                              \
  static const dm_tape_text text_##name = {#quantities, #value, #slope_a, #slope_b};               \
  FUNCTION(name) {                                                                                 \
    quantities const double y = (value);                                                           \
    *out = (dm_tape_jet){.y = y};                                                                  \
    if (order == 0) return;                                                                        \
    const double y_a = (slope_a), y_b = (slope_b);                                                 \
    out->a = y_a;                                                                                  \
    out->b = y_b;                                                                                  \
    if (order < 2) return;                                                                         \
    const double y_aa = (aa_);                                                                     \
    out->aa = y_aa;                                                                                \
    out->ab = (ab_);                                                                               \
    out->bb = (bb_);                                                                               \
  }

// clang-format off
// a^b; it has a derivative by b only if a > 0
TWO(raise, , pow(a, b), b != 0 ? b * pow(a, b - 1) : 0, a > 0 ? y * log(a) : NAN,
    b != 0 && b != 1 ? b * (b - 1) * pow(a, b - 2) : 0,
    a > 0 ? pow(a, b - 1) * (1 + b * log(a)) : NAN, a > 0 ? y_b * log(a) : NAN)

TWO(atan2, const double s = a * a + b * b;, atan2(a, b), b / s, -a / s,
    -2 * a * b / (s * s), (a * a - b * b) / (s * s), -y_aa)

TWO(hypot, , hypot(a, b), a / y, b / y, y_b * y_b / y, -y_a * y_b / y, y_a * y_a / y)

// sqrt(a^2 + b^2) - b: |a| - b beyond a few widths b > 0
TWO(smoothabs, const double r = hypot(a, b);, r - b, a / r, b / r - 1,
    b / r * (b / r) / r, -y_a * (b / r) / r, y_a * y_a / r)

// b log(1 + exp(a/b)): nearly max(a, 0) beyond a few widths b > 0
TWO(softplus,
    const double s = a / b;
    const double small = exp(-fabs(s));
    const double l = (s > 0 ? s : 0) + log1p(small);,
    b * l, s > 0 ? 1 / (1 + small) : small / (1 + small), l - s * y_a,
    small / ((1 + small) * (1 + small) * b), -s * y_aa, s * s * y_aa)

// a^2/2 within a width b > 0, b (|a| - b/2) beyond it; its curvature jumps there
TWO(huber, const double size = fabs(a);,
    size <= b ? a * a / 2 : b * (size - b / 2), size <= b ? a : b * ((a > 0) - (a < 0)),
    size <= b ? 0 : size - b, size <= b, size <= b ? 0 : (a > 0) - (a < 0), size <= b ? 0 : -1)

TWO(max, , fmax(a, b), a >= b, a < b, 0, 0, 0)
TWO(min, , fmin(a, b), a <= b, a > b, 0, 0, 0)
// clang-format on

THIRD(raise) {
  const double y = pow(a, b), l = a > 0 ? log(a) : NAN;
  *out = (dm_tape_third){.bbb = y * l * l * l};
  if (b != 0 && b != 1 && b != 2) out->aaa = b * (b - 1) * (b - 2) * pow(a, b - 3);
  out->aab = pow(a, b - 2) * (2 * b - 1 + b * (b - 1) * l);
  out->abb = pow(a, b - 1) * l * (b * l + 2);
}

// of the imaginary part of log(b + i a)
THIRD(atan2) {
  const double s = a * a + b * b, s3 = s * s * s;
  const double re = b * (b * b - 3 * a * a) / s3, im = a * (a * a - 3 * b * b) / s3;
  *out = (dm_tape_third){.aaa = -2 * re, .aab = -2 * im, .abb = 2 * re, .bbb = 2 * im};
}

THIRD(hypot) {
  const double r = hypot(a, b), x = a / r, y = b / r, c = 1 / (r * r);
  *out = (dm_tape_third){.aaa = -3 * c * x * y * y,
                         .aab = c * y * (2 * x * x - y * y),
                         .abb = c * x * (2 * y * y - x * x),
                         .bbb = -3 * c * x * x * y};
}

// with f = b g(s), s = a/b
THIRD(softplus) {
  const double s = a / b, small = exp(-fabs(s)), other = 1 + small;
  const double g2 = small / (other * other), g3 = (s > 0 ? -1 : 1) * g2 * (1 - small) / other;
  const double c = 1 / (b * b);
  *out = (dm_tape_third){.aaa = c * g3,
                         .aab = -c * (g2 + s * g3),
                         .abb = c * s * (2 * g2 + s * g3),
                         .bbb = -c * s * s * (3 * g2 + s * g3)};
}

// of functions with piecewise constant second derivatives
THIRD(none) {
  (void)a, (void)b;
  *out = (dm_tape_third){0};
}

static const dm_tape_function functions[] = {
    [DM_TAPE_NEGATE] = {"-", 1, eval_negate, bend_negate, NULL},
    [DM_TAPE_ADD] = {"+", 2, eval_add, bend_none, NULL},
    [DM_TAPE_SUBTRACT] = {"-", 2, eval_subtract, bend_none, NULL},
    [DM_TAPE_MULTIPLY] = {"*", 2, eval_multiply, bend_none, NULL},
    [DM_TAPE_DIVIDE] = {"/", 2, eval_divide, bend_divide, NULL},
    [DM_TAPE_RAISE] = {"^", 2, eval_raise, bend_raise, NULL},
    {"sin", 1, eval_sin, bend_sin, NULL},
    {"cos", 1, eval_cos, bend_cos, NULL},
    {"tan", 1, eval_tan, bend_tan, NULL},
    {"asin", 1, eval_asin, bend_asin, NULL},
    {"acos", 1, eval_acos, bend_acos, NULL},
    {"atan", 1, eval_atan, bend_atan, NULL},
    {"sinh", 1, eval_sinh, bend_sinh, NULL},
    {"cosh", 1, eval_cosh, bend_cosh, NULL},
    {"tanh", 1, eval_tanh, bend_tanh, NULL},
    {"exp", 1, eval_exp, bend_exp, NULL},
    {"log", 1, eval_log, bend_log, NULL},
    {"sqrt", 1, eval_sqrt, bend_sqrt, NULL},
    {"atan2", 2, eval_atan2, bend_atan2, NULL},
    {"hypot", 2, eval_hypot, bend_hypot, NULL},
    {"smoothabs", 2, eval_smoothabs, bend_hypot, NULL},
    {"softplus", 2, eval_softplus, bend_softplus, NULL},
    {"huber", 2, eval_huber, bend_none, NULL},
    {"abs", 1, eval_abs, bend_abs, "smoothabs(x, width)"},
    {"max", 2, eval_max, bend_none, "y + softplus(x - y, width)"},
    {"min", 2, eval_min, bend_none, "x - softplus(x - y, width)"}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

int dm_tape_functions(void) {
  return FUNCTIONS;
}

const dm_tape_function *dm_tape_function_at(int i) {
  return &functions[i];
}

#define TEXT(name)                                                                                 \
  { #name, &text_##name }
const dm_tape_text *dm_tape_text_of(const char *name) {
  static const struct {
    const char *name;
    const dm_tape_text *text;
  } rows[] = {TEXT(sin),          TEXT(cos),          TEXT(tan),   TEXT(asin),  TEXT(acos),
              TEXT(atan),         TEXT(sinh),         TEXT(cosh),  TEXT(tanh),  TEXT(exp),
              TEXT(log),          TEXT(sqrt),         TEXT(abs),   TEXT(atan2), TEXT(hypot),
              TEXT(smoothabs),    TEXT(softplus),     TEXT(huber), TEXT(max),   TEXT(min),
              {"^", &text_raise}, {"-", &text_negate}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name)) return rows[i].text;
  return NULL;
}
