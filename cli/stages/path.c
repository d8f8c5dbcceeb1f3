#include "cli/stages/path.h"

#include "cli/console/log.h"
#include "cli/results/sentences.h"

#include <math.h>
#include <stdlib.h>

// rows along a motion, and the path parameter of each state
typedef struct path_states {
  int count; // number of states
  double *y; // [count x m]
  double *s; // [count]
} path_states;

// the largest distance of a row from the path
typedef struct path_miss {
  double off; // m or rad
  int row, state;
} path_miss;

static const oc_followed *find_path(const cli_call *call) {
  return &call->run.p->task.outputs.follow;
}

static void drop_states(path_states *w) {
  free(w->y);
  free(w->s);
  *w = (path_states){0};
}

// y of `count` states, spaced `next` numbers, each beginning with q; false: out of memory
static bool evaluate_states(path_states *w, const oc_outputs *o, const double *q, int next) {
  const int m = o->follow.curve->m;
  void *scratch = aligned_alloc(64, (o->y.scratch + 127) & ~(size_t)63);
  double *y = calloc((size_t)o->y.ny, sizeof *y);
  for (int k = 0; y && scratch && k < w->count; k++) {
    for (int i = 0; i < o->y.ny; i++) y[i] = NAN;
    dm_output_map_eval(&o->y, scratch, q + (size_t)k * (size_t)next, NULL, y, NULL, NULL);
    for (int i = 0; i < m; i++) w->y[k * m + i] = y[o->follow.output[i]];
  }
  const bool done = y && scratch;
  free(scratch);
  free(y);
  return done;
}

// most: maximum increase of the path parameter between states
static dm_status place_states(path_states *w, const oc_outputs *o, const double *q, int count,
                              int next, double most) {
  const dm_curve *c = o->follow.curve;
  oc_curve_place *place = NULL;
  *w = (path_states){.count = count};
  w->y = calloc((size_t)count * (size_t)c->m, sizeof *w->y);
  w->s = calloc((size_t)count, sizeof *w->s);
  dm_status s = w->y && w->s && evaluate_states(w, o, q, next) ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) s = oc_curve_place_new(&place, c, count - 1, most);
  if (s == DM_OK) oc_curve_place_find(place, w->y, w->s);
  oc_curve_place_free(place);
  if (s != DM_OK) drop_states(w);
  return s;
}

// the row with the largest distance from the curve at s beyond its tolerance; returns that distance
static double find_row_miss(const oc_followed *f, const double *y, double s, double *r, int *row) {
  double beyond = -INFINITY;
  dm_curve_eval(f->curve, s, r, NULL, NULL);
  for (int i = 0; i < f->curve->m; i++) {
    const double by = fabs(y[i] - r[i]) - f->within[i];
    if (!(by > beyond)) continue;
    beyond = by;
    *row = i;
  }
  return beyond;
}

// The path parameter near s with the smallest violation of the worst row: with tolerances, the
// nearest point is not always the one that satisfies all rows. Grid search, then ternary search.
static double find_kept_place(const oc_followed *f, const double *y, double s, double *r) {
  enum { THIRDS = 60, LOOKS = 200 };
  const double beside = 0.1, step = 2 * beside / LOOKS;
  double best = INFINITY, at = s;
  int row = 0;
  if (find_row_miss(f, y, s, r, &row) <= 0) return s;

  // the best of equidistant points near s, then ternary search around it
  for (int i = 0; i <= LOOKS; i++) {
    const double place = fmin(fmax(s - beside + i * step, 0), 1);
    const double miss = find_row_miss(f, y, place, r, &row);
    if (!(miss < best)) continue;
    best = miss;
    at = place;
  }
  double low = fmax(at - step, 0), high = fmin(at + step, 1);
  for (int i = 0; i < THIRDS; i++) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (find_row_miss(f, y, a, r, &row) < find_row_miss(f, y, b, r, &row))
      high = b;
    else
      low = a;
  }
  return (low + high) / 2;
}

