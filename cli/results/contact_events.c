#include "cli/results/contact_events.h"

#include "cli/results/registry.h"

#include <stdlib.h>

static const char *const events[] = {"made", "held", "left", NULL}; // by dm_contact_event

void cli_events_row(FILE *f, int k, double t, const char *name, dm_contact_event what,
                    double impulse, double friction) {
  cli_put_knot(f, k, t);
  cli_put_name(f, ",", name);
  fprintf(f, ",%s", events[what]);
  cli_put_number(f, ",", impulse);
  cli_put_number(f, ",", friction);
  fputc('\n', f);
}

// read contacts and events as indices; empty for a problem without contacts
static dm_status read_contact_table(cli_table *table, const pb_file *file,
                                    const cli_table_source *from, dm_message *msg) {
  if (!from->problem->robot.mechanism.contacts) return DM_OK;

  const dm_unilateral u = dm_contacts_unilateral(from->problem->robot.mechanism.contacts);
  const char **name = calloc((size_t)u.ng + 1, sizeof *name);
  if (!name) return dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path);
  for (int i = 0; i < u.ng; i++) name[i] = u.name(u.self, i);
  const cli_word_column words[] = {{name, 2}, {events, 3}, {NULL, 0}};
  dm_status s = cli_table_read(table, file, cli_file_contacts.first, words, false, msg);
  free(name);
  return s;
}

const cli_result_file cli_file_contacts = {
    .name = "contacts.csv",
    .stage = "motion",
    .part = CLI_PART_CONTACTS,
    .columns = "One row for each contact made, closed or left in the step to knot k, with its "
               "impulse and that of friction in N s.",
    .first = "k,t,contact,what,impulse,friction",
    .read = read_contact_table,
};
