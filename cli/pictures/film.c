#include "cli/pictures/film.h"

#include <math.h>
#include <stdlib.h>

enum {
  RATE = 100,  // places a second that frames are chosen from
  WIDTH = 460, // of the picture, px, at most
  HEIGHT = 300,
  ROOM = 110000, // bytes of a picture, about, at most
  LETTERS = 11,  // a place's, about
  SQUARES = 6    // of the ground each way, about
};
static const double pause_at_end = 1; // s
static const double finest = 0.25;    // px that places between two frames are off, at most

// -- places

static void project_point(const cli_view *v, dm_vec x, double at[2]) {
  at[0] = dm_dot(v->right, x);
  at[1] = dm_dot(v->up, x);
}

static dm_vec find_shadow(const cli_view *v, dm_vec x) {
  return dm_sub(x, dm_mul(dm_dot(v->rise, x) - v->ground, v->rise));
}

// all points at place k
static void put_place(cli_film *w, cli_film_part *p, int k) {
  double *at = p->at + 2 * (size_t)k * (size_t)p->m;
  cli_scene_place_at(&p->scene, p->from + p->t[k]);
  for (int i = 0; i < 2 * p->strokes.n; i++) {
    const dm_segment *s = &p->strokes.list[i / 2].at;
    const dm_vec x = dm_outline_place(p->scene.X, s->joint[i % 2], s->end[i % 2]);
    project_point(&w->view, x, at + 2 * i);
    if (w->view.deep) project_point(&w->view, find_shadow(&w->view, x), at + 2 * (p->shadow + i));
  }
  for (int i = 0; i < p->scene.npoint; i++) {
    const cli_scene_point *end = &p->scene.point[i];
    project_point(&w->view, dm_outline_place(p->scene.X, end->joint, end->at),
                  at + 2 * (p->way + i));
  }
}

static dm_status place_part(cli_film *w, cli_film_part *p) {
  const double time = p->to - p->from;
  p->shadow = 2 * p->strokes.n;
  p->way = w->view.deep ? 2 * p->shadow : p->shadow;
  p->m = p->way + p->scene.npoint;
  p->places = (int)ceil(time * RATE) + 1;
  if (p->places < 2) p->places = 2;
  p->t = calloc((size_t)p->places, sizeof *p->t);
  p->at = calloc(2 * (size_t)p->places * (size_t)p->m + 1, sizeof *p->at);
  p->frame = calloc((size_t)p->places, sizeof *p->frame);
  if (!p->t || !p->at || !p->frame) return DM_NO_MEMORY;
  for (int k = 0; k < p->places; k++) {
    p->t[k] = time * k / (p->places - 1);
    put_place(w, p, k);
  }
  return DM_OK;
}

// -- what is shown

static void reach_point(cli_film *w, const double at[2], double room) {
  for (int i = 0; i < 2; i++) {
    w->low[i] = fmin(w->low[i], at[i] - room);
    w->high[i] = fmax(w->high[i], at[i] + room);
  }
}

// the box of a part: its points, shapes as wide as they are; what stands may go on beyond
static void measure_part(cli_film *w, const cli_film_part *p) {
  for (int k = 0; k < p->places; k++)
    for (int i = 0; i < p->m; i++) {
      const bool stroke = i < p->shadow;
      const double room = stroke ? p->strokes.list[i / 2].width / 2 : 0;
      reach_point(w, p->at + 2 * ((size_t)k * (size_t)p->m + (size_t)i), room);
    }
}

// the lowest floor is the ground of a view from above
static void find_ground(cli_film *w, const cli_film_part *p) {
  for (int i = 0; i < p->strokes.nfloor; i++)
    if (dm_dot(p->strokes.floor[i].normal, w->view.rise) > 0.99)
      w->view.ground = fmin(w->view.ground, dm_dot(p->strokes.floor[i].at, w->view.rise));
}

