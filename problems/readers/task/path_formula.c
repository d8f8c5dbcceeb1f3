#include "problems/readers/task/path_formula.h"

#include "problems/readers/format/expression.h"
#include "problems/readers/format/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "path.formula";

enum { FEWEST = 64, MOST = 8192 };     // numbers of steps between samples
static const double within = 1e-9;     // relative to the size of the curve: equal to the expression
static const double acceptable = 1e-6; // relative to it: warn up to this error, refuse above it

typedef struct sampling {
  pb_reader *r;
  const pb_node *node;
  int m, n; // rows, steps
  const pb_path_row *row;
  const pb_node **at;  // [m] the node of each expression
  pb_expression *e;    // [m]
  dm_tape *f;          // [m] of s, or constant
  double *room;        // scratch for evaluation
  double *point, size; // [(n+1) x m] samples; the diagonal of their bounding box
  int still;           // the first sample that equals the next one, or -1
} sampling;

// the largest deviation of the spline from its expression
typedef struct worst {
  double off, s;
  int row;
} worst;

const char *pb_path_row_describe(const pb_path_row *row, char text[80]) {
  if (isinf(row->high))
    snprintf(text, 80, "at least %g", row->low);
  else
    snprintf(text, 80, "a value from %g to %g", row->low, row->high);
  return text;
}

// -- expressions

static dm_status read_expression(sampling *w, int j, const pb_node *node) {
  static const pb_symbol symbols[] = {{"s", 0, 0, NULL}};
  const pb_language language = {.list = symbols, .n = 1, .functions = true};
  w->at[j] = node;
  return pb_expression_read(w->r, path, node, &language, "of s", &w->e[j]);
}

static dm_status read_mapping(sampling *w) {
  const char **row;
  int j;
  PB_NEW(w->r->arena, row, w->m);
  for (j = 0; j < w->m; j++) row[j] = w->row[j].name;
  for (const pb_node *e = w->node->first; e; e = e->next) {
    // a node for the key, so that errors refer to it
    const pb_node name = {
        .kind = PB_SCALAR, .text = e->key, .line = e->key_line, .column = e->key_column};
    DM_TRY(pb_schema_name(w->r, path, &name, "row of path.outputs", row, w->m, &j));
    DM_TRY(read_expression(w, j, e));
  }
  for (j = 0; j < w->m; j++)
    if (!w->at[j])
      return pb_refuse_node(w->r, w->node,
                            "%s: found none for '%.64s', expected one for each row of path.outputs",
                            path, row[j]);
  return DM_OK;
}

static dm_status read_list(sampling *w) {
  int j = 0;
  for (const pb_node *e = w->node->first; e && j < w->m; e = e->next, j++)
    DM_TRY(read_expression(w, j, e));
  if (w->node->n != w->m)
    return pb_refuse_node(w->r, w->node,
                          "%s: found a list of %d, expected an expression for each of %d row%s of "
                          "path.outputs",
                          path, w->node->n, w->m, w->m == 1 ? "" : "s");
  return DM_OK;
}

static dm_status read_expressions(sampling *w) {
  int most = 1;
  PB_NEW(w->r->arena, w->at, w->m);
  PB_NEW(w->r->arena, w->e, w->m);
  PB_NEW(w->r->arena, w->f, w->m);

  // a mapping by row, a list in the order of the rows, or the expression of a single row
  if (w->node->kind == PB_MAPPING) {
    DM_TRY(read_mapping(w));
  } else if (w->node->kind == PB_SCALAR && w->m == 1) {
    DM_TRY(read_expression(w, 0, w->node));
  } else if (w->node->kind == PB_SCALAR) {
    return pb_refuse_node(w->r, w->node,
                          "%s: found one expression, expected one for each of %d rows", path, w->m);
  } else {
    DM_TRY(read_list(w));
  }
  for (int j = 0; j < w->m; j++) {
    const int *used;
    DM_TRY(pb_expression_compile(w->r->arena, &w->e[j], &w->f[j], &used));
    const int room = (int)dm_tape_room(&w->f[j]);
    if (room > most) most = room;
  }
  PB_NEW(w->r->arena, w->room, most);
  return DM_OK;
}

// -- samples

static double find_value(const sampling *w, int j, double s) {
  return dm_tape_eval(&w->f[j], &s, w->room, NULL, NULL);
}

static dm_status refuse_value(const sampling *w, int j, double s, double y) {
  char fault[80];
  const bool known = dm_tape_fault(&w->f[j], &s, 2, w->room, fault, sizeof fault);
  return pb_refuse_node(
      w->r, w->at[j], "%s: '%.64s' is %s at s = %g, expected a finite number for s from 0 to 1%s%s",
      path, w->row[j].name, isnan(y) ? "undefined" : "infinite", s, known ? "; it has " : "",
      known ? fault : "");
}

