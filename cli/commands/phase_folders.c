#include "cli/commands/phase_folders.h"

#include "cli/commands/stages.h"
#include "cli/commands/task_controller.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/bench.h"
#include "cli/stages/cycle.h"
#include "cli/stages/solve.h"
#include "lib/base/dense.h"
#include "lib/contact/knot_step.h"
#include "lib/mechanics/continuous.h"
#include "optim/program/program_scale.h"
#include "problems/run/cycle_gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A phase while it is processed by the stages.
typedef struct phase_folder {
  cli_call call;
  cli_args args;
  pb_replace list[CLI_REPLACED + 1];
  bool open;
  int status;          // exit status of its stages so far
  cli_passage *starts; // starts of samples, from the previous phase; NULL: by its own spread
  cli_passage *ends;   // ends of samples; NULL: none ran
} phase_folder;

typedef struct phase_folders {
  cli_call *call; // of all phases
  const cli_phase_motion *motion;
  int n;
  phase_folder *of; // [n]
  cli_goal goal;
  bool repeats; // the motion is periodic, with gains for its repetition
} phase_folders;

static const char *name_folder(const phase_folders *w, int i) {
  return w->call->run.p->phases.name[i];
}

static const pb_problem *find_phase_problem(const phase_folders *w, int i) {
  return w->call->run.p->phases.problem[i];
}

// -- motions

// open the call of a phase as if its problem were alone
static int open_phase(phase_folders *w, int i) {
  const cli_call *call = w->call;
  phase_folder *f = &w->of[i];
  f->args = *call->args;
  f->args.operand = call->run.p->file.path;
  f->args.out = cli_join(call->place.dir, name_folder(w, i));
  f->args.silent = f->args.again = f->args.below = true;
  f->args.json = false;
  f->args.nreplace = cli_call_replaced(cli_json_get_object(call->result, "replaced"), f->list);
  f->list[f->args.nreplace++] = (pb_replace){.path = "phase", .text = name_folder(w, i)};
  f->args.replace = f->list;
  if (!f->args.out) return cli_fail(call->args, CLI_FAULT, "out of memory");
  f->open = true;
  return cli_call_open(&f->call, &f->args, true);
}

// write a phase's motion to its result.json
static int fill_phase(const cli_phase_motion *m, cli_call *phase) {
  const bool fine = m->solved && !m->coarse;
  cli_json *r = phase->result;
  cli_json_text(r, "status", m->coarse ? "coarse" : m->status);
  cli_json_text(r, "transcription", "first-order");
  cli_json_int(r, "steps", phase->run.p->task.N);
  cli_json_number(r, "objective", m->objective);

  // certify the motion and compare it with the plant
  int status = cli_certify(phase, fine);
  if (status == CLI_DONE && !fine) status = CLI_OUTCOME;
  if (status == CLI_INPUT || status == CLI_FAULT) return status;
  const int written = cli_motion_write(phase, m->plant);
  if (written != CLI_DONE || !m->solved || !m->plant->y) return written ? written : status;
  const int followed = cli_follow_report(phase, m->plant);
  cli_between_report(phase, m->plant, m->rounds);
  return followed == CLI_DONE ? status : followed;
}

