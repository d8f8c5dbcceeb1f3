#include "cli/results/criteria.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/registry.h"
#include "cli/stages/score.h"

typedef struct score_watcher {
  cli_progress progress;
  int levels;
} score_watcher;

static bool watch_level(void *self, int done) {
  score_watcher *w = self;
  cli_progress_show(&w->progress, (double)done / w->levels, "verify: criteria, ran %d of %d levels",
                    done, w->levels);
  return true;
}

// report a line for each criterion, then the score
static void report_score(cli_call *call, const cli_score *s) {
  const pb_verification *v = &call->run.p->verify;
  cli_json *o = cli_json_object(json_object_object_get(call->result, "verify"), "criteria");
  for (int i = 0; i < s->rows; i++) {
    int held, levels = fb_criterion_sum(v->criteria, s->rows, i, s->survived, &held);
    if (!levels) continue; // already reported with an earlier row
    cli_json *one = cli_json_object(o, v->criteria[i].name);
    cli_json_int(one, "levels", levels);
    cli_json_int(one, "survived", held);
    cli_tell(call, i ? "" : "criteria", "%-16s %5.1f %% of %d levels", v->criteria[i].name,
             100. * held / levels, levels);
  }
  cli_json_number(o, "score", s->score);
  cli_tell(call, "", "%-16s %.3f, the mean of these", "score", s->score);
}

// a table of the individual levels
static int write_levels(cli_call *call, const cli_score *s) {
  FILE *f = cli_call_file(call, "criteria.csv");
  if (!f) return CLI_INPUT;
  cli_table_begin(f, &cli_file_criteria, NULL);
  for (int i = 0; i < s->rows; i++)
    cli_criteria_rows(f, call->run.p, &call->run.p->verify.criteria[i], s->level + s->first[i]);
  return CLI_DONE;
}

int cli_criteria(cli_call *call) {
  const pb_verification *v = &call->run.p->verify;
  score_watcher w = {.progress = cli_progress_of(call->args)};
  cli_score s;
  char lost[256], at[PB_PLACE];
  if (!v->ncriteria) return CLI_DONE;

  // run all levels on the equations of motion
  for (int i = 0; i < v->ncriteria; i++) w.levels += v->criteria[i].levels;
  dm_status status = cli_score_run(&s, call, NULL, watch_level, &w, lost);
  cli_progress_end(&w.progress);
  if (status == DM_INTERRUPTED) {
    cli_error("interrupted: the criteria are not told");
    return CLI_OUTCOME;
  }
  if (status == DM_UNAVAILABLE)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: verify.criteria: found kinematic coordinates or an estimator, expected "
                    "neither: leave out 'criteria'",
                    pb_problem_at(call->run.p, "verify.criteria", at));
  if (status != DM_OK)
    return cli_fail(call->args, cli_exit_of(status), "%s", dm_status_text(status));
  if (lost[0]) cli_error("%s; the others ran its levels", lost);
  report_score(call, &s);
  int exit = write_levels(call, &s);
  cli_score_free(&s);
  return exit;
}
