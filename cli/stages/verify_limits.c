#include "cli/stages/verify_limits.h"

#include "cli/console/log.h"
#include "cli/stages/follow.h"

#include <stdlib.h>

bool cli_limit_counts_make(cli_limit_counts *w, int n) {
  w->positions = calloc(2 * (size_t)n, sizeof *w->positions);
  w->speeds = w->positions ? w->positions + n : NULL;
  for (int i = 0; w->positions && i < 2 * n; i++) w->positions[i] = fb_excess_count_none();
  return w->positions != NULL;
}

void cli_limit_counts_free(cli_limit_counts *w) {
  free(w->positions);
}

// the largest excess of all coordinates, in result.json
static void put_worst(cli_call *call, cli_json *o, cli_limit kind, const fb_excess_count *each) {
  fb_excess worst = fb_excess_none();
  for (int i = 0; i < call->run.p->names.n; i++) worst = fb_excess_worse(&worst, &each[i].worst);
  cli_put_excess(call, o, kind, &worst);
}

// each limited coordinate, with the worst sample and the number of samples beyond the limit
static void put_each(cli_call *call, cli_json *o, const char *key, cli_limit kind,
                     const fb_excess_count *each) {
  cli_json *list = json_object_new_array();
  json_object_object_add(o, key, list);
  for (int i = 0; i < call->run.p->names.n; i++) {
    if (each[i].worst.index < 0) continue;
    cli_json *one = cli_excess_json(call, kind, &each[i].worst);
    cli_json_int(one, "samples", each[i].samples);
    json_object_array_add(list, one);
  }
}

// a line for each coordinate beyond its limit by more than the tolerance, and one warning about the
// worst
static void say_excesses(cli_call *call, const char *plant, cli_limit kind,
                         const fb_excess_count *each) {
  const double tolerance = cli_limit_tolerance(call);
  fb_excess worst = fb_excess_none();
  char text[200];
  for (int i = 0; i < call->run.p->names.n; i++) {
    const fb_excess *e = &each[i].worst;
    worst = fb_excess_worse(&worst, e);
    if (!fb_excess_beyond(e, tolerance)) continue;
    cli_describe_excess(call, kind, e, text, sizeof text);
    cli_tell(call, "", "%s (sample %d; %d of %d samples are beyond it)", text, e->sample,
             each[i].samples, call->run.p->verify.samples);
  }
  if (!fb_excess_beyond(&worst, tolerance)) return;
  cli_describe_excess(call, kind, &worst, text, sizeof text);
  cli_note(call->args,
           "warning: on the %s plant %s in sample %d: the controller does not keep this limit; "
           "plan with a margin (bounds)",
           plant, text, worst.sample);
}

// the coordinate whose limit causes most failures; -1: none
static int find_most_passed(const cli_call *call, const fb_sample *rows, const bool *ran) {
  int best = -1, most = 0;
  for (int i = 0; i < call->run.p->names.n; i++) {
    int count = 0;
    for (int s = 0; s < call->run.p->verify.samples; s++) count += ran[s] && rows[s].passed == i;
    if (count <= most) continue;
    most = count;
    best = i;
  }
  return best;
}

// numbers of samples that failed at a limit or hit a stop, and of starts drawn again
static void report_use(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran) {
  const pb_verification *v = &call->run.p->verify;
  int passed = 0, redrawn = 0, stopped = 0;

  // counts over all samples
  for (int s = 0; s < v->samples; s++) {
    if (!ran[s]) continue;
    passed += rows[s].passed >= 0;
    redrawn += rows[s].redrawn;
    stopped += rows[s].stopped > 0;
  }

  // report the counts that this use of limits has
  cli_json_text(o, "use", fb_limit_use_words[v->limits]);
  cli_json_int(o, "redrawn", redrawn);
  if (redrawn)
    cli_tell(call, "", "%d starts were outside the limits of positions and drawn again", redrawn);
  if (v->limits == FB_LIMITS_STOP) {
    cli_json_int(o, "stopped", stopped);
    cli_tell(call, "", "%d of %d samples met a stop", stopped, v->samples);
  }
  if (v->limits != FB_LIMITS_FAIL) return;
  const int most = find_most_passed(call, rows, ran);
  cli_json_int(o, "passed", passed);
  if (passed)
    cli_tell(call, "",
             "%d of %d samples passed a limit of position and failed, most often that of '%s'",
             passed, v->samples, call->run.p->names.coord[most]);
}

void cli_limit_counts_report(cli_call *call, cli_json *o, const char *plant, const fb_sample *rows,
                             const bool *ran, const cli_limit_counts *w) {
  cli_json *limits = cli_json_object(o, "limits");
  report_use(call, limits, rows, ran);
  put_worst(call, limits, CLI_POSITION, w->positions);
  put_worst(call, limits, CLI_SPEED, w->speeds);
  put_each(call, limits, "positions", CLI_POSITION, w->positions);
  put_each(call, limits, "speeds", CLI_SPEED, w->speeds);
  say_excesses(call, plant, CLI_POSITION, w->positions);
  say_excesses(call, plant, CLI_SPEED, w->speeds);
}
