#include "control/codegen/watch.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"

#include <float.h>
#include <math.h>

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
  fputs("\n// The law is lost once a place that is measured is further from the plan than\n//\n",
        f);
  for (int i = 0; i < w->n; i++)
    if (isfinite(e->bound[i]))
      fprintf(f, "//   %.6g %s of q[%d]\n", e->bound[i], set->q_unit ? set->q_unit[i] : "SI", i);
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

// numbers of a row, of which those that are not finite are the largest there is
static void put_watch_row(FILE *f, const fb_codegen *c, const char *name, const double *x, int n) {
  const double largest = c->set.single ? FLT_MAX : DBL_MAX;
  fprintf(f, "static const controller_real %s[%d] = {", name, n);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    fb_number_write(f, c->set.single, isfinite(x[i]) ? x[i] : largest);
  }
  fputs("};\n", f);
}

// where a line begins with -, it is of u = 0, with +, of u = -D v
static const char watch_text[] =
    "\n"
    "void controller_reset(controller_guard *guard) {\n"
    "  guard->lost = 0;\n"
    "}\n"
    "\n"
    "// whether the law is lost: now, or before; then u is the fallback's, within limits\n"
    "static int watch(controller_guard *guard, const controller_real *y_d, const controller_real "
    "*y,\n"
    "+                 const controller_real *v, controller_real *u) {\n"
    "-                 controller_real *u) {\n"
    "  int i;\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    controller_real off = y[i] - y_d[i];\n"
    "    if (finite_number(off) && (off > envelope[i] || -off > envelope[i])) guard->lost = 1;\n"
    "  }\n"
    "  for (i = 0; guard->lost && i < CONTROLLER_NU; i++) {\n"
    "-    u[i] = 0;\n"
    "+    controller_real brake = damping[i] * v[along[i]];\n"
    "+    u[i] = finite_number(brake) ? 0 - brake : 0;\n"
    "    if (u[i] > u_max[i]) u[i] = u_max[i];\n"
    "    if (u[i] < u_min[i]) u[i] = u_min[i];\n"
    "  }\n"
    "  return guard->lost;\n"
    "}\n";

void fb_watch_write(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_envelope *e = w->f.envelope;
  const bool brakes = fb_watch_brakes(c);

  // the numbers
  fputs("\n", f);
  put_watch_row(f, c, "envelope", e->bound, w->n);
  if (brakes) {
    put_watch_row(f, c, "damping", e->damping, w->f.nu);
    fprintf(f, "static const int along[%d] = {", w->f.nu);
    for (int i = 0; i < w->f.nu; i++) fprintf(f, "%s%d", i ? ", " : "", e->along[i]);
    fputs("};\n", f);
  }

  fb_lines_write(f, watch_text, "-+", brakes ? "+" : "-");
}