// the largest scale at which all is within the picture; points in px
static void fit_picture(cli_film *w) {
  double span[2];
  for (int i = 0; i < 2; i++) span[i] = fmax(w->high[i] - w->low[i], 1e-9);
  w->scale =
      fmin((WIDTH - 2 * CLI_FILM_BESIDE) / span[0], (HEIGHT - 2 * CLI_FILM_BESIDE) / span[1]);
  w->width = ceil(fmax(span[0] * w->scale, 180) + 2 * CLI_FILM_BESIDE);
  w->height = ceil(fmax(span[1] * w->scale, 60) + 2 * CLI_FILM_BESIDE);
  for (int i = 0; i < 2; i++) { // in the middle
    const double more = (i ? w->height : w->width) / w->scale - span[i];
    w->low[i] -= more / 2;
    w->high[i] += more / 2;
  }
}

static void find_pixel(const cli_film *w, const double from[2], double to[2]) {
  const double x = from[0], y = from[1];
  to[0] = (x - w->low[0]) * w->scale;
  to[1] = (w->high[1] - y) * w->scale;
}

// -- frames

// whether straight lines from place a to place b pass the places between them
static bool passes_between(const cli_film_part *p, int a, int b, double off) {
  const size_t m = 2 * (size_t)p->m;
  const double *x = p->at + (size_t)a * m, *y = p->at + (size_t)b * m;
  for (int k = a + 1; k < b; k++) {
    const double *at = p->at + (size_t)k * m, s = (p->t[k] - p->t[a]) / (p->t[b] - p->t[a]);
    for (size_t i = 0; i < m; i++)
      if (fabs(at[i] - x[i] - s * (y[i] - x[i])) > off) return false;
  }
  return true;
}

// as few frames as that leaves
static void choose_frames(cli_film_part *p, double off) {
  int last = 0;
  p->frames = 0;
  p->frame[p->frames++] = 0;
  for (int k = 2; k < p->places; k++)
    if (!passes_between(p, last, k, off)) p->frame[p->frames++] = last = k - 1;
  p->frame[p->frames++] = p->places - 1;
}

// of all parts, coarser where the picture would be too large
static void choose_all_frames(cli_film *w) {
  double size = INFINITY;
  for (double off = finest; size > ROOM && off < 40; off *= 1.5) {
    size = 0;
    for (int i = 0; i < w->n; i++) {
      choose_frames(&w->part[i], off);
      size += (double)LETTERS * w->part[i].frames * w->part[i].m;
    }
  }
}

// -- the ground

