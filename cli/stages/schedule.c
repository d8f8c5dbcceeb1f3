#include "cli/stages/schedule.h"

#include "cli/console/log.h"
#include "cli/results/schedule.h"
#include "cli/results/sentences.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 64 };                  // of a strip
static const double TOLERATED = 1e-9; // fault of a plan

static void report(cli_call *call, const dm_contact_laws *laws, const unsigned char *entry,
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
                  cli_schedule_strip(entry, laws->n, l, call->run.x->N, WIDTH, strip));
    cli_tell(call, "", "%-12.12s %s", laws->law[l].name, strip);
  }
}

int cli_schedule_find(cli_call *call, cli_schedule *out) {
  const dm_trajectory *x = call->run.x;
  const dm_system *s = &call->run.p->task.system;
  *out = (cli_schedule){0};
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

int cli_schedule_report(cli_call *call, cli_schedule *schedule, bool solved) {
  const dm_contact_laws *laws = call->run.p->task.system.contacts;
  const dm_contact_verdict *v = &schedule->verdict;
  if (!schedule->entry) return CLI_DONE;
  report(call, laws, schedule->entry, v);
  double *r = find_rows(call->run.x, laws);
  FILE *f = r ? cli_call_file(call, "schedule.csv") : NULL;
  if (f) cli_schedule_write(f, call->run.x, laws, schedule->entry, r);
  free(schedule->entry);
  free(r);
  schedule->entry = NULL;
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
