#include "problems/readers/task/read_schedule.h"

#include "lib/base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREAD = 3 }; // no entry has this state

// "slides +1-2": the directions in which a contact with two tangents moves, friction against them
static const char *const moves[] = {"-1", "+1", "-2", "+2"}; // by the direction of friction

const char *pb_schedule_word(unsigned char entry, int tangents, char text[24]) {
  const int acts = DM_LAW_ACTS_IN(entry);
  if (DM_LAW_STATE(entry) == DM_LAW_OPEN) return "open";
  if (DM_LAW_STATE(entry) == DM_LAW_STICKS) return "sticks";
  if (tangents < 2) return acts & 1 ? "slides back" : "slides";
  strcpy(text, "slides ");
  for (int d = 0; d < 4; d++)
    if (acts >> d & 1) strcat(text, moves[d]);
  return text;
}

// the entry of a word for a law; -1: none
static int parse_state(const char *word, const dm_contact_law *law) {
  char text[24];
  if (law->gap >= 0 && !strcmp(word, "open")) return DM_LAW_OPEN;
  if (!strcmp(word, "sticks")) return DM_LAW_STICKS;
  for (int acts = 1; acts < 1 << 2 * law->tangents; acts++) {
    // one direction of a tangent at a time
    if ((acts & 3) == 3 || (acts & 12) == 12) continue;
    const unsigned char entry = (unsigned char)(DM_LAW_SLIDES | acts << 4);
    if (!strcmp(word, pb_schedule_word(entry, law->tangents, text))) return entry;
  }
  return -1;
}

static const char *list_states(const dm_contact_law *law) {
  if (law->tangents == 0) return "open or sticks";
  if (law->tangents == 2) return "open, sticks, or slides with directions, as in slides +1-2";
  return law->gap >= 0 ? "open, sticks, slides or slides back" : "sticks, slides or slides back";
}

// whether a cell has this name, as results write it: without commas, quotes and hashes
static bool is_name(const char *cell, const char *name) {
  for (; *cell && *name; cell++, name++)
    if (*cell != *name && !(*cell == '_' && strchr(",\"#", *name))) return false;
  return !*cell && !*name;
}

// the row of the table into entry; DM_OK also for a row that is ignored
static dm_status read_entry(const pb_reader *r, const pb_csv *c, int row, const int column[3],
                            const dm_contact_laws *laws, int knots, int spare, unsigned char *out) {
  const char *const *cell = c->cell + (size_t)row * (size_t)c->columns;
  const char *names[64], *name = cell[column[1]], *state = cell[column[2]];
  char meant[96], *end;
  const long k = strtol(cell[column[0]], &end, 10);
  if (end == cell[column[0]] || *end || k < 0 || k >= knots + spare)
    return pb_refuse(r, c->file, c->line[row], 0,
                     "column 'k': found '%.40s', expected a knot from 0 to %d", cell[column[0]],
                     knots + spare - 1);
  int l = 0;
  while (l < laws->n && !is_name(name, laws->law[l].name)) l++;
  const int n = laws->n < 64 ? laws->n : 64;
  for (int i = 0; i < n; i++) names[i] = laws->law[i].name;
  if (l == laws->n)
    return pb_refuse(r, c->file, c->line[row], 0,
                     "column 'contact': found '%.64s', expected a contact or a joint with dry "
                     "friction%s",
                     name, pb_did_you_mean(names, n, name, meant));
  const int entry = parse_state(state, &laws->law[l]);
  if (entry < 0)
    return pb_refuse(r, c->file, c->line[row], 0,
                     "column 'state': found '%.40s' of '%.64s', expected %s", state, name,
                     list_states(&laws->law[l]));
  if (k >= knots) return DM_OK;
  unsigned char *at = out + (size_t)k * (size_t)laws->n + l;
  if (*at != UNREAD)
    return pb_refuse(r, c->file, c->line[row], 0, "found a second row of '%.64s' at knot %ld", name,
                     k);
  *at = (unsigned char)entry;
  return DM_OK;
}

dm_status pb_schedule_read(pb_reader *r, const pb_node *node, const dm_contact_laws *laws,
                           int knots, int spare, const unsigned char **out) {
  static const char *const names[] = {"k", "contact", "state"};
  unsigned char *entry;
  int column[3];
  pb_csv c;
  DM_TRY(pb_csv_read_cells(r, node, &c));
  for (int i = 0; i < 3; i++) {
    column[i] = dm_names_find(c.name, c.columns, names[i]);
    if (column[i] < 0)
      return pb_refuse(r, c.file, 1, 0, "found no column '%s', expected k, contact, state",
                       names[i]);
  }
  PB_NEW(r->arena, entry, (size_t)knots * (size_t)laws->n);
  memset(entry, UNREAD, (size_t)knots * (size_t)laws->n);
  for (int i = 0; i < c.rows; i++) DM_TRY(read_entry(r, &c, i, column, laws, knots, spare, entry));
  for (int i = 0; i < knots * laws->n; i++)
    if (entry[i] == UNREAD)
      return pb_refuse(r, c.file, 0, 0,
                       "found no row of '%.64s' at knot %d, expected one at each of %d knots",
                       laws->law[i % laws->n].name, i / laws->n, knots);
  *out = entry;
  return DM_OK;
}
