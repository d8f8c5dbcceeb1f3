#include "problems/readers/task/formula_limits.h"

#include "problems/readers/format/definitions.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/task/span.h"

#include <math.h>
#include <stdio.h>

typedef struct constraint_section {
  const pb_node *formula, *within, *at, *from, *to;
} constraint_section;

const pb_key pb_formula_limit_keys[] = {
    PB_KEY(constraint_section, formula, .type = PB_NODE, .also = "expression",
           .words = "expression", .absent = PB_REQUIRED,
           .about = "Expression, as in `outputs[].formula`"),
    PB_KEY(constraint_section, within, .type = PB_NODE, .also = "bounds range limits",
           .absent = PB_REQUIRED, .words = "value or [low, high]",
           .about = "Its value, or its range; a limit may be `none`"),
    PB_SPAN_KEYS(constraint_section),
    {0}};

static dm_status read_constraint(pb_reader *r, const pb_node *node, const pb_robot *robot,
                                 const oc_task *task, oc_output_limit *out) {
  constraint_section s = {0};
  pb_output_rows rows;
  double range[2];
  char path[PB_NAME_MOST + 16], where[PB_NAME_MOST + 32];
  snprintf(path, sizeof path, "constraints.%.*s", PB_NAME_MOST, node->key);
  DM_TRY(pb_schema_read(r, path, node, pb_formula_limit_keys, &s));
  DM_TRY(pb_span_read(r, task, path, s.at, s.from, s.to, &out->at));
  snprintf(where, sizeof where, "%s.within", path);
  DM_TRY(pb_definitions_range(r, where, s.within, range));
  if (isinf(range[0]) && isinf(range[1]))
    return pb_refuse_node(r, s.within, "%s: found no limit, expected one or two", where);
  DM_TRY(pb_output_rows_find(r, robot, path, node, node->key, 0, robot->outputs.named, &rows));
  out->output = rows.first;
  out->low = range[0];
  out->high = range[1];
  return DM_OK;
}

dm_status pb_formula_limits_read(pb_reader *r, const pb_node *constraints, const pb_robot *robot,
                                 const oc_task *task, oc_output_limit *limit, int *n) {
  char found[64];
  if (!constraints) return DM_OK;
  if (constraints->kind != PB_MAPPING)
    return pb_refuse_node(r, constraints, "constraints: found %s, expected sections by name",
                          pb_node_describe(constraints, found));
  for (const pb_node *e = constraints->first; e; e = e->next) {
    limit[*n] = (oc_output_limit){0};
    DM_TRY(read_constraint(r, e, robot, task, &limit[(*n)++]));
  }
  return DM_OK;
}
