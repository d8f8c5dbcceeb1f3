#include "problems/readers/task/rolling_limits.h"

#include "lib/discrete/assembly.h"
#include "problems/readers/format/schema.h"

#include <math.h>
#include <string.h>

// a key of the file and, if it has one, the value that is refused
static const struct unsupported {
  const char *section, *key, *value, *instead;
} unsupported[] = {
    {"model", "contacts", NULL, "a motion without contacts"},
    {"rule", "lagrangian", "trapezoid gauss-2 simpson lobatto-3 lobatto-4", "midpoint"},
    {"simulate", "method", "energy-momentum itoh-abe variable knot", "gvi"},
    {"simulate", "constraints", NULL, "constraints in the middle of steps"},
    {"design", NULL, NULL, "parameters that are given"},
    {"identify", NULL, NULL, "a log of a robot whose wheels turn freely"},
    {"phases", NULL, NULL, "one motion without phases"},
    {"phase", NULL, NULL, "one motion without phases"},
    {"until", NULL, NULL, "a horizon"},
    {"mpc", NULL, NULL, "gains along the plan (feedback)"},
};
enum { UNSUPPORTED = sizeof unsupported / sizeof *unsupported };

// does a list of words contain a node's text?
static bool has_word(const char *words, const pb_node *node) {
  if (node->kind != PB_SCALAR) return false;
  const size_t size = strlen(node->text);
  for (const char *at = words; (at = strstr(at, node->text)) != NULL; at += size)
    if ((at == words || at[-1] == ' ') && (at[size] == ' ' || !at[size])) return true;
  return false;
}

static dm_status check_keys(const pb_reader *r, const pb_node *root) {
  for (const struct unsupported *u = unsupported; u < unsupported + UNSUPPORTED; u++) {
    const pb_node *node = pb_node_get(root, u->section);
    if (u->key) node = node ? pb_node_get(node, u->key) : NULL;
    if (!node || (u->value && !has_word(u->value, node))) continue;
    return pb_refuse_node(r, node, "%s%s%s: found %s beside rolling constraints, expected %s",
                          u->section, u->key ? "." : "", u->key ? u->key : "",
                          u->value ? node->text : "one", u->instead);
  }
  return DM_OK;
}

// a whole velocity that is given at an end must keep the rates of all constraints
static dm_status check_end(const pb_reader *r, const pb_node *node, const char *what,
                           const oc_task *task, const oc_end *end) {
  static const double DIGITS = 1e-6; // of the change: precision of numbers in a file
  const int n = task->system.L.nq;
  double *v, most = 0, off = 0;
  dm_message why = {""};
  if (!end->q || !end->v) return DM_OK;
  for (int i = 0; i < n; i++)
    if (!oc_given(end->q, i) || !oc_given(end->v, i)) return DM_OK;
  v = pb_arena_alloc(r->arena, (size_t)n, sizeof *v);
  if (!v) return DM_NO_MEMORY;
  memcpy(v, end->v, (size_t)n * sizeof *v);
  const dm_status s = dm_assembly_velocity(&task->system, end->q, v, &why);
  if (s == DM_NO_MEMORY) return s;
  if (s != DM_OK) return pb_refuse_node(r, node, "%s.v: %s", what, why.text);
  int worst = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(end->v[i]));
    if (fabs(v[i] - end->v[i]) > off) off = fabs(v[i] - end->v[i]), worst = i;
  }
  if (off <= DIGITS * most) return DM_OK;
  return pb_refuse_node(r, node,
                        "%s.v: the velocity violates the constraints; the nearest one that they "
                        "allow has %.6g for '%.64s', found %.6g",
                        what, v[worst], r->coord[worst], end->v[worst]);
}

dm_status pb_rolling_check(const pb_reader *r, const pb_node *root, const pb_sections *s,
                           const pb_robot *robot, const oc_task *task) {
  if (!task->system.hol.nv) return DM_OK;
  DM_TRY(check_keys(r, root));
  dm_message why = {""};
  if (dm_system_check(&task->system, &why) != DM_OK)
    return pb_refuse_node(r, s->rule ? s->rule : root, "rule: %s", why.text);
  if (task->system.contacts || robot->mechanism.contacts)
    return pb_refuse_node(r, pb_node_get(root, "model"),
                          "model: found contacts or dry friction that sticks beside rolling "
                          "constraints, expected none, or friction with `smooth`");
  if (!s->horizon) return DM_OK;
  DM_TRY(check_end(r, s->start ? s->start : root, "start", task, &task->start));
  return check_end(r, s->goal ? s->goal : root, "goal", task, &task->goal);
}
