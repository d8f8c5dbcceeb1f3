#include "problems/readers/model/parts.h"

#include "lib/base/block.h"
#include "problems/readers/model/constraints.h"
#include "problems/readers/model/contacts.h"
#include "problems/readers/model/formula_parts.h"
#include "problems/readers/model/joint_forces.h"
#include "problems/readers/model/loads.h"
#include "problems/readers/model/rolling.h"
#include "problems/readers/model/springs.h"

#include <stdio.h>
#include <string.h>

// A part reader compiles all parts of its kind into their group of the robot, which otherwise stays NULL.
typedef dm_status (*part_reader)(const pb_part_source *from, dm_robot *out);

#define JOINT_READER(KIND, kind, section, about) [DM_PART_##KIND] = {pb_##kind##_read, {section}},
static const struct {
  part_reader read;
  const char *section[2]; // of `model`
} readers[] = {
    [DM_PART_SPRING] = {pb_springs_read, {"springs", "potentials"}},
    [DM_PART_CONSTRAINT] = {pb_constraints_read, {"constraints"}},
    [DM_PART_ROLLING] = {pb_rolling_read, {"constraints"}},
    [DM_PART_LOAD] = {pb_loads_read, {"dampers", "wrenches"}},
    DM_JOINT_FORCES(JOINT_READER)[DM_PART_CONTACT] = {pb_contacts_read, {"contacts"}},
    [DM_PART_FORMULA] = {pb_formulas_read, {"forces", "potentials"}},
};
#undef JOINT_READER
_Static_assert(sizeof readers / sizeof *readers == DM_PART_KINDS, "a reader for each kind");

// the entry of a list with this name, or on this joint
static const pb_node *find_entry(const pb_node *list, const char *name) {
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *own = pb_node_get(e, "name");
    if (!own) own = pb_node_get(e, "joint");
    if (own && own->kind == PB_SCALAR && !strcmp(own->text, name)) return e;
  }
  return NULL;
}

// the place of a part in the robot's file; NULL: it is not there
static const pb_place *find_in_file(const pb_tree *t, const char *name) {
  for (int i = 0; i < t->nspring; i++)
    if (!strcmp(t->spring[i].spring.tendon.name, name)) return &t->spring[i].at;
  for (int i = 0; i < t->nload; i++)
    if (!strcmp(t->load[i].load.name, name)) return &t->load[i].at;
  for (int i = 0; i < t->nheld; i++)
    if (!strcmp(t->held[i].constraint.name, name)) return &t->held[i].at;
  for (int i = 0; i < t->nfriction; i++)
    if (!strcmp(t->coord[t->friction[i].coord].name, name)) return &t->friction[i].at;
  return NULL;
}

// write the place of the first part of a kind: a line of the problem, or of the robot's file
static void note_place(const pb_part_source *from, dm_part_kind kind, dm_robot *out) {
  const dm_part_row *row = &dm_part_rows[kind];
  const pb_node *e = NULL;
  if (!row->count(out)) return;
  const char *name = row->name(out, 0);
  for (int i = 0; i < 2 && !e; i++)
    if (readers[kind].section[i])
      e = find_entry(pb_node_get(from->model, readers[kind].section[i]), name);
  if (!e && kind == DM_PART_LOAD) e = find_entry(from->inputs, name);
  const pb_place *at = e ? NULL : find_in_file(from->tree, name);
  if (e) snprintf(out->at[kind], sizeof out->at[kind], "line %d", e->line);
  if (!at || !at->file) return;
  const char *slash = strrchr(at->file, '/');
  snprintf(out->at[kind], sizeof out->at[kind], "line %d of %.64s", at->line,
           slash ? slash + 1 : at->file);
}

dm_status pb_parts_read(const pb_part_source *from, dm_robot *out) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    DM_TRY(readers[kind].read(from, out));
    note_place(from, (dm_part_kind)kind, out);
  }
  return DM_OK;
}

dm_status pb_parts_check(const pb_reader *r, const pb_node *node, const char *path,
                         const dm_robot *robot, const double *q) {
  const dm_springs *springs = robot->springs;
  const dm_loads *loads = robot->loads;
  const size_t of_springs = springs ? dm_springs_potential(springs).scratch : 0;
  const size_t of_loads = loads ? dm_loads_force(loads).scratch : 0;
  const size_t room = of_springs > of_loads ? of_springs : of_loads;
  double *zero;
  dm_block b = {0};
  PB_NEW(r->arena, zero, robot->tree->nq);
  dm_block_alloc(&b, 1, room);
  DM_TRY(dm_block_new(&b));
  void *scratch = dm_block_alloc(&b, 1, room);
  const int spring = springs ? dm_springs_undefined(springs, scratch, q) : -1;
  const int load = loads ? dm_loads_undefined(loads, scratch, q) : -1;
  const dm_formulas *formulas = robot->formulas;
  char fault[96];
  const int formula =
      formulas ? dm_formulas_undefined(formulas, q, zero, NULL, fault, sizeof fault) : -1;
  dm_block_free(b.base);
  if (spring >= 0)
    return pb_refuse_node(r, node,
                          "%s: the energy of '%.64s' is not defined there: do points meet?", path,
                          dm_springs_name(springs, spring));
  if (formula >= 0)
    return pb_refuse_node(r, node, "%s: the formula '%.64s' has no value there at rest: %s", path,
                          dm_formulas_get(formulas, formula)->name, fault);
  if (load < 0) return DM_OK;
  return pb_refuse_node(r, node,
                        "%s: '%.64s' has no direction of pull where points of its path meet", path,
                        dm_loads_name(loads, load));
}
