#include "problems/readers/task/task_formulas.h"

#include <stdio.h>

const char *pb_cost_formula_name(int i, char name[PB_COST_FORMULA_NAME]) {
  snprintf(name, PB_COST_FORMULA_NAME, "cost-%d", i + 1);
  return name;
}

dm_status pb_task_formulas_list(const pb_reader *r, const pb_node *constraints, const pb_node *cost,
                                pb_extra_formulas *out) {
  static const char *const words[] = {"minimize", "maximize"};
  static const char *const paths[] = {"cost.minimize", "cost.maximize"};
  const pb_node *outputs = pb_node_get(cost, "outputs");
  const pb_node *list = outputs && outputs->kind == PB_SEQUENCE ? outputs->first : NULL;
  pb_extra_formula *to;
  int i = 0;
  const bool named = constraints && constraints->kind == PB_MAPPING;
  PB_NEW(r->arena, to, (list ? outputs->n : 0) + (named ? constraints->n : 0) + 2);
  *out = (pb_extra_formulas){.list = to};
  for (const pb_node *e = named ? constraints->first : NULL; e; e = e->next) {
    const pb_node *node = e->kind == PB_MAPPING ? pb_node_get(e, "formula") : NULL;
    if (node) to[out->n++] = (pb_extra_formula){e->key, "constraints[].formula", node};
  }
  for (int k = 0; k < 2; k++) {
    const pb_node *node = pb_node_get(cost, words[k]);
    if (node) to[out->n++] = (pb_extra_formula){words[k], paths[k], node};
  }
  for (const pb_node *e = list; e; e = e->next, i++) {
    const pb_node *node = e->kind == PB_MAPPING ? pb_node_get(e, "formula") : NULL;
    char *name;
    if (!node) continue;
    PB_NEW(r->arena, name, PB_COST_FORMULA_NAME);
    pb_cost_formula_name(i, name);
    to[out->n++] = (pb_extra_formula){name, "cost.outputs[].formula", node};
  }
  return DM_OK;
}
