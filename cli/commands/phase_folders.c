#include "cli/commands/phase_folders.h"

#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/bench.h"
#include "cli/stages/solve.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A phase while it is processed by the stages.
typedef struct phase_folder {
  cli_job job;
  cli_args args;
  pb_replace list[CLI_REPLACED + 1];
  bool open;
  int status;          // exit status of its stages so far
  double *carried;     // [2n x 2n] cost-to-go of the next phase at this end, then 2n zeros; or NULL
  cli_passage *starts; // starts of samples, from the previous phase; NULL: by its own spread
  cli_passage *ends;   // ends of samples; NULL: none ran
} phase_folder;

typedef struct phase_folders {
  cli_job *job; // of all phases
  const cli_phase_motion *motion;
  int n;
  phase_folder *of; // [n]
  cli_goal goal;
} phase_folders;

static const char *name_folder(const phase_folders *w, int i) {
  return w->job->p->phases.name[i];
}

static const pb_problem *find_phase_problem(const phase_folders *w, int i) {
  return w->job->p->phases.problem[i];
}

// -- motions

// open the job of a phase as if its problem were alone
static int open_phase(phase_folders *w, int i) {
  const cli_job *job = w->job;
  phase_folder *f = &w->of[i];
  f->args = *job->args;
  f->args.operand = job->p->path;
  f->args.out = cli_join(job->dir, name_folder(w, i));
  f->args.silent = f->args.again = f->args.below = true;
  f->args.json = false;
  f->args.nreplace = cli_job_replaced(cli_json_get_object(job->result, "replaced"), f->list);
  f->list[f->args.nreplace++] = (pb_replace){"phase", name_folder(w, i)};
  f->args.replace = f->list;
  if (!f->args.out) return cli_fail(job->args, CLI_FAULT, "out of memory");
  f->open = true;
  return cli_job_open(&f->job, &f->args, true);
}

// write a phase's motion to its result.json
static int fill_phase(const cli_phase_motion *m, cli_job *phase) {
  const bool fine = m->solved && !m->coarse;
  cli_json *r = phase->result;
  cli_json_text(r, "status", m->coarse ? "coarse" : m->status);
  cli_json_text(r, "transcription", "first-order");
  cli_json_int(r, "steps", phase->task->N);
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
    f->job.x = *w->motion[i].x; // now owned by the job
    *w->motion[i].x = NULL;
    f->status = fill_phase(&w->motion[i], &f->job);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  return CLI_DONE;
}

// whether a phase is ready for a stage of its feedback
static bool goes_on(const phase_folder *f, cli_goal stage, cli_goal goal) {
  return f->status == CLI_DONE && f->job.p->has_feedback && stage <= goal && !cli_interrupted();
}

// -- gains, backward

// (q,p) of knot k of a motion
static void read_knot_state(const dm_trajectory *x, int k, double *state) {
  const size_t n = (size_t)x->n;
  memcpy(state, x->q + (size_t)k * n, n * sizeof *state);
  memcpy(state + n, x->p + (size_t)k * n, n * sizeof *state);
}

static dm_status make_join_map(const phase_folders *w, int i, oc_join_map **map) {
  return oc_join_map_new(map, &w->job->p->phases.join[i], w->of[i].job.task, w->of[i + 1].job.task);
}

// T, the derivative of the join after phase i, at the plan
static dm_status find_join_slope(const phase_folders *w, int i, double *T) {
  const dm_trajectory *a = w->of[i].job.x, *b = w->of[i + 1].job.x;
  double *x = calloc(2 * (size_t)(a->n + b->n), sizeof *x);
  oc_join_map *map = NULL;
  dm_status s = x ? make_join_map(w, i, &map) : DM_NO_MEMORY;
  if (s == DM_OK) {
    read_knot_state(a, a->N, x);
    read_knot_state(b, 0, x + 2 * a->n);
    s = oc_join_map_slope(map, x, x + 2 * a->n, T);
  }
  oc_join_map_free(map);
  free(x);
  return s;
}

