#include "problems/readers/task/read_mpc.h"

#include "control/feedback/mechanics.h"
#include "lib/base/names.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/task/read_track.h"

#include <math.h>
#include <string.h>

const char *const pb_mpc_end_words[] = {"tvlqr", "steady", "terminal", NULL};

typedef struct mpc_section {
  int horizon, sweeps;
  const char *measure, *precision;
  const pb_node *bounds, *soft, *soft_speeds, *reference, *outputs;
  const char *end;
} mpc_section;

const pb_key pb_mpc_keys[] = {
    PB_KEY(mpc_section, horizon, .type = PB_INTEGER, .range = "[1, 10000]", .absent = "30",
           .also = "N stages prediction",
           .about = "Steps that each call looks ahead; near the end those that are left"),
    PB_KEY(mpc_section, sweeps, .type = PB_INTEGER, .range = "[1, 1000]", .absent = "20",
           .about = "Largest number of backward sweeps of a call"),
    PB_KEY(mpc_section, reference, .type = PB_NODE, .note = "plan",
           .words = "plan, goal, caller, or FILE.csv",
           .about =
               "Motion that it follows: the plan, the rest at its end, positions that the caller "
               "sets, or those of a table"),
    PB_KEY(mpc_section, outputs, .type = PB_LIST, .also = "track tool", .sub = pb_track_keys,
           .about = "Outputs that it tracks, such as the position of a tool"),
    PB_KEY(mpc_section, end, .type = PB_WORD, .note = "tvlqr; steady for another reference",
           .words = "tvlqr steady terminal",
           .about =
               "Weight at the end of a horizon: cost-to-go of the gains there, that of rest at "
               "the plan's end, or `feedback.Qf`"),
    PB_KEY(mpc_section, measure, .type = PB_WORD,
           .note = "that of `feedback`; positions for difference",
           .words = "state velocity positions",
           .about = "Measurement that it receives; momenta are computed by the mechanics"),
    PB_KEY(mpc_section, bounds, .type = PB_NODE, .note = "[inputs]",
           .words = "[inputs, positions, speeds]",
           .about = "Limits that it plans with: `feedback.limits`, `bounds.q` and `bounds.v`, or "
                    "those of the joints"),
    PB_KEY(mpc_section, soft, .type = PB_NODE, .unit = "per m2 or rad2",
           .note = "1000 times the weight `Q`", .words = "number > 0, or by coordinate",
           .about = "Weight of positions beyond their limits"),
    PB_KEY(mpc_section, soft_speeds, .type = PB_NODE, .unit = "per (m/s)2 or (rad/s)2",
           .note = "1000 times the weight `Q`, times the horizon's time squared",
           .words = "number > 0, or by coordinate",
           .about = "Weight of mean speeds of steps beyond their limits"),
    PB_KEY(mpc_section, precision, .type = PB_WORD, .absent = "double", .words = "double single",
           .about = "Precision of its numbers in `verify`"),
    {0}};

// the words of `bounds`
static dm_status read_bounds(const pb_reader *r, const pb_node *node, bool has[2]) {
  static const char *const words[] = {"positions", "speeds"};
  const pb_node *at = node && node->kind == PB_SEQUENCE ? node->first : node;
  has[0] = has[1] = false;
  for (; at; at = at == node ? NULL : at->next) {
    const bool scalar = at->kind == PB_SCALAR;
    if (scalar && !strcmp(at->text, "inputs")) continue;
    const int word = scalar ? dm_names_find(words, 2, at->text) : -1;
    if (word < 0)
      return pb_refuse_node(
          r, at, "mpc.bounds: found '%.40s', expected a list of inputs, positions, speeds",
          scalar ? at->text : "a section");
    has[word] = true;
  }
  return DM_OK;
}

