#include "control/codegen/watch.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/tables.h"

#include <float.h>
#include <math.h>

// whether some coordinate has a bound of its own
static bool bounds_places(const fb_output_feedback *w) {
  bool some = false;
  for (int i = 0; i < w->n; i++) some |= isfinite(w->f.envelope->bound[i]) != 0;
  return some;
}

bool fb_watch_brakes(const fb_codegen *c) {
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  for (int i = 0; f->envelope && i < f->nu; i++)
    if (f->envelope->damping[i] != 0) return true;
  return false;
}

// -- controller.h

void fb_watch_declare(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_codegen_settings *set = &c->set;
  const fb_envelope *e = w->f.envelope;

  // what is lost, and what then acts
  fputs("\n// The law is lost once ", f);
  if (bounds_places(w)) fputs("a place that is measured is further from the plan than\n//\n", f);
  for (int i = 0; i < w->n; i++)
    if (isfinite(e->bound[i])) {
      fprintf(f, "//   %.6g ", e->bound[i]);
      fb_lines_unit(f, set->q_unit ? set->q_unit[i] : "SI");
      fprintf(f, " of q[%d]\n", i);
    }
  if (w->nm && bounds_places(w)) fputs("//\n// or once ", f);
  if (w->nm)
    fprintf(f,
            "what is left to pay for the way back, x'P x, is more than %.6g: x is (q, p) less the "
            "plan's, as it follows\n// from what is measured, P the Riccati matrix of the gains. "
            "By time P is that of the knot before.\n",
            e->cost);
  fputs("//\n// Its functions return 0 before; 1 from then on, with ", f);
  if (!fb_watch_brakes(c)) fputs("u = 0", f);
  for (int i = 0, first = 1; i < w->f.nu; i++)
    if (e->damping[i] != 0) {
      fprintf(f, "%su[%d] = -%.6g v[%d]", first ? "" : ", ", i, e->damping[i], e->along[i]);
      first = 0;
    }
  fputs(fb_watch_brakes(c) ? " and 0 of other inputs" : "", f);
  fputs(
      ", cut to limits, until the\n// guard is reset: what is lost stays lost, wherever the robot "
      "goes. The caller keeps the guard, each robot its\n// own, and resets it before the first "
      "call. What else is to be done then, as to close a brake, is the caller's.\n"
      "typedef struct controller_guard {\n  int lost; // 0 or 1\n} controller_guard;\n\n"
      "void controller_reset(controller_guard *guard);\n\n",
      f);
}

// -- controller.c

// a number; one that is not finite in the text's precision is the largest there is
static void put_watch_number(FILE *f, const fb_codegen *c, double x) {
  const double largest = c->set.single ? FLT_MAX : DBL_MAX;
  fb_number_write(f, c->set.single, isfinite(fb_codegen_rounded(c, x)) ? x : largest);
}

static void put_watch_row(FILE *f, const fb_codegen *c, const char *name, const double *x, int n) {
  fprintf(f, "static const controller_real %s[%d] = {", name, n);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    put_watch_number(f, c, x[i]);
  }
  fputs("};\n", f);
}

// where a line begins with -, it is of u = 0, with +, of u = -D v; with Q, of places, with P, of x'P x
static const char watch_text[] =
    "\n"
    "void controller_reset(controller_guard *guard) {\n"
    "  guard->lost = 0;\n"
    "}\n"
    "\n"
    "P// whether x'P x is too large: P by rows up to the diagonal, twice what is off it; what is "
    "no\n"
    "P// number says nothing\n"
    "Pstatic _Bool costs_too_much(int n, const controller_real *P, const controller_real *y_d,\n"
    "P                            const controller_real *y) {\n"
    "P  controller_real sum = ZERO;\n"
    "P  int unknown = 0;\n"
    "P  int at = 0;\n"
    "P  int i;\n"
    "P  int j;\n"
    "P  for (i = 0; i < n; i++) {\n"
    "P    controller_real part = ZERO;\n"
    "P    controller_real off = ZERO;\n"
    "P    controller_real product;\n"
    "P    for (j = 0; j <= i; j++) {\n"
    "P      off = y[j] - y_d[j];\n"
    "P      product = P[at + j] * off;\n"
    "P      part = part + product;\n"
    "P    }\n"
    "P    at = at + i + 1;\n"
    "P    if (!finite_number(off)) {\n"
    "P      unknown = 1;\n"
    "P    }\n"
    "P    product = part * off;\n"
    "P    sum = sum + product;\n"
    "P  }\n"
    "P  return (unknown == 0) && !(sum <= largest_cost);\n"
    "P}\n"
    "P\n"
    "// whether the law is lost: now, or before; then u is the fallback's, within limits\n"
    "static void watch(controller_guard *guard, const controller_real *y_d, const controller_real "
    "*y,\n"
    "P                  int n, const controller_real *P,\n"
    "+                  const controller_real *v, controller_real *u) {\n"
    "-                  controller_real *u) {\n"
    "  int i;\n"
    "Q  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "Q    controller_real off = y[i] - y_d[i];\n"
    "Q    if (finite_number(off) && ((off > envelope[i]) || (-off > envelope[i]))) {\n"
    "Q      guard->lost = 1;\n"
    "Q    }\n"
    "Q  }\n"
    "P  if (costs_too_much(n, P, y_d, y)) {\n"
    "P    guard->lost = 1;\n"
    "P  }\n"
    "  if (guard->lost != 0) {\n"
    "    for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "-      u[i] = limited(i, ZERO);\n"
    "+      controller_real brake = damping[i] * v[along[i]];\n"
    "+      u[i] = limited(i, finite_number(brake) ? (ZERO - brake) : ZERO);\n"
    "    }\n"
    "  }\n"
    "}\n";

void fb_watch_call(FILE *f, const fb_codegen *c, int form, const char *y_d) {
  const fb_output_feedback *w = c->law[form];
  fprintf(f, "  watch(guard, %s, y, ", y_d);
  if (w->nm)
    fprintf(f, "%d, %s, ", w->nm,
            fb_tables_row("P_", fb_form_names[form], w->nm * (w->nm + 1) / 2, "k").text);
  fputs(fb_watch_brakes(c) ? "v, u);\n" : "u);\n", f);
}

void fb_watch_write(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_envelope *e = w->f.envelope;
  const bool brakes = fb_watch_brakes(c);

  // the numbers
  fputs("\n", f);
  if (bounds_places(w)) put_watch_row(f, c, "envelope", e->bound, w->n);
  if (w->nm) {
    fputs("static const controller_real largest_cost = ", f);
    put_watch_number(f, c, e->cost);
    fputs(";\n", f);
  }
  if (brakes) {
    put_watch_row(f, c, "damping", e->damping, w->f.nu);
    fprintf(f, "static const int along[%d] = {", w->f.nu);
    for (int i = 0; i < w->f.nu; i++) fprintf(f, "%s%d", i ? ", " : "", e->along[i]);
    fputs("};\n", f);
  }

  char meant[4];
  snprintf(meant, sizeof meant, "%c%s%s", brakes ? '+' : '-', bounds_places(w) ? "Q" : "",
           w->nm ? "P" : "");
  fb_lines_write(f, watch_text, "-+QP", meant);
}
