#include "cli/stages/schedule.h"

#include "cli/console/log.h"
#include "cli/results/schedule.h"
#include "cli/results/sentences.h"

#include <stdlib.h>

enum { WIDTH = 64 };                  // of a strip
static const double TOLERATED = 1e-9; // fault of a plan

static void report(cli_call *call, const dm_contact_laws *laws, const unsigned char *phase,
                   const dm_contact_verdict *v) {
  char strip[WIDTH + 1];
  cli_json *o = cli_json_object(call->result, "schedule");
  cli_json_int(o, "changes", v->changes);
  cli_json_number(o, "fault", v->worst);
  cli_json_text(o, "contact", laws->law[v->law].name);
  cli_json_int(o, "knot", v->knot);
  cli_json *strips = cli_json_object(o, "strips");
  cli_tell_group(call->summary.file, "schedule", o);
  for (int l = 0; l < laws->n; l++) {
    cli_json_text(strips, laws->law[l].name,
                  cli_schedule_strip(phase, laws->n, l, call->run.x->N, WIDTH, strip));
    cli_tell(call, "", "%-12.12s %s", laws->law[l].name, strip);
  }
}

int cli_schedule_report(cli_call *call, bool solved) {
  const dm_trajectory *x = call->run.x;
  const dm_system *s = &call->run.p->task.system;
  dm_contact_verdict v;
  if (!s->contacts || !x->nr) return CLI_DONE;

  // 1  the phases of all contacts, and the largest fault
  unsigned char *phase = calloc(((size_t)x->N + 1) * (size_t)s->contacts->n, 1);
  const dm_status status = phase ? dm_contact_check(x, s, phase, &v) : DM_NO_MEMORY;
  if (status != DM_OK) {
    free(phase);
    return cli_fail_status(call->args, status, NULL);
  }

  // 2  strips and table
  report(call, s->contacts, phase, &v);
  FILE *f = cli_call_file(call, "schedule.csv");
  if (f) cli_schedule_write(f, x, s->contacts, phase);
  free(phase);
  if (!f) return CLI_INPUT;

  // 3  only a solution can fail
  if (!solved || v.worst <= TOLERATED) return CLI_DONE;
  cli_error("%s '%s' %s at knot %d, by %.2g of the robot's weight, length and time, more than "
            "%g: the motion is not certified",
            s->contacts->law[v.law].gap >= 0 ? "contact" : "the friction of",
            s->contacts->law[v.law].name, dm_contact_faults[v.fault], v.knot, v.worst, TOLERATED);
  return CLI_OUTCOME;
}