static dm_status take_samples(sampling *w) {
  char range[80];
  double square = 0;
  PB_NEW(w->r->arena, w->point, (w->n + 1) * w->m);

  // sample each row, and check it for range and finite values
  for (int j = 0; j < w->m; j++) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k <= w->n; k++) {
      const double s = (double)k / w->n, y = find_value(w, j, s);
      w->point[k * w->m + j] = y;
      low = fmin(low, y);
      high = fmax(high, y);
      if (!isfinite(y)) return refuse_value(w, j, s, y);
      if (y < w->row[j].low || y > w->row[j].high)
        return pb_refuse_node(w->r, w->at[j], "%s: '%.64s' is %.6g at s = %g, expected %s", path,
                              w->row[j].name, y, s, pb_path_row_describe(&w->row[j], range));
    }
    square += (high - low) * (high - low);
  }
  w->size = sqrt(square);

  // find repeated samples: the curve must advance at every step
  w->still = -1;
  const size_t bytes = (size_t)w->m * sizeof *w->point;
  for (int k = w->n - 1; k >= 0; k--)
    if (!memcmp(w->point + k * w->m, w->point + (k + 1) * w->m, bytes)) w->still = k;
  return DM_OK;
}

static dm_status check_ends_meet(const sampling *w) {
  for (int j = 0; j < w->m; j++) {
    const double first = w->point[j], last = w->point[w->n * w->m + j];
    if (fabs(last - first) > within * w->size)
      return pb_refuse_node(w->r, w->at[j],
                            "%s: '%.64s' is %.6g at s = 0 and %.6g at s = 1, expected one value of "
                            "a closed path",
                            path, w->row[j].name, first, last);
  }
  return DM_OK;
}

static dm_status make_spline(sampling *w, bool closed, dm_curve *out, dm_message *why) {
  const int n = closed ? w->n : w->n + 1;
  double *room, *s;
  PB_NEW(w->r->arena, room, dm_curve_room(n, w->m, closed));
  if (!closed) return dm_curve_through_samples(out, n, w->m, w->point, room, why);
  PB_NEW(w->r->arena, s, n + 1);
  for (int k = 0; k <= n; k++) s[k] = k;
  return dm_curve_through(out, n, w->m, w->point, s, true, room, why);
}

// deviation between samples, at positions that are not aligned with possible periodic errors
static worst find_farthest(const sampling *w, const dm_curve *c, double *r) {
  static const double place[] = {0.21132486540518713, 0.5, 0.78867513459481287};
  worst at = {0};
  for (int k = 0; k < w->n; k++)
    for (int p = 0; p < 3; p++) {
      const double s = (k + place[p]) / w->n;
      dm_curve_eval(c, s, r, NULL, NULL);
      for (int j = 0; j < w->m; j++) {
        const double y = find_value(w, j, s), off = fabs(r[j] - y);
        if (off > at.off || isnan(y)) at = (worst){isnan(y) ? INFINITY : off, s, j};
        if (isnan(y)) return at;
      }
    }
  return at;
}

// report a deviation that remains with the largest number of samples
static dm_status judge_spline(const sampling *w, worst at) {
  const pb_node *node = w->at[at.row];
  const double share = at.off / w->size;
  if (share <= within) return DM_OK;
  if (share <= acceptable)
    return pb_warn(w->r, w->r->file, node->line,
                   "%s: the curve followed is off '%.64s' by %.2g near s = %.4g, where its "
                   "curvature jumps or it turns sharply",
                   path, w->row[at.row].name, at.off, at.s);
  return pb_refuse_node(
      w->r, node,
      "%s: '%.64s' has a kink or a jump or turns too sharply near s = %.4g: a "
      "smooth curve through %d points differs from it by %.2g there; expected a formula "
      "with a continuous slope, or 'points', between which corners are rounded",
      path, w->row[at.row].name, at.s, w->n + 1, at.off);
}

dm_status pb_path_formula_read(pb_reader *r, const pb_node *node, int m, const pb_path_row *row,
                               bool closed, dm_curve *out) {
  sampling w = {.r = r, .node = node, .m = m, .row = row};
  dm_message why = {""};
  worst at = {0};
  double *y;
  bool near = false;
  DM_TRY(read_expressions(&w));
  PB_NEW(r->arena, y, m);

  // double the number of samples until the spline is accurate
  for (w.n = FEWEST; !near && w.n <= MOST; w.n *= 2) {
    DM_TRY(take_samples(&w));
    if (w.size == 0)
      return pb_refuse_node(r, node, "%s: stays at one place, expected a way from s = 0 to 1",
                            path);
    if (closed) DM_TRY(check_ends_meet(&w));
    if (w.still >= 0) continue;
    DM_TRY(make_spline(&w, closed, out, &why));
    at = find_farthest(&w, out, y);
    near = at.off <= within * w.size;
  }
  w.n /= 2;
  if (!near && w.still >= 0)
    return pb_refuse_node(r, node,
                          "%s: stands still from s = %.4g to %.4g, expected a way that goes on",
                          path, (double)w.still / w.n, (w.still + 1.) / w.n);
  return judge_spline(&w, at);
}