// 1, 2 or 5 times a power of ten, at most x
static double round_length(double x) {
  const double power = pow(10, floor(log10(x)));
  const double times = x / power;
  return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

// the ends on the ground, along an axis of it, of all shadows
static void measure_ground(const cli_film *w, dm_vec axis, double ends[2]) {
  ends[0] = INFINITY;
  ends[1] = -INFINITY;
  for (int i = 0; i < w->n; i++) {
    cli_film_part *p = &w->part[i];
    for (int k = 0; k < p->places; k += 1 + p->places / 200) {
      cli_scene_place_at(&p->scene, p->from + p->t[k]);
      for (int j = 0; j < 2 * p->strokes.n; j++) {
        const dm_segment *s = &p->strokes.list[j / 2].at;
        const double x = dm_dot(axis, dm_outline_place(p->scene.X, s->joint[j % 2], s->end[j % 2]));
        ends[0] = fmin(ends[0], x);
        ends[1] = fmax(ends[1], x);
      }
    }
  }
}

// squares of a round length, as many as hold all shadows
static void measure_squares(cli_film *w) {
  const dm_vec x = fabs(w->view.rise.x) > 0.5 ? dm_v(0, 1, 0) : dm_v(1, 0, 0);
  cli_ground *g = &w->ground;
  g->axis[0] = x;
  g->axis[1] = dm_cross(w->view.rise, x);
  for (int i = 0; i < 2; i++) measure_ground(w, g->axis[i], g->ends[i]);
  const double wide = fmax(g->ends[0][1] - g->ends[0][0], g->ends[1][1] - g->ends[1][0]);
  g->step = round_length(fmax(wide, 1e-6) / (SQUARES - 2));

  // whole ones
  for (int i = 0; i < 2; i++) {
    g->ends[i][0] = g->step * floor(g->ends[i][0] / g->step);
    g->ends[i][1] = g->step * ceil(g->ends[i][1] / g->step);
  }
}

// a place on the ground, in the view
static void project_ground(const cli_film *w, double x, double y, double at[2]) {
  const cli_ground *g = &w->ground;
  const dm_vec p = dm_add(dm_add(dm_mul(x, g->axis[0]), dm_mul(y, g->axis[1])),
                          dm_mul(w->view.ground, w->view.rise));
  project_point(&w->view, p, at);
}

static void reach_ground(cli_film *w) {
  const cli_ground *g = &w->ground;
  double at[2];
  for (int i = 0; i < 4; i++) {
    project_ground(w, g->ends[0][i & 1], g->ends[1][i / 2], at);
    reach_point(w, at, 0);
  }
}

// -- all of it

// the times that are shown of a motion: those that were asked for, or its first seconds
static void choose_times(cli_film_part *p, const cli_exhibit *x, const cli_request *r) {
  const double end = cli_exhibit_end(x);
  p->from = r->ntimes ? r->times[0] : 0;
  p->to = r->ntimes ? fmin(r->times[1], end) : fmin(end, CLI_FILM_LONGEST);
}

// where everything is, m in the view
static dm_status place_film(cli_film *w) {
  for (int i = 0; i < w->n; i++) DM_TRY(cli_strokes_new(&w->part[i].strokes, &w->part[i].scene));
  for (int i = 0; w->view.deep && i < w->n; i++) find_ground(w, &w->part[i]);
  for (int i = 0; i < w->n; i++) DM_TRY(place_part(w, &w->part[i]));
  return DM_OK;
}

// the picture's size, all points in px, and as few frames as show them
static void fit_film(cli_film *w) {
  for (int i = 0; i < w->n; i++) measure_part(w, &w->part[i]);
  if (w->view.deep) {
    measure_squares(w);
    reach_ground(w);
  }
  fit_picture(w);
  for (int i = 0; i < w->n; i++) {
    const size_t points = (size_t)w->part[i].places * (size_t)w->part[i].m;
    for (size_t k = 0; k < points; k++) find_pixel(w, w->part[i].at + 2 * k, w->part[i].at + 2 * k);
  }
  choose_all_frames(w);
}

// the parts one after the other, and the view of them all
static dm_status open_parts(cli_film *w, const cli_exhibits *all, const cli_request *r) {
  cli_scene *scene = calloc((size_t)w->n + 1, sizeof *scene);
  dm_status s = scene ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < w->n; i++) {
    cli_film_part *p = &w->part[i];
    if (cli_scene_open(&scene[i], all->at[i], r) != CLI_DONE) s = DM_NO_MEMORY;
    choose_times(p, all->at[i], r);
    p->begin = w->time;
    w->time += p->to - p->from;
  }
  if (s == DM_OK) w->view = cli_scene_view(scene, w->n, r);
  for (int i = 0; scene && i < w->n; i++) w->part[i].scene = scene[i];
  free(scene);
  return s;
}

bool cli_film_goes_on(const cli_film_part *p) {
  return p->scene.of->job.p->periodic_at[0] > 0;
}

dm_status cli_film_new(cli_film *w, const cli_exhibits *all, const cli_request *r) {
  *w = (cli_film){.n = all->shown, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  w->part = calloc((size_t)w->n + 1, sizeof *w->part);
  if (!w->part) return DM_NO_MEMORY;
  DM_TRY(open_parts(w, all, r));
  w->rest = cli_film_goes_on(&w->part[w->n - 1]) ? 0 : pause_at_end;
  w->time += w->rest;
  DM_TRY(place_film(w));
  fit_film(w);
  return DM_OK;
}

void cli_film_free(cli_film *w) {
  for (int i = 0; w->part && i < w->n; i++) {
    cli_film_part *p = &w->part[i];
    if (p->scene.of) cli_scene_close(&p->scene);
    cli_strokes_free(&p->strokes);
    free(p->t);
    free(p->at);
    free(p->frame);
  }
  free(w->part);
}

void cli_film_place(const cli_film *w, dm_vec x, double px[2]) {
  project_point(&w->view, x, px);
  find_pixel(w, px, px);
}

void cli_film_ground(const cli_film *w, double x, double y, double px[2]) {
  project_ground(w, x, y, px);
  find_pixel(w, px, px);
}