static int open_phases(phase_folders *w) {
  for (int i = 0; i < w->n; i++) {
    phase_folder *f = &w->of[i];
    f->status = open_phase(w, i);
    if (f->status != CLI_DONE) return f->status;
    f->call.run.x = *w->motion[i].x; // now owned by the call
    *w->motion[i].x = NULL;
    f->status = fill_phase(&w->motion[i], &f->call);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  return CLI_DONE;
}

// whether a phase is ready for a stage of its feedback
static bool goes_on(const phase_folder *f, cli_goal stage, cli_goal goal) {
  return f->status == CLI_DONE && f->call.run.p->has.feedback && stage <= goal &&
         !cli_interrupted();
}

// -- joins

// the map after phase i; after the last one to the first
static dm_status make_join_map(const phase_folders *w, int i, oc_join_map **map) {
  return oc_join_map_new(map, &w->call->run.p->phases.join[i], &w->of[i].call.run.p->task,
                         &w->of[(i + 1) % w->n].call.run.p->task);
}

// (q,v) at the start of the phase's plan
static dm_status find_planned_start(const cli_call *phase, double *y) {
  const size_t n = (size_t)phase->run.x->n;
  dm_continuous *c = NULL;
  DM_TRY(dm_continuous_new(&c, &phase->run.p->task.system));
  memcpy(y, phase->run.x->q, n * sizeof *y);
  memset(y + n, 0, n * sizeof *y);
  dm_status s = dm_velocity_of(c, y, phase->run.x->p, y + n);
  if (s == DM_OK) s = dm_velocity_restrict(c, y, y + n);
  dm_continuous_free(c);
  return s;
}

// The difference of the planned start of the phase after phase i from that by the join, as of a step; y: [2 (m + n)]
// scratch for m coordinates before and n after.
static dm_status find_join_gap(const phase_folders *w, int i, double *y, double *gap) {
  const dm_trajectory *a = w->of[i].call.run.x;
  const cli_call *after = &w->of[(i + 1) % w->n].call;
  const dm_trajectory *b = after->run.x;
  const oc_task *task = &after->run.p->task;
  const size_t m = (size_t)a->n, N = (size_t)a->N;
  double *y_b = y + 2 * m;
  oc_join_map *map = NULL;
  dm_continuous *c = NULL;
  dm_scale *scale = NULL;
  memcpy(y, a->q + N * m, m * sizeof *y);
  memcpy(y + m, a->v + N * m, m * sizeof *y);
  dm_status s = make_join_map(w, i, &map);
  if (s == DM_OK) s = find_planned_start(after, y_b);
  if (s == DM_OK) s = oc_join_map_apply(map, y, y_b);
  if (s == DM_OK) s = dm_continuous_new(&c, &task->system);
  if (s == DM_OK) s = dm_momentum_of(c, y_b, y_b + b->n, y);
  if (s == DM_OK) s = oc_task_scale(&scale, task, b->N * b->h);
  if (s == DM_OK) *gap = dm_trajectory_miss(b, 0, scale, y_b, y);
  dm_scale_free(scale);
  dm_continuous_free(c);
  oc_join_map_free(map);
  return s;
}

// Certify the joins of a solution: each phase begins where the one before it ends. Some joins are not maps.
static int certify_joins(phase_folders *w) {
  int most = 0, status = CLI_DONE;
  for (int i = 0; i < w->n; i++)
    most = w->of[i].call.run.x->n > most ? w->of[i].call.run.x->n : most;
  double *y = calloc(4 * (size_t)most, sizeof *y);
  if (!y) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  for (int i = w->call->run.p->phases.periodic ? 0 : 1; i < w->n && status == CLI_DONE; i++) {
    const int before = (i + w->n - 1) % w->n;
    cli_call *phase = &w->of[i].call;
    double gap = INFINITY;
    const dm_status s = find_join_gap(w, before, y, &gap);
    if (s == DM_UNAVAILABLE || !w->motion[i].solved) continue;
    if (s == DM_NO_MEMORY) status = cli_fail(w->call->args, CLI_FAULT, "out of memory");
    if (status != CLI_DONE) break;
    cli_json_number(cli_json_open(phase->result, "certificate"), "join", gap);
    cli_tell(phase, "", "begins within %.1e of where %s ends", gap, name_folder(w, before));
    if (gap <= (phase->run.x->nr ? DM_CERTIFIED_CONTACT : DM_CERTIFIED)) continue;
    cli_error("phase %s does not begin where %s ends, with an error of %.2g: the motion is not "
              "certified",
              name_folder(w, i), name_folder(w, before), gap);
    status = CLI_OUTCOME;
  }
  free(y);
  return status;
}

// -- gains, backward

// gains of a phase, using those of the next phase
static int make_phase_gains(phase_folders *w, int i) {
  cli_call *phase = &w->of[i].call;
  if (i + 1 < w->n && !w->repeats) {
    phase->run.next.run = &w->of[i + 1].call.run;
    phase->run.next.join = &w->call->run.p->phases.join[i];
    phase->run.next.carry = w->call->run.p->phases.carry[i];
  }
  const int status = cli_walk_stage(phase, CLI_TO_GAINS, w->goal);
  cli_json *o = cli_json_get_object(phase->result, "gains");
  if (phase->run.control.gains && o) cli_json_bool(o, "carried", phase->run.next.cost != NULL);
  return status;
}

// notes about the gains
static void note_gains(const phase_folders *w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) any |= w->of[i].call.run.p->has.feedback;
  if (!any)
    cli_note(w->call->args, "%s has no section 'feedback': no gains, no verification",
             w->call->run.p->file.path);
  for (int i = 0; i + 1 < w->n; i++)
    if (w->of[i].call.run.control.gains && !w->of[i].call.run.next.cost &&
        w->call->run.p->phases.carry[i] != PB_CARRY_NONE)
      cli_note(w->call->args,
               "%s: its gains are of this phase alone, up to its own end (feedback.Qf)",
               name_folder(w, i));
}

