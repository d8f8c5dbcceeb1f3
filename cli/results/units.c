#include "cli/results/units.h"

#include "cli/results/tables.h"
#include "problems/readers/task/units.h"

#include <stdlib.h>

void cli_units_put(cli_json *result, const pb_problem *p) {
  if (!p->model) return;
  cli_json *units = cli_json_object(result, "units");
  for (const char *at = "qvpu"; *at; at++) {
    const char key[] = {*at, 0};
    cli_json *o = cli_json_object(units, key);
    const char *unit;
    for (int i = 0; (unit = pb_problem_unit(p, *at, i)); i++) {
      // stored under the column name
      const char *name = *at == 'u' ? p->names.input[i] : p->model->name[i];
      char *column = cli_column_name(name);
      if (column) cli_json_text(o, column, unit);
      free(column);
    }
  }
}
