#include "problems/readers/task/read_join.h"

#include "lib/base/names.h"
#include "optim/program/phases.h"
#include "problems/readers/task/read_goal.h"

#include <stdio.h>
#include <string.h>

const char *const pb_carry_words[PB_CARRIES] = {"carried", "added", "separate"};

typedef struct join_section {
  const char *law, *gains;
  const pb_node *from, *into, *swap, *mirror, *travel;
} join_section;

const pb_key pb_join_keys[] = {
    PB_KEY(join_section, law, .type = PB_WORD,
           .note = "velocity; after `until` without contacts, momentum",
           .words = "velocity momentum",
           .about = "Continuous quantity; `momentum`: an inelastic impact onto the constraints of "
                    "this phase"),
    PB_KEY(join_section, gains, .type = PB_WORD, .absent = "carried",
           .words = "carried added separate",
           .about = "Final weight of the phase before: this phase's cost-to-go, that plus "
                    "`feedback.Qf`, or `feedback.Qf` alone"),
    PB_KEY(join_section, from, .type = PB_NODE, .note = "the same coordinate",
           .words = "output, coordinate or free, by coordinate",
           .about = "Sources of coordinates of this phase in the phase before: an output row, "
                    "another coordinate, or `free`"),
    PB_KEY(join_section, into, .type = PB_NODE, .note = "the same coordinate",
           .words = "output, coordinate or free, by coordinate",
           .about = "Coordinates of the phase before, each with its target in this phase"),
    PB_KEY(join_section, swap, .type = PB_LIST, .also = "relabel exchange permute",
           .about = "Pairs of coordinates that exchange values, by name or by the part in which "
                    "names differ: `[left, right]` exchanges `left_hip` and `right_hip`"),
    PB_KEY(join_section, mirror, .type = PB_LIST, .also = "reflect flip negate",
           .about = "Coordinates of this phase whose values change their sign"),
    PB_KEY(join_section, travel, .type = PB_NODE, .also = "stride shift", .unit = "m or rad",
           .note = "0", .words = "number, [low, high] or free, by coordinate",
           .about = "Displacement since the last join, by which the coordinate is set back"),
    {0}};

// the index of a coordinate of a phase by name, or -1
static int find_joined_coordinate(const pb_joined *phase, const char *name) {
  for (int i = 0; i < phase->task->system.L.nq; i++)
    if (!strcmp(phase->task->coord_name[i], name)) return i;
  return -1;
}

// Whether row i belongs to an output that is linear in products of vectors.
static bool has_third_derivatives(const pb_robot *robot, int i) {
  static const char *const linear[] = {"position", "height", "alignment", "center-of-mass", "sum"};
  const dm_outputs *rows = robot->outputs.rows;
  int of = 0;
  while (dm_outputs_row(rows, of + 1) <= i) of++;
  for (int k = 0; k < 5; k++)
    if (!strcmp(dm_outputs_word(rows, of), linear[k])) return true;
  return false;
}

// The signal of the output row with this name: positions, and sums with one signal; -1: no such
// row; -2: not a single signal.
static int find_signal(const pb_joined *phase, const char *name) {
  const dm_output_map y = pb_robot_outputs(phase->robot);
  for (int i = 0; i < phase->robot->outputs.named; i++) {
    if (strcmp(dm_output_map_name(&y, i), name)) continue;
    if (!has_third_derivatives(phase->robot, i)) return -2;
    if (!y.first) return i;
    const dm_output_term *term = &y.term[y.first[i]];
    const bool one = y.first[i + 1] - y.first[i] == 1 && term->kind == DM_TERM_VALUE;
    return one && term->weight == 1 ? term->signal[0] : -2;
  }
  return -1;
}

// the names of all values of a phase: coordinates, then rows of outputs
static dm_status list_joined_values(const pb_reader *r, const pb_joined *phase, const char ***out,
                                    int *n) {
  const dm_output_map y = pb_robot_outputs(phase->robot);
  const int nq = phase->task->system.L.nq, ny = phase->robot->outputs.named;
  const char **list;
  PB_NEW(r->arena, list, nq + ny);
  for (int i = 0; i < nq; i++) list[i] = phase->task->coord_name[i];
  for (int i = 0; i < ny; i++) list[nq + i] = dm_output_map_name(&y, i);
  *out = list;
  *n = nq + ny;
  return DM_OK;
}

