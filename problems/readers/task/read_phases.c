#include "problems/readers/task/read_phases.h"

#include "lib/base/names.h"
#include "optim/program/phases.h"

#include <math.h>
#include <string.h>

const char *const pb_carry_words[PB_CARRIES] = {"carried", "added", "separate"};

typedef struct join_section {
  const char *law, *gains;
  const pb_node *from, *into;
} join_section;

static const pb_key join_keys[] = {
    PB_KEY(join_section, law, .type = PB_WORD, .absent = "velocity", .words = "velocity momentum",
           .about = "Quantity that is continuous at the join"),
    PB_KEY(join_section, gains, .type = PB_WORD, .absent = "carried",
           .words = "carried added separate",
           .about = "Final weight of the phase before: the cost-to-go of this phase, that plus "
                    "`feedback.Qf`, or `feedback.Qf` alone"),
    PB_KEY(join_section, from, .type = PB_NODE, .note = "the same coordinate",
           .words = "output, coordinate or free, by coordinate",
           .about = "Coordinates of this phase, each with its source in the phase before: an "
                    "output row, another coordinate, or `free`"),
    PB_KEY(join_section, into, .type = PB_NODE, .note = "the same coordinate",
           .words = "output, coordinate or free, by coordinate",
           .about = "Coordinates of the phase before, each with its target in this phase"),
    {0}};

typedef struct phase_section {
  const char *name;
  const pb_node *join;
} phase_section;

const pb_key pb_phase_keys[] = {
    PB_KEY(phase_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Name of the phase and its folder: letters, digits, `_` and `-`"),
    PB_KEY(phase_section, join, .type = PB_NODE, .words = "section", .sub = join_keys,
           .about = "How a phase begins after the phase before it"),
    {0}};

// -- the tree of one phase

// remove the entry of a key from a mapping
static void drop_section_entry(pb_node *map, const char *key) {
  for (pb_node **at = &map->first; *at; at = &(*at)->next) {
    if (strcmp((*at)->key, key)) continue;
    *at = (*at)->next;
    map->n--;
    return;
  }
}

// insert a copy of an entry, replacing the entry of the same key, or at the end
static dm_status put_section_entry(const pb_reader *r, pb_node *map, const pb_node *entry) {
  pb_node *copy;
  pb_node **at = &map->first;
  PB_NEW(r->arena, copy, 1);
  *copy = *entry;
  while (*at && strcmp((*at)->key, entry->key)) at = &(*at)->next;
  map->n += *at ? 0 : 1;
  copy->next = *at ? (*at)->next : NULL;
  *at = copy;
  return DM_OK;
}

// merge one section of a phase into the file's
static dm_status put_section(const pb_reader *r, pb_node *root, const pb_node *section) {
  pb_node *own = (pb_node *)pb_node_get(root, section->key);
  if (!own || own->kind != PB_MAPPING || section->kind != PB_MAPPING)
    return put_section_entry(r, root, section);
  for (const pb_node *e = section->first; e; e = e->next) DM_TRY(put_section_entry(r, own, e));
  return DM_OK;
}

// insert `key: word` unless the mapping has the key; messages show the position of the mapping
static dm_status put_word(const pb_reader *r, pb_node *map, const char *key, const char *word) {
  const pb_node entry = {.text = word,
                         .key = key,
                         .line = map->line,
                         .column = map->column,
                         .key_line = map->line,
                         .key_column = map->column};
  return pb_node_get(map, key) ? DM_OK : put_section_entry(r, map, &entry);
}

// leave entries free that a later phase's start omits: they follow from the previous phase
static dm_status open_start(const pb_reader *r, pb_node *root, const pb_node *phase) {
  const pb_node empty = {.kind = PB_MAPPING,
                         .text = "",
                         .key = "start",
                         .line = phase->line,
                         .column = phase->column,
                         .key_line = phase->line,
                         .key_column = phase->column};
  if (!pb_node_get(root, "start")) DM_TRY(put_section_entry(r, root, &empty));
  pb_node *start = (pb_node *)pb_node_get(root, "start");
  if (start->kind != PB_MAPPING || pb_node_get(start, "held")) return DM_OK;
  // a configuration that is not given is not projected onto constraints: the phase before satisfies
  // them
  if (!pb_node_get(start, "q")) DM_TRY(put_word(r, start, "assemble", "none"));
  DM_TRY(put_word(r, start, "q", "free"));
  return put_word(r, start, "v", "free");
}

static const pb_node *find_phase(const pb_node *phases, const char *name) {
  for (const pb_node *e = phases->first; e; e = e->next) {
    const pb_node *own = pb_node_get(e, "name");
    if (own && !strcmp(own->text, name)) return e;
  }
  return NULL;
}

// remove keys that apply only to the end of the last phase: goal, hold and tolerance
static void drop_end(pb_node *root) {
  static const char *const part[][2] = {{"feedback", "hold"}, {"verify", "tolerance"}};
  drop_section_entry(root, "goal");
  for (int i = 0; i < 2; i++) {
    pb_node *section = (pb_node *)pb_node_get(root, part[i][0]);
    if (section && section->kind == PB_MAPPING) drop_section_entry(section, part[i][1]);
  }
}

// keys of the whole file
enum { WHOLE = 3 };
static const char *const of_file[WHOLE] = {"phases", "phase", "total_time"};

dm_status pb_phases_choose(pb_reader *r, const pb_node *tree) {
  pb_node *root = (pb_node *)tree; // the tree belongs to this reader
  const pb_node *phases = pb_node_get(root, "phases"), *chosen = pb_node_get(root, "phase");
  const char **names;
  if (!chosen) return DM_OK;
  if (!phases) return pb_refuse_key(r, chosen, "found 'phase' but no 'phases', expected both");
  DM_TRY(pb_phases_names(r, phases, &names));
  const pb_node *phase = find_phase(phases, chosen->text);
  char near[96];
  if (!phase)
    return pb_refuse_node(r, chosen, "phase: found '%.64s', expected the name of a phase%s",
                          chosen->text, pb_did_you_mean(names, phases->n, chosen->text, near));

  // the file's start belongs to the first phase, its goal to the last one
  r->phase = chosen->text;
  r->goes_on = phase->next != NULL;
  if (phase != phases->first) drop_section_entry(root, "start");
  if (phase->next) drop_end(root);
  for (const pb_node *e = phase->first; e; e = e->next) {
    for (int i = 0; i < WHOLE; i++)
      if (!strcmp(e->key, of_file[i]))
        return pb_refuse_key(r, e, "found '%s' in a phase, expected it in the file itself", e->key);
    if (strcmp(e->key, "name") && strcmp(e->key, "join")) DM_TRY(put_section(r, root, e));
  }
  if (phase != phases->first) DM_TRY(open_start(r, root, phase));

  for (int i = 0; i < WHOLE; i++) drop_section_entry(root, of_file[i]);
  const pb_node *horizon = pb_node_get(root, "horizon"), *error = pb_node_get(horizon, "error");
  if (!horizon)
    return pb_refuse_node(r, phase, "found no 'horizon', expected one, here or of the file");
  if (error && strcmp(error->text, "none"))
    return pb_refuse_node(r, error,
                          "horizon.error: found one beside 'phases', expected none: their error is "
                          "measured, and nothing done about it");
  return DM_OK;
}

// -- the list of phases

// whether a name can be the name of a subfolder of results
static bool is_phase_name(const char *name) {
  static const char *const taken[] = {"inputs", "unfinished"};
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int i = 0; i < 2; i++)
    if (!strcmp(name, taken[i])) return false;
  return name[0] && name[0] != '-' && strlen(name) < 48 && strspn(name, letters) == strlen(name);
}

