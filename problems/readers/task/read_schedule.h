// problems/readers/task/read_schedule.h: the schedule of contacts and dry friction from a table as
// schedule.csv has it: columns k, contact, state; others are ignored.
#ifndef PB_TASK_READ_SCHEDULE_H
#define PB_TASK_READ_SCHEDULE_H
#include "lib/mechanics/contact_laws.h"
#include "problems/readers/format/csv.h"

// Write the state of an entry (lib/mechanics/contact_laws.h), "slides back".
//   tangents  of its law
const char *pb_schedule_word(unsigned char entry, int tangents, char text[24]);

// Read the schedule of `knots` knots from the file named by a node. Rows of `spare` further knots,
// as the last one of a plan that is simulated, are ignored.
//   out  [knots x laws] in the arena
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line: a column is missing, a contact is
// unknown or it cannot have its state, or a knot has no row or two of a contact.
dm_status pb_schedule_read(pb_reader *r, const pb_node *node, const dm_contact_laws *laws,
                           int knots, int spare, const unsigned char **out);
#endif
