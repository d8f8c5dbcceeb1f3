#include "problems/readers/task/read_mpc.h"

#include "control/feedback/mechanics.h"
#include "lib/base/names.h"

#include <math.h>
#include <string.h>

typedef struct mpc_section {
  int horizon, sweeps;
  const char *measure, *precision;
  const pb_node *bounds, *soft;
} mpc_section;

const pb_key pb_mpc_keys[] = {
    PB_KEY(mpc_section, horizon, .type = PB_INTEGER, .range = "[1, 10000]", .absent = "30",
           .also = "N stages prediction",
           .about = "Steps that each call looks ahead; near the end those that are left"),
    PB_KEY(mpc_section, sweeps, .type = PB_INTEGER, .range = "[1, 1000]", .absent = "20",
           .about = "Largest number of backward sweeps of a call"),
    PB_KEY(mpc_section, measure, .type = PB_WORD,
           .note = "that of `feedback`; positions for difference",
           .words = "state velocity positions",
           .about = "Measurement that it receives; momenta are computed by the mechanics"),
    PB_KEY(mpc_section, bounds, .type = PB_NODE, .note = "[inputs]", .words = "[inputs, positions]",
           .about = "Limits that it plans with: `feedback.limits`, and `bounds.q` or the joints' "
                    "limits"),
    PB_KEY(mpc_section, soft, .type = PB_NODE, .unit = "per m2 or rad2",
           .note = "1000 times the weight `Q`", .words = "number > 0, or by coordinate",
           .about = "Weight of positions beyond their limits"),
    PB_KEY(mpc_section, precision, .type = PB_WORD, .absent = "double", .words = "double single",
           .about = "Precision of its numbers in `verify`"),
    {0}};

// the words of `bounds`
static dm_status read_bounds(const pb_reader *r, const pb_node *node, bool *positions) {
  const pb_node *at = node && node->kind == PB_SEQUENCE ? node->first : node;
  *positions = false;
  for (; at; at = at == node ? NULL : at->next) {
    const bool scalar = at->kind == PB_SCALAR;
    if (scalar && !strcmp(at->text, "inputs")) continue;
    if (!scalar || strcmp(at->text, "positions"))
      return pb_refuse_node(r, at,
                            "mpc.bounds: found '%.40s', expected a list of inputs, positions",
                            scalar ? at->text : "a section");
    *positions = true;
  }
  return DM_OK;
}

// soft bounds of positions: limits of the plan, and the cost beyond them
static dm_status read_soft(const pb_reader *r, const mpc_section *s, const pb_node *node,
                           const pb_context *c, const pb_feedback *f, pb_mpc *out) {
  bool positions;
  DM_TRY(read_bounds(r, s->bounds, &positions));
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

// parts of `feedback` that it replaces or does not know
static dm_status check_feedback(const pb_reader *r, const pb_node *node, const pb_feedback *f) {
  const struct {
    bool there;
    const char *what;
  } beside[] = {{f->second_variation, "Q: second-variation"},
                {isfinite(f->rate), "rate"},
                {f->delay, "delay: 1"},
                {f->integral != NULL, "integral"},
                {f->by_path, "schedule: path"},
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

dm_status pb_mpc_read(const pb_reader *r, const pb_node *node, const pb_context *c,
                      bool has_feedback, const pb_feedback *f, pb_mpc *out) {
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
    return pb_refuse_key(r, node,
                         "mpc: found it in a phase, expected a motion of one part: the gains of "
                         "phases do not end in one horizon");
  DM_TRY(check_feedback(r, node, f));
  if (c->robot->mechanism.contacts || c->task->system.contacts)
    return pb_refuse_key(r, node,
                         "mpc: found it beside contacts or dry friction, whose steps it does not "
                         "know; leave one of them out");
  const dm_drive_limits *drives = &c->robot->drives;
  if (dm_drive_limits_lines(drives) || dm_drive_limits_lags(drives))
    return pb_refuse_key(r, node,
                         "mpc: found it beside %s of model.drives, which it does not know; leave "
                         "one of them out",
                         dm_drive_limits_lags(drives) ? "lags" : "torque-speed lines");
  if (fb_mechanics_check(robot, &c->task->system, FB_OF_STEPS, &why) != DM_OK)
    return pb_refuse_key(r, node, "mpc: found a robot that it does not support: %s", why.text);
  out->there = true;
  out->stages = s.horizon;
  out->sweeps = s.sweeps;
  out->single = !strcmp(s.precision, "single");
  out->measure = f->measure == FB_DIFFERENCE ? FB_POSITIONS : f->measure;
  if (s.measure) out->measure = (fb_form)dm_names_find(fb_form_names, FB_FORMS, s.measure);
  return read_soft(r, &s, node, c, f, out);
}

dm_status pb_mpc_check_verify(const pb_reader *r, const pb_node *verify, const pb_mpc *mpc,
                              const pb_verification *v) {
  static const char *const off_knots[] = {"delay", "calls"};
  if (!mpc->there)
    return pb_refuse_node(r, pb_node_get(verify, "law"),
                          "verify.law: found mpc without a section 'mpc', expected both; try "
                          "mpc: {horizon: 30}");
  for (size_t i = 0; i < sizeof off_knots / sizeof *off_knots; i++)
    if (pb_node_get(verify, off_knots[i]))
      return pb_refuse_key(r, pb_node_get(verify, off_knots[i]),
                           "verify.%s: found it beside law: mpc, which acts at knots, on time; "
                           "leave one of them out",
                           off_knots[i]);
  if (v->robust.exported)
    return pb_refuse_node(r, pb_node_get(verify, "plants"),
                          "verify.plants: found exported beside law: mpc, expected continuous or "
                          "mujoco; dmoc export --mpc has a trace and its replay");
  return DM_OK;
}
