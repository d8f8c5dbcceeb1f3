#include "problems/readers/model/output_names.h"

#include <stdio.h>
#include <string.h>

// whether a row's name begins with NAME and a dot
static bool is_row_of(const char *row, const char *name) {
  const size_t size = strlen(name);
  return !strncmp(row, name, size) && row[size] == '.';
}

pb_output_rows pb_output_rows_of(const pb_robot *robot, const char *name, int begin, int end) {
  const dm_output_map y = pb_robot_outputs(robot);
  pb_output_rows rows = {-1, 0};
  for (int i = begin; i < end; i++) {
    const char *row = dm_output_map_name(&y, i);
    if (strcmp(row, name) != 0 && !is_row_of(row, name)) continue;
    if (rows.first < 0) rows.first = i;
    rows.count++;
  }
  return rows;
}

dm_status pb_output_rows_find(const pb_reader *r, const pb_robot *robot, const char *path,
                              const pb_node *at, const char *name, int begin, int end,
                              pb_output_rows *out) {
  const dm_output_map y = pb_robot_outputs(robot);
  const char *what = begin ? "coordinate" : "output";
  const char **list;
  pb_node key = {.kind = PB_SCALAR, .line = at->key_line, .column = at->key_column};
  int none;
  *out = pb_output_rows_of(robot, name, begin, end);
  if (out->count > 0) return DM_OK;

  // unknown name: list the known ones and suggest the nearest
  PB_NEW(r->arena, list, end - begin);
  for (int i = begin; i < end; i++) list[i - begin] = dm_output_map_name(&y, i);
  key.text = name;
  return pb_schema_name(r, path, &key, what, list, end - begin, &none);
}

bool pb_output_rows_turn(const pb_robot *robot, pb_output_rows rows) {
  const dm_outputs *w = robot->outputs.rows;
  for (int i = 0; i < robot->outputs.n; i++)
    if (dm_outputs_row(w, i) == rows.first && rows.count == 3)
      return !strcmp(dm_outputs_word(w, i), "rotation");
  return false;
}

// whether some of these rows already have a number
static bool is_named_before(const pb_output_number *list, int n, pb_output_rows rows) {
  for (int i = 0; i < n; i++) {
    const pb_output_rows *had = &list[i].rows;
    if (rows.first < had->first + had->count && had->first < rows.first + rows.count) return true;
  }
  return false;
}

// the entry of one output: a number, or a list with one number per row
static dm_status read_output_number(const pb_reader *r, const pb_robot *robot, const char *path,
                                    const pb_node *e, pb_output_rows rows, const char *range,
                                    pb_output_number *list, int *n) {
  const dm_output_map y = pb_robot_outputs(robot);
  const bool by_row = e->kind == PB_SEQUENCE && rows.count > 1;
  if (by_row && e->n != rows.count)
    return pb_refuse_node(r, e,
                          "%s: found a list of %d, expected one number, or %d of them, one for "
                          "each row",
                          path, e->n, rows.count);
  const pb_node *value = by_row ? e->first : e;
  for (int i = 0; i < (by_row ? rows.count : 1); i++, value = value->next) {
    pb_output_number *to = &list[(*n)++];
    *to = (pb_output_number){e->key, rows, 0, value->line, value->column};
    if (by_row) to->rows = (pb_output_rows){rows.first + i, 1};
    if (by_row) to->name = dm_output_map_name(&y, rows.first + i);
    DM_TRY(pb_schema_number(r, path, value, range, &to->value));
  }
  return DM_OK;
}

dm_status pb_output_numbers_read(const pb_reader *r, const pb_robot *robot, const char *path,
                                 const pb_node *node, const char *range, pb_output_number **out,
                                 int *n) {
  const dm_output_map y = pb_robot_outputs(robot);
  char found[64], where[160];
  *n = 0;
  *out = NULL;
  if (!robot->outputs.named)
    return pb_refuse_key(
        r, node, "%s: found one, but the file has no 'outputs', which name what it is of", path);
  if (node->kind != PB_MAPPING || !node->first)
    return pb_refuse_node(r, node, "%s: found %s, expected a number by output", path,
                          pb_node_describe(node, found));

  // at most one number per row
  PB_NEW(r->arena, *out, robot->outputs.named);
  for (const pb_node *e = node->first; e; e = e->next) {
    pb_output_rows rows;
    snprintf(where, sizeof where, "%.90s.%.60s", path, e->key);
    DM_TRY(pb_output_rows_find(r, robot, path, e, e->key, 0, robot->outputs.named, &rows));
    if (dm_output_map_is_driven(&y, rows.first))
      return pb_refuse_key(
          r, e,
          "%s: found an output of inputs or contacts, expected one of a state: of places or speeds",
          where);
    if (is_named_before(*out, *n, rows))
      return pb_refuse_key(r, e,
                           "%s: found it named twice, expected a row once: by the output's name, "
                           "or by its own",
                           where);
    DM_TRY(read_output_number(r, robot, where, e, rows, range, *out, n));
  }
  return DM_OK;
}