// the runs of all phases in order; NULL: out of memory. To be freed
static pb_run **list_runs(const phase_folders *w) {
  pb_run **run = w->n > 0 ? calloc((size_t)w->n, sizeof(pb_run *)) : NULL;
  for (int i = 0; run && i < w->n; i++) run[i] = &w->of[i].call.run;
  return run;
}

// the phases with the systems of their calls, as a task; of: [n]
static oc_phases_task find_cycle_task(const phase_folders *w, const oc_task **of) {
  oc_phases_task t = pb_phases_task(&w->call->run.p->phases);
  for (int i = 0; i < w->n; i++) of[i] = &w->of[i].call.run.p->task;
  t.task = of;
  return t;
}

// the cost-to-go of a motion that is repeated, at the end of each phase
static int repeat_gains(phase_folders *w) {
  const pb_phases *phases = &w->call->run.p->phases;
  dm_message msg;
  int phase;
  if (!pb_cycle_has_gains(phases)) return CLI_DONE;
  for (int i = 0; i < w->n; i++)
    if (!goes_on(&w->of[i], CLI_TO_GAINS, w->goal)) return CLI_DONE;
  pb_run **run = list_runs(w);
  const oc_task **of = w->n > 0 ? calloc((size_t)w->n, sizeof(oc_task *)) : NULL;
  dm_status s = run && of ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) {
    const oc_phases_task t = find_cycle_task(w, of);
    s = pb_cycle_gains(&t, run, &phase, &msg);
  }
  free(of);
  free(run);
  w->repeats = s == DM_OK;
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_NO_MEMORY) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  if (s == DM_UNAVAILABLE) {
    cli_note(w->call->args, "the gains are not those of a repeated motion: %s", msg.text);
    return CLI_DONE;
  }
  cli_error("%s: %s", name_folder(w, phase), msg.text);
  return CLI_OUTCOME;
}

// how deviations grow with these gains
static int report_gains(const phase_folders *w) {
  const size_t n = (size_t)(w->n > 0 ? w->n : 0);
  const double **K = calloc(n, sizeof(double *));
  const dm_trajectory **x = calloc(n, sizeof(dm_trajectory *));
  const oc_task **of = calloc(n, sizeof(oc_task *));
  int status = K && x && of ? CLI_DONE : cli_fail(w->call->args, CLI_FAULT, "out of memory");
  if (status == CLI_DONE) {
    const oc_phases_task t = find_cycle_task(w, of);
    for (size_t i = 0; i < n; i++) {
      const pb_run *run = &w->of[i].call.run;
      x[i] = run->x;
      K[i] = run->control.gains && run->control.gains->nu ? run->control.gains->K : NULL;
    }
    status = cli_cycle_report(w->call, &t, x, K);
  }
  free(K);
  free(x);
  free(of);
  return status;
}

