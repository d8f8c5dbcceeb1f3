#include "cli/pictures/column_words.h"

#include "cli/pictures/sheet.h"
#include "lib/base/names.h"

#include <string.h>

// by the word before the first dot, whatever follows
static const struct {
  const char *word, *quantity, *unit;
} columns[] = {
    {"t", "time", "s"},
    {"k", "knot", ""},
    {"h", "step h", "s"},
    {"p", "momentum", "SI"},
    {"lambda", "impulse of a constraint", "SI"},
    {"energy", "energy", "J"},
    {"moment", "moment", "N m s"},
    {"momentum", "momentum", "N s"},
    {"residual", "residual at knots", ""},
    {"middle", "residual between knots", ""},
    {"alternating", "what alternates in the constraints", ""},
    {"constraint", "residual", ""},
    {"form", "symplectic form over its start", ""},
    {"impulse", "impulse", "N s"},
    {"friction", "impulse of friction", "N s"},
    {"time", "time", "s"},
    {"K", "gain", "SI"},
    {"error", "error", "SI"},
};

// the kind of the coordinate of that name; -1: there is none
static int find_kind(const cli_exhibit *x, const char *name) {
  const cli_names *names = &x->job.names;
  const int i = x->folder ? dm_names_find(names->coord, names->n, name) : -1;
  return i < 0 ? -1 : (int)x->job.p->model->kind[i];
}

// of a force its own; of a prescribed coordinate that of the coordinate
static cli_column_words say_input(const cli_exhibit *x, const char *name) {
  const cli_names *names = &x->job.names;
  const int i = x->folder ? dm_names_find(names->input, names->nu, name) : -1;
  const int kind = find_kind(x, name);
  if (i >= 0 && i < x->job.task->system.nu)
    return (cli_column_words){"input", pb_robot_unit(&x->job.p->robot, i)};
  if (i >= 0 && kind >= 0) return (cli_column_words){"input", cli_sheet_kind((dm_kind)kind)->unit};
  return (cli_column_words){"input", "SI"};
}

cli_column_words cli_column_say(const cli_exhibit *x, const char *name) {
  const size_t length = strcspn(name, ".");
  const char *rest = name[length] ? name + length + 1 : "";
  const int kind = find_kind(x, rest);

  // of a coordinate or an input, by its kind
  if (length == 1 && *name == 'u') return say_input(x, rest);
  if (kind >= 0 && length == 1 && *name == 'q')
    return (cli_column_words){cli_sheet_kind((dm_kind)kind)->q,
                              cli_sheet_kind((dm_kind)kind)->unit};
  if (kind >= 0 && length == 1 && *name == 'v')
    return (cli_column_words){cli_sheet_kind((dm_kind)kind)->v,
                              cli_sheet_kind((dm_kind)kind)->rate};

  // of an output, in its unit
  const cli_names *names = &x->job.names;
  const int output = x->folder ? dm_names_find(names->output, names->ny, rest) : -1;
  if (output >= 0 && length == 1 && *name == 'y')
    return (cli_column_words){names->output[output],
                              dm_outputs_unit(x->job.p->robot.outputs.rows, output)};

  // of others by the table above
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (strlen(columns[i].word) == length && !strncmp(columns[i].word, name, length))
      return (cli_column_words){columns[i].quantity, columns[i].unit};
  return (cli_column_words){name, ""};
}
