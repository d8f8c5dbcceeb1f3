#include "cli/pictures/method_words.h"

#include <math.h>
#include <string.h>

// whether two rules evaluate L at the same points
static bool has_same_points(const dm_rule *a, const dm_rule *b) {
  bool same = a->points == b->points;
  for (int i = 0; same && i < a->points; i++)
    same = fabs(a->at[i] - b->at[i]) < 1e-12 && fabs(a->weight[i] - b->weight[i]) < 1e-12;
  return same;
}

// the rule's word; of the midpoint rule elsewhere with its place
static void say_rule(const dm_rule *rule, char *text, size_t size) {
  for (int i = 0; dm_lagrangian_rules[i].name; i++)
    if (has_same_points(rule, &dm_lagrangian_rules[i].rule)) {
      snprintf(text, size, "%s", dm_lagrangian_rules[i].name);
      return;
    }
  snprintf(text, size, "one point at %g", rule->at[0]);
}

const char *cli_method_say(const cli_exhibit *x, char *text, size_t size) {
  text[0] = 0;
  if (!x->folder) return text;
  const pb_problem *p = x->job.p;
  const bool simulated = cli_json_get_int(x->job.result, "every", 0) > 0;

  // of second order by the rule of L(q,v,a)
  if (p->transcription.second) {
    snprintf(text, size, "%s", p->transcription.action.rule.name);
    return text;
  }
  say_rule(&p->task.system.rule, text, size);
  if (!simulated) return text;

  // of a simulation what it does with the rule
  const size_t used = strlen(text);
  const char *contacts =
      cli_json_get_text(cli_json_get_object(x->job.result, "contacts"), "method");
  if (p->simulate.del.energy_momentum)
    snprintf(text, size, "energy-momentum");
  else if (contacts)
    snprintf(text + used, size - used, ", %s", contacts);
  else if (p->simulate.points.two)
    snprintf(text + used, size - used, ", two points");
  else if (p->simulate.order > 2)
    snprintf(text + used, size - used, ", order %d", p->simulate.order);
  return text;
}
