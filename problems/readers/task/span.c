#include "problems/readers/task/span.h"

#include "problems/readers/format/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the share of the steps that are over at a share of the time
static double find_share(const oc_task *task, double time) {
  const double *grid = task->time.grid;
  return grid ? dm_grid_find(grid, task->N, time * task->N) / task->N : time;
}

// a time as a share of the horizon's steps: seconds, 'X %', or 'knot K'
static dm_status read_moment(pb_reader *r, const oc_task *task, const char *path,
                             const pb_node *node, double *share) {
  const char *text = node->kind == PB_SCALAR ? node->text : "";
  char *rest, found[64];
  double x;

  // knot K of the file's grid
  if (!strncmp(text, "knot ", 5)) {
    const long k = strtol(text + 5, &rest, 10);
    if (rest == text + 5 || *rest || k < 0 || k > r->asked)
      return pb_refuse_node(r, node, "%s: found '%.40s', expected a knot from 0 to %d", path, text,
                            r->asked);
    *share = (double)k / r->asked;
    return DM_OK;
  }

  // a percentage
  const size_t length = strlen(text);
  if (length > 1 && text[length - 1] == '%') {
    x = strtod(text, &rest);
    while (*rest == ' ') rest++;
    if (strcmp(rest, "%") != 0 || !(x >= 0 && x <= 100))
      return pb_refuse_node(r, node, "%s: found '%.40s', expected a share from 0 %% to 100 %%",
                            path, text);
    *share = find_share(task, x / 100);
    return DM_OK;
  }

  // seconds, if the final time is known
  if (!*text || node->quoted || pb_number_parse(text, &x) == DM_BAD_INPUT)
    return pb_refuse_node(r, node,
                          "%s: found %s, expected a time in s, a share as '60 %%', or 'knot 30'",
                          path, pb_node_describe(node, found));
  if (task->time.free)
    return pb_refuse_node(r, node,
                          "%s: found a time where the final time is free, expected a share as '60 "
                          "%%', or 'knot 30'",
                          path);
  if (!(x >= 0 && x <= task->time.T * (1 + 1e-12)))
    return pb_refuse_node(r, node, "%s: found %g s, expected a time from 0 to %g", path, x,
                          task->time.T);
  *share = find_share(task, fmin(x / task->time.T, 1));
  return DM_OK;
}

// warn about a time between knots, for which the nearest knot is used
static dm_status warn_between(pb_reader *r, const oc_task *task, const char *path,
                              const pb_node *node, double share) {
  const double k = share * task->N, nearest = round(k);
  if (fabs(k - nearest) < 1e-6) return DM_OK;
  if (task->time.free) // the time is found by the search
    return pb_warn(r, r->file, node->line,
                   "%s: no knot is there: the nearest, knot %g of %d, takes it", path, nearest,
                   task->N);
  return pb_warn(r, r->file, node->line,
                 "%s: no knot is there: the nearest, knot %g at %g s, takes it", path, nearest,
                 dm_grid_at(task->time.grid, (int)nearest) * oc_task_step(task));
}

// at, or from and to; by default the whole horizon
dm_status pb_span_read(pb_reader *r, const oc_task *task, const char *path, const pb_node *at,
                       const pb_node *from, const pb_node *to, oc_span *out) {
  char where[96];
  *out = (oc_span){0, 1};
  if (at && (from || to))
    return pb_refuse_key(r, at, "%s: found 'at' beside '%s', expected one of them", path,
                         from ? "from" : "to");
  if (at) {
    snprintf(where, sizeof where, "%s.at", path);
    DM_TRY(read_moment(r, task, where, at, &out->from));
    out->to = out->from;
    return warn_between(r, task, where, at, out->from);
  }
  snprintf(where, sizeof where, "%s.from", path);
  if (from) DM_TRY(read_moment(r, task, where, from, &out->from));
  snprintf(where, sizeof where, "%s.to", path);
  if (to) DM_TRY(read_moment(r, task, where, to, &out->to));
  if (out->from <= out->to) return DM_OK;
  return pb_refuse_node(r, from ? from : to, "%s: found 'from' behind 'to', expected it before",
                        path);
}
