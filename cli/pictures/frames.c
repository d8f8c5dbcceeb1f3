#include "cli/console/log.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/scene.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 9 }; // where no times are chosen

static const char *const axes[] = {"x", "y", "z"};

// the time of frame i: as chosen, else at equal distances
static double find_time(const cli_request *r, const cli_exhibit *x, int i) {
  return r->ntimes ? r->times[i] : cli_exhibit_end(x) * i / (FRAMES - 1);
}

// the knot next to a time
static int find_nearest_knot(const cli_exhibit *x, double t) {
  return (int)fmin(round(t / x->job.x->h), x->job.x->N);
}

// times within the motions
static int prepare_frames(cli_exhibits *all, const cli_request *r) {
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < all->shown; i++) {
    const double end = cli_exhibit_end(all->at[i]);
    cli_scene w;
    status = cli_scene_open(&w, all->at[i], r);
    cli_scene_close(&w);
    for (int k = 0; status == CLI_DONE && k < r->ntimes; k++)
      if (!(r->times[k] >= 0 && r->times[k] <= end * (1 + 1e-9)))
        status = cli_fail(r->args, CLI_INPUT, "--times: %s goes from 0 to %g s, got %g",
                          all->at[i]->path, end, r->times[k]);
  }
  return status;
}

// from light to dark, the later the darker
static void write_colour(char text[8], double share) {
  static const double from[] = {178, 205, 228}, to[] = {3, 38, 84};
  int rgb[3];
  for (int i = 0; i < 3; i++) rgb[i] = (int)lround(from[i] + share * (to[i] - from[i]));
  snprintf(text, 8, "%02X%02X%02X", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

static void put_scene_point(cli_sheet *s, const cli_scene *w, int joint, dm_vec at,
                            const int plane[2]) {
  const dm_vec x = dm_outline_place(w->X, joint, at);
  const double shown[] = {cli_scene_along(x, plane[0]), cli_scene_along(x, plane[1])};
  cli_sheet_put(s->data, shown, 2);
  fprintf(s->data, "\n");
  cli_sheet_reach(s, shown[0], shown[1]);
}

// the lines of a kind, a block with an empty line after each; returns how many
static int put_lines(cli_sheet *s, const cli_scene *w, dm_outline_kind kind, const int plane[2]) {
  const dm_outline *o = w->outline;
  int n = 0;
  fprintf(s->data, "$b%d << EOD\n", s->blocks);
  for (int i = 0; i < o->nline; i++) {
    if (o->line[i].kind != kind) continue;
    for (int end = 0; end < 2; end++)
      put_scene_point(s, w, o->line[i].at.joint[end], o->line[i].at.end[end], plane);
    fprintf(s->data, "\n");
    n++;
  }
  fprintf(s->data, "EOD\n");
  return n;
}

// What is marked by the same sign.
typedef enum mark_kind { AXES, MASSES, CARTS, MARKS } mark_kind;

// of masses those that slide along something are carts
static mark_kind find_mark_kind(const dm_outline *o, const dm_outline_mark *mark) {
  if (!(mark->mass > 0)) return AXES;
  return o->m->slides[mark->joint] && !o->last[mark->joint] ? CARTS : MASSES;
}

// the marks of a kind; returns how many
static int put_mark_points(cli_sheet *s, const cli_scene *w, mark_kind kind, const int plane[2]) {
  const dm_outline *o = w->outline;
  int n = 0;
  fprintf(s->data, "$b%d << EOD\n", s->blocks);
  for (int i = 0; i < o->nmark; i++) {
    if (find_mark_kind(o, &o->mark[i]) != kind) continue;
    put_scene_point(s, w, o->mark[i].joint, o->mark[i].at, plane);
    n++;
  }
  fprintf(s->data, "EOD\n");
  return n;
}

// the outline as it is placed
static void draw_outline(cli_sheet *s, const cli_scene *w, const char *rgb, const int plane[2]) {
  static const char *const lines[] = {[DM_OUTLINE_LINK] = "lines lw 3.5",
                                      [DM_OUTLINE_BOX] = "lines lw 1.6",
                                      [DM_OUTLINE_ROD] = "lines lw 1.6",
                                      [DM_OUTLINE_SPRING] = "lines lw 1.6 dt (3,2)"};
  static const char *const marks[] = {[AXES] = "points pt 7 ps 0.3",
                                      [MASSES] = "points pt 7 ps 0.8",
                                      [CARTS] = "points pt 5 ps 1.2"};
  for (int kind = 0; kind <= DM_OUTLINE_SPRING; kind++, s->blocks++)
    if (put_lines(s, w, (dm_outline_kind)kind, plane))
      fprintf(s->f, "$b%d using 1:2 with %s lc rgb '#%s' notitle, ", s->blocks, lines[kind], rgb);
  for (int kind = 0; kind < MARKS; kind++, s->blocks++)
    if (put_mark_points(s, w, (mark_kind)kind, plane))
      fprintf(s->f, "$b%d using 1:2 with %s lc rgb '#%s' notitle, ", s->blocks, marks[kind], rgb);
}

// thin lines along which points go from knot first to knot last
static void draw_ways(cli_sheet *s, cli_scene *w, int first, int last, const int plane[2]) {
  const int stride = cli_sheet_stride(last - first);
  for (int i = 0; i < w->npoint; i++) {
    fprintf(s->data, "$b%d << EOD\n", s->blocks);
    for (int k = first; k <= last; k += stride) {
      cli_scene_place(w, k);
      put_scene_point(s, w, w->point[i].joint, w->point[i].at, plane);
    }
    fprintf(s->data, "EOD\n");
    fprintf(s->f, "$b%d using 1:2 with lines lw 1 lc rgb '#%s' notitle, ", s->blocks++,
            cli_sheet_colour(1 + i));
  }
}

// a panel of a folder: the outline at each time
static void draw_scene(cli_sheet *s, cli_scene *w, const int plane[2]) {
  const cli_request *r = s->request;
  const int n = r->ntimes ? r->ntimes : FRAMES;
  char label[320], rgb[8], name[32];
  snprintf(label, sizeof label, s->n > 1 ? "%s [m], %.280s" : "%s [m]", axes[plane[1]],
           w->of->name);
  cli_sheet_begin(s, label, "");
  int first = w->of->job.x->N, last = 0;
  for (int i = 0; i < n; i++) {
    const int k = find_nearest_knot(w->of, find_time(r, w->of, i));
    if (k < first) first = k;
    if (k > last) last = k;
  }
  draw_ways(s, w, first, last, plane);

  // at the knot next to each time
  for (int i = 0; i < n; i++) {
    const int k = find_nearest_knot(w->of, find_time(r, w->of, i));
    write_colour(rgb, n > 1 ? (double)i / (n - 1) : 1);
    cli_scene_place(w, k);
    draw_outline(s, w, rgb, plane);
    snprintf(name, sizeof name, "%.3g s", k * w->of->job.x->h);
    fprintf(s->f, "NaN with lines lw 3.5 lc rgb '#%s'", rgb);
    cli_sheet_title(s, name);
  }
  cli_sheet_end(s, false);
}

static void draw_frames(cli_sheet *s) {
  cli_scene *w = cli_sheet_take(s, (size_t)s->n, sizeof *w);
  int plane[2];
  bool open = w != NULL;
  for (int i = 0; open && i < s->n; i++)
    open = cli_scene_open(&w[i], s->all[i], s->request) == CLI_DONE;
  s->short_of_memory = !open; // all else that it needs was there before
  if (open) {
    cli_scene_plane(w, s->n, s->request, plane);
    cli_sheet_equal(s);
    cli_sheet_abscissa(s, axes[plane[0]], "m");
    for (int i = 0; i < s->n; i++) draw_scene(s, &w[i], plane);
  }
  for (int i = 0; w && i < s->n; i++)
    if (w[i].of) cli_scene_close(&w[i]);
  free(w);
}

const cli_plot cli_plot_frames = {
    .word = "frames",
    .help = "the robot at several times, with the ways of its ends; the later the darker",
    .takes = "--points --plane --times --xrange --yrange",
    .most = CLI_MANY,
    .apart = true,
    .mixed = true,
    .prepare = prepare_frames,
    .draw = draw_frames,
};
