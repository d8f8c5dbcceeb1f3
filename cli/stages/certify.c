#include "cli/console/log.h"
#include "cli/results/schedule.h"
#include "cli/results/sentences.h"
#include "cli/stages/call.h"
#include "cli/stages/refine.h"
#include "lib/contact/knot_step.h"
#include "lib/discrete/contact_check.h"
#include "lib/discrete/energy_balance.h"
#include "lib/discrete/repeated_rows.h"
#include "lib/multibody/turn.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 64 };                  // of a strip
static const double TOLERATED = 1e-9; // fault of a plan

// report the largest rotation of a joint in one step; for unsolved motions, warn about a large one
static void report_turn(cli_call *call, bool solved) {
  const dm_turn turn = dm_turn_largest(call->run.p->model, call->run.x->N, call->run.x->q);

  // no rotating coordinate
  if (turn.coord < 0) return;
  const char *joint = call->run.p->names.coord[turn.coord];
  cli_json *o = cli_json_object(call->result, "largest_turn");
  cli_json_number(o, "rad", turn.angle);
  cli_json_text(o, "joint", joint);
  cli_json_int(o, "knot", turn.knot);

  // the motion between knots is ambiguous if the rotation exceeds horizon.turn
  cli_tell_group(call->summary.file, "largest_turn", o);
  if (!solved) cli_warn_turn(call);
}

// Report a knot of a solution from which another step obeys the laws of contact as well.
static int report_second(cli_call *call, cli_json *certificate) {
  int knot, law;
  const dm_status s = pb_run_find_second(&call->run, &knot, &law);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  if (knot >= 0) cli_warn_second(call, certificate, knot, law);
  return CLI_DONE;
}

void cli_warn_second(cli_call *call, cli_json *certificate, int knot, int law) {
  const char *name = call->run.p->task.system.contacts->law[law].name;
  cli_json_int(certificate, "second_solution", knot);
  cli_json_text(certificate, "second_contact", name);
  cli_note(
      call->args,
      "warning: knot %d has a second solution, in which '%s' is in another state: the grid is "
      "too coarse for its friction; take shorter steps (horizon.steps, simulate.step), or give "
      "simulations the schedule (contact.schedule)",
      knot, name);
}

// the schedule of a plan through contact, and whether its impulses are those of contacts
typedef struct schedule {
  unsigned char *entry; // [(N+1) x laws] entries of the laws; NULL: the robot has no contacts
  dm_contact_verdict verdict;
} schedule;

// find the schedule of the motion, which report_schedule frees
static int find_schedule(cli_call *call, schedule *out) {
  const dm_trajectory *x = call->run.x;
  const dm_system *s = &call->run.p->task.system;
  *out = (schedule){0};
  if (!s->contacts || !x->nr) return CLI_DONE;
  out->entry = calloc(((size_t)x->N + 1) * (size_t)s->contacts->n, 1);
  const dm_status status =
      out->entry ? dm_contact_check(x, s, out->entry, &out->verdict) : DM_NO_MEMORY;
  if (status == DM_OK) return CLI_DONE;
  free(out->entry);
  out->entry = NULL;
  return cli_fail_status(call->args, status, NULL);
}

// the rows of the laws at all knots, NAN where they have no value; NULL: out of memory
static double *find_rows(const dm_trajectory *x, const dm_contact_laws *laws) {
  const size_t nr = (size_t)laws->rows.nc, n = ((size_t)x->N + 1) * nr;
  double *r = malloc((n + 1) * sizeof *r);
  void *scratch = aligned_alloc(64, (laws->rows.scratch + 64) & ~(size_t)63);
  for (size_t i = 0; r && i < n; i++) r[i] = NAN;
  for (size_t k = 0; r && scratch && k <= (size_t)x->N; k++)
    (void)laws->rows.eval(laws->rows.self, scratch, x->q + k * (size_t)x->n, r + k * nr, NULL);
  free(scratch);
  return r;
}

