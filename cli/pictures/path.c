#include "cli/console/log.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 600 }; // knots of a way that winds, and is thin

static const char *const axes[] = {"x", "y", "z"};

// whether every folder's bodies are there
static int prepare_path(cli_exhibits *all, const cli_request *r) {
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < all->shown; i++) {
    cli_scene w;
    status = cli_scene_open(&w, all->at[i], r);
    if (status == CLI_DONE && !w.npoint)
      status = cli_fail(r->args, CLI_INPUT,
                        "%s has no mass that its joints carry: --points names a body of it",
                        all->at[i]->path);
    cli_scene_close(&w);
  }
  return status;
}

// what a way is called: by its body, its folder, or both where there are several of both
static void name_way(const cli_sheet *s, const cli_scene *w, int point, char *text, size_t size) {
  const char *body = w->point[point].name, *folder = w->of->name;
  if (s->n == 1)
    snprintf(text, size, "%s", body);
  else if (w->npoint == 1)
    snprintf(text, size, "%s", folder);
  else
    snprintf(text, size, "%s: %s", folder, body);
}

// the way of a point of scene i: of several folders a colour each, of one a colour a point
static void draw_way(cli_sheet *s, cli_scene *w, int i, int point, const int plane[2]) {
  const int rows = w->of->job.x->N + 1;
  double *at = cli_sheet_take(s, 2 * (size_t)rows, sizeof *at);
  char name[320];
  if (!at) return;

  // where it is at each knot, in the plane
  for (int k = 0; k < rows; k++) {
    cli_scene_place(w, k);
    const dm_vec x = dm_outline_place(w->X, w->point[point].joint, w->point[point].at);
    for (int axis = 0; axis < 2; axis++) at[2 * k + axis] = cli_scene_along(x, plane[axis]);
  }

  name_way(s, w, point, name, sizeof name);
  cli_sheet_draw(s, &(cli_curve){.n = rows,
                                 .x = at,
                                 .x_next = 2,
                                 .y = at + 1,
                                 .y_next = 2,
                                 .colour = s->n > 1 ? i : point,
                                 .dash = s->n > 1 ? point : 0,
                                 .width = rows > LONG ? 1 : 2,
                                 .name = name});
  free(at);
}

// which row of the path output i follows along an axis of the world; -1: none
static int find_path_row(const cli_scene *w, int i, int axis) {
  const oc_followed *f = &w->of->job.task->outputs.follow;
  const int row = dm_outputs_row(w->of->job.p->robot.outputs.rows, i) + axis;
  for (int j = 0; j < f->curve->m; j++)
    if (f->output[j] == row) return j;
  return -1;
}

// where on the axis the point is that row j of the path is of, at the first knot, less what the row is
// there; NAN: it is no place in the world
static double find_path_shift(cli_scene *w, int j, int axis) {
  const oc_followed *f = &w->of->job.task->outputs.follow;
  dm_segment line;
  if (!dm_outputs_segment(w->of->job.p->robot.outputs.rows, f->output[j], &line)) return NAN;
  const int point = line.joint[0] < 0, world = 1 - point;
  cli_scene_place(w, 0);
  if (line.joint[world] >= 0 || line.joint[point] < 0) return NAN;
  const double from = cli_scene_along(line.end[world], axis);
  const double at =
      cli_scene_along(dm_outline_place(w->X, line.joint[point], line.end[point]), axis);
  return fabs(at - from - f->curve->r[j]) <= f->within[j] + 1e-6 ? from : NAN;
}

// the path that output i is to follow, where it is a place in the world
static void draw_path_of(cli_sheet *s, cli_scene *w, int i, const int plane[2]) {
  enum { PLACES = 400 };
  const dm_curve *c = w->of->job.task->outputs.follow.curve;
  const int row[] = {find_path_row(w, i, plane[0]), find_path_row(w, i, plane[1])};
  if (row[0] < 0 || row[1] < 0) return;
  const double shift[] = {find_path_shift(w, row[0], plane[0]),
                          find_path_shift(w, row[1], plane[1])};
  double at[2 * (PLACES + 1)], *r = cli_sheet_take(s, (size_t)c->m, sizeof *r);

  // the curve at equal distances of its place s, from the frame of the outputs to the world's
  for (int k = 0; r && k <= PLACES; k++) {
    dm_curve_eval(c, (double)k / PLACES, r, NULL, NULL);
    for (int axis = 0; axis < 2; axis++) at[2 * k + axis] = r[row[axis]] + shift[axis];
  }
  if (r && !isnan(shift[0] + shift[1]))
    cli_sheet_draw(s, &(cli_curve){.n = PLACES + 1,
                                   .x = at,
                                   .x_next = 2,
                                   .y = at + 1,
                                   .y_next = 2,
                                   .line = true,
                                   .dash = 1,
                                   .rgb = "000000",
                                   .width = 1,
                                   .name = "path"});
  free(r);
}

static void draw_paths(cli_sheet *s, cli_scene *w, const int plane[2]) {
  const pb_problem *p = w->of->job.p;
  if (!w->of->job.task->outputs.follow.curve) return;
  for (int i = 0; i < p->robot.outputs.n; i++)
    if (!strcmp(dm_outputs_word(p->robot.outputs.rows, i), "position"))
      draw_path_of(s, w, i, plane);
}

// the ways of scenes first .. last
static void draw_ways_panel(cli_sheet *s, cli_scene *w, int first, int last, const int plane[2]) {
  cli_sheet_begin(s, axes[plane[1]], "m");
  for (int i = first; i <= last; i++) {
    for (int point = 0; point < w[i].npoint; point++) draw_way(s, &w[i], i, point, plane);
    draw_paths(s, &w[i], plane);
  }
  cli_sheet_end(s, false);
}

static void draw_path(cli_sheet *s) {
  cli_scene *w = cli_sheet_take(s, (size_t)s->n, sizeof *w);
  int plane[2];
  bool open = w != NULL;
  for (int i = 0; open && i < s->n; i++)
    open = cli_scene_open(&w[i], s->all[i], s->request) == CLI_DONE;
  s->short_of_memory = !open; // all else that it needs was there before

  // all of them in one panel, or each in its own
  if (open) {
    cli_scene_plane(w, s->n, s->request, plane);
    cli_sheet_equal(s);
    cli_sheet_abscissa(s, axes[plane[0]], "m");
    const bool each = s->request->args->each;
    for (int i = 0; each && i < s->n; i++) draw_ways_panel(s, w, i, i, plane);
    if (!each) draw_ways_panel(s, w, 0, s->n - 1, plane);
  }
  for (int i = 0; w && i < s->n; i++)
    if (w[i].of) cli_scene_close(&w[i]);
  free(w);
}

const cli_plot cli_plot_path = {
    .word = "path",
    .help =
        "the ways of points of bodies in a plane of the world, a dot a knot where they are few; "
        "and the path that the problem gives",
    .takes = "--points --plane --each --xrange --yrange",
    .most = CLI_MANY,
    .apart = true,
    .mixed = true,
    .prepare = prepare_path,
    .draw = draw_path,
};
