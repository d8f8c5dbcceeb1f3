#include "control/codegen/slew.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"

#include <float.h>
#include <math.h>

void fb_slew_declare(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  fputs("\n// From one call to the next an input changes by no more than\n//\n", f);

  // the limits there are
  for (int i = 0; i < s->nu; i++)
    if (isfinite(s->rate_limit[i])) {
      fprintf(f, "//   %.6g ", s->rate_limit[i]);
      fb_lines_unit(f, c->set.u_unit ? c->set.u_unit[i] : "SI");
      fprintf(f, " a second of u[%d]\n", i);
    }

  // what the caller keeps
  fprintf(
      f,
      "//\n// of what was given last, which the caller keeps, each robot its own; at the first "
      "call that is the plan's. By\n// k a call may use what a whole step may, and is made "
      "once; by t what the time since the last call may, at\n// most that of a step, and that of "
      "a step where time has gone back. Apply the u that is given.\n"
      "typedef struct controller_output {\n"
      "  controller_real u[%d];\n  controller_real t;\n"
      "  int begun; // 0 or 1\n"
      "  int cut;   // 0 or 1: where the limit has changed u\n"
      "} controller_output;\n\n"
      "// A motion begins: nothing was given yet.\n"
      "void controller_start(controller_output *last);\n\n",
      s->nu);
}

// where a line begins with T, it is of laws that are asked by time
static const char slew_text[] =
    "\n"
    "void controller_start(controller_output *last) {\n"
    "  last->begun = 0;\n"
    "  last->cut = 0;\n"
    "}\n"
    "\n"
    "T// of a step, how much has passed since the output given last; a whole one where it was "
    "earlier\n"
    "Tstatic controller_real since(const controller_output *last, controller_real t) {\n"
    "T  controller_real share = (t - last->t) * RATE;\n"
    "T  if ((last->begun == 0) || !((share >= ZERO) && (share < (ONE - ROUNDING)))) {\n"
    "T    share = ONE;\n"
    "T  }\n"
    "T  return share;\n"
    "T}\n"
    "T\n"
    "// u as near to what is wanted as its rate lets it come, within limits\n"
    "static void slew(controller_output *last, controller_real t, controller_real share,\n"
    "                 const controller_real *planned, controller_real *u) {\n"
    "  int i;\n"
    "  last->cut = 0;\n"
    "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "    controller_real before = (last->begun != 0) ? last->u[i] : planned[i];\n"
    "    controller_real step = share * u_step[i];\n"
    "    controller_real most = before + step;\n"
    "    controller_real least = before - step;\n"
    "    if ((u[i] > most) || (u[i] < least)) {\n"
    "      last->cut = 1;\n"
    "    }\n"
    "    if (u[i] > most) {\n"
    "      u[i] = most;\n"
    "    }\n"
    "    if (u[i] < least) {\n"
    "      u[i] = least;\n"
    "    }\n"
    "    u[i] = limited(i, u[i]);\n"
    "    last->u[i] = u[i];\n"
    "  }\n"
    "  last->begun = 1;\n"
    "  last->t = t;\n"
    "}\n";

void fb_slew_write(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const double none = (c->set.single ? (double)FLT_MAX : DBL_MAX) / 4; // a sum of it is finite

  // the most that a step may change each input by
  fprintf(f, "\nstatic const controller_real u_step[%d] = {", s->nu);
  for (int i = 0; i < s->nu; i++) {
    if (i) fputs(", ", f);
    fb_number_write(f, c->set.single, fmin(s->rate_limit[i] * s->h, none));
  }
  fputs("};\n", f);
  fb_lines_write(f, slew_text, "T", s->path ? "" : "T");
}

void fb_slew_call(FILE *f, const char *planned, bool timed) {
  if (timed)
    fprintf(f, "  slew(last, t, since(last, t), %s, u);\n", planned);
  else
    fprintf(f, "  slew(last, (controller_real)k * STEP, ONE, %s, u);\n", planned);
}
