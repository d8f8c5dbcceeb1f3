#include "cli/commands/model_inputs.h"

#include <math.h>
#include <stdio.h>

cli_json *cli_describe_input(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree;
  int coord = m->input_coord[i];
  cli_json *o = json_object_new_object();
  cli_json_text(o, "name", m->input_name[i]);
  // a load acts on bodies, not on a coordinate
  cli_json_text(o, "coordinate", coord < 0 ? NULL : m->name[coord]);
  cli_json_text(o, "unit", pb_robot_unit(robot, i));
  cli_json_number(o, "u_min", m->u_min[i]);
  cli_json_number(o, "u_max", m->u_max[i]);
  const dm_drive_limits *d = &robot->drives;
  if (i >= d->n) return o;
  if (d->slope[i] > 0) cli_json_number(o, "stall", d->stall[i]);
  if (d->slope[i] > 0) cli_json_number(o, "no_load_speed", d->stall[i] / d->slope[i]);
  if (isfinite(d->rate[i])) cli_json_number(o, "rate", d->rate[i]);
  if (d->lag[i] > 0) cli_json_number(o, "lag", d->lag[i]);
  return o;
}

void cli_print_input(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree;
  int coord = m->input_coord[i];
  printf("input %s", m->input_name[i]);
  if (coord >= 0) printf(" on %s", m->name[coord]);
  const char *unit = pb_robot_unit(robot, i);
  printf(", %g .. %g %s", m->u_min[i], m->u_max[i], unit);
  const dm_drive_limits *d = &robot->drives;
  if (i < d->n && d->slope[i] > 0)
    printf(", line from %g %s at rest to 0 at %g %s", d->stall[i], unit, d->stall[i] / d->slope[i],
           m->length[coord] ? "m/s" : "rad/s");
  if (i < d->n && isfinite(d->rate[i])) printf(", %g %s/s", d->rate[i], unit);
  if (i < d->n && d->lag[i] > 0) printf(", lag %g s", d->lag[i]);
  printf("\n");
}
