#include "control/codegen/integrate.h"

#include "control/codegen/tables.h"

// the step of the integrals that the caller keeps, by k or by time
static void put_integrate_head(FILE *f, const fb_codegen *c, bool timed) {
  const fb_output_feedback *w = fb_codegen_any(c);
  fprintf(f,
          "void controller_integrate%s(%s, %sconst controller_real q[%d], const controller_real "
          "u[%d], controller_real integral[%d])",
          timed ? "_at" : "", timed ? "controller_real t, controller_real age" : "int k",
          w->f.rate_limit ? "const controller_output *last, " : "", w->n, w->f.nu, w->f.ni);
}

void fb_integrate_declare(FILE *f, const fb_codegen *c) {
  fputs(
      "\n// integral is 0 at k = 0, and the caller's to keep. After each step's u: to the next "
      "knot, with the q that\n// was measured, integral + h (q - q_d); where u is at a limit, or q "
      "not finite, it stays.\n",
      f);
  if (fb_codegen_any(c)->f.rate_limit)
    fputs("// So it does where the rate of u was limited, as `last` says.\n", f);
  put_integrate_head(f, c, false);
  fputs(";\n", f);
  if (fb_codegen_any(c)->near) return;
  fputs("// After a call by time: q_d of t - age. Once a step.\n", f);
  put_integrate_head(f, c, true);
  fputs(";\n", f);
}

// whether u is at no limit, and its rate not limited
static void put_integrate_limits(FILE *f, const fb_output_feedback *w) {
  fprintf(f,
          "  int cut = %s;\n"
          "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
          "    if ((u[i] >= u_max[i]) || (u[i] <= u_min[i])) {\n      cut = 1;\n    }\n  }\n",
          w->f.rate_limit ? "last->cut" : "0");
}

// z + h (q - q_d), unless u is cut; what is no number changes nothing
static void put_integrate_step(FILE *f, const fb_output_feedback *w) {
  fprintf(f,
          "  for (i = 0; (cut == 0) && (i < %d); i++) {\n"
          "    controller_real step = STEP * (%s - y_d[integrated[i]]);\n"
          "    controller_real next = integral[i] + step;\n"
          "    if (finite_number(next)) {\n      integral[i] = next;\n    }\n  }\n}\n",
          w->f.ni, w->f.turns ? "turned(integrated[i], q, y_d)" : "q[integrated[i]]");
}

void fb_integrate_write(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const char *name = fb_form_names[w->form];
  fprintf(f, "\nstatic const int integrated[%d] = {", w->f.ni);
  for (int i = 0; i < w->f.ni; i++) fprintf(f, "%s%d", i ? ", " : "", w->f.integral[i]);
  fputs("};\n", f);

  // by k: q_d of its row
  put_integrate_head(f, c, false);
  fprintf(f, " {\n  const controller_real *y_d = %s;\n  int i;\n",
          fb_tables_row("y_d_", name, w->ny, "k").text);
  put_integrate_limits(f, w);
  put_integrate_step(f, w);
  if (w->near) return;

  // by time: between knots by the cubic, of the speeds in y or beside it
  put_integrate_head(f, c, true);
  fprintf(f,
          " {\n  controller_real y_d[%d];\n  controller_real v[%d];\n  controller_real s;\n"
          "  const int k = knot_at(when(t, age), &s);\n"
          "  const controller_real *from = %s;\n  const controller_real *to = %s;\n  int i;\n",
          w->n, w->n, fb_tables_row("y_d_", name, w->ny, "k").text,
          fb_tables_row("y_d_", name, w->ny, "k + 1").text);
  put_integrate_limits(f, w);
  if (c->v_d)
    fprintf(f, "  cubic(s, from, %s, to,\n        %s, y_d, v);\n",
            fb_tables_row("v_d", "", w->n, "k").text, fb_tables_row("v_d", "", w->n, "k + 1").text);
  else
    fprintf(f, "  cubic(s, from, &from[%d], to, &to[%d], y_d, v);\n", w->n, w->n);
  put_integrate_step(f, w);
}