// a value of a phase by name: a coordinate, or a function
static dm_status find_joined_value(const pb_reader *r, const char *path, const pb_node *node,
                                   const char *name, const pb_joined *phase, const char *which,
                                   int *value) {
  char near[96];
  *value = find_joined_coordinate(phase, name);
  if (*value >= 0) return DM_OK;
  const int signal = find_signal(phase, name);
  *value = oc_join_function(signal);
  if (signal >= 0) return DM_OK;
  if (signal == -2)
    return pb_refuse_node(r, node,
                          "%s: '%.64s' is no function of the configuration with third derivatives, "
                          "expected a position, a height, an alignment, a centre "
                          "of mass or a sum",
                          path, name);
  const char **list;
  int n;
  DM_TRY(list_joined_values(r, phase, &list, &n));
  return pb_refuse_node(
      r, node, "%s: found '%.64s', expected a coordinate or a row of outputs of the phase %s%s",
      path, name, which, pb_did_you_mean(list, n, name, near));
}

// read `from` (after: coordinates of the later phase) or `into` (of the earlier one): the value of
// the other phase that each equals
static dm_status read_map(const pb_reader *r, const pb_node *map, bool after, const pb_joined *own,
                          const pb_joined *other, oc_join *join, oc_pair *pairs) {
  const char *path = after ? "join.from" : "join.into";
  if (!map) return DM_OK;
  if (map->kind != PB_MAPPING)
    return pb_refuse_node(r, map, "%s: expected a mapping from coordinates to outputs", path);
  for (const pb_node *e = map->first; e; e = e->next) {
    char near[96];
    int value;
    const int coord = find_joined_coordinate(own, e->key);
    if (coord < 0)
      return pb_refuse_key(
          r, e, "%s: found '%.64s', expected a coordinate of %s phase%s", path, e->key,
          after ? "this" : "the former",
          pb_did_you_mean(own->task->coord_name, own->task->system.L.nq, e->key, near));

    // remove the pairs with this coordinate on one side
    int kept = 0;
    for (int p = 0; p < join->npairs; p++)
      if ((after ? pairs[p].after : pairs[p].before) != coord) pairs[kept++] = pairs[p];
    join->npairs = kept;

    if (e->kind == PB_SCALAR && !strcmp(e->text, "free")) continue;
    DM_TRY(find_joined_value(r, path, e, e->text, other, after ? "before" : "itself", &value));
    pairs[join->npairs++] =
        (oc_pair){.before = after ? value : coord, .after = after ? coord : value};
  }
  return DM_OK;
}

// -- relabelling

// the coordinate of a phase named by `name` with the part `from` replaced by `to`, where that part is the whole
// name, its beginning or its end; -1: none
static int find_renamed(const pb_joined *phase, const char *name, const char *from,
                        const char *to) {
  char other[PB_NAME_MOST + 2];
  const size_t all = strlen(name), part = strlen(from);
  if (part > all || all - part + strlen(to) >= sizeof other) return -1;
  if (!strncmp(name, from, part)) {
    snprintf(other, sizeof other, "%s%s", to, name + part);
    const int i = find_joined_coordinate(phase, other);
    if (i >= 0) return i;
  }
  if (strcmp(name + all - part, from) != 0) return -1;
  snprintf(other, sizeof other, "%.*s%s", (int)(all - part), name, to);
  return find_joined_coordinate(phase, other);
}

// the pair of a coordinate of the phase after, or NULL
static oc_pair *find_pair(const oc_join *join, oc_pair *pairs, int after) {
  for (int p = 0; p < join->npairs; p++)
    if (pairs[p].after == after) return &pairs[p];
  return NULL;
}

static dm_status refuse_coordinate(const pb_reader *r, const char *path, const pb_node *node,
                                   const char *name, const pb_joined *phase) {
  char near[96];
  const int n = phase->task->system.L.nq;
  return pb_refuse_node(r, node, "%s: found '%.64s', expected a coordinate of this phase%s", path,
                        name, pb_did_you_mean(phase->task->coord_name, n, name, near));
}

