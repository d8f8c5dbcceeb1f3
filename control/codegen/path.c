#include "control/codegen/path.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"

void fb_path_declare(FILE *f) {
  fprintf(
      f,
      "\n// The knot k that acts is the nearest to what is measured: the one after the last, or of "
      "that and up to %d after\n// it one that is nearer. Time plays no part: call it once a "
      "step of h. A robot that is held back is waited\n// for, and one that stays where it is is "
      "driven on for good: how long is the caller's to watch. The caller keeps\n// where it is, "
      "each robot its own.\n"
      "typedef struct controller_path {\n  int at;    // a knot\n  int begun; // 0 or 1\n} "
      "controller_path;\n\n"
      "// A motion begins.\nvoid controller_enter(controller_path *path);\n\n",
      FB_MOST_KNOTS);
}

// where a line begins with T, it is of angles of which a turn more is no error
static const char path_text[] =
    "\n"
    "void controller_enter(controller_path *path) {\n"
    "  path->at = 0;\n"
    "  path->begun = 0;\n"
    "}\n"
    "\n"
    "// how far y is off a knot\n"
    "static controller_real distance(const controller_real *weight, const controller_real *y_d,\n"
    "                                const controller_real *y) {\n"
    "  controller_real sum = ZERO;\n"
    "  int j;\n"
    "  for (j = 0; j < (2 * CONTROLLER_NQ); j++) {\n"
    "    controller_real off = y[j] - y_d[j];\n"
    "    controller_real product;\n"
    "T    if (path_turns[j] != 0) {\n"
    "T      off = unwound(off, ZERO);\n"
    "T    }\n"
    "    product = weight[j] * off;\n"
    "    product = product * off;\n"
    "    sum = sum + product;\n"
    "  }\n"
    "  return sum;\n"
    "}\n"
    "\n"
    "static int nearest(controller_path *path, const controller_real *weight,\n"
    "                   const controller_real *table, int rows, int ny, const controller_real *y) "
    "{\n"
    "  const int last = CONTROLLER_STEPS - 1;\n"
    "  const int from = row(path->at, CONTROLLER_STEPS);\n"
    "  const int to = ((last - from) < MOST_KNOTS) ? last : (from + MOST_KNOTS);\n"
    "  controller_real least;\n"
    "  int j;\n"
    "  path->at = from;\n"
    "  if ((path->begun != 0) && (from < last)) {\n"
    "    path->at = from + 1;\n"
    "  }\n"
    "  path->begun = 1;\n"
    "  least = distance(weight, &table[row(path->at, rows) * ny], y);\n"
    "  for (j = from; j <= to; j++) {\n"
    "    controller_real d = distance(weight, &table[row(j, rows) * ny], y);\n"
    "    if (d < least) {\n"
    "      least = d;\n"
    "      path->at = j;\n"
    "    }\n"
    "  }\n"
    "  return path->at;\n"
    "}\n";

void fb_path_write(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *any = fb_codegen_any(c);

  // how far it looks, and the weights of a distance in each form
  fprintf(f, "\nenum { MOST_KNOTS = %d };\n", FB_MOST_KNOTS);
  for (int form = 0; form < FB_FORMS; form++) {
    const fb_output_feedback *w = c->law[form];
    if (!w) continue;
    fprintf(f, "static const controller_real weight_%s[%d] = {", fb_form_names[form], 2 * w->n);
    for (int j = 0; j < 2 * w->n; j++) {
      if (j) fputs(", ", f);
      fb_number_write(f, c->set.single, w->near[j]);
    }
    fputs("};\n", f);
  }

  // of which coordinates a turn more is no distance
  if (any->f.turns) {
    fprintf(f, "static const int path_turns[%d] = {", 2 * any->n);
    for (int j = 0; j < 2 * any->n; j++)
      fprintf(f, "%s%d", j ? ", " : "", j < any->n && any->f.turns[j]);
    fputs("};\n", f);
  }
  fb_lines_write(f, path_text, "T", any->f.turns ? "T" : "");
}
