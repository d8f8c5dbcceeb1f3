#include "problems/readers/task/read_phases.h"

#include "problems/readers/task/read_join.h"

#include <math.h>
#include <string.h>

typedef struct phase_section {
  const char *name;
  const pb_node *join;
} phase_section;

const pb_key pb_phase_keys[] = {
    PB_KEY(phase_section, name, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Name of the phase and its folder: letters, digits, `_` and `-`"),
    PB_KEY(phase_section, join, .type = PB_NODE, .words = "section", .sub = pb_join_keys,
           .about = "How a phase begins after the one before; in the first phase, after the last "
                    "one: a periodic motion"),
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
  DM_TRY(pb_phases_names(r, phases, &names, NULL));
  const pb_node *phase = find_phase(phases, chosen->text);
  char near[96];
  if (!phase)
    return pb_refuse_node(r, chosen, "phase: found '%.64s', expected the name of a phase%s",
                          chosen->text, pb_did_you_mean(names, phases->n, chosen->text, near));

  // the file's start belongs to the first phase, its goal to the last one
  r->phase = chosen->text;
  r->goes_on = phase->next != NULL;
  r->follows = phase != phases->first;
  r->repeats = pb_node_get(phases->first, "join");
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

dm_status pb_phases_names(const pb_reader *r, const pb_node *phases, const char ***out,
                          const int (**place)[2]) {
  const char **names;
  int n = 0, (*at)[2];
  if (phases->kind != PB_SEQUENCE || phases->n < 1)
    return pb_refuse_node(r, phases, "phases: expected a list of at least one phase");
  PB_NEW(r->arena, names, phases->n);
  PB_NEW(r->arena, at, phases->n);
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
    const pb_node *join = pb_node_get(e, "join");
    at[n][0] = join ? join->key_line : e->line;
    at[n][1] = join ? join->key_column : e->column;
    names[n++] = name->text;
  }
  *out = names;
  if (place) *place = (const int(*)[2])at;
  return DM_OK;
}

static bool has_contacts(const pb_node *section) {
  return pb_node_get(pb_node_get(section, "model"), "contacts") != NULL;
}

// keys of `verify` for a gait that is repeated; the ground of contacts may differ in any motion
static dm_status check_repeated(const pb_reader *r, const pb_node *root, const pb_node *section) {
  const pb_node *verify = pb_node_get(section, "verify");
  const pb_node *periods = pb_node_get(verify, "periods");
  const bool touched = has_contacts(root) || has_contacts(section);
  const pb_node *ground = touched ? NULL : pb_node_get(pb_node_get(verify, "errors"), "ground");
  if (!periods && !ground) return DM_OK;
  return pb_refuse_key(r, periods ? periods : ground,
                       "verify.%s: found one beside phases that do not repeat, expected a 'join' "
                       "in the first phase, which makes the motion periodic",
                       periods ? "periods" : "errors.ground");
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
  if (pb_node_get(s->phases->first, "join")) return DM_OK;
  for (const pb_node *phase = s->phases->first; phase; phase = phase->next)
    DM_TRY(check_repeated(r, root, phase));
  return check_repeated(r, root, root);
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