// soft bounds of positions: limits of the plan, and the cost beyond them
static dm_status read_soft(const pb_reader *r, const mpc_section *s, const pb_node *node,
                           const pb_context *c, const pb_feedback *f, bool positions, pb_mpc *out) {
  if (!positions && s->soft)
    return pb_refuse_node(r, s->soft,
                          "mpc.soft: found one without bounds on positions, expected "
                          "bounds: [inputs, positions] beside it");
  if (!positions) return DM_OK;
  PB_NEW(r->arena, out->q_min, r->n);
  PB_NEW(r->arena, out->q_max, r->n);
  PB_NEW(r->arena, out->soft, r->n);
  int limited = 0;
  for (int i = 0; i < r->n; i++) {
    const dm_model *m = c->robot->mechanism.model;
    const oc_task *t = c->task;
    out->q_min[i] = t->bounds[OC_Q].low ? oc_low(t, OC_Q, i) : m->q_min[i];
    out->q_max[i] = t->bounds[OC_Q].high ? oc_high(t, OC_Q, i) : m->q_max[i];
    out->soft[i] = 1000 * (f->Q[i] > 0 ? f->Q[i] : 1);
    limited += isfinite(out->q_min[i]) || isfinite(out->q_max[i]);
  }
  if (s->soft)
    DM_TRY(pb_schema_each(r, "mpc.soft", s->soft, "> 0", "joint", r->coord, r->n, out->soft));
  if (limited) return DM_OK;
  return pb_refuse_node(r, s->bounds ? s->bounds : node,
                        "mpc.bounds: found positions of a robot whose positions have no limits, "
                        "expected limits of joints, bounds.q, or [inputs]");
}

// the same of speeds
static dm_status read_soft_speeds(const pb_reader *r, const mpc_section *s, const pb_node *node,
                                  const pb_context *c, const pb_feedback *f, bool speeds,
                                  pb_mpc *out) {
  const oc_task *t = c->task;
  const dm_model *m = c->robot->mechanism.model;
  const double time = s->horizon * (isfinite(f->rate) ? 1 / f->rate : oc_task_step(t));
  if (!speeds && s->soft_speeds)
    return pb_refuse_node(r, s->soft_speeds,
                          "mpc.soft_speeds: found one without bounds on speeds, expected "
                          "bounds: [inputs, speeds] beside it");
  if (!speeds) return DM_OK;
  PB_NEW(r->arena, out->v_max, r->n);
  PB_NEW(r->arena, out->soft_v, r->n);
  int limited = 0;
  for (int i = 0; i < r->n; i++) {
    out->v_max[i] = t->bounds[OC_V].high ? oc_high(t, OC_V, i) : m->v_max[i];
    out->soft_v[i] = 1000 * (f->Q[i] > 0 ? f->Q[i] : 1) * time * time;
    limited += isfinite(out->v_max[i]);
  }
  if (s->soft_speeds)
    DM_TRY(pb_schema_each(r, "mpc.soft_speeds", s->soft_speeds, "> 0", "joint", r->coord, r->n,
                          out->soft_v));
  if (limited) return DM_OK;
  return pb_refuse_node(r, s->bounds ? s->bounds : node,
                        "mpc.bounds: found speeds of a robot whose speeds have no limits, expected "
                        "limits of joints, bounds.v, or [inputs]");
}

