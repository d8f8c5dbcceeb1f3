#include "problems/readers/task/read_contact_plan.h"

#include "problems/readers/task/contact_ends.h"
#include "problems/readers/task/foresight.h"
#include "problems/readers/task/read_options.h"
#include "problems/readers/task/read_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "contact 'foot'", "friction of 'elbow'": the first of them, for messages
static const char *describe(const dm_system *system, char text[120]) {
  const dm_contact_law *law = system->contacts->law;
  snprintf(text, 120, law->gap >= 0 ? "the contact '%.64s'" : "dry friction of '%.64s'", law->name);
  return text;
}

// does a simulation use the map of plans?
static bool is_stepped(const pb_sections *s) {
  const pb_node *method = pb_node_get(s->simulate, "method");
  return method && method->kind == PB_SCALAR && !strcmp(method->text, "knot");
}

// without a horizon, contacts are simulated, and dry friction by the method knot alone
static dm_status check_simulated(const pb_reader *r, const pb_sections *s, const dm_robot *robot) {
  const pb_node *others[] = {s->balance, s->feedback, s->verify};
  for (int i = 0; robot->contacts && i < 3; i++)
    if (others[i])
      return pb_refuse_key(r, others[i],
                           "found '%s' beside model.contacts, expected 'simulate' or 'horizon' "
                           "alone",
                           others[i]->key);
  const dm_joint_forces *f = robot->joint[DM_JOINT_FRICTION];
  for (int i = 0; i < dm_joint_forces_count(f) && !is_stepped(s); i++)
    if (dm_joint_forces_get(f, i)->planned)
      return pb_refuse_node(r, pb_node_get(s->model, "friction"),
                            "model.friction: found dry friction of '%.64s', expected a speed "
                            "(smooth), or 'simulate: {method: knot}': other steps have no dry "
                            "friction",
                            dm_joint_forces_get(f, i)->name);
  return DM_OK;
}

// A key of a section, and the values that plans through contact can have.
typedef struct barred_key {
  const char *key, *allowed, *why;
} barred_key;

// Refuse values of keys in a section.
static dm_status check_keys(const pb_reader *r, const pb_node *section, const barred_key *barred,
                            size_t n, const dm_system *system) {
  char text[120];
  for (size_t i = 0; section && i < n; i++) {
    const pb_node *node = pb_node_get(section, barred[i].key);
    const bool is_word = node && node->kind == PB_SCALAR;
    const bool zero = is_word && !strcmp(barred[i].allowed, "0") && strtod(node->text, NULL) == 0;
    if (!node || zero || (is_word && strstr(barred[i].allowed, node->text))) continue;
    return pb_refuse_key(r, node, "%s.%s: found %.64s beside %s, expected %s: %s", section->key,
                         node->key, is_word ? node->text : "a section", describe(system, text),
                         barred[i].allowed, barred[i].why);
  }
  return DM_OK;
}

// Does a contact act, or dry friction alone?
static bool has_gaps(const dm_contact_laws *laws) {
  for (int l = 0; l < laws->n; l++)
    if (laws->law[l].gap >= 0) return true;
  return false;
}

// values of `feedback` and `verify` that do not know contacts
static dm_status check_feedback(const pb_reader *r, const pb_sections *s, const dm_system *system) {
  static const char *const smooth =
      "between knots a joint that sticks has no gains; a speed in model.friction.smooth gives it "
      "some, and verify.joints: stick a plant that sticks";
  const bool dry = !has_gaps(system->contacts);
  const barred_key feedback[] = {
      {"measure", "state or velocity", dry ? smooth : "momenta change at the impulses of a knot"},
      {"rate", "none", dry ? smooth : "the contacts' states are those of the plan's steps"},
      {"schedule", "time", "the contacts' states are those of the plan's steps"},
      {"estimator", "none", "its model has no contacts"},
      {"hold", "0", "rest at contacts has no equilibrium of the smooth equations"}};
  static const barred_key verify[] = {
      {"plants", "own or exported", "MuJoCo's plant has no contacts"},
      {"criteria", "none", "their trials have no contacts"},
      {"limits", "fail or ignore", "stops are contacts of another plant"}};
  const pb_node *Q = s->feedback ? pb_node_get(s->feedback, "Q") : NULL;
  char text[120];
  if (Q && Q->kind == PB_SCALAR)
    return pb_refuse_key(r, Q,
                         "feedback.Q: found %.64s beside %s, expected a section: the second "
                         "variation does not know contacts",
                         Q->text, describe(system, text));
  const size_t keys = sizeof feedback / sizeof *feedback - dry;
  DM_TRY(check_keys(r, s->feedback, feedback, keys, system));
  return check_keys(r, s->verify, verify, sizeof verify / sizeof *verify, system);
}

