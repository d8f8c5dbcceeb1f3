#include "cli/results/schedule.h"

#include "cli/results/registry.h"
#include "problems/readers/task/read_schedule.h"

#include <math.h>

static const char columns[] = "k,t,contact,state,impulse,friction";
// the entry of a phase; directions of two tangents are those in which the impulses F act
static unsigned char find_entry(const dm_contact_law *law, unsigned char phase, const double *F) {
  int acts = 0;
  if (phase == DM_PHASE_OPEN) return DM_LAW_OPEN;
  if (phase == DM_PHASE_STICKS) return DM_LAW_STICKS;
  for (int t = 0; t < law->tangents && law->tangents > 1; t++)
    if (F[law->tangent[t]] != 0) acts |= DM_LAW_ACTS(2 * t + (F[law->tangent[t]] < 0));
  if (!acts) acts = DM_LAW_ACTS(phase == DM_PHASE_FORWARD);
  return (unsigned char)(DM_LAW_SLIDES | acts);
}

void cli_schedule_write(FILE *f, const dm_trajectory *x, const dm_contact_laws *laws,
                        const unsigned char *phase) {
  fprintf(f, "%s\n", columns);
  for (int k = 0; k <= x->N; k++)
    for (int l = 0; l < laws->n; l++) {
      const dm_contact_law *law = &laws->law[l];
      const double *F = x->contact + k * x->nr;
      double friction = 0;
      char word[24];
      for (int t = 0; t < law->tangents; t++) friction = hypot(friction, F[law->tangent[t]]);
      cli_put_knot(f, k, k * x->h);
      cli_put_name(f, ",", law->name);
      fprintf(f, ",%s",
              pb_schedule_word(find_entry(law, phase[k * laws->n + l], F), law->tangents, word));
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