// positions of a table at the steps of the motion, to its end or that of the motion
static dm_status read_table(pb_reader *r, const pb_node *node, const pb_context *c, double rate,
                            pb_mpc *out) {
  static const double MOST = 1e6;
  pb_csv csv;
  DM_TRY(pb_csv_read(r, node, &csv));
  int N;
  double h;
  if (!pb_find_steps(c, rate, &N, &h))
    return pb_refuse_node(
        r, node,
        "mpc.reference: found a table beside a free horizon.time, expected a given "
        "time: the table is sampled by its steps");
  if (!csv.t)
    return pb_refuse_node(
        r, node, "mpc.reference: found '%.64s' without a column t, expected times", node->text);
  const double steps = ceil(csv.t[csv.rows - 1] / h - 1e-9);
  if (!(steps <= MOST))
    return pb_refuse_node(
        r, node, "mpc.reference: found times up to %g s, expected at most %g steps of %g s",
        csv.t[csv.rows - 1], MOST, h);
  double *at;
  out->knots = 1 + (steps > N ? (int)steps : N);
  PB_NEW(r->arena, at, out->knots);
  for (int k = 0; k < out->knots; k++) at[k] = k * h;
  DM_TRY(pb_csv_sample(r, &csv, "q", r->coord, r->n, NULL, at, out->knots, &out->q));
  if (out->q) return DM_OK;
  return pb_refuse_node(
      r, node, "mpc.reference: found '%.64s' without columns of positions, expected q.%.64s",
      node->text, r->coord[0]);
}

static dm_status read_reference(pb_reader *r, const pb_node *node, const pb_context *c, double rate,
                                pb_mpc *out) {
  static const char *const words[] = {"plan", "goal", "caller", NULL};
  if (!node) return DM_OK;
  const bool scalar = node->kind == PB_SCALAR;
  const int word = scalar ? dm_names_find(words, 3, node->text) : -1;
  out->reference = word < 0 ? PB_OF_TABLE : (pb_reference)word;
  if (word >= 0) return DM_OK;
  if (!scalar || !strstr(node->text, ".csv"))
    return pb_refuse_node(r, node,
                          "mpc.reference: found '%.64s', expected plan, goal, caller, or FILE.csv",
                          scalar ? node->text : "a section");
  return read_table(r, node, c, rate, out);
}

static dm_status read_end(const pb_reader *r, const mpc_section *s, const pb_node *node,
                          const pb_feedback *f, pb_mpc *out) {
  const int nx = 2 * r->n;
  out->end = out->reference == PB_OF_PLAN ? PB_END_TVLQR : PB_END_STEADY;
  if (s->end) out->end = (pb_mpc_end)dm_names_find(pb_mpc_end_words, PB_ENDS, s->end);
  if (out->end != PB_END_TERMINAL) return DM_OK;
  if (!f->Qf || f->Qf_outputs)
    return pb_refuse_node(
        r, pb_node_get(node, "end"),
        "mpc.end: found terminal beside %s, expected feedback.Qf with a weight of "
        "each coordinate, or end: steady",
        f->Qf ? "feedback.Qf of outputs" : "Qf: riccati");
  PB_NEW(r->arena, out->Qf, nx * nx);
  for (int i = 0; i < nx * nx; i++) out->Qf[i] = i % (nx + 1) ? 0 : f->Qf[i / nx];
  return DM_OK;
}

// settings that continue at rest after a motion whose goal moves
static dm_status check_moving_goal(const pb_reader *r, const pb_node *node, const pb_context *c,
                                   const pb_feedback *f, const pb_mpc *set) {
  const double *v = c->task->goal.v;
  int i = 0, N;
  double h;
  while (v && i < r->n && !(fabs(v[i]) > 0)) i++;
  if (!v || i == r->n || c->task->periodic) return DM_OK;
  if (set->reference != PB_OF_PLAN)
    return pb_refuse_node(
        r, pb_node_get(node, "reference"),
        "mpc.reference: found another one than the plan beside goal.v, which moves "
        "'%.64s', expected a goal at rest, or reference: plan",
        r->coord[i]);
  if (!pb_find_steps(c, f->rate, &N, &h) || set->stages <= N) return DM_OK;
  return pb_refuse_key(
      r, node,
      "mpc.horizon: found %d, more than the %d steps of a motion that goal.v ends while "
      "'%.64s' moves, expected at most %d, or a goal at rest",
      set->stages, N, r->coord[i], N);
}

