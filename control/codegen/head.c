#include "control/codegen/head.h"

#include "control/codegen/lines.h"

bool fb_head_exists(const fb_codegen *c, fb_head head) {
  return head == FB_BY_STEP || !fb_codegen_any(c)->near;
}

const char *fb_head_end(fb_head head) {
  static const char *const end[FB_HEADS] = {"", "_at", "_hold"};
  return end[head];
}

void fb_head_write(FILE *f, const fb_codegen *c, int way, fb_head head) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  const char *prefix = c->set.prefix;
  int count = fb_codegen_parameters(c, way, list);

  // k, a filter's state, the measurement, and the output u
  const bool watches = fb_codegen_watches(c, way);
  fb_lines_print(f, prefix, "%s controller_%s%s", watches ? "int" : "void", fb_codegen_way(way),
                 fb_head_end(head));
  if (head != FB_BY_STEP)
    fb_lines_put(f, prefix, "(controller_real t, controller_real age");
  else
    fb_lines_put(f, prefix, fb_codegen_any(c)->near ? "(controller_path *path" : "(int k");
  if (head == FB_BY_HOLD) fb_lines_put(f, prefix, ", controller_real hold");
  if (way == FB_ENCODERS) fb_lines_put(f, prefix, ", controller_filter *filter");
  if (way == FB_DIFFERENCE) fb_lines_put(f, prefix, ", controller_rates *rates");
  if (watches) fb_lines_put(f, prefix, ", controller_guard *guard");
  if (fb_codegen_any(c)->f.rate_limit) fb_lines_put(f, prefix, ", controller_output *last");
  for (int i = 0; i < count; i++)
    fb_lines_print(f, prefix, ", const controller_real %s[%d]", list[i].name, list[i].n);
  fb_lines_print(f, prefix, ", controller_real u[%d])", fb_codegen_any(c)->f.nu);
}

void fb_head_integrate(FILE *f, const fb_codegen *c, bool timed) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const char *prefix = c->set.prefix;
  fb_lines_put(f, prefix,
               timed ? "void controller_integrate_at(controller_real t, controller_real age, "
                     : "void controller_integrate(int k, ");
  if (w->f.ni && w->f.rate_limit) fb_lines_put(f, prefix, "const controller_output *last, ");
  if (w->f.ni) fb_lines_print(f, prefix, "const controller_real q[%d], ", w->n);
  fb_lines_print(f, prefix, "const controller_real u[%d]", w->f.nu);
  if (w->f.ni) fb_lines_print(f, prefix, ", controller_real integral[%d]", w->f.ni);
  if (w->f.nl) fb_lines_print(f, prefix, ", controller_real motor[%d]", w->f.nl);
  fputs(")", f);
}
