#include "cli/results/schedule.h"

#include "cli/results/registry.h"

#include <math.h>

static const char columns[] = "k,t,contact,state,impulse,friction";
static const char *const words[] = {[DM_PHASE_OPEN] = "open",
                                    [DM_PHASE_STICKS] = "sticks",
                                    [DM_PHASE_FORWARD] = "slides",
                                    [DM_PHASE_BACKWARD] = "slides back"};

void cli_schedule_write(FILE *f, const dm_trajectory *x, const dm_contact_laws *laws,
                        const unsigned char *phase) {
  fprintf(f, "%s\n", columns);
  for (int k = 0; k <= x->N; k++)
    for (int l = 0; l < laws->n; l++) {
      const dm_contact_law *law = &laws->law[l];
      const double *F = x->contact + k * x->nr;
      double friction = 0;
      for (int t = 0; t < law->tangents; t++) friction = hypot(friction, F[law->tangent[t]]);
      cli_put_knot(f, k, k * x->h);
      cli_put_name(f, ",", law->name);
      fprintf(f, ",%s", words[phase[k * laws->n + l]]);
      cli_put_number(f, ",", law->gap >= 0 ? F[law->gap] : 0);
      cli_put_number(f, ",", friction);
      fputc('\n', f);
    }
}

char *cli_schedule_strip(const unsigned char *phase, int laws, int law, int N, int most,
                         char *text) {
  const int each = (N + most) / most;
  int n = 0;
  for (int k = 0; k <= N; k += each) text[n++] = ".#><"[phase[k * laws + law]];
  text[n] = '\0';
  return text;
}

static void put_schedule_columns(FILE *f, const pb_names *names) {
  (void)names;
  fputs(columns, f);
}

const cli_result_file cli_file_schedule = {
    .name = "schedule.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns = "For a plan through contact, one row for each knot and contact, or joint with dry "
               "friction: whether it is open, sticks, or slides along its first tangent or back in "
               "the step from the knot, its impulse and that of friction at the knot, in N s or "
               "N m s.",
    .header = put_schedule_columns,
};