static int make_gains(phase_folders *w) {
  const int repeated = repeat_gains(w);
  if (repeated != CLI_DONE) return repeated;
  for (int i = w->n - 1; i >= 0; i--) {
    phase_folder *f = &w->of[i];
    if (goes_on(f, CLI_TO_GAINS, w->goal)) f->status = make_phase_gains(w, i);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  note_gains(w);
  return w->repeats ? report_gains(w) : CLI_DONE;
}

// -- samples, forward

// the starts of samples in phase i
static int find_starts(phase_folders *w, int i) {
  const phase_folder *before = &w->of[i - 1];
  phase_folder *f = &w->of[i];
  if (!before->ends) return CLI_DONE;
  oc_join_map *map = NULL;
  double *y = calloc(2 * (size_t)f->call.run.x->n, sizeof *y);
  cli_passage *starts =
      cli_passage_new(name_folder(w, i - 1), before->ends->samples, f->call.run.x->n);
  dm_status s = y && starts ? make_join_map(w, i - 1, &map) : DM_NO_MEMORY;
  if (s == DM_OK) s = find_planned_start(&f->call, y);
  if (s == DM_OK) {
    cli_passage_join(starts, before->ends, map, y);
    f->starts = starts;
    starts = NULL;
  }
  cli_passage_free(starts);
  oc_join_map_free(map);
  free(y);

  // if the join is not a map, each phase is verified separately
  if (s == DM_NO_MEMORY) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  if (s != DM_OK)
    cli_note(w->call->args,
             "%s: its samples start from its own spread, not from the ends of the samples of %s, "
             "because it has kinematic coordinates",
             name_folder(w, i), name_folder(w, i - 1));
  return CLI_DONE;
}

static int verify_phase(phase_folders *w, int i) {
  phase_folder *f = &w->of[i];
  int status = i > 0 ? find_starts(w, i) : CLI_DONE;
  if (status == CLI_DONE && f->call.run.p->has.verify && f->call.run.p->verify.samples > 0) {
    f->ends = cli_passage_new(name_folder(w, i), f->call.run.p->verify.samples, f->call.run.x->n);
    if (!f->ends) status = cli_fail(w->call->args, CLI_FAULT, "out of memory");
  }
  if (status != CLI_DONE) return status;
  status = cli_call_save(&f->call);
  if (status != CLI_DONE) return status;
  status = cli_stage(&f->call, "verify", cli_verify(&f->call, f->starts, f->ends));

  // an interrupted phase has no ends
  if (status != CLI_DONE && (status != CLI_OUTCOME || cli_interrupted())) {
    cli_passage_free(f->ends);
    f->ends = NULL;
  }
  return status;
}

// the samples of a motion that is repeated
static int verify_cycle(phase_folders *w) {
  const pb_problem *first = w->of[0].call.run.p;
  for (int i = 0; i < w->n; i++)
    if (!goes_on(&w->of[i], CLI_TO_VERIFY, w->goal)) return CLI_DONE;
  if (!first->has.verify || first->verify.samples < 1) return CLI_DONE;
  pb_run **run = list_runs(w);
  if (!run) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  const int status = cli_cycle_verify(w->call, run);
  for (int i = 0; i < w->n; i++)
    w->of[i].call.verdict = cli_json_get_object(w->call->result, "verify");
  free(run);
  return status;
}

static int verify_phases(phase_folders *w) {
  if (w->repeats) return verify_cycle(w);
  for (int i = 0; i < w->n; i++) {
    phase_folder *f = &w->of[i];
    if (goes_on(f, CLI_TO_VERIFY, w->goal)) f->status = verify_phase(w, i);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  return CLI_DONE;
}

// -- verdict over all phases

// whether samples passed through all phases
static bool have_gone_through(const phase_folders *w) {
  for (int i = 0; i < w->n; i++)
    if (!w->of[i].ends || (i > 0 && !w->of[i].starts)) return false;
  return true;
}

static int count_held(const cli_passing *on, int samples) {
  int held = 0;
  for (int s = 0; s < samples; s++) held += on->held[s];
  return held;
}

static const char *name_passage(int on) {
  return on < PB_PLANTS ? pb_plant_names[on] : "exported";
}

// per phase, the number of samples successful until its end
static void list_phases(const phase_folders *w, int on, cli_json *o) {
  cli_json *list = json_object_new_array();
  for (int i = 0; i < w->n; i++) {
    const cli_passage *ends = w->of[i].ends;
    cli_json *phase = json_object_new_object();
    cli_json_text(phase, "phase", name_folder(w, i));
    cli_json_int(phase, "held", count_held(&ends->on[on], ends->samples));
    json_object_array_add(list, phase);
  }
  json_object_object_add(o, "phases", list);
}

// the number of samples successful until the end of phase i on every plant
static int count_held_on_all(const phase_folders *w, int i, int samples) {
  const cli_passage *ends = w->of[i].ends;
  int all = 0;
  for (int s = 0; s < samples; s++) {
    bool held = true;
    for (int on = 0; on <= PB_PLANTS; on++)
      held = held && (!ends->on[on].there || ends->on[on].held[s]);
    all += held;
  }
  return all;
}

// report samples through all phases on each plant, and those successful on every plant; returns
// their number
static int report_passage(const phase_folders *w, cli_json *v, int samples) {
  const cli_passage *ends = w->of[w->n - 1].ends;
  char interval[32];

  // each plant
  for (int on = 0; on <= PB_PLANTS; on++) {
    if (!ends->on[on].there) continue;
    cli_json *o = cli_json_object(v, name_passage(on));
    const int held = count_held(&ends->on[on], samples);
    cli_put_rate(o, held, samples, interval);
    list_phases(w, on, o);
  }

  // a sample must succeed on every plant
  const int all = count_held_on_all(w, w->n - 1, samples);
  cli_put_rate(v, all, samples, interval);
  return all;
}

// the name of the phase with most failures, and its tolerance
static void describe_loss(const phase_folders *w, int samples, char text[200]) {
  int before = samples, most = -1, at = 0;
  for (int i = 0; i < w->n; i++) {
    const int held = count_held_on_all(w, i, samples);
    if (before - held > most) at = i;
    if (before - held > most) most = before - held;
    before = held;
  }
  char tolerance[48] = "none";
  const double of = find_phase_problem(w, at)->verify.tolerance;
  if (isfinite(of)) snprintf(tolerance, sizeof tolerance, "%g", of);
  snprintf(text, 200, "most are lost in phase '%.64s', %d of %d (its verify.tolerance: %s)",
           name_folder(w, at), most, samples, tolerance);
}

// the verdict on samples that passed through all phases; CLI_OUTCOME if too few succeed
static int judge_phases(const phase_folders *w) {
  const pb_verification *set = &find_phase_problem(w, w->n - 1)->verify;
  if (w->goal < CLI_TO_VERIFY || !have_gone_through(w)) return CLI_DONE;
  cli_json *v = cli_json_object(w->call->result, "verify");
  cli_json_int(v, "samples", set->samples);
  cli_json_int(v, "seed", (long long)set->seed);
  cli_json_number(v, "required", set->required);
  const int held = report_passage(w, v, set->samples);
  if ((double)held / set->samples >= set->required) return CLI_DONE;
  char lost[200];
  describe_loss(w, set->samples, lost);
  cli_error("the gains fail: %d of %d samples succeed through all phases, at least %g %% are "
            "required; %s",
            held, set->samples, 100 * set->required, lost);
  return CLI_OUTCOME;
}

// the last lines of the summary
static void tell_passage(const phase_folders *w) {
  const cli_json *v = cli_json_get_object(w->call->result, "verify");
  for (int on = 0; v && on <= PB_PLANTS; on++) {
    const cli_json *o = cli_json_get_object(v, name_passage(on));
    if (!o) continue;
    cli_tell(w->call, "all phases", "%d of %d succeeded %s%s%s (%.1f to %.1f %%)",
             cli_json_get_int(o, "held", 0), cli_json_get_int(v, "samples", 0),
             on < PB_PLANTS ? "on the " : "as ", name_passage(on), on < PB_PLANTS ? " plant" : "",
             100 * cli_json_get_number(o, "rate_low", 0),
             100 * cli_json_get_number(o, "rate_high", 1));
  }
}

// -- all phases

// one controller for all phases, if they have feedback
static int export_task(phase_folders *w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) any |= w->of[i].call.run.p->has.feedback;
  if (w->goal < CLI_TO_EXPORT || !any || cli_interrupted()) return CLI_DONE;
  cli_call **phase = calloc((size_t)w->n, sizeof *phase);
  if (!phase) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w->n; i++) phase[i] = &w->of[i].call;
  const int status = cli_task_export(w->call, phase);
  free(phase);
  return status;
}