// Carry the cost-to-go P at the start of the next phase to the end of phase i: T'P T. Does nothing
// if the join has no derivative.
static int carry_cost(phase_folders *w, int i) {
  const fb_tvlqr *f = w->of[i + 1].job.f;
  const int nx = f->nx, wide = 2 * w->of[i].job.x->n;
  double *T = calloc(2 * (size_t)(nx * wide), sizeof *T), *PT = T ? T + nx * wide : NULL;
  double *S = calloc((size_t)(wide * wide + wide), sizeof *S);
  const dm_status s = T && S ? find_join_slope(w, i, T) : DM_NO_MEMORY;

  // S = T' P T
  if (s == DM_OK) {
    dm_gemm(nx, wide, nx, 1, f->P, T, 0, PT);
    dm_gemm_transposed(wide, wide, nx, 1, T, wide, PT, wide, 0, S, wide);
    w->of[i].carried = S;
    S = NULL;
  }
  free(T);
  free(S);
  return s == DM_NO_MEMORY ? cli_fail(w->job->args, CLI_FAULT, "out of memory") : CLI_DONE;
}

// gains of a phase, using those of the next phase
static int make_phase_gains(phase_folders *w, int i) {
  phase_folder *f = &w->of[i];
  const pb_carry carry = i + 1 < w->n ? w->job->p->phases.carry[i] : PB_CARRY_NONE;
  int status = CLI_DONE;
  if (carry != PB_CARRY_NONE && w->of[i + 1].job.f) status = carry_cost(w, i);
  if (status != CLI_DONE) return status;
  f->job.carried = f->carried;
  f->job.adds = carry == PB_CARRY_ADDED;
  f->job.none = f->carried ? f->carried + 4 * f->job.x->n * f->job.x->n : NULL;
  status = cli_walk_stage(&f->job, CLI_TO_GAINS, w->goal);
  cli_json *o = cli_json_get_object(f->job.result, "gains");
  if (f->job.f && o) cli_json_bool(o, "carried", f->carried != NULL);
  return status;
}

// notes about the gains
static void note_gains(const phase_folders *w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) any |= w->of[i].job.p->has_feedback;
  if (!any)
    cli_note(w->job->args, "%s has no section 'feedback': no gains, no verification",
             w->job->p->path);
  for (int i = 0; i + 1 < w->n; i++)
    if (w->of[i].job.f && !w->of[i].carried && w->job->p->phases.carry[i] != PB_CARRY_NONE)
      cli_note(w->job->args,
               "%s: its gains are of this phase alone, up to its own end (feedback.Qf)",
               name_folder(w, i));
}