// sections that plans through contact cannot have
static dm_status check_sections(const pb_reader *r, const pb_node *root, const pb_sections *s,
                                const dm_system *system) {
  char text[120];
  if (s->design)
    return pb_refuse_key(
        r, s->design,
        "found '%s' beside %s in a plan, expected none: "
        "parameters cannot be optimized with contacts or dry friction; for friction "
        "alone, set model.friction.smooth",
        s->design->key, describe(system, text));
  DM_TRY(check_feedback(r, s, system));
  if (strcmp(s->transcription, "first-order"))
    return pb_refuse_node(r, pb_node_get(root, "transcription"),
                          "transcription: found %s beside %s, expected first-order",
                          s->transcription, describe(system, text));
  return DM_OK;
}

// the last entry of a contact or of a joint's dry friction with this name, else the section
static const pb_node *find_entry(const pb_node *model, const char *name) {
  static const char *const keys[][2] = {{"contacts", "name"}, {"friction", "joint"}};
  const pb_node *found = model;
  for (int i = 0; i < 2; i++) {
    const pb_node *list = pb_node_get(model, keys[i][0]);
    for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
      const pb_node *own = e->kind == PB_MAPPING ? pb_node_get(e, keys[i][1]) : NULL;
      if (own && own->text && !strcmp(own->text, name)) found = own;
    }
  }
  return found;
}

// "foot", and of its tangents "foot.1", "foot.2"
static dm_status name_rows(pb_reader *r, const pb_node *model, const dm_contact_laws *laws,
                           pb_names *names) {
  const char **name;
  PB_NEW(r->arena, name, laws->rows.nc);
  names->nr = laws->rows.nc;
  names->contact = name;
  for (int i = 0, tangent = 0; i < laws->rows.nc; i++) {
    const char *of = laws->rows.row_name(laws->rows.self, i);
    const bool same = i > 0 && !strcmp(of, laws->rows.row_name(laws->rows.self, i - 1));
    tangent = same ? tangent + 1 : 0;
    char *text = pb_arena_alloc(r->arena, strlen(of) + 4, 1);
    if (!text) return DM_NO_MEMORY;
    snprintf(text, strlen(of) + 4, same ? "%s.%d" : "%s", of, tangent);
    for (int k = 0; k < i; k++)
      if (!strcmp(name[k], text))
        return pb_refuse_node(
            r, find_entry(model, text),
            "model: found '%.64s' as the name of a contact, which is also that of "
            "a tangent in results, expected another name",
            text);
    name[i] = text;
  }
  return DM_OK;
}

// every law needs a name of its own, as a key of results
static dm_status check_names(const pb_reader *r, const pb_sections *s,
                             const dm_contact_laws *laws) {
  for (int l = 1; l < laws->n; l++)
    for (int k = 0; k < l; k++)
      if (!strcmp(laws->law[k].name, laws->law[l].name))
        return pb_refuse_node(r, find_entry(s->model, laws->law[l].name),
                              "model: found '%.64s' as the name of two contacts, or of one and a "
                              "joint with dry friction, expected different names",
                              laws->law[l].name);
  return DM_OK;
}

// the entry of the contact that a message begins with, "contact 'NAME'"; or the list
static const pb_node *find_contact(const pb_node *model, const char *text) {
  const pb_node *list = pb_node_get(model, "contacts");
  char start[PB_NAME_MOST + 16];
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *name = pb_node_get(e, "name");
    if (!name || !name->text) continue;
    snprintf(start, sizeof start, "contact '%s'", name->text);
    if (!strncmp(text, start, strlen(start))) return e;
  }
  return list ? list : model;
}

// outputs of contacts, where impulses are unknown, and of rates in simulations
static dm_status refuse_outputs(const pb_reader *r, const pb_sections *s, const dm_output_map *y) {
  for (int i = 0; i < y->ny; i++) {
    if (dm_output_map_is_contact_rate(y, i))
      return pb_refuse_node(r, s->outputs,
                            "outputs: found '%.64s' of the rate of a force, expected it beside "
                            "'horizon': plans have rates, simulations forces",
                            dm_output_map_name(y, i));
    if (dm_output_map_is_contact(y, i) && !is_stepped(s))
      return pb_refuse_node(r, s->outputs,
                            "outputs: found '%.64s' of contacts, expected it beside 'horizon' or "
                            "'simulate: {method: knot}', which have impulses at knots",
                            dm_output_map_name(y, i));
  }
  return DM_OK;
}