static int export_phases(phase_folders *w) {
  if (w->goal >= CLI_TO_EXPORT && cli_task_names(w->call) != CLI_DONE) return CLI_OUTCOME;
  for (int i = 0; i < w->n; i++) {
    phase_folder *f = &w->of[i];
    if (f->call.run.p->feedback.R && !f->call.run.p->names.nu) continue; // no inputs, no controller
    if (goes_on(f, CLI_TO_EXPORT, w->goal))
      f->status = cli_walk_stage(&f->call, CLI_TO_EXPORT, w->goal);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  return export_task(w);
}

static int walk_phases(phase_folders *w) {
  int status = open_phases(w);
  if (status == CLI_DONE) status = certify_joins(w);
  if (status == CLI_DONE && w->goal >= CLI_TO_GAINS) status = make_gains(w);
  if (status == CLI_DONE) status = verify_phases(w);
  const int verdict = status == CLI_DONE ? judge_phases(w) : CLI_DONE;
  if (status == CLI_DONE && verdict == CLI_DONE) status = export_phases(w);
  return status == CLI_DONE ? verdict : status;
}

// close the call of a phase; its summary lines are appended to the total summary
static int close_phase(phase_folders *w, phase_folder *f) {
  if (!f->open) return CLI_DONE;
  char *text = NULL;
  cli_call *phase = &f->call;
  if (phase->summary.file && fflush(phase->summary.file) == 0) text = strdup(phase->summary.text);
  const int status = cli_call_close(phase, f->status);
  if (text && w->call->summary.file) fputs(text, w->call->summary.file);
  free(text);
  if (f->args.operand != w->call->run.p->file.path) free((char *)f->args.operand);
  free((char *)f->args.out);
  return status;
}

// close all phases; returns the worst exit status
static int close_phases(phase_folders *w, int worst) {
  for (int i = 0; i < w->n; i++) {
    const int status = close_phase(w, &w->of[i]);
    if (status > worst) worst = status;
  }
  if (cli_json_get_int(cli_json_get_object(w->call->result, "verify"), "periods", 0) > 0)
    cli_cycle_tell(w->call);
  else
    tell_passage(w);
  cli_task_tell(w->call);
  for (int i = 0; i < w->n; i++) {
    cli_passage_free(w->of[i].starts);
    cli_passage_free(w->of[i].ends);
  }
  free(w->of);
  return worst;
}

int cli_phase_folders(cli_call *call, const cli_phase_motion *motion, cli_goal goal) {
  phase_folders w = {.call = call, .motion = motion, .n = call->run.p->phases.n, .goal = goal};
  w.of = calloc((size_t)w.n, sizeof *w.of);
  if (!w.of) return cli_fail(call->args, CLI_FAULT, "out of memory");

  // all stages of all phases, then their folders, and the verdict
  return close_phases(&w, walk_phases(&w));
}

// -- export from a folder

// open the folder of a phase beside its task's, or in it for reading
static int open_stored_phase(phase_folders *w, int i) {
  const cli_call *call = w->call;
  phase_folder *f = &w->of[i];
  f->args = *call->args;
  f->args.operand = cli_join(call->args->operand, name_folder(w, i));
  f->args.out = call->place.in_place ? NULL : cli_join(call->place.dir, name_folder(w, i));
  f->args.silent = f->args.again = f->args.below = true;
  f->args.json = false;
  f->open = true;
  if (!f->args.operand) return cli_fail(call->args, CLI_FAULT, "out of memory");
  const int status = cli_call_open(&f->call, &f->args, true);
  f->call.written = cli_shown_again;
  return status;
}

// why the samples of all phases are against an export; NULL: they are not
static const char *find_passage_doubt(const cli_call *call, char text[200]) {
  const cli_json *v = cli_json_get_object(call->result, "verify");
  const int held = cli_json_get_int(v, "held", -1), samples = cli_json_get_int(v, "samples", 0);
  const double required = cli_json_get_number(v, "required", 0);
  if (held < 0 || held >= required * samples) return NULL;
  snprintf(text, 200, "%d of %d samples succeed through all phases, at least %g %% are required",
           held, samples, 100 * required);
  return text;
}

// the verdict on a gait in its folder, if the problem has not changed since; NULL: none
static const cli_json *find_verdict(const cli_call *call) {
  const cli_json *v = cli_json_get_object(call->result, "verify");
  const char *inputs = cli_json_get_text(v, "inputs_sha256");
  return inputs && !strcmp(inputs, call->run.p->file.sha256) ? v : NULL;
}

static int export_stored_phases(phase_folders *w) {
  int status = CLI_DONE;
  for (int i = 0; i < w->n && status == CLI_DONE; i++) {
    phase_folder *f = &w->of[i];
    f->status = status = open_stored_phase(w, i);
    f->call.verdict = find_verdict(w->call);
    if (status == CLI_DONE && f->call.run.p->names.nu)
      f->status = status = cli_walk(&f->call, CLI_TO_EXPORT);
  }
  return status == CLI_DONE ? export_task(w) : status;
}

int cli_phase_folders_export(cli_call *call) {
  phase_folders w = {.call = call, .n = call->run.p->phases.n, .goal = CLI_TO_EXPORT};
  char text[200];
  const char *why = call->args->force ? NULL : find_passage_doubt(call, text);
  if (why) cli_error("no controller: %s; --force exports it anyway", why);
  if (why || cli_task_names(call) != CLI_DONE) return CLI_OUTCOME;
  w.of = calloc((size_t)w.n, sizeof *w.of);
  if (!w.of) return cli_fail(call->args, CLI_FAULT, "out of memory");
  return close_phases(&w, export_stored_phases(&w));
}
