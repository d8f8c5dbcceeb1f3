#include "problems/readers/task/read_contact_plan.h"

#include "problems/readers/model/contacts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// "contact 'foot'", "friction of 'elbow'": the first of them, for messages
static const char *describe(const dm_system *system, char text[120]) {
  const dm_contact_law *law = system->contacts->law;
  snprintf(text, 120, law->gap >= 0 ? "the contact '%.64s'" : "dry friction of '%.64s'", law->name);
  return text;
}

// without a horizon, contacts are simulated, and dry friction is not
static dm_status check_simulated(const pb_reader *r, const pb_sections *s, const dm_robot *robot) {
  const pb_node *others[] = {s->balance, s->feedback, s->verify};
  for (int i = 0; robot->contacts && i < 3; i++)
    if (others[i])
      return pb_refuse_key(r, others[i],
                           "found '%s' beside model.contacts, expected 'simulate' or 'horizon' "
                           "alone",
                           others[i]->key);
  const dm_joint_forces *f = robot->joint[DM_JOINT_FRICTION];
  for (int i = 0; i < dm_joint_forces_count(f); i++)
    if (dm_joint_forces_get(f, i)->planned)
      return pb_refuse_node(r, pb_node_get(s->model, "friction"),
                            "model.friction: found dry friction of '%.64s' without a horizon, "
                            "expected a speed (smooth): only plans have dry friction",
                            dm_joint_forces_get(f, i)->name);
  return DM_OK;
}

// sections that plans through contact cannot have
static dm_status check_sections(const pb_reader *r, const pb_node *root, const pb_sections *s,
                                const dm_system *system) {
  const pb_node *others[] = {s->feedback, s->verify, s->design};
  char text[120];
  for (int i = 0; i < 3; i++)
    if (others[i])
      return pb_refuse_key(r, others[i],
                           "found '%s' beside %s in a plan, expected none: gains do not know "
                           "contacts and dry friction yet; for friction alone, a speed "
                           "(model.friction.smooth) makes it smooth",
                           others[i]->key, describe(system, text));
  if (r->phase)
    return pb_refuse_node(r, pb_node_get(root, "phases"),
                          "phases: found beside %s, expected one motion: a plan finds the changes "
                          "of its contacts itself",
                          describe(system, text));
  if (strcmp(s->transcription, "first-order"))
    return pb_refuse_node(r, pb_node_get(root, "transcription"),
                          "transcription: found %s beside %s, expected first-order",
                          s->transcription, describe(system, text));
  return DM_OK;
}

// "foot", and of its tangents "foot.1", "foot.2"
static dm_status name_rows(pb_reader *r, const dm_contact_laws *laws, pb_names *names) {
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
    name[i] = text;
  }
  return DM_OK;
}

dm_status pb_contact_plan_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                               const dm_robot *robot, dm_robot_contact_laws **laws,
                               dm_system *system, pb_names *names) {
  if (!s->horizon) return check_simulated(r, s, robot);
  DM_TRY(dm_robot_contact_laws_new(laws, robot, r->msg));
  system->contacts = dm_robot_contact_laws_get(*laws);
  if (!*laws) return DM_OK;
  DM_TRY(check_sections(r, root, s, system));
  return name_rows(r, system->contacts, names);
}

// the gaps of a given end [n], NAN if free
static dm_status check_end(const pb_reader *r, const pb_node *node, const char *word,
                           const dm_robot *robot, const dm_system *system, const double *q) {
  const dm_contacts *c = robot->contacts;
  for (int i = 0; q && i < system->L.nq; i++)
    if (isnan(q[i])) return DM_OK;
  if (!q || !c || !node) return DM_OK;
  return pb_contacts_check(r, node, word, c, dm_system_length(system, q), q);
}

dm_status pb_contact_plan_check(const pb_reader *r, const pb_node *root, const pb_sections *s,
                                const dm_robot *robot, const oc_task *task) {
  const dm_system *system = &task->system;
  const char *key = "";
  char who[120];
  if (!system->contacts) return DM_OK;
  const oc_unsupported no = {.running = 1u << OC_P, .goal = 1u << OC_P, .features = 1u << OC_RATIO};
  dm_message why = {""};
  if (oc_task_refuse(task, no, "a plan through contact", "use a cost of the motion, on velocities",
                     &key, &why) != DM_OK)
    return pb_refuse_node(r, pb_node_get(root, "cost"), "cost: %s", why.text);
  for (int k = 1; k < task->N; k++)
    if (oc_outputs_rated_at(&task->outputs, task->N, k))
      return pb_refuse_node(r, s->via,
                            "via: found a condition on speeds at a knot beside %s, expected one on "
                            "positions: an impulse changes speeds at the knot",
                            describe(system, who));
  DM_TRY(check_end(r, s->start, "start", robot, system, task->start.q));
  return check_end(r, s->goal, "goal", robot, system, task->goal.q);
}
