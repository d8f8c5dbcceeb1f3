#include "cli/stages/score.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/stages/bench.h"
#include "cli/stages/samples.h"
#include "control/loop/criteria.h"
#include "problems/readers/model/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// steps of the plant, as in public benchmarks: 2 ms
static const double plant_step = 2e-3;

typedef struct scorer {
  cli_score *s;
  cli_call *call;
  fb_criteria *w;
  pb_machine machine;
  const bool *skip; // [levels]; NULL: none
  int row;          // whose levels are distributed
  dm_status failure;
  bool (*progress)(void *self, int done);
  void *self;
} scorer;

void cli_score_free(cli_score *s) {
  free(s->survived);
  free(s->first);
  free(s->level);
  *s = (cli_score){0};
}

int cli_score_check(cli_call *call) {
  const pb_problem *p = call->run.p;
  const double T = call->run.control.law->f.N * call->run.control.law->f.h;
  for (int i = 0; i < p->verify.ncriteria; i++) {
    const fb_criterion *row = &p->verify.criteria[i];
    char at[PB_PLACE];
    if (fb_criterion_fits(row, p->model->nq, T)) continue;
    return cli_fail(call->args, CLI_INPUT,
                    "%s: verify.criteria: found %d pushes with gaps of %g s in a run of %g s, "
                    "expected room for them: try a smaller count or gap, 'of' one joint, or a "
                    "longer feedback.hold",
                    pb_problem_at(p, "verify.criteria", at), fb_criterion_pushes(row, p->model->nq),
                    row->gap, T);
  }
  return CLI_DONE;
}

static size_t run_level(void *self, int item, void *result) {
  scorer *w = self;
  bool *survived = result;
  if (cli_interrupted()) return 0;
  dm_status s = fb_criteria_run(w->w, &w->call->run.p->verify.criteria[w->row], item, survived);
  if (s < 0) w->failure = s;
  return s == DM_OK ? sizeof *survived : 0;
}

static void take_level(void *self, int item, int rank, const void *result, size_t size) {
  scorer *w = self;
  (void)rank;
  if (size != sizeof(bool)) return;
  w->s->level[w->s->first[w->row] + item] = *(const bool *)result;
  w->s->ran++;
  if (w->progress) w->progress(w->self, w->s->ran);
}

// run the levels of one row on all ranks
static dm_status run_row(scorer *w, int row, char lost[256]) {
  const int levels = w->call->run.p->verify.criteria[row].levels;
  const cli_share share = {.count = levels,
                           .max_bytes = sizeof(bool),
                           .digest = cli_samples_digest(w->call),
                           .skip = w->skip ? w->skip + w->s->first[row] : NULL,
                           .by_children = true,
                           .work = run_level,
                           .collect = take_level,
                           .self = w};
  char why[256];
  w->row = row;
  dm_status s = cli_work_share(&share, why);
  if (why[0]) memcpy(lost, why, sizeof why);
  if (w->failure < 0) return w->failure;
  if (s != DM_OK) return s;

  // all ranks receive the results of rank 0
  bool *level = w->s->level + w->s->first[row];
  DM_TRY(cli_work_broadcast(level, (size_t)levels * sizeof *level));
  w->s->survived[row] = 0;
  for (int i = 0; i < levels; i++) w->s->survived[row] += level[i];
  return DM_OK;
}

// run the rows one after the other
static dm_status run_rows(scorer *w, char lost[256]) {
  cli_score *s = w->s;
  for (int i = 0; i < s->rows; i++) DM_TRY(run_row(w, i, lost));
  if (!w->skip) s->score = fb_criteria_score(w->call->run.p->verify.criteria, s->rows, s->survived);
  return DM_OK;
}

static dm_status lay_out_score(cli_score *s, const pb_verification *v) {
  *s = (cli_score){.rows = v->ncriteria, .score = NAN};
  s->survived = calloc((size_t)s->rows + 1, sizeof *s->survived);
  s->first = calloc((size_t)s->rows + 1, sizeof *s->first);
  if (!s->survived || !s->first) return DM_NO_MEMORY;
  for (int i = 0; i < s->rows; i++) {
    s->first[i] = s->levels;
    s->levels += v->criteria[i].levels;
  }
  s->level = calloc((size_t)s->levels + 1, sizeof *s->level);
  return s->level ? DM_OK : DM_NO_MEMORY;
}

static dm_status score_law(scorer *w, char lost[256]) {
  const pb_problem *p = w->call->run.p;
  const fb_mismatch_settings *sensors = &p->verify.robust.set;
  const dm_limits limits = cli_verify_limits(p);
  dm_contacts *stops;
  DM_TRY(cli_stops_new(&stops, p));
  const dm_unilateral g = stops ? dm_contacts_unilateral(stops) : (dm_unilateral){0};
  const fb_criteria_settings set = {.seed = p->verify.seed,
                                    .tolerance = p->verify.tolerance,
                                    .scale = p->verify.scale,
                                    .outputs = cli_output_bounds(p),
                                    .u_min = p->feedback.u_min,
                                    .u_max = p->feedback.u_max,
                                    .limit = &limits,
                                    .limit_use = p->verify.limits,
                                    .stops = stops ? &g : NULL,
                                    .encoder = sensors->encoder,
                                    .readings = sensors->readings,
                                    .differences = p->verify.differences};

  // only the equations of motion of the machines are needed
  const fb_perturbed_models machines =
      pb_machines_of(&w->machine, &p->robot, &p->task.system.rule, p->fit.step, PB_DISCRETE);

  // the largest number of pushes in a run of any row
  int max = 0;
  for (int i = 0; i < p->verify.ncriteria; i++) {
    int pushes = fb_criterion_pushes(&p->verify.criteria[i], p->model->nq);
    if (pushes > max) max = pushes;
  }
  dm_status s = fb_criteria_new(&w->w, &w->call->run.control.law->f, &p->task.system, &machines,
                                &set, max, plant_step);

  if (s == DM_OK) s = run_rows(w, lost);
  fb_criteria_free(w->w);
  pb_machine_free(&w->machine);
  dm_contacts_free(stops);
  return s;
}

dm_status cli_score_run(cli_score *s, cli_call *call, const bool *skip,
                        bool (*progress)(void *self, int done), void *self, char lost[256]) {
  scorer w = {.s = s, .call = call, .skip = skip, .progress = progress, .self = self};
  lost[0] = 0;
  dm_status status = lay_out_score(s, &call->run.p->verify);
  if (status == DM_OK) status = score_law(&w, lost);
  if (status != DM_OK) cli_score_free(s);
  return status;
}