// exchange the sources of all coordinates with one name and those with the other
static dm_status swap_names(const pb_reader *r, const pb_node *e, const pb_joined *before,
                            const pb_joined *after, const oc_join *join, oc_pair *pairs,
                            bool *swapped) {
  const char *path = "join.swap";
  if (e->kind != PB_SEQUENCE || e->n != 2 || e->first->kind != PB_SCALAR ||
      e->first->next->kind != PB_SCALAR)
    return pb_refuse_node(r, e, "%s: expected pairs of names: [[left, right]]", path);
  const char *a = e->first->text, *b = e->first->next->text;
  const char *const *name = after->task->coord_name;
  int count = 0;
  for (int j = 0; j < after->task->system.L.nq; j++) {
    const int other = find_renamed(after, name[j], a, b);
    if (other < 0 || other == j) continue;
    if (swapped[j] || swapped[other])
      return pb_refuse_node(r, e,
                            "%s: found '%.64s' twice, expected each coordinate once: values are "
                            "exchanged",
                            path, name[swapped[j] ? j : other]);
    swapped[j] = swapped[other] = true;
    count++;

    // both take the value of the other
    oc_pair *p = find_pair(join, pairs, j), *q = find_pair(join, pairs, other);
    if (!p || !q)
      return pb_refuse_node(r, e, "%s: found '%.64s', expected a coordinate of both phases", path,
                            name[p ? other : j]);
    p->before = find_joined_coordinate(before, name[other]);
    q->before = find_joined_coordinate(before, name[j]);
  }
  if (count) return DM_OK;
  if (!strcmp(a, b))
    return pb_refuse_node(r, e, "%s: found '%.64s' twice, expected two names", path, a);

  // the name that no coordinate has
  bool known = false;
  for (int j = 0; j < after->task->system.L.nq; j++) known |= strstr(name[j], a) != NULL;
  return refuse_coordinate(r, path, e, known ? b : a, after);
}

static dm_status read_swap(const pb_reader *r, const pb_node *node, const pb_joined *before,
                           const pb_joined *after, const oc_join *join, oc_pair *pairs) {
  bool *swapped;
  PB_NEW(r->arena, swapped, after->task->system.L.nq);
  for (const pb_node *e = node ? node->first : NULL; e; e = e->next)
    DM_TRY(swap_names(r, e, before, after, join, pairs, swapped));
  return DM_OK;
}

// the pair of the coordinate of this phase with a name
static dm_status find_named_pair(const pb_reader *r, const char *path, const pb_node *node,
                                 const char *name, const pb_joined *after, const oc_join *join,
                                 oc_pair *pairs, oc_pair **out) {
  const int i = find_joined_coordinate(after, name);
  if (i < 0) return refuse_coordinate(r, path, node, name, after);
  *out = find_pair(join, pairs, i);
  if (*out) return DM_OK;
  return pb_refuse_node(r, node, "%s: found '%.64s', which is free, expected one that continues",
                        path, name);
}

static dm_status read_mirror(const pb_reader *r, const pb_node *node, const pb_joined *after,
                             const oc_join *join, oc_pair *pairs) {
  for (const pb_node *e = node ? node->first : NULL; e; e = e->next) {
    oc_pair *pair;
    if (e->kind != PB_SCALAR)
      return pb_refuse_node(r, e, "join.mirror: expected a list of coordinates");
    DM_TRY(find_named_pair(r, "join.mirror", e, e->text, after, join, pairs, &pair));
    if (pair->mirrored)
      return pb_refuse_node(r, e, "join.mirror: found '%.64s' twice, expected it once", e->text);
    pair->mirrored = true;
  }
  return DM_OK;
}

// the value is set back by its travel
static dm_status read_join_travel(const pb_reader *r, const pb_node *node, bool periodic,
                                  const pb_joined *after, const oc_join *join, oc_pair *pairs) {
  const char *path = "join.travel";
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "%s: expected a mapping by coordinate", path);
  for (const pb_node *e = node->first; e; e = e->next) {
    oc_pair *pair;
    double range[2];
    DM_TRY(find_named_pair(r, path, e, e->key, after, join, pairs, &pair));
    DM_TRY(pb_travel_read(r, path, e, range));
    if (!periodic && join->law == OC_JOIN_VELOCITY && range[0] < range[1])
      return pb_refuse_node(
          r, e,
          "%s.%.64s: found a range, expected a number: without an impact the next "
          "phase cannot tell its place; or law: momentum",
          path, e->key);
    pair->low = -range[1];
    pair->high = -range[0];
  }
  return DM_OK;
}