static int make_gains(phase_folders *w) {
  for (int i = w->n - 1; i >= 0; i--) {
    phase_folder *f = &w->of[i];
    if (goes_on(f, CLI_TO_GAINS, w->goal)) f->status = make_phase_gains(w, i);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  note_gains(w);
  return CLI_DONE;
}

// -- samples, forward

// (q,v) at the start of the phase's plan, for comparison with samples
static dm_status find_planned_start(const cli_job *phase, double *y) {
  const size_t n = (size_t)phase->x->n;
  dm_continuous *c = NULL;
  DM_TRY(dm_continuous_new(&c, &phase->task->system));
  memcpy(y, phase->x->q, n * sizeof *y);
  memset(y + n, 0, n * sizeof *y);
  dm_status s = dm_velocity_of(c, y, phase->x->p, y + n);
  if (s == DM_OK) s = dm_velocity_restrict(c, y, y + n);
  dm_continuous_free(c);
  return s;
}

// the starts of samples in phase i
static int find_starts(phase_folders *w, int i) {
  const phase_folder *before = &w->of[i - 1];
  phase_folder *f = &w->of[i];
  if (!before->ends) return CLI_DONE;
  oc_join_map *map = NULL;
  double *y = calloc(2 * (size_t)f->job.x->n, sizeof *y);
  cli_passage *starts = cli_passage_new(name_folder(w, i - 1), before->ends->samples, f->job.x->n);
  dm_status s = y && starts ? make_join_map(w, i - 1, &map) : DM_NO_MEMORY;
  if (s == DM_OK) s = find_planned_start(&f->job, y);
  if (s == DM_OK) {
    cli_passage_join(starts, before->ends, map, y);
    f->starts = starts;
    starts = NULL;
  }
  cli_passage_free(starts);
  oc_join_map_free(map);
  free(y);

  // if the join is not a map, each phase is verified separately
  if (s == DM_NO_MEMORY) return cli_fail(w->job->args, CLI_FAULT, "out of memory");
  if (s != DM_OK)
    cli_note(w->job->args,
             "%s: its samples begin by its own spread: kinematic coordinates do not go on from "
             "where those of %s end",
             name_folder(w, i), name_folder(w, i - 1));
  return CLI_DONE;
}

static int verify_phase(phase_folders *w, int i) {
  phase_folder *f = &w->of[i];
  int status = i > 0 ? find_starts(w, i) : CLI_DONE;
  if (status == CLI_DONE && f->job.p->has_verify && f->job.p->verify.samples > 0) {
    f->ends = cli_passage_new(name_folder(w, i), f->job.p->verify.samples, f->job.x->n);
    if (!f->ends) status = cli_fail(w->job->args, CLI_FAULT, "out of memory");
  }
  if (status != CLI_DONE) return status;
  f->job.starts = f->starts;
  f->job.ends = f->ends;
  status = cli_walk_stage(&f->job, CLI_TO_VERIFY, w->goal);
  f->job.starts = NULL;
  f->job.ends = NULL;

  // an interrupted phase has no ends
  if (status != CLI_DONE && (status != CLI_OUTCOME || cli_interrupted())) {
    cli_passage_free(f->ends);
    f->ends = NULL;
  }
  return status;
}

static int verify_phases(phase_folders *w) {
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
  cli_json *v = cli_json_object(w->job->result, "verify");
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
  const cli_json *v = cli_json_get_object(w->job->result, "verify");
  for (int on = 0; v && on <= PB_PLANTS; on++) {
    const cli_json *o = cli_json_get_object(v, name_passage(on));
    if (!o) continue;
    cli_tell(w->job, "all phases", "%d of %d succeeded %s%s%s (%.1f to %.1f %%)",
             cli_json_get_int(o, "held", 0), cli_json_get_int(v, "samples", 0),
             on < PB_PLANTS ? "on the " : "as ", name_passage(on), on < PB_PLANTS ? " plant" : "",
             100 * cli_json_get_number(o, "rate_low", 0),
             100 * cli_json_get_number(o, "rate_high", 1));
  }
}

// -- all phases

static int export_phases(phase_folders *w) {
  for (int i = 0; i < w->n; i++) {
    phase_folder *f = &w->of[i];
    if (f->job.p->feedback.R && !f->job.names.nu) continue; // no inputs, no controller
    if (goes_on(f, CLI_TO_EXPORT, w->goal))
      f->status = cli_walk_stage(&f->job, CLI_TO_EXPORT, w->goal);
    if (f->status > CLI_OUTCOME) return f->status;
  }
  return CLI_DONE;
}

static int walk_phases(phase_folders *w) {
  int status = open_phases(w);
  if (status == CLI_DONE && w->goal >= CLI_TO_GAINS) status = make_gains(w);
  if (status == CLI_DONE) status = verify_phases(w);
  const int verdict = status == CLI_DONE ? judge_phases(w) : CLI_DONE;
  if (status == CLI_DONE && (verdict == CLI_DONE || w->job->args->force)) status = export_phases(w);
  return status == CLI_DONE ? verdict : status;
}

// close a phase's job; its summary lines are appended to the total summary
static int close_phase(phase_folders *w, phase_folder *f) {
  if (!f->open) return CLI_DONE;
  char *text = NULL;
  cli_job *phase = &f->job;
  if (phase->summary && fflush(phase->summary) == 0) text = strdup(phase->summary_text);
  const int status = cli_job_close(phase, f->status);
  if (text && w->job->summary) fputs(text, w->job->summary);
  free(text);
  free((char *)f->args.out);
  return status;
}

int cli_phase_folders(cli_job *job, const cli_phase_motion *motion, cli_goal goal) {
  phase_folders w = {.job = job, .motion = motion, .n = job->p->phases.n, .goal = goal};
  w.of = calloc((size_t)w.n, sizeof *w.of);
  if (!w.of) return cli_fail(job->args, CLI_FAULT, "out of memory");

  // all stages of all phases, then their folders, and the verdict
  int worst = walk_phases(&w);
  for (int i = 0; i < w.n; i++) {
    const int status = close_phase(&w, &w.of[i]);
    if (status > worst) worst = status;
  }
  tell_passage(&w);
  for (int i = 0; i < w.n; i++) {
    free(w.of[i].carried);
    cli_passage_free(w.of[i].starts);
    cli_passage_free(w.of[i].ends);
  }
  free(w.of);
  return worst;
}
