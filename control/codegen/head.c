#include "control/codegen/head.h"

void fb_head_write(FILE *f, const fb_codegen *c, int way, bool timed) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  int count = fb_codegen_parameters(c, way, list);

  // k, a filter's state, the measurement, and the output u
  const bool watches = fb_codegen_watches(c, way);
  const char *first = fb_codegen_any(c)->near ? "(controller_path *path" : "(int k";
  fprintf(f, "%s controller_%s%s%s", watches ? "int" : "void", fb_codegen_way(way),
          timed ? "_at" : "", timed ? "(controller_real t, controller_real age" : first);
  if (way == FB_ENCODERS) fputs(", controller_filter *filter", f);
  if (watches) fputs(", controller_guard *guard", f);
  if (fb_codegen_any(c)->f.rate_limit) fputs(", controller_output *last", f);
  for (int i = 0; i < count; i++)
    fprintf(f, ", const controller_real %s[%d]", list[i].name, list[i].n);
  fprintf(f, ", controller_real u[%d])", fb_codegen_any(c)->f.nu);
}

void fb_head_integrate(FILE *f, const fb_codegen *c, bool timed) {
  const fb_output_feedback *w = fb_codegen_any(c);
  fprintf(f,
          "void controller_integrate%s(%s, %sconst controller_real q[%d], const controller_real "
          "u[%d], controller_real integral[%d])",
          timed ? "_at" : "", timed ? "controller_real t, controller_real age" : "int k",
          w->f.rate_limit ? "const controller_output *last, " : "", w->n, w->f.nu, w->f.ni);
}