dm_status pb_phases_names(const pb_reader *r, const pb_node *phases, const char ***out) {
  const char **names;
  int n = 0;
  if (phases->kind != PB_SEQUENCE || phases->n < 1)
    return pb_refuse_node(r, phases, "phases: expected a list of at least one phase");
  PB_NEW(r->arena, names, phases->n);
  for (const pb_node *e = phases->first; e; e = e->next) {
    if (e->kind != PB_MAPPING)
      return pb_refuse_node(r, e, "phases: expected a mapping: {name: ..., horizon: ..., ...}");
    const pb_node *name = pb_node_get(e, "name");
    if (!name) return pb_refuse_node(r, e, "phases: found no 'name', expected one");
    if (name->kind != PB_SCALAR || !is_phase_name(name->text))
      return pb_refuse_node(r, name,
                            "phases.name: found '%.40s', expected letters, digits, '_' and '-', "
                            "and neither 'inputs' nor 'unfinished': it names a folder",
                            name->text);
    for (int i = 0; i < n; i++)
      if (!strcmp(names[i], name->text))
        return pb_refuse_node(r, name, "phases.name: found '%s' twice, expected every name once",
                              name->text);
    names[n++] = name->text;
    if (n == 1 && pb_node_get(e, "join"))
      return pb_refuse_key(r, pb_node_get(e, "join"),
                           "found 'join' in the first phase, expected it in those after it");
  }
  *out = names;
  return DM_OK;
}