static bool has_room(const oc_followed *f) {
  for (int i = 0; i < f->curve->m; i++)
    if (f->within[i] > 0) return true;
  return false;
}

static path_miss find_path_miss(const path_states *w, const oc_followed *f, double *r) {
  const int m = f->curve->m;
  path_miss worst = {.off = -1};
  double most = -INFINITY;
  for (int k = 0; k < w->count; k++) {
    const double *y = w->y + k * m;
    int row = 0;
    if (has_room(f)) w->s[k] = find_kept_place(f, y, w->s[k], r);
    const double beyond = find_row_miss(f, y, w->s[k], r, &row);
    if (!(beyond > most)) continue;
    most = beyond;
    worst = (path_miss){fabs(y[row] - r[row]), row, k};
  }
  return worst;
}

double *cli_path_places(const cli_call *call) {
  path_states w;
  if (!find_path(call)->curve) return NULL;
  const double most = oc_curve_most(call->run.x->N);
  if (place_states(&w, &call->run.p->task.outputs, call->run.x->q, call->run.x->N + 1,
                   call->run.x->n, most) != DM_OK)
    return NULL;
  free(w.y);
  return w.s;
}

// write the worst of some states to an entry of `path`
static int put_path_miss(cli_call *call, const char *key, int parts, const double *q, int next,
                         path_miss *worst) {
  const oc_outputs *o = &call->run.p->task.outputs;
  const dm_curve *c = o->follow.curve;
  path_states w;
  double *r = calloc((size_t)c->m, sizeof *r);
  dm_status status = r ? DM_OK : DM_NO_MEMORY;
  if (status == DM_OK)
    status =
        place_states(&w, o, q, call->run.x->N * parts + 1, next, oc_curve_most(call->run.x->N));
  if (status != DM_OK) {
    free(r);
    return cli_fail(call->args, CLI_FAULT, "out of memory");
  }

  // the state with the largest distance, and its path parameter
  *worst = find_path_miss(&w, &o->follow, r);
  cli_json *entry = cli_json_object(cli_json_get_object(call->result, "path"), key);
  cli_json_number(entry, "off", worst->off);
  cli_json_text(entry, "output", oc_outputs_name(o, o->follow.output[worst->row]));
  cli_json_number(entry, "t", dm_trajectory_at(call->run.x, (double)worst->state / parts));
  cli_json_number(entry, "s", w.s[worst->state]);
  drop_states(&w);
  free(r);
  return CLI_DONE;
}

int cli_path_report(cli_call *call) {
  const oc_outputs *o = &call->run.p->task.outputs;
  const oc_followed *f = find_path(call);
  path_miss worst;
  if (!f->curve) return CLI_DONE;
  cli_json *path = cli_json_open(call->result, "path");
  cli_json *rows = json_object_new_array();
  for (int i = 0; i < f->curve->m; i++)
    json_object_array_add(rows, json_object_new_string(oc_outputs_name(o, f->output[i])));
  json_object_object_add(path, "outputs", rows);
  cli_json_number(path, "points", f->curve->closed ? f->curve->n - 1 : f->curve->n);
  return put_path_miss(call, "knots", 1, call->run.x->q, call->run.x->n, &worst);
}

int cli_path_follow(cli_call *call, int parts, const double *y) {
  const oc_outputs *o = &call->run.p->task.outputs;
  cli_json *path = cli_json_get_object(call->result, "path");
  path_miss worst;
  if (!path || !find_path(call)->curve) return CLI_DONE;

  // on the plant, in addition to the result at the knots
  const int status = put_path_miss(call, "plant", parts, y, 2 * call->run.x->n, &worst);
  if (status != CLI_DONE) return status;
  const int output = o->follow.output[worst.row];
  cli_json_text(path, "~unit", dm_outputs_unit(call->run.p->robot.outputs.rows, output));
  cli_tell_group(call->summary.file, "path", path);
  return CLI_DONE;
}