// Report it in result.json and the summary, and write schedule.csv. Returns CLI_DONE; CLI_OUTCOME
// after reporting a fault of a solved motion; or a failure.
static int report_schedule(cli_call *call, schedule *w, bool solved) {
  const dm_contact_laws *laws = call->run.p->task.system.contacts;
  const dm_contact_verdict *v = &w->verdict;
  if (!w->entry) return CLI_DONE;

  const unsigned char *entry = w->entry;
  char strip[WIDTH + 1];
  cli_json *o = cli_json_object(call->result, "schedule");
  cli_json_int(o, "changes", v->changes);
  cli_json_number(o, "fault", v->worst);
  cli_json_text(o, "contact", laws->law[v->law].name);
  cli_json_int(o, "knot", v->knot);
  if (v->edges) {
    cli_json_int(o, "edges", v->edges);
    cli_json_text(o, "edge_contact", laws->law[v->edge_law].name);
    cli_json_int(o, "edge_knot", v->edge_knot);
    cli_json_text(o, "~taken",
                  entry[v->edge_knot * laws->n + v->edge_law] == DM_LAW_OPEN ? "is open"
                                                                             : "sticks");
  }
  cli_json *strips = cli_json_object(o, "strips");
  cli_tell_group(call->summary.file, "schedule", o);
  for (int l = 0; l < laws->n; l++) {
    cli_json_text(strips, laws->law[l].name,
                  cli_schedule_strip(entry, laws->n, l, call->run.x->N, WIDTH, strip));
    cli_tell(call, "", "%-12.12s %s", laws->law[l].name, strip);
  }

  double *r = find_rows(call->run.x, laws);
  FILE *f = r ? cli_call_file(call, "schedule.csv") : NULL;
  if (f) cli_schedule_write(f, call->run.x, laws, w->entry, r);
  free(w->entry);
  free(r);
  w->entry = NULL;
  if (!r) return cli_fail(call->args, CLI_FAULT, "out of memory");
  if (!f) return CLI_INPUT;

  // only a solution can fail
  if (!solved || v->worst <= TOLERATED) return CLI_DONE;
  cli_error("%s '%s' %s at knot %d, by %.2g of the robot's weight, length and time, more than "
            "%g: the motion is not certified",
            laws->law[v->law].gap >= 0 ? "contact" : "the friction of", laws->law[v->law].name,
            dm_contact_faults[v->fault], v->knot, v->worst, TOLERATED);
  return CLI_OUTCOME;
}

// the balance of energy, which shows where steps of unequal length are too long
static int report_balance(cli_call *call, cli_json *o) {
  const dm_trajectory *x = call->run.x;
  dm_energy_balance balance;
  if (dm_grid_is_even(x->grid, x->N)) return CLI_DONE;
  const dm_status s = dm_energy_balance_measure(x, &call->run.p->task.system, &balance);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  cli_json_number(o, "energy", balance.most);
  cli_json_int(o, "energy_knot", balance.knot);
  cli_json_number(o, "~of", balance.size);
  return CLI_DONE;
}

// warn of nonholonomic rows that nearly depend on each other in a part of the motion
static dm_status warn_weak_rows(cli_call *call) {
  static const double WEAK = 0.01; // of the independent part elsewhere
  const dm_trajectory *x = call->run.x;
  const dm_holonomic *h = &call->run.p->task.system.hol;
  dm_weak_row weak;
  if (!h->nv) return DM_OK;
  DM_TRY(dm_weakest_row(&call->run.p->task.system, x->N, x->q, &weak));
  if (weak.row >= 0 && weak.share < WEAK)
    cli_note(call->args,
             "warning: constraint '%s' nearly follows from the others at knot %.4g, where its "
             "independent part is %.2g of the largest along the motion: a motion that passes a "
             "place where rows depend on each other is not determined there; go around it, or "
             "remove the constraint",
             h->row_name(h->self, weak.row), weak.knot, weak.share);
  return DM_OK;
}

int cli_certify(cli_call *call, bool solved) {
  // 1  the largest rotation in a step
  dm_certificate c;
  report_turn(call, solved);

  // 2  a step from each knot, compared with the next knot, and its constraints
  schedule plan;
  const dm_status s = pb_run_certify(&call->run, &c);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  if (c.row >= 0) cli_report_constraints(call, c.residual, c.row, c.residual_knot);
  const dm_status weak = warn_weak_rows(call);
  if (weak != DM_OK) return cli_fail_status(call->args, weak, NULL);

  // the gap of a step from x_k to x_k+1; and the open-loop error of all steps from x_0
  cli_json *o = cli_json_object(call->result, "certificate");
  cli_json_number(o, "step", c.gap);
  cli_json_int(o, "knot", c.gap_knot);
  cli_json_number(o, "open_loop_drift", c.drift);
  if (c.drift_knot >= 0) cli_json_int(o, "~stopped", c.drift_knot);
  const int balanced = report_balance(call, o);
  if (balanced != CLI_DONE) return balanced;
  const int found = find_schedule(call, &plan);
  if (found != CLI_DONE) return found;
  if (plan.entry) cli_json_int(o, "~changes", plan.verdict.changes);
  cli_tell_group(call->summary.file, "certificate", o);
  const int second = solved && c.gap <= DM_CERTIFIED_CONTACT ? report_second(call, o) : CLI_DONE;
  if (second != CLI_DONE) {
    free(plan.entry);
    return second;
  }
  const int contacts = report_schedule(call, &plan, solved);
  if (contacts != CLI_DONE) return contacts;

  // 3  only a solution can fail certification
  const double most = call->run.x->nr ? DM_CERTIFIED_CONTACT : DM_CERTIFIED;
  if (!solved || c.gap <= most) return CLI_DONE;
  cli_error("knot %d stepped once misses the next by %.2g, more than %g: the motion is not "
            "certified",
            c.gap_knot, c.gap, most);
  return CLI_OUTCOME;
}
