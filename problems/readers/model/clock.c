#include "problems/readers/model/clock.h"

#include "lib/base/names.h"
#include "problems/readers/format/definitions.h"
#include "problems/readers/model/bodies.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// does a text have a name as a whole word?
static bool has_name(const char *text, const char *name) {
  const size_t size = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
    if ((at == text || !is_word(at[-1])) && !is_word(at[size])) return true;
  return false;
}

static bool is_parameter(const pb_definition *d, const char *name) {
  return dm_names_find(d->parameter, d->count, name) >= 0;
}

// does a text have the time, itself or by a definition? depth: of definitions left
static bool has_time(const pb_definitions *d, const char *text, int depth) {
  if (has_name(text, "t")) return true;
  for (int i = 0; d && depth && i < d->n; i++)
    if (d->list[i].text && !is_parameter(&d->list[i], "t") && has_name(text, d->list[i].name) &&
        has_time(d, d->list[i].text, depth - 1))
      return true;
  return false;
}

// the scalars of a node
static bool any_has_time(const pb_definitions *d, const pb_node *node) {
  if (!node) return false;
  if (node->kind == PB_SCALAR) return has_time(d, node->text, d ? d->n : 0);
  for (const pb_node *e = node->first; e; e = e->next)
    if (any_has_time(d, e)) return true;
  return false;
}

// has the file another `t`?
static bool is_taken(const pb_definitions *d, const pb_node *outputs) {
  for (int i = 0; d && i < d->n; i++)
    if (!strcmp(d->list[i].name, "t")) return true;
  for (const pb_node *e = outputs ? outputs->first : NULL; e; e = e->next) {
    const pb_node *name = pb_node_get(e, "name");
    if (name && name->kind == PB_SCALAR && !strcmp(name->text, "t")) return true;
  }
  return false;
}

static const pb_node *find_timed(const pb_definitions *d, const pb_node *forces) {
  for (const pb_node *e = forces ? forces->first : NULL; e; e = e->next)
    if (any_has_time(d, pb_node_get(e, "formula")) || any_has_time(d, pb_node_get(e, "torque")))
      return e;
  return NULL;
}

dm_status pb_clock_add(pb_tree *t, const pb_node *forces, const pb_node *outputs) {
  static const double along[] = {1, 0, 0};
  const pb_definitions *d = t->r->definitions;
  const pb_node *timed = is_taken(d, outputs) ? NULL : find_timed(d, forces);
  dm_body *body;
  dm_coordinate *coord;
  if (!timed) return DM_OK;
  if (t->r->phase)
    return pb_refuse_node(
        t->r, timed,
        "model.forces[]: found the time 't' beside phases, of which each begins at "
        "another time, expected quantities of the state");
  if (pb_tree_find_coord(t, "clock") >= 0 || pb_tree_find_body(t, "clock") >= 0)
    return pb_refuse_node(
        t->r, timed,
        "model.forces[]: found the time 't' beside a 'clock' of the robot, which is "
        "the name of the coordinate that the time adds; try q.clock, or another name");
  const pb_place at = pb_place_of(t, timed);
  DM_TRY(pb_tree_body(t, "clock", at, &body));
  DM_TRY(pb_tree_coord(t, "clock", at, true, along, &coord));
  coord->armature = 1;
  t->r->clock = "clock";
  return DM_OK;
}

bool pb_clock_is(const pb_reader *r, int i) {
  return r->clock && !strcmp(r->coord[i], r->clock);
}

static dm_status set_clock(const pb_reader *r, const double **x, double value) {
  double *copy;
  if (!r->clock || !*x) return DM_OK;
  PB_NEW(r->arena, copy, r->n);
  memcpy(copy, *x, (size_t)r->n * sizeof *copy);
  copy[dm_names_find(r->coord, r->n, r->clock)] = value;
  *x = copy;
  return DM_OK;
}

dm_status pb_clock_start(const pb_reader *r, const double **q, const double **v) {
  DM_TRY(set_clock(r, q, 0));
  return set_clock(r, v, 1);
}

dm_status pb_clock_free(const pb_reader *r, const double **q, const double **v) {
  DM_TRY(set_clock(r, q, NAN));
  return set_clock(r, v, NAN);
}

dm_status pb_clock_refuse(const pb_reader *r, const pb_node *node, const char *path) {
  if (!r->clock || !node) return DM_OK;
  return pb_refuse_node(
      r, node,
      "%s: found one beside model.forces of the time 't', expected forces that do "
      "not depend on time",
      path);
}
