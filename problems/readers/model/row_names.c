#include "problems/readers/model/row_names.h"

#include <stdio.h>
#include <string.h>

dm_status pb_row_names(pb_reader *r, const pb_robot *robot, int *ne, const char *const **equation) {
  const dm_system s = dm_robot_system(&robot->mechanism);
  const dm_holonomic *h = &s.hol;
  const dm_constraints *c = robot->mechanism.constraints;
  const int nc = h->nc, stay = c ? dm_constraints_count(c) : 0, all = c ? dm_constraints_all(c) : 0;
  const int total = all + nc - stay;
  const char **name, **row_name, **of;
  PB_NEW(r->arena, row_name, nc);
  PB_NEW(r->arena, of, total);
  PB_NEW(r->arena, name, total);
  r->nc = nc;
  r->row = row_name;
  *ne = all;
  *equation = of;

  // names by equation: constraints, including left-out rows, then ball joints
  for (int i = 0; i < all; i++) name[dm_constraints_number(c, i)] = dm_constraints_row_name(c, i);
  for (int i = stay; i < nc; i++) name[all + i - stay] = h->row_name(h->self, i);
  for (int i = 0, row = 1; i < total; i++) {
    // rows of one constraint share one name pointer
    bool goes_on = i + 1 < total && name[i + 1] == name[i];
    // room for ".", ten digits and the terminator
    size_t size = strlen(name[i]) + 16;
    char *text = pb_arena_alloc(r->arena, size, 1);
    if (!text) return DM_NO_MEMORY;
    snprintf(text, size, row > 1 || goes_on ? "%s.%d" : "%s", name[i], row);
    of[i] = text;
    row = goes_on ? row + 1 : 1;
  }
  for (int i = 0; i < nc; i++)
    row_name[i] = of[i < stay ? dm_constraints_number(c, i) : all + i - stay];
  return DM_OK;
}
