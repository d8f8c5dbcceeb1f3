#include "cli/stages/touch.h"

#include "cli/console/log.h"
#include "lib/base/block.h"
#include "problems/readers/format/yaml.h"

#include <math.h>
#include <string.h>

// the output of the touch, in the task's outputs; -1: none
static int find_touch(const pb_problem *p) {
  const pb_node *name = pb_node_get(pb_node_get(p->file.tree, "until"), "touch");
  const oc_outputs *o = &p->task.outputs;
  for (int i = 0; name && i < o->nlimits; i++)
    if (!strcmp(oc_outputs_name(o, o->limits[i].output), name->text)) return o->limits[i].output;
  return -1;
}

void cli_report_missed_touch(const pb_problem *p, const char *phase, const dm_trajectory *x) {
  static const double met = 1e-6; // m
  const int touch = find_touch(p);
  const dm_output_map *y = &p->task.outputs.y;
  if (touch < 0 || !x) return;
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)y->ny, sizeof(double));
  dm_block_alloc(&b, 1, y->scratch);
  if (dm_block_new(&b) != DM_OK) return;
  double *value = dm_block_alloc(&b, (size_t)y->ny, sizeof *value);
  void *scratch = dm_block_alloc(&b, 1, y->scratch);

  // the gap at each knot
  double gap = NAN, least = INFINITY;
  for (int k = 0; k <= x->N; k++) {
    const dm_status s = dm_output_map_eval(y, scratch, x->q + k * x->n, NULL, value, NULL, NULL);
    gap = s == DM_OK || s == DM_NOT_FINITE ? value[touch] : NAN;
    least = fmin(least, gap);
  }
  dm_block_free(b.base);
  if (!(fabs(gap) > met)) return;
  cli_error("the gap '%s'%s%s does not close: it is %.3g m at the end, and at least %.3g m; try "
            "another guess, or allow the phase more time (horizon.time)",
            oc_outputs_name(&p->task.outputs, touch), phase ? " in " : "", phase ? phase : "", gap,
            least);
}
