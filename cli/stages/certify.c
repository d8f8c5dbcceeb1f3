#include "cli/console/log.h"
#include "cli/results/sentences.h"
#include "cli/stages/call.h"
#include "cli/stages/refine.h"
#include "cli/stages/schedule.h"
#include "lib/contact/knot_step.h"
#include "lib/multibody/turn.h"

#include <stdlib.h>

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

int cli_certify(cli_call *call, bool solved) {
  // 1  the largest rotation in a step
  dm_certificate c;
  report_turn(call, solved);

  // 2  a step from each knot, compared with the next knot, and its constraints
  cli_schedule schedule;
  const dm_status s = pb_run_certify(&call->run, &c);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  if (c.row >= 0) cli_report_constraints(call, c.residual, c.row, c.residual_knot);

  // the gap of a step from x_k to x_k+1; and the open-loop error of all steps from x_0
  cli_json *o = cli_json_object(call->result, "certificate");
  cli_json_number(o, "step", c.gap);
  cli_json_int(o, "knot", c.gap_knot);
  cli_json_number(o, "open_loop_drift", c.drift);
  if (c.drift_knot >= 0) cli_json_int(o, "~stopped", c.drift_knot);
  const int found = cli_schedule_find(call, &schedule);
  if (found != CLI_DONE) return found;
  if (schedule.entry) cli_json_int(o, "~changes", schedule.verdict.changes);
  cli_tell_group(call->summary.file, "certificate", o);
  const int second = solved && c.gap <= DM_CERTIFIED_CONTACT ? report_second(call, o) : CLI_DONE;
  if (second != CLI_DONE) {
    free(schedule.entry);
    return second;
  }
  const int contacts = cli_schedule_report(call, &schedule, solved);
  if (contacts != CLI_DONE) return contacts;

  // 3  only a solution can fail certification
  const double most = call->run.x->nr ? DM_CERTIFIED_CONTACT : DM_CERTIFIED;
  if (!solved || c.gap <= most) return CLI_DONE;
  cli_error("knot %d stepped once misses the next by %.2g, more than %g: the motion is not "
            "certified",
            c.gap_knot, c.gap, most);
  return CLI_OUTCOME;
}
