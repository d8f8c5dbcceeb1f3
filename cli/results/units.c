#include "cli/results/units.h"

#include "cli/results/tables.h"
#include "problems/readers/task/units.h"

#include <stdlib.h>

// stored under the column name
static void put_unit(cli_json *o, const char *name, const char *unit) {
  char *column = cli_column_name(name);
  if (column) cli_json_text(o, column, unit);
  free(column);
}

static void put_units_of(cli_json *units, const pb_problem *p, char what) {
  const char key[] = {what, 0};
  cli_json *o = cli_json_object(units, key);
  const char *unit;
  for (int i = 0; (unit = pb_problem_unit(p, what, i)); i++)
    put_unit(o, what == 'u' ? p->names.input[i] : p->model->name[i], unit);
}

void cli_units_put(cli_json *result, const pb_problem *p) {
  if (!p->model) return;
  cli_json *units = cli_json_object(result, "units");
  for (const char *at = "qvpu"; *at; at++) put_units_of(units, p, *at);
}
