#include "cli/results/contact_events.h"

#include "cli/results/registry.h"

#include <stdlib.h>
#include <string.h>

static const char columns[] = "k,t,contact,what,impulse,friction";
static const char *const events[] = {"made", "held", "left"}; // by dm_contact_event
enum { EVENTS = sizeof events / sizeof events[0] };

void cli_events_header(FILE *f) {
  fprintf(f, "%s\n", columns);
}

void cli_events_row(FILE *f, int k, double t, const char *name, dm_contact_event what,
                    double impulse, double friction) {
  cli_put_knot(f, k, t);
  cli_put_name(f, ",", name);
  fprintf(f, ",%s", events[what]);
  cli_put_number(f, ",", impulse);
  cli_put_number(f, ",", friction);
  fputc('\n', f);
}

// names as they are written, one after the other, each ended by a zero; to be freed
static char *write_names(const dm_unilateral *u) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;

  // as cli_put_name writes them, so that a cell is found again
  for (int i = 0; i < u->ng; i++) {
    cli_put_name(f, "", u->name(u->self, i));
    fputc(0, f);
  }
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

// contacts as their numbers, then events as theirs; of a problem without contacts nothing
static dm_status read_contact_table(cli_table *table, const char *path,
                                    const cli_table_source *from, dm_message *msg) {
  if (!from->problem->robot.contacts) return DM_OK;

  // words of the table: names of contacts first, then those of events
  const dm_unilateral u = dm_contacts_unilateral(from->problem->robot.contacts);
  const char **words = calloc((size_t)u.ng + EVENTS + 1, sizeof *words);
  char *names = write_names(&u), *at = names;
  dm_status s = words && names ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", path);
  for (int i = 0; s == DM_OK && i < u.ng + EVENTS; i++) {
    words[i] = i < u.ng ? at : events[i - u.ng];
    if (i < u.ng) at += strlen(at) + 1;
  }
  if (s == DM_OK) s = cli_table_read(table, path, columns, words, false, msg);
  free(words);
  free(names);
  return s;
}

static void put_contact_columns(FILE *f, const cli_names *names) {
  (void)names;
  fputs(columns, f);
}

const cli_result_file cli_file_contacts = {
    .name = "contacts.csv",
    .stage = "motion",
    .part = CLI_PART_CONTACTS,
    .columns = "One row for each contact made, closed or left in the step to knot k, with its "
               "impulse and that of friction in N s.",
    .header = put_contact_columns,
    .read = read_contact_table,
};
