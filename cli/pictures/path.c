#include "cli/console/log.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/scene.h"

#include <stdlib.h>

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
  double *at = calloc(2 * (size_t)rows, sizeof *at);
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

// the ways of scenes first .. last
static void draw_ways_panel(cli_sheet *s, cli_scene *w, int first, int last, const int plane[2]) {
  cli_sheet_begin(s, axes[plane[1]], "m");
  for (int i = first; i <= last; i++)
    for (int point = 0; point < w[i].npoint; point++) draw_way(s, &w[i], i, point, plane);
  cli_sheet_end(s, false);
}

static void draw_path(cli_sheet *s) {
  cli_scene *w = calloc((size_t)s->n, sizeof *w);
  int plane[2];
  bool open = w != NULL;
  for (int i = 0; open && i < s->n; i++)
    open = cli_scene_open(&w[i], s->all[i], s->request) == CLI_DONE;

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
    .help = "the ways of points of bodies in a plane of the world, a dot a knot where they are few",
    .takes = "--points --plane --each --xrange --yrange",
    .most = CLI_MANY,
    .apart = true,
    .mixed = true,
    .prepare = prepare_path,
    .draw = draw_path,
};