dm_status pb_contact_plan_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                               const pb_robot *of, dm_robot_contact_laws **laws, dm_system *system,
                               pb_names *names) {
  const dm_robot *robot = &of->mechanism;
  const dm_output_map y = pb_robot_outputs(of);
  if (!s->horizon || s->simulate) DM_TRY(check_simulated(r, s, robot));
  if (!s->horizon) DM_TRY(refuse_outputs(r, s, &y));
  if (!s->horizon && !is_stepped(s)) return DM_OK;
  dm_message why = {""};
  const dm_status made = dm_robot_contact_laws_new(laws, robot, &why);
  if (made == DM_BAD_INPUT)
    return pb_refuse_node(r, find_contact(s->model, why.text), "model.contacts[]: %s", why.text);
  DM_TRY(made);
  system->contacts = dm_robot_contact_laws_get(*laws);
  if (!*laws) return DM_OK;
  DM_TRY(s->horizon ? check_sections(r, root, s, system) : check_feedback(r, s, system));
  DM_TRY(check_names(r, s, system->contacts));
  return name_rows(r, s->model, system->contacts, names);
}

dm_status pb_contact_plan_check(pb_reader *r, const pb_node *root, const pb_sections *s,
                                oc_task *task) {
  const dm_system *system = &task->system;
  const char *key = "";
  char who[120];
  if (!system->contacts) return DM_OK;
  const oc_unsupported no = {
      .running = 1u << OC_P, .goal = 1u << OC_P, .features = 1u << OC_RATIO | 1u << OC_PERIODIC};
  dm_message why = {""};
  if (oc_task_refuse(task, no, "a plan through contact",
                     "remove it, or the contacts and the friction", &key, &why) != DM_OK)
    return pb_refuse_node(r, pb_node_get(root, key[0] == 'g' ? "goal" : "cost"), "%s: %s",
                          key[0] == 'g' ? "goal" : "cost", why.text);
  if (pb_node_get(s->horizon, "error"))
    return pb_refuse_node(r, pb_node_get(s->horizon, "error"),
                          "horizon.error: found one beside %s, expected none: schedules differ "
                          "between grids",
                          describe(system, who));
  for (int k = 1; k < task->N; k++)
    if (oc_outputs_rated_at(&task->outputs, task->N, k))
      return pb_refuse_node(
          r,
          s->via      ? s->via
          : s->bounds ? s->bounds
                      : root,
          "found a condition on speeds at a knot (via, bounds.outputs) beside %s, expected one on "
          "positions: an impulse changes speeds at the knot",
          describe(system, who));
  DM_TRY(pb_contact_ends_check(r, root, s, task));
  return pb_foresee_friction(r, s, task);
}

dm_status pb_contact_schedule_read(pb_reader *r, const pb_sections *s, int knots,
                                   dm_robot_contact_laws *laws, oc_options *options) {
  const pb_node *file;
  const unsigned char *schedule;
  if (s->contact && !laws)
    return pb_refuse_key(r, s->contact,
                         "found 'contact', expected it in a plan with model.contacts or dry "
                         "friction, or beside 'simulate: {method: knot}'");
  const pb_node *epsilon = pb_node_get(s->contact, "epsilon");
  if (epsilon && !s->horizon)
    return pb_refuse_key(r, epsilon,
                         "contact.epsilon: found one without 'horizon', expected none: only the "
                         "schedule of a plan is searched for");
  DM_TRY(pb_contact_section_read(r, s->contact, options, &file));
  if (!file) return DM_OK;
  if (s->horizon && is_stepped(s))
    return pb_refuse_node(r, file,
                          "contact.schedule: found one beside 'horizon' and 'simulate: {method: "
                          "knot}', expected one of them, as each has knots of its own");
  if (s->horizon) knots = r->asked + 1; // those of the file, also when its grid is refined
  DM_TRY(pb_schedule_read(r, file, dm_robot_contact_laws_get(laws), knots, !s->horizon, &schedule));
  dm_robot_contact_laws_prescribe(laws, schedule, knots);
  return DM_OK;
}

