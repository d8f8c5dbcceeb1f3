#include "cli/results/schedule.h"

#include "cli/results/registry.h"
#include "problems/readers/task/read_schedule.h"

#include <math.h>
#include <stdlib.h>

void cli_schedule_write(FILE *f, const dm_trajectory *x, const dm_contact_laws *laws,
                        const unsigned char *entry, const double *r) {
  cli_table_begin(f, &cli_file_schedule, NULL);
  for (int k = 0; k <= x->N; k++)
    for (int l = 0; l < laws->n; l++) {
      const dm_contact_law *law = &laws->law[l];
      const double *F = x->contact + k * x->nr;
      double friction = 0;
      char word[24];
      for (int t = 0; t < law->tangents; t++) friction = hypot(friction, F[law->tangent[t]]);
      cli_put_knot(f, k, dm_trajectory_time(x, k));
      cli_put_name(f, ",", law->name);
      fprintf(f, ",%s", pb_schedule_word(entry[k * laws->n + l], law->tangents, word));
      cli_put_number(f, ",", law->gap >= 0 ? F[law->gap] : 0);
      cli_put_number(f, ",", friction);
      cli_put_number(f, ",", law->gap >= 0 ? r[k * x->nr + law->gap] : NAN);
      fputc('\n', f);
    }
}

char *cli_schedule_strip(const unsigned char *entry, int laws, int law, int N, int most,
                         char *text) {
  const int each = (N + most) / most;
  int n = 0;
  for (int k = 0; k <= N; k += each) {
    // friction along the first tangent that has some: the contact slides back
    const int at = entry[k * laws + law], acts = DM_LAW_ACTS_IN(at);
    const bool back = acts & 3 ? acts & 1 : acts & 4;
    text[n++] = DM_LAW_STATE(at) == DM_LAW_SLIDES ? "><"[back] : ".#"[DM_LAW_STATE(at)];
  }
  text[n] = '\0';
  return text;
}

// contacts and states as indices
static dm_status read_schedule_table(cli_table *table, const pb_file *file,
                                     const cli_table_source *from, dm_message *msg) {
  static const char *const states[] = {"open",        "sticks",      "slides",      "slides back",
                                       "slides -1",   "slides +1",   "slides -2",   "slides +2",
                                       "slides -1-2", "slides +1-2", "slides -1+2", "slides +1+2",
                                       NULL};
  const dm_contact_laws *laws = from->problem->task.system.contacts;
  if (!laws) return DM_OK;
  const char **name = calloc((size_t)laws->n + 1, sizeof *name);
  if (!name) return dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path);
  for (int l = 0; l < laws->n; l++) name[l] = laws->law[l].name;
  const cli_word_column words[] = {{name, 2}, {states, 3}, {NULL, 0}};
  const dm_status s = cli_table_read(table, file, cli_file_schedule.first, words, false, msg);
  free(name);
  return s;
}

const cli_result_file cli_file_schedule = {
    .name = "schedule.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns = "For a plan through contact, one row for each knot and contact, or joint with dry "
               "friction: whether it is open, sticks, or slides along its first tangent or back in "
               "the step from the knot, its impulse and that of friction at the knot, in N s or "
               "N m s, and its gap there, in m or rad.",
    .first = "k,t,contact,state,impulse,friction,gap",
    .read = read_schedule_table,
};
