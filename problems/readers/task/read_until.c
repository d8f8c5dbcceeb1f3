#include "problems/readers/task/read_until.h"

#include "problems/readers/model/output_names.h"

#include <math.h>
#include <string.h>

typedef struct until_section {
  const char *touch, *clear;
} until_section;

const pb_key pb_until_keys[] = {
    PB_KEY(until_section, touch, .type = PB_TEXT, .also = "contact gap foot", .absent = PB_REQUIRED,
           .about = "The gap, an output of one row such as a `height`: it is 0 at the end"),
    PB_KEY(until_section, clear, .type = PB_WORD, .absent = "true", .words = "true false",
           .about = "`true`: the gap is >= 0 at all knots between both ends"),
    {0}};

// refuse another value of the same row at the end
static dm_status check_other_ends(const pb_reader *r, const pb_node *touch, int row,
                                  const oc_output_limit *limit, int n) {
  for (int i = 0; i < n; i++) {
    if (limit[i].output != row || limit[i].at.to < 1 || limit[i].low < limit[i].high) continue;
    return pb_refuse_node(r, touch,
                          "until.touch: found '%.64s', whose value at the end the file also gives "
                          "in goal, bounds or via, expected one of both",
                          touch->text);
  }
  return DM_OK;
}

dm_status pb_until_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                        const oc_task *task, oc_output_limit *limit, int *n) {
  until_section s = {0};
  pb_output_rows rows;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "until", node, pb_until_keys, &s));
  const pb_node *touch = pb_node_get(node, "touch");
  const dm_output_map y = pb_robot_outputs(robot);
  DM_TRY(
      pb_output_rows_find(r, robot, "until.touch", touch, s.touch, 0, robot->outputs.named, &rows));
  if (rows.count != 1)
    return pb_refuse_node(r, touch, "until.touch: found '%.64s' of %d rows, expected one: a gap",
                          s.touch, rows.count);
  if (dm_output_map_is_driven(&y, rows.first) || dm_output_map_is_rated(&y, rows.first))
    return pb_refuse_node(r, touch,
                          "until.touch: found '%.64s', which depends on speeds or inputs, expected "
                          "a function of positions: a gap, such as a height or a distance",
                          s.touch);
  DM_TRY(check_other_ends(r, touch, rows.first, limit, *n));

  // 0 at the end, open before
  const double step = 1. / task->N;
  limit[(*n)++] = (oc_output_limit){.output = rows.first, .at = {1, 1}};
  if (!strcmp(s.clear, "true") && task->N > 1)
    limit[(*n)++] =
        (oc_output_limit){.output = rows.first, .at = {step, 1 - step}, .low = 0, .high = INFINITY};
  return DM_OK;
}