dm_status pb_contact_phases_check(pb_reader *r, const pb_node *phases, const oc_task *const *task,
                                  const oc_options *const *of, oc_options *options) {
  const char *first = NULL;
  const pb_node *node = phases->first;
  for (int i = 0; i < phases->n; i++, node = node->next) {
    const dm_system *system = &task[i]->system;
    const double epsilon = of[i]->contact.epsilon;
    if (!system->contacts) continue;
    if (first && epsilon != options->contact.epsilon)
      return pb_refuse_node(r, node,
                            "contact.epsilon: found %g, and %g in phase '%.48s' before, expected "
                            "one value for all phases, whose schedules are searched together",
                            epsilon, options->contact.epsilon, first);
    if (!first) first = pb_node_get(node, "name")->text;
    options->contact.epsilon = epsilon;
  }
  return DM_OK;
}

// the law with this name, or NULL
static const dm_contact_law *find_law(const dm_contact_laws *laws, const char *name) {
  for (int l = 0; laws && l < laws->n; l++)
    if (!strcmp(laws->law[l].name, name)) return &laws->law[l];
  return NULL;
}

// Does the given schedule of a phase let the contact stick at all knots?
static bool always_sticks(const dm_contact_laws *laws, const char *name) {
  const dm_contact_law *law = find_law(laws, name);
  if (!law || law->gap < 0 || law->tangents < 1 || !laws->schedule) return false;
  for (int k = 0; k < laws->knots; k++)
    if (DM_LAW_STATE(laws->schedule[k * laws->n + (law - laws->law)]) != DM_LAW_STICKS)
      return false;
  return true;
}

// q_0 - q_N of a coordinate over all phases; false: a join exchanges or frees it
static bool find_shift(const oc_join *join, int n, int coord, double *shift) {
  *shift = 0;
  for (int i = 0; i < n; i++) {
    const oc_pair *pair = NULL;
    for (int p = 0; p < join[i].npairs && !pair; p++)
      if (join[i].pairs[p].after == coord) pair = &join[i].pairs[p];
    if (!pair || pair->before != coord || pair->mirrored || pair->low < pair->high) return false;
    *shift += pair->low;
  }
  return true;
}

// Does the shift of all coordinates move a tangent of a law? At positions without symmetry.
static dm_status find_moved(pb_reader *r, const dm_system *s, const dm_contact_law *law,
                            const double *shift, bool *moved) {
  const dm_holonomic *rows = &s->contacts->rows;
  const int n = s->L.nq;
  double *q, *at[2];
  PB_NEW(r->arena, q, n);
  for (int end = 0; end < 2; end++) PB_NEW(r->arena, at[end], rows->nc);
  void *scratch = pb_arena_alloc(r->arena, 1, rows->scratch + 64);
  if (!scratch) return DM_NO_MEMORY;
  for (int end = 0; end < 2; end++) {
    for (int i = 0; i < n; i++) q[i] = 0.3 + 0.1 * sin(1.7 * i + 1) + end * shift[i];
    DM_TRY(rows->eval(rows->self, scratch, q, at[end], NULL));
  }
  for (int t = 0; t < law->tangents; t++) {
    const int row = law->tangent[t];
    *moved |= fabs(at[1][row] - at[0][row]) > 1e-9 * (1 + fabs(at[0][row]));
  }
  return DM_OK;
}

dm_status pb_contact_gait_check(pb_reader *r, const oc_task *const *task, const oc_join *join,
                                int n) {
  const dm_system *s = &task[0]->system;
  double *shift;
  int most = 0;
  PB_NEW(r->arena, shift, s->L.nq);
  for (int i = 0; i < s->L.nq; i++) {
    if (!find_shift(join, n, i, &shift[i])) return DM_OK;
    if (fabs(shift[i]) > fabs(shift[most])) most = i;
  }
  for (int l = 0; s->contacts && l < s->contacts->n && shift[most] != 0; l++) {
    const dm_contact_law *law = &s->contacts->law[l];
    bool sticks = true, moved = false;
    for (int i = 0; i < n; i++) sticks &= always_sticks(task[i]->system.contacts, law->name);
    if (!sticks) continue;
    DM_TRY(find_moved(r, s, law, shift, &moved));
    if (moved)
      return pb_refuse_key(
          r, r->repeats,
          "join.travel: found %g of '%.64s', and a schedule in which the contact "
          "'%.64s' sticks at every knot, expected 0, or a knot at which it is open "
          "or slides: the gait cannot close",
          -shift[most], task[0]->coord_name[most], law->name);
  }
  return DM_OK;
}