dm_status pb_phases_check(const pb_reader *r, const pb_node *root, const pb_sections *s) {
  const pb_node *idle[] = {s->starts, s->simulate, s->balance, s->design};
  for (int i = 0; i < 4; i++)
    if (idle[i])
      return pb_refuse_key(r, idle[i], "found '%s' beside 'phases', expected one of them",
                           idle[i]->key);
  if (strcmp(s->transcription, "first-order"))
    return pb_refuse_key(r, pb_node_get(root, "transcription"),
                         "transcription: found %s beside 'phases', expected first-order",
                         s->transcription);
  return DM_OK;
}

dm_status pb_total_time_read(const pb_reader *r, const pb_node *node, bool *limited,
                             double range[2]) {
  *limited = node != NULL;
  if (!node) return DM_OK;
  if (node->kind == PB_SCALAR) {
    DM_TRY(pb_schema_number(r, "total_time", node, "> 0", &range[0]));
    range[1] = range[0];
    return DM_OK;
  }
  DM_TRY(pb_schema_list(r, "total_time", node, 2, range));
  if (range[0] >= 0 && range[0] <= range[1] && range[1] > 0) return DM_OK;
  return pb_refuse_node(r, node, "total_time: found [%g, %g], expected 0 <= low <= high", range[0],
                        range[1]);
}

dm_status pb_total_time_check(const pb_reader *r, const pb_node *node, const double range[2], int n,
                              const oc_task *const *task) {
  double low = 0, high = 0;
  for (int i = 0; i < n; i++) {
    low += task[i]->time.free ? task[i]->time.min : task[i]->time.T;
    high += task[i]->time.free ? task[i]->time.max : task[i]->time.T;
  }
  if (low <= range[1] * (1 + 1e-9) && high >= range[0] * (1 - 1e-9)) return DM_OK;
  return pb_refuse_node(r, node,
                        "total_time: found [%g, %g] s, but the phases take %g to %g s together",
                        range[0], range[1], low, high);
}

dm_status pb_phases_check_costs(pb_reader *r, const pb_node *root, const pb_node *phases,
                                const oc_task *const *task) {
  const pb_node *phase = phases->first;
  for (int i = 0; i < phases->n; i++, phase = phase->next) {
    if (task[i]->per.of == OC_PER_MOTION) continue;
    const pb_node *own = pb_node_get(pb_node_get(phase, "cost"), "per");
    const pb_node *all = pb_node_get(pb_node_get(root, "cost"), "per");
    r->phase = pb_node_get(phase, "name")->text;
    return pb_refuse_key(r, own ? own : all,
                         "cost.per: found it beside 'phases', expected a cost of each motion: a "
                         "cost per second or per way is of one");
  }
  return DM_OK;
}

dm_status pb_phases_check_samples(const pb_reader *r, const pb_node *phases, int n,
                                  const pb_verification *const *of) {
  const pb_node *phase = phases->first;
  for (int i = 1; i < n; i++) {
    const pb_verification *a = of[0], *b = of[i];
    phase = phase->next;
    if (!a || !b || (a->samples == b->samples && a->seed == b->seed)) continue;
    return pb_refuse_node(
        r, phase,
        "verify: found %d samples of seed %llu, and in the first phase %d of seed "
        "%llu, expected the same: they go from phase to phase",
        b->samples, (unsigned long long)b->seed, a->samples, (unsigned long long)a->seed);
  }
  return DM_OK;
}

// -- joins

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

dm_status pb_join_read(pb_reader *r, const pb_node *phase, const pb_joined *before,
                       const pb_joined *after, oc_join *out, pb_carry *carry) {
  const pb_node *node = pb_node_get(phase, "join");
  join_section s = {0};
  oc_pair *pairs;
  DM_TRY(pb_schema_read(r, "join", node, join_keys, &s));
  DM_TRY(read_carry(r, node, s.gains, before->feedback, carry));

  // pair coordinates with equal names, then apply the explicit pairs
  const int n = before->task->system.L.nq, m = after->task->system.L.nq;
  PB_NEW(r->arena, pairs, n + 2 * m);
  *out = (oc_join){.law = strcmp(s.law, "momentum") ? OC_JOIN_VELOCITY : OC_JOIN_MOMENTUM,
                   .pairs = pairs,
                   .npairs = oc_phases_pair(before->task, after->task, pairs),
                   .before = pb_robot_outputs(before->robot).s,
                   .after = pb_robot_outputs(after->robot).s};
  DM_TRY(read_map(r, s.from, true, after, before, out, pairs));
  DM_TRY(read_map(r, s.into, false, before, after, out, pairs));

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
  return status == DM_OK ? DM_OK : pb_refuse_node(r, node ? node : phase, "join: %s", why.text);
}