// parts of `feedback` that it replaces or does not know
static dm_status check_feedback(const pb_reader *r, const pb_node *node, const pb_feedback *f) {
  const struct {
    bool there;
    const char *what;
  } beside[] = {{f->second_variation, "Q: second-variation"},
                {f->integral != NULL, "integral"},
                {f->near != NULL, f->orbits ? "schedule: orbit" : "schedule: path"},
                {f->rate_limit != NULL, "rate_limit"},
                {f->friction != NULL, "friction"},
                {f->has_envelope, "envelope"},
                {f->has_estimator, "estimator"}};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i].there)
      return pb_refuse_key(r, node,
                           "mpc: found it beside feedback.%s, which it does not support; leave one "
                           "of them out",
                           beside[i].what);
  return DM_OK;
}

dm_status pb_mpc_read(pb_reader *r, const pb_node *node, const pb_context *c, bool has_feedback,
                      const pb_feedback *f, pb_mpc *out) {
  const dm_robot *robot = &c->robot->mechanism;
  mpc_section s = {0};
  dm_message why = {""};
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "mpc", node, pb_mpc_keys, &s));
  if (!has_feedback)
    return pb_refuse_key(r, node,
                         "found 'mpc' but no 'feedback', expected both: its weights and its "
                         "cost-to-go are those of the gains");
  if (r->phase)
    return pb_refuse_key(
        r, node,
        "mpc: found it in a phase, expected a motion of one part: a horizon does "
        "not cross the end of a phase; leave it out, as feedback runs in phases, or "
        "plan the phase as a problem of its own");
  DM_TRY(check_feedback(r, node, f));
  if (robot->contacts || c->task->system.contacts) {
    const dm_part_row *row = &dm_part_rows[robot->contacts ? DM_PART_CONTACT : DM_PART_FRICTION];
    return pb_refuse_key(
        r, node,
        "mpc: found it beside the %s '%.64s', whose steps it does not know: bodies "
        "may stick there; leave one of them out",
        row->word, row->count(robot) > 0 ? row->name(robot, 0) : "of a joint");
  }
  if (dm_drive_limits_lags(&c->robot->drives))
    return pb_refuse_key(r, node,
                         "mpc: found it beside lags of model.drives, which it does not know; leave "
                         "one of them out");
  if (fb_mechanics_check(robot, &c->task->system, FB_OF_HORIZON, &why) != DM_OK)
    return pb_refuse_key(r, node, "mpc: found a robot that it does not support: %s", why.text);
  out->there = true;
  out->stages = s.horizon;
  out->sweeps = s.sweeps;
  out->single = !strcmp(s.precision, "single");
  out->measure = f->measure == FB_DIFFERENCE ? FB_POSITIONS : f->measure;
  if (s.measure) out->measure = (fb_form)dm_names_find(fb_form_names, FB_FORMS, s.measure);
  bool has[2];
  DM_TRY(read_bounds(r, s.bounds, has));
  DM_TRY(read_soft(r, &s, node, c, f, has[0], out));
  DM_TRY(read_soft_speeds(r, &s, node, c, f, has[1], out));
  DM_TRY(read_reference(r, s.reference, c, f->rate, out));
  DM_TRY(pb_track_read(r, s.outputs, c, f->rate, out));
  DM_TRY(check_moving_goal(r, node, c, f, out));
  return read_end(r, &s, node, f, out);
}

dm_status pb_mpc_check_verify(const pb_reader *r, const pb_node *verify, const pb_mpc *mpc,
                              const pb_verification *v) {
  if (!mpc->there)
    return pb_refuse_node(r, pb_node_get(verify, "law"),
                          "verify.law: found mpc without a section 'mpc', expected both; try "
                          "mpc: {horizon: 30}");
  if (v->robust.exported)
    return pb_refuse_node(r, pb_node_get(verify, "plants"),
                          "verify.plants: found exported beside law: mpc, expected own or all; "
                          "dmoc export --mpc has a trace and its replay");
  return DM_OK;
}
