#include "cli/commands/two_point_study.h"
#include "cli/results/sentences.h"

#include "lib/studies/two_point.h"

#include <math.h>

void cli_points_header(FILE *f, const pb_problem *p, const pb_names *names) {
  if (!p->simulate.points.measured) return;
  for (int c = 0; c < names->nc; c++) cli_put_name(f, ",residual.", names->row[c]);
  for (int c = 0; c < names->nc; c++) cli_put_name(f, ",middle.", names->row[c]);
  fputs(",alternating", f);
}

void cli_points_row(FILE *f, int k, const dm_two_point_study *w) {
  if (!w) return;

  // h(q) at the knot, and in the middle of the step if there is one
  for (int c = 0; c < w->nc; c++) cli_put_number(f, ",", w->knot[c]);
  for (int c = 0; c < w->nc; c++) {
    if (w->stepped)
      cli_put_number(f, ",", w->middle[c]);
    else
      fputc(',', f);
  }

  // the alternating part of three consecutive knots
  fputc(',', f);
  if (k >= 2) cli_put_number(f, "", w->whole.residual.size);
}

static void report_window(cli_json *o, const dm_study_window *x) {
  const struct {
    const char *name;
    const dm_alternation *of;

  } fits[] = {{"knots", &x->residual}, {"lambda", &x->impulses}};
  cli_json *r = cli_json_object(o, "residual");
  cli_json_number(r, "knots", x->knots);
  cli_json_number(r, "middles", x->middles);
  for (int i = 0; i < 2; i++) {
    // the alternating part: its final size, and its growth factor per step
    r = cli_json_object(o, i ? "alternating_lambda" : "alternating");
    cli_json_number(r, "end", fits[i].of->size);
    cli_json_number(r, "growth", dm_alternation_growth(fits[i].of));
  }
}

void cli_points_report(cli_call *call, const dm_two_point_study *w) {
  if (!w) return;
  cli_json *o = cli_json_object(call->result, "points");
  cli_json *parts = json_object_new_array();
  const bool two = call->run.p->simulate.points.two;

  // where constraints are imposed: at knots, or at two points of a step
  cli_json_text(o, "held", two ? "two" : "one");
  if (two) cli_json_text(o, "note", dm_two_point_warning);

  // residuals and impulses, over the whole motion and each window
  report_window(o, &w->whole);
  cli_json_vector(cli_json_object(o, "lambda"), "low", w->low, w->nc);
  cli_json_vector(json_object_object_get(o, "lambda"), "high", w->high, w->nc);
  for (int i = 0; i < DM_STUDY_WINDOWS; i++) {
    cli_json *part = json_object_new_object();
    cli_json_int(part, "from", w->part[i].from);
    cli_json_int(part, "to", w->part[i].to);
    report_window(part, w->part + i);
    json_object_array_add(parts, part);
  }
  json_object_object_add(o, "windows", parts);

  // in words: the residuals, and whether something grows
  const double last = dm_alternation_growth(&w->part[DM_STUDY_WINDOWS - 1].residual);
  cli_json_text(o, "~held",
                two ? "constraints imposed between knots" : "constraints imposed at knots");
  if (isfinite(last)) cli_json_number(o, "~growth", last);
  cli_tell_group(call->summary.file, "points", o);
}