// -- the join

// how gains before the join use those after it
static dm_status read_carry(const pb_reader *r, const pb_node *node, const char *word,
                            const pb_feedback *before, pb_carry *out) {
  const pb_node *gains = pb_node_get(node, "gains");
  *out = (pb_carry)dm_names_find(pb_carry_words, PB_CARRIES, word);
  if (gains && !before->Q && !before->second_variation)
    return pb_refuse_node(r, gains,
                          "join.gains: found %s, but the phase before has no section 'feedback', "
                          "expected one",
                          word);
  if (*out != PB_CARRY_ADDED || before->Qf) return DM_OK;
  return pb_refuse_node(r, gains,
                        "join.gains: found added, but the phase before has no weights in "
                        "feedback.Qf to add to, expected some");
}

// an impact needs something that is hit
static dm_status check_impact(const pb_reader *r, const pb_node *node, const oc_join *join,
                              const pb_joined *before, const pb_joined *after) {
  if (!before->touches || join->law != OC_JOIN_MOMENTUM || after->task->system.hol.nc) return DM_OK;
  return pb_refuse_node(r, node,
                        "join: found an impact without contact: the phase before ends at a touch, "
                        "but this phase has no 'model.constraints' to hold the foot; "
                        "expected constraints, contacts, or law: velocity");
}

// the word of a law; else an impact after a touch, unless the contacts of this phase take it
static oc_join_law find_law(const char *law, const pb_joined *before, const pb_joined *after) {
  const dm_system *s = &after->task->system;
  const bool hits = before->touches && (s->hol.nc > 0 || !s->contacts);
  const bool momentum = law ? !strcmp(law, "momentum") : hits;
  return momentum ? OC_JOIN_MOMENTUM : OC_JOIN_VELOCITY;
}

dm_status pb_join_read(pb_reader *r, const pb_node *phase, bool periodic, const pb_joined *before,
                       const pb_joined *after, oc_join *out, pb_carry *carry) {
  const pb_node *node = pb_node_get(phase, "join");
  const pb_node *place = node ? node : phase;
  join_section s = {0};
  oc_pair *pairs;
  DM_TRY(pb_schema_read(r, "join", node, pb_join_keys, &s));
  if (periodic && pb_node_get(node, "gains"))
    return pb_refuse_key(r, pb_node_get(node, "gains"),
                         "join.gains: found it in the first phase, expected it in later ones: the "
                         "last phase has its own feedback.Qf");
  DM_TRY(read_carry(r, node, periodic ? "separate" : s.gains, before->feedback, carry));

  // pair coordinates with equal names, then apply the explicit pairs
  const int n = before->task->system.L.nq, m = after->task->system.L.nq;
  PB_NEW(r->arena, pairs, n + 2 * m);
  *out = (oc_join){.law = find_law(s.law, before, after),
                   .pairs = pairs,
                   .npairs = oc_phases_pair(before->task, after->task, pairs),
                   .before = pb_robot_outputs(before->robot).s,
                   .after = pb_robot_outputs(after->robot).s};
  DM_TRY(read_swap(r, s.swap, before, after, out, pairs));
  DM_TRY(read_map(r, s.from, true, after, before, out, pairs));
  DM_TRY(read_map(r, s.into, false, before, after, out, pairs));
  DM_TRY(read_mirror(r, s.mirror, after, out, pairs));
  DM_TRY(read_join_travel(r, s.travel, periodic, after, out, pairs));
  DM_TRY(check_impact(r, place, out, before, after));

  // functions that are not used need no derivatives
  bool uses[2] = {false, false};
  for (int p = 0; p < out->npairs; p++) {
    uses[0] |= pairs[p].before < 0;
    uses[1] |= pairs[p].after < 0;
  }
  if (!uses[0]) out->before.nc = 0;
  if (!uses[1]) out->after.nc = 0;

  dm_message why = {""};
  const dm_status status = oc_join_check(out, before->task, after->task, &why);
  return status == DM_OK ? DM_OK : pb_refuse_node(r, place, "join: %s", why.text);
}
