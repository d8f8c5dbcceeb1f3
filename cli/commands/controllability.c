#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/reach.h"
#include "cli/results/registry.h"
#include "cli/stages/call.h"
#include "control/feedback/controllability_survey.h"
#include "lib/base/names.h"

#include <stdlib.h>
#include <string.h>

// a survey and its output file
typedef struct survey_run {
  cli_call *call;
  fb_survey *survey;
  FILE *f;
  int window, last; // steps per window; the last knot
  int ny, *output;  // [ny] measured coordinates
} survey_run;

// --outputs: names of coordinates; default: all
static int choose_outputs(survey_run *v) {
  const cli_call *call = v->call;
  const pb_names *names = &call->run.p->names;
  const char *list = call->args->outputs;
  if (!list) {
    for (int i = 0; i < names->n; i++) v->output[v->ny++] = i;
    return CLI_DONE;
  }

  // parse the coordinates in the given order
  for (size_t word; *list; list += word + (list[word] == ',')) {
    char name[128];
    word = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)word, list);
    int i = dm_names_find(names->coord, names->n, name);

    // an unknown name, or too many names
    char near[CLI_SUGGESTION] = "";
    if (i < 0) cli_suggest(names->coord, names->n, name, near);
    if (i < 0 || v->ny == names->n)
      return cli_fail(call->args, CLI_INPUT, "--outputs takes names of coordinates, got '%s'%s",
                      name, near);
    v->output[v->ny++] = i;
  }
  return CLI_DONE;
}

// --window: number of steps, by default the number of states
static int choose_window(survey_run *v) {
  const cli_call *call = v->call;
  const char *text = call->args->window;
  char *end;

  // [B, AB, ..] needs at most 2n steps
  long steps = text ? strtol(text, &end, 10) : 2 * call->run.p->names.n;
  if (text && (*end || end == text || steps < 1))
    return cli_fail(call->args, CLI_INPUT, "--window takes a number of steps >= 1, got '%s'", text);

  // a window cannot exceed the motion
  if (text && steps > call->run.x->N)
    cli_note(call->args, "--window %ld is longer than the motion: it is cut to %d steps", steps,
             call->run.x->N);
  v->window = steps < call->run.x->N ? (int)steps : call->run.x->N;
  return CLI_DONE;
}

static int prepare_survey(survey_run *v) {
  // outputs and window first, because they determine the size of the survey
  const cli_call *call = v->call;
  v->output = calloc((size_t)call->run.p->names.n, sizeof *v->output);
  if (!v->output) return cli_fail(call->args, CLI_FAULT, "out of memory");
  int status = choose_outputs(v);
  if (status == CLI_DONE) status = choose_window(v);
  if (status != CLI_DONE) return status;
  dm_status s = fb_survey_new(&v->survey, call->run.x, &call->run.p->task.system, v->window, v->ny,
                              v->output);
  return s == DM_OK ? CLI_DONE : cli_fail(call->args, CLI_FAULT, "%s", dm_status_text(s));
}

// write the rows of the window that begins at knot k
static dm_status write_window(survey_run *v, int k) {
  fb_survey *w = v->survey;

  fb_span window[FB_QUESTIONS], pair[FB_QUESTIONS];

  // 1  [B, AB, ..] over the window from k
  DM_TRY(fb_survey_window(w, k, window));

  // 2  [B, AB] of each of its knots; the window's figures are in the first row
  for (int at = k; at < w->start + w->window && at <= v->last; at++) {
    DM_TRY(fb_survey_pair(w, at, pair));
    cli_reach_row(v->f, at, dm_trajectory_time(v->call->run.x, at), pair, w->start,
                  at == k ? window : NULL);
  }
  return DM_OK;
}

static void report_survey(const survey_run *v, cli_json *o) {
  static const char *const key[] = {"reached", "shown"};
  static const char *const verb[] = {"inputs reach", "positions show"};
  const fb_survey *w = v->survey;

  // for inputs, then for positions: the smallest rank over all knots, and over all windows
  for (int shown = 0; shown < FB_QUESTIONS; shown++) {
    cli_json *each = cli_json_object(o, key[shown]);
    cli_json_int(each, "of", w->full[shown]);
    for (int window = 0; window < 2; window++) {
      const fb_lowest_rank *of = window ? &w->windows[shown] : &w->pair[shown];
      cli_json *found = cli_json_object(each, window ? "window" : "pair");
      if (window) cli_json_int(found, "steps", v->window);
      cli_json_int(found, "rank", of->span.rank);
      cli_json_int(found, "knot", of->knot);
      cli_json_number(found, "kept", of->span.kept);
      cli_json_number(found, "dropped", of->span.dropped);
      cli_json_number(found, "sigma", of->span.sigma);
    }

    // also as a sentence, which says whether constraints reduce the dimension
    const fb_lowest_rank *pair = &w->pair[shown], *window = &w->windows[shown];
    cli_tell(
        v->call, key[shown],
        "%s %d of %d directions%s by A, B of a knot (least at knot %d), %d over %d steps (from "
        "knot %d)",
        verb[shown], pair->span.rank, w->full[shown],
        v->call->run.p->names.nc ? " that the constraints leave" : "", pair->knot,
        window->span.rank, v->window, window->knot);
  }
}

int cli_controllability(cli_call *call, int first, int last) {
  survey_run v = {.call = call, .last = last, .f = cli_call_file(call, "reach.csv")};
  cli_progress progress = cli_progress_of(call->args);
  if (!v.f) return CLI_INPUT;

  // consecutive windows, so that each step is linearized once
  int status = prepare_survey(&v);
  if (status == CLI_DONE) {
    cli_columns_describe(v.call->result, "reach.csv",
                         "Inputs can reach at most %d directions, positions can show at most %d; "
                         "windows have %d steps; pivots count above %g.",
                         v.survey->full[FB_REACHED], v.survey->full[FB_SHOWN], v.window,
                         FB_RANK_TOL);
    cli_table_begin(v.f, &cli_file_reach, NULL);
  }
  for (int k = first; status == CLI_DONE && k <= last; k += v.window) {
    cli_progress_show(&progress, (k - first + 1.0) / (last - first + 1.0), "reach: knot %d of %d",
                      k, last);
    dm_status s = cli_interrupted() ? DM_INTERRUPTED : write_window(&v, k);
    if (s != DM_OK) status = cli_fail(call->args, cli_exit_of(s), "reach: %s", dm_status_text(s));
  }
  cli_progress_end(&progress);

  // report next to the linearization
  cli_json *o = NULL;
  json_object_object_get_ex(call->result, "linearization", &o);
  if (status == CLI_DONE) report_survey(&v, o);
  fb_survey_free(v.survey);
  free(v.output);
  return status;
}
