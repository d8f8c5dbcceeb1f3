// cli/pictures/moving.c: a motion that moves, as an SVG file without a script: a path for each kind
// of stroke, whose shape goes through frames in real time, from its beginning again after a rest.
#include "cli/console/log.h"
#include "cli/pictures/plot_text.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/strokes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  RATE = 100,             // places a second that frames are chosen from
  LONGEST = 20,           // s that are shown where no times are chosen
  PLACES = 60 * RATE + 1, // of a motion, at most
  WIDTH = 460,            // of the picture, px, at most
  HEIGHT = 300,
  BESIDE = 24,   // around what is shown
  BELOW = 26,    // for the bar of time
  ROOM = 110000, // bytes of a picture, about, at most
  LETTERS = 11,  // a place's, about
  GRID = 6       // lines of the ground each way, about
};
static const double rest = 1;      // s at the end
static const double finest = 0.25; // px that places between two frames are off, at most
static const double sparse = 0.05; // s between knots of which some were left out, at most
static const double tail = 1;      // s of a way that winds
static const double shortest = 3;  // px of a way that is worth drawing

// the motion of a folder in the picture
typedef struct part {
  cli_scene scene;
  cli_strokes strokes;
  double from, to, begin; // s of the motion that are shown; when in the picture's time
  int m;                  // points: both ends of each stroke, of each shadow, and ends of chains
  int shadow, way;        // the first of shadows and of ends
  int places, frames;     // places that frames are chosen from, frames
  double *t, *at;         // [places], [places x m x 2] s in the picture; px
  int *frame;             // [frames] their places
} part;

typedef struct film {
  FILE *f;
  const cli_request *request;
  int n;
  part *part; // [n]
  cli_view view;
  double low[2], high[2]; // of what is shown, m
  double scale;           // px/m
  double width, height;   // px
  double time, rest;      // s, with the rest at the end; that
} film;

// -- places

static void project_point(const cli_view *v, dm_vec x, double at[2]) {
  at[0] = dm_dot(v->right, x);
  at[1] = dm_dot(v->up, x);
}

static dm_vec find_shadow(const cli_view *v, dm_vec x) {
  return dm_sub(x, dm_mul(dm_dot(v->rise, x) - v->ground, v->rise));
}

// all points at place k
static void put_place(film *w, part *p, int k) {
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

static dm_status place_part(film *w, part *p) {
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

static void reach_point(film *w, const double at[2], double room) {
  for (int i = 0; i < 2; i++) {
    w->low[i] = fmin(w->low[i], at[i] - room);
    w->high[i] = fmax(w->high[i], at[i] + room);
  }
}

// the box of a part: its points, shapes as wide as they are; what stands may go on beyond
static void measure_part(film *w, const part *p) {
  for (int k = 0; k < p->places; k++)
    for (int i = 0; i < p->m; i++) {
      const bool stroke = i < p->shadow;
      const double room = stroke ? p->strokes.list[i / 2].width / 2 : 0;
      reach_point(w, p->at + 2 * ((size_t)k * (size_t)p->m + (size_t)i), room);
    }
}

// the lowest floor is the ground of a view from above
static void find_ground(film *w, const part *p) {
  for (int i = 0; i < p->strokes.nfloor; i++)
    if (dm_dot(p->strokes.floor[i].normal, w->view.rise) > 0.99)
      w->view.ground = fmin(w->view.ground, dm_dot(p->strokes.floor[i].at, w->view.rise));
}

// the largest scale at which all is within the picture; points in px
static void fit_picture(film *w) {
  double span[2];
  for (int i = 0; i < 2; i++) span[i] = fmax(w->high[i] - w->low[i], 1e-9);
  w->scale = fmin((WIDTH - 2 * BESIDE) / span[0], (HEIGHT - 2 * BESIDE) / span[1]);
  w->width = ceil(fmax(span[0] * w->scale, 180) + 2 * BESIDE);
  w->height = ceil(fmax(span[1] * w->scale, 60) + 2 * BESIDE);
  for (int i = 0; i < 2; i++) { // in the middle
    const double more = (i ? w->height : w->width) / w->scale - span[i];
    w->low[i] -= more / 2;
    w->high[i] += more / 2;
  }
}

static void find_pixel(const film *w, const double from[2], double to[2]) {
  const double x = from[0], y = from[1];
  to[0] = (x - w->low[0]) * w->scale;
  to[1] = (w->high[1] - y) * w->scale;
}

// -- frames

// whether straight lines from place a to place b pass the places between them
static bool passes_between(const part *p, int a, int b, double off) {
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
static void choose_frames(part *p, double off) {
  int last = 0;
  p->frames = 0;
  p->frame[p->frames++] = 0;
  for (int k = 2; k < p->places; k++)
    if (!passes_between(p, last, k, off)) p->frame[p->frames++] = last = k - 1;
  p->frame[p->frames++] = p->places - 1;
}

// of all parts, coarser where the picture would be too large
static void choose_all_frames(film *w) {
  double size = INFINITY;
  for (double off = finest; size > ROOM && off < 40; off *= 1.5) {
    size = 0;
    for (int i = 0; i < w->n; i++) {
      choose_frames(&w->part[i], off);
      size += (double)LETTERS * w->part[i].frames * w->part[i].m;
    }
  }
}

// -- numbers and attributes

// to a tenth, without zeros at the end
static void put_number(FILE *f, double x) {
  const double tenth = round(10 * x) / 10;
  fprintf(f, tenth == round(tenth) ? "%.0f" : "%.1f", tenth == 0 ? 0 : tenth);
}

static void put_pixel(FILE *f, char word, const double at[2]) {
  fputc(word, f);
  put_number(f, at[0]);
  fputc(' ', f);
  put_number(f, at[1]);
}

// the times of a part's frames, as shares of the picture's
static void put_key_times(const film *w, const part *p) {
  fprintf(w->f, "keyTimes=\"");
  if (p->begin > 0) fprintf(w->f, "0;");
  for (int k = 0; k < p->frames; k++)
    fprintf(w->f, "%.5g;", (p->begin + p->t[p->frame[k]]) / w->time);
  fprintf(w->f, "1\"");
}

// a value of each of these times
static void put_values(const film *w, const part *p,
                       void (*put)(const film *, const part *, int, int), int which) {
  const int first = p->begin > 0 ? -1 : 0, last = p->frames - 1;
  fprintf(w->f, " values=\"");
  for (int k = first; k <= p->frames; k++) {
    const int frame = k < 0 ? 0 : k;
    if (k > first) fputc(';', w->f);
    put(w, p, p->frame[frame < last ? frame : last], which);
  }
  fprintf(w->f, "\"/>");
}

static void put_animation(const film *w, const part *p, const char *attribute,
                          void (*put)(const film *, const part *, int, int), int which) {
  fprintf(w->f, "<animate attributeName=\"%s\" dur=\"%gs\" repeatCount=\"indefinite\" ", attribute,
          w->time);
  put_key_times(w, p);
  put_values(w, p, put, which);
}

// -- strokes

#define WORD(NAME, word, reach) word,
static const char *const stroke_words[] = {CLI_STROKES(WORD)};
#undef WORD

// the first stroke behind those of stroke i's kind and width
static int find_last(const cli_strokes *s, int i) {
  int last = i + 1;
  while (last < s->n && s->list[last].kind == s->list[i].kind &&
         s->list[last].width == s->list[i].width)
    last++;
  return last;
}

static void put_stroke(const film *w, const cli_stroke *s, const double *at) {
#define REACH(NAME, word, reach) reach,
  static const double reach[] = {CLI_STROKES(REACH)};
#undef REACH
  const double from[] = {at[0] - reach[s->kind], at[1]};
  put_pixel(w->f, 'M', s->dot ? from : at);
  if (s->dot)
    fprintf(w->f, "h%g", 2 * reach[s->kind]);
  else
    put_pixel(w->f, 'L', at + 2);
}

// the strokes of stroke i's kind at a place
static void put_kind(const film *w, const part *p, int place, int i) {
  const int last = find_last(&p->strokes, i);
  for (; i < last; i++)
    put_stroke(w, &p->strokes.list[i], p->at + 2 * ((size_t)place * (size_t)p->m + 2 * (size_t)i));
}

// their shadows: of all that is the robot's
static void put_shadows(const film *w, const part *p, int place, int unused) {
  (void)unused;
  for (int i = 0; i < p->strokes.n; i++) {
    const cli_stroke *s = &p->strokes.list[i];
    const size_t at = (size_t)place * (size_t)p->m + (size_t)p->shadow + 2 * (size_t)i;
    if (!s->dot && s->kind != CLI_STROKE_KEPT) put_stroke(w, s, p->at + 2 * at);
  }
}

// whether points [first, first + n) stay where they are
static bool stands_still(const part *p, int first, int n) {
  const double *x = p->at + 2 * (size_t)first;
  for (int k = 1; k < p->places; k++)
    for (int i = 0; i < 2 * n; i++)
      if (fabs(x[2 * (size_t)k * (size_t)p->m + (size_t)i] - x[i]) > 0.05) return false;
  return true;
}

// a path of strokes [i, last) at the first place, and how it moves
static void put_kind_path(const film *w, const part *p, int i, int last) {
  const cli_stroke *s = &p->strokes.list[i];
  fprintf(w->f, "<path class=\"%s\"", stroke_words[s->kind]);
  if (s->width > 0) fprintf(w->f, " stroke-width=\"%.1f\"", s->width * w->scale);
  fprintf(w->f, " d=\"");
  put_kind(w, p, 0, i);
  fprintf(w->f, "\">");
  if (!stands_still(p, 2 * i, 2 * (last - i))) put_animation(w, p, "d", put_kind, i);
  fprintf(w->f, "</path>\n");
}

// the strokes of a kind where the motion ends
static void put_end_of(const film *w, const part *p, cli_stroke_kind kind) {
  bool begun = false;
  for (int i = 0; i < p->strokes.n; i++) {
    const cli_stroke *s = &p->strokes.list[i];
    if (s->kind != kind || s->dot) continue;
    if (!begun) fprintf(w->f, "<path class=\"ghost %s\" d=\"", stroke_words[kind]);
    begun = true;
    put_stroke(w, s, p->at + 2 * ((size_t)(p->places - 1) * (size_t)p->m + 2 * (size_t)i));
  }
  if (begun) fprintf(w->f, "\"/>\n");
}

// a motion that ends as it began goes on without a rest
static bool goes_on(const part *p) {
  return p->scene.of->job.p->periodic_at[0] > 0;
}

// where the motion ends, where that is a goal
static void put_ghost(const film *w, const part *p) {
  const cli_exhibit *of = p->scene.of;
  const bool goal = of->job.p->has_task && !of->simulated && !goes_on(p);
  if (!goal || p->to < cli_exhibit_end(of)) return;
  put_end_of(w, p, CLI_STROKE_BOX);
  put_end_of(w, p, CLI_STROKE_LINK);
}

// -- ways

// how far point i has come along the frames up to a place, px
static double measure_way(const part *p, int place, int i) {
  const double *at = p->at + 2 * (size_t)i;
  const size_t row = 2 * (size_t)p->m;
  double sum = 0;
  for (int k = 1; k < p->frames && p->frame[k] <= place; k++) {
    const double *a = at + row * (size_t)p->frame[k - 1], *b = at + row * (size_t)p->frame[k];
    sum += hypot(b[0] - a[0], b[1] - a[1]);
  }
  return sum;
}

// how far point i has come along the frames by a time of the motion, px
static double find_way(const part *p, double t, int i) {
  int place = 0;
  while (place + 1 < p->places && p->t[place + 1] <= t) place++;
  return measure_way(p, place, i);
}

// a way that winds through the picture so often that its last second alone is to be seen
static bool winds(const film *w, const part *p, int i) {
  return measure_way(p, p->places - 1, i) > 4 * (w->width + w->height);
}

// dashes of the way of point i, as shares of it: nothing, what is not drawn any more, what is
static void put_dashes(const film *w, const part *p, int place, int i) {
  const double whole = measure_way(p, p->places - 1, i), to = measure_way(p, place, i) / whole;
  const double from = winds(w, p, i) ? find_way(p, p->t[place] - tail, i) / whole : 0;
  fprintf(w->f, "0 %.4g %.4g 2", round(2000 * from) / 2000, round(2000 * (to - from)) / 2000);
}

// the way of an end of a chain: faint, and drawn as far as the end has come
static void put_way(const film *w, const part *p, int i) {
  if (measure_way(p, p->places - 1, i) < shortest) return;
  for (int done = winds(w, p, i); done < 2; done++) {
    fprintf(w->f, "<path class=\"%s\" d=\"", done ? "way\" pathLength=\"1" : "path");
    for (int k = 0; k < p->frames; k++)
      put_pixel(w->f, k ? 'L' : 'M', p->at + 2 * ((size_t)p->frame[k] * (size_t)p->m + (size_t)i));
    fprintf(w->f, "\">");
    if (done) put_animation(w, p, "stroke-dasharray", put_dashes, i);
    fprintf(w->f, "</path>\n");
  }
}

// -- what stands

// twice the area of a triangle, above 0 where it turns to the left
static double find_turn(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static int compare_places(const void *a, const void *b) {
  const double *x = a, *y = b;
  if (x[0] != y[0]) return (x[0] > y[0]) - (x[0] < y[0]);
  return (x[1] > y[1]) - (x[1] < y[1]);
}

// the hull of points [n], from left to right below and back above: Andrew's chains
static void put_hull(const film *w, const cli_hull *h) {
  double at[CLI_HULL][2], chain[2 * CLI_HULL][2];
  int n = 0;
  for (int i = 0; i < h->n; i++) {
    project_point(&w->view, h->at[i], at[i]);
    find_pixel(w, at[i], at[i]);
  }
  qsort(at, (size_t)h->n, sizeof *at, compare_places);
  for (int side = 0, first = 0; side < 2; side++, first = n - 1)
    for (int i = 0; i < h->n; i++) {
      const double *next = at[side ? h->n - 1 - i : i];
      while (n > first + 1 && find_turn(chain[n - 2], chain[n - 1], next) <= 0) n--;
      memcpy(chain[n++], next, sizeof *chain);
    }

  fprintf(w->f, "<path class=\"hull\" d=\"");
  for (int i = 0; i + 1 < n; i++) put_pixel(w->f, i ? 'L' : 'M', chain[i]);
  fprintf(w->f, "z\"/>\n");
}

// a floor that is seen from its side: its line across the picture
static void put_floor(const film *w, const cli_floor *floor) {
  double normal[2], at[2];
  project_point(&w->view, floor->normal, normal);
  if (w->view.deep || hypot(normal[0], normal[1]) < 0.9) return;
  project_point(&w->view, floor->at, at);
  find_pixel(w, at, at);
  const double far = w->width + w->height;
  const double ends[2][2] = {{at[0] - far * normal[1], at[1] - far * normal[0]},
                             {at[0] + far * normal[1], at[1] + far * normal[0]}};
  fprintf(w->f, "<path class=\"floor\" d=\"");
  for (int i = 0; i < 2; i++) put_pixel(w->f, i ? 'L' : 'M', ends[i]);
  fprintf(w->f, "\"/>\n");
}

// 1, 2 or 5 times a power of ten, at most x
static double round_length(double x) {
  const double power = pow(10, floor(log10(x)));
  const double times = x / power;
  return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

// the ends on the ground, along an axis of it, of all shadows
static void measure_ground(const film *w, dm_vec axis, double ends[2]) {
  ends[0] = INFINITY;
  ends[1] = -INFINITY;
  for (int i = 0; i < w->n; i++) {
    part *p = &w->part[i];
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

typedef struct ground {
  dm_vec axis[2]; // unit vectors along it
  double ends[2][2], step;
} ground;

// squares of a round length, as many as hold all shadows
static ground measure_squares(const film *w) {
  const dm_vec x = fabs(w->view.rise.x) > 0.5 ? dm_v(0, 1, 0) : dm_v(1, 0, 0);
  ground g = {.axis = {x, dm_cross(w->view.rise, x)}};
  for (int i = 0; i < 2; i++) measure_ground(w, g.axis[i], g.ends[i]);
  const double wide = fmax(g.ends[0][1] - g.ends[0][0], g.ends[1][1] - g.ends[1][0]);
  g.step = round_length(fmax(wide, 1e-6) / (GRID - 2));
  for (int i = 0; i < 2; i++) {
    g.ends[i][0] = g.step * floor(g.ends[i][0] / g.step);
    g.ends[i][1] = g.step * ceil(g.ends[i][1] / g.step);
  }
  return g;
}

// a place on the ground
static void find_ground_pixel(const film *w, const ground *g, double x, double y, double at[2]) {
  const dm_vec p = dm_add(dm_add(dm_mul(x, g->axis[0]), dm_mul(y, g->axis[1])),
                          dm_mul(w->view.ground, w->view.rise));
  project_point(&w->view, p, at);
}

static void reach_ground(film *w, const ground *g) {
  double at[2];
  for (int i = 0; i < 4; i++) {
    find_ground_pixel(w, g, g->ends[0][i & 1], g->ends[1][i / 2], at);
    reach_point(w, at, 0);
  }
}

static void put_ground(const film *w, const ground *g) {
  fprintf(w->f, "<path class=\"ground\" d=\"");
  for (int axis = 0; axis < 2; axis++) {
    const double *along = g->ends[axis], *across = g->ends[!axis];
    const int lines = (int)lround((along[1] - along[0]) / g->step);
    for (int i = 0; i <= lines; i++)
      for (int end = 0; end < 2; end++) {
        double at[2];
        const double a = along[0] + i * g->step, b = across[end];
        find_ground_pixel(w, g, axis ? b : a, axis ? a : b, at);
        find_pixel(w, at, at);
        put_pixel(w->f, end ? 'L' : 'M', at);
      }
  }
  fprintf(w->f, "\"/>\n");
}

// -- the picture

// light and dark: whatever is behind the picture, it has its own ground
static const char style[] =
    "<style>svg{--ground:#fff;--robot:#205080;--goal:#205080;--way:#d06010;--thing:#6b7785;"
    "--joint:#fff;fill:none;stroke-linecap:round;stroke-linejoin:round}\n"
    "@media(prefers-color-scheme:dark){svg{--ground:#14181d;--robot:#8ab8e8;--goal:#8ab8e8;"
    "--way:#f09048;--thing:#8c98a6;--joint:#14181d}}\n"
    ".link,.cart,.mass{stroke:var(--robot)}.link{stroke-width:6}.cart{stroke-width:20;"
    "stroke-linecap:butt}.mass{stroke-width:13}.axis{stroke:var(--joint);stroke-width:3.5}\n"
    ".box{stroke:var(--robot);stroke-width:2}.rod{stroke:var(--robot);stroke-width:1.6}"
    ".spring{stroke:var(--way);stroke-width:2.5;stroke-dasharray:4 4;stroke-linecap:butt}\n"
    ".kept{stroke:var(--thing);opacity:.35}.hull{fill:var(--thing);opacity:.5}"
    ".rail,.floor{stroke:var(--thing);stroke-width:2}.ground{stroke:var(--thing);opacity:.35}\n"
    ".shadow{stroke:var(--thing);stroke-width:5;opacity:.3}.ghost{opacity:.22}.path,.way{stroke:"
    "var(--way);stroke-width:1.8}.path{opacity:.3}\n"
    ".way{stroke-dasharray:0 2;stroke-linecap:butt}"
    "text{fill:var(--thing);font:11px sans-serif}</style>\n";

static void put_head(const film *w) {
  const double height = w->height + BELOW;
  fprintf(w->f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
          "viewBox=\"0 0 %g %g\" role=\"img\">\n<title>",
          w->width, height, w->width, height);
  for (int i = 0; i < w->n; i++) {
    if (i) fputs(", then ", w->f);
    cli_text_markup(w->f, w->part[i].scene.of->name);
  }
  fprintf(w->f, "</title>\n%s<rect width=\"%g\" height=\"%g\" style=\"fill:var(--ground)\"/>\n",
          style, w->width, height);
}

// how much of the time has passed, on a ground of its own: what is endless goes on below
static void put_clock(const film *w) {
  fprintf(w->f, "<rect y=\"%g\" width=\"%g\" height=\"%d\" style=\"fill:var(--ground)\"/>\n",
          w->height - 6, w->width, BELOW + 6);
  const double length = w->width - 2 * BESIDE - 34, y = w->height + 6, done = w->time - w->rest;
  fprintf(w->f,
          "<path class=\"rail\" opacity=\".35\" d=\"M%d %gh%g\"/>\n<path class=\"rail\" d=\"M%d "
          "%gh%g\"><animate attributeName=\"d\" dur=\"%gs\" repeatCount=\"indefinite\" "
          "keyTimes=\"0;%.5g;1\" values=\"M%d %gh0;M%d %gh%g;M%d %gh%g\"/></path>\n",
          BESIDE, y, length, BESIDE, y, length, w->time, done / w->time, BESIDE, y, BESIDE, y,
          length, BESIDE, y, length);
  fprintf(w->f, "<text x=\"%g\" y=\"%g\">%.3g s</text>\n", BESIDE + length + 8, y + 4, done);
}

// of several parts each is seen in its time alone
static void put_turn(const film *w, const part *p) {
  const double from = p->begin / w->time, to = (p->begin + p->to - p->from) / w->time;
  const bool last = p == &w->part[w->n - 1];
  if (w->n == 1) return;
  fprintf(w->f,
          "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"%gs\" "
          "repeatCount=\"indefinite\" keyTimes=\"0",
          w->time);
  if (p->begin > 0) fprintf(w->f, ";%.5g", from);
  if (!last) fprintf(w->f, ";%.5g", to);
  fprintf(w->f, "\" values=\"%s%s%s\"/>\n", p->begin > 0 ? "hidden;" : "", "visible",
          last ? "" : ";hidden");
}

static void put_part(const film *w, const part *p) {
  for (int i = 0; i < p->scene.npoint; i++) put_way(w, p, p->way + i);
  fprintf(w->f, "<g%s>", p->begin > 0 ? " visibility=\"hidden\"" : "");
  put_turn(w, p);
  if (w->view.deep) {
    fprintf(w->f, "<path class=\"shadow\" d=\"");
    put_shadows(w, p, 0, 0);
    fprintf(w->f, "\">");
    put_animation(w, p, "d", put_shadows, 0);
    fprintf(w->f, "</path>\n");
  }
  for (int i = 0, last; i < p->strokes.n; i = last) {
    last = find_last(&p->strokes, i);
    put_kind_path(w, p, i, last);
  }
  fprintf(w->f, "</g>\n");
}

// what stands, then the goal, then what moves
static void put_film(const film *w, const ground *g) {
  put_head(w);
  if (w->view.deep) put_ground(w, g);
  const cli_strokes *s = &w->part[0].strokes;
  for (int i = 0; i < s->nfloor; i++) put_floor(w, &s->floor[i]);
  for (int i = 0; i < s->nhull; i++) put_hull(w, &s->hull[i]);
  put_ghost(w, &w->part[w->n - 1]);
  for (int i = 0; i < w->n; i++) put_part(w, &w->part[i]);
  put_clock(w);
  fprintf(w->f, "</svg>\n");
}

static dm_status make_film(film *w) {
  // 1  where everything is, m in the view
  for (int i = 0; i < w->n; i++) DM_TRY(cli_strokes_new(&w->part[i].strokes, &w->part[i].scene));
  for (int i = 0; w->view.deep && i < w->n; i++) find_ground(w, &w->part[i]);
  for (int i = 0; i < w->n; i++) DM_TRY(place_part(w, &w->part[i]));
  for (int i = 0; i < w->n; i++) measure_part(w, &w->part[i]);
  ground g = {0};
  if (w->view.deep) {
    g = measure_squares(w);
    reach_ground(w, &g);
  }

  // 2  in px, and as few frames as show it
  fit_picture(w);
  for (int i = 0; i < w->n; i++) {
    const size_t points = (size_t)w->part[i].places * (size_t)w->part[i].m;
    for (size_t k = 0; k < points; k++) find_pixel(w, w->part[i].at + 2 * k, w->part[i].at + 2 * k);
  }
  choose_all_frames(w);
  put_film(w, &g);
  return DM_OK;
}

// the times that are shown of a motion: those that were asked for, or its first seconds
static void choose_times(part *p, const cli_exhibit *x, const cli_request *r) {
  const double end = cli_exhibit_end(x);
  p->from = r->ntimes ? r->times[0] : 0;
  p->to = r->ntimes ? fmin(r->times[1], end) : fmin(end, LONGEST);
}

static int prepare_moving(cli_exhibits *all, const cli_request *r) {
  if (r->ntimes && (r->ntimes != 2 || !(r->times[0] >= 0 && r->times[0] < r->times[1])))
    return cli_fail(r->args, CLI_INPUT,
                    "--times of --what moving takes two times, from and to, such as 0,2");
  if (r->ntimes && r->times[1] - r->times[0] > (double)(PLACES - 1) / RATE)
    return cli_fail(r->args, CLI_INPUT, "--times: a moving picture shows %d s at most, got %g s",
                    (PLACES - 1) / RATE, r->times[1] - r->times[0]);
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < all->shown; i++) {
    const cli_exhibit *x = all->at[i];
    const double end = cli_exhibit_end(x), h = x->job.x->h;
    cli_scene w;
    status = cli_scene_open(&w, x, r);
    cli_scene_close(&w);
    if (status == CLI_DONE && h > sparse && x->step < h)
      status = cli_fail(r->args, CLI_INPUT,
                        "%s keeps a knot every %g s alone: how it moves between them is not known; "
                        "simulate again with a smaller simulate.every",
                        x->path, h);
    if (status == CLI_DONE && r->ntimes && r->times[0] >= end)
      status = cli_fail(r->args, CLI_INPUT, "--times: %s goes from 0 to %g s, got %g", x->path, end,
                        r->times[0]);
    if (status == CLI_DONE && !r->ntimes && end > LONGEST)
      cli_note(r->args, "%s moves for %g s: its first %d s are shown; --times FROM,TO shows others",
               x->path, end, LONGEST);
  }
  return status;
}

static dm_status write_moving(FILE *f, const cli_exhibits *all, const cli_request *r) {
  film w = {.f = f,
            .request = r,
            .n = all->shown,
            .low = {INFINITY, INFINITY},
            .high = {-INFINITY, -INFINITY}};
  cli_scene *scene = calloc((size_t)w.n, sizeof *scene);
  w.part = calloc((size_t)w.n, sizeof *w.part);
  dm_status s = scene && w.part ? DM_OK : DM_NO_MEMORY;

  // one after the other
  for (int i = 0; s == DM_OK && i < w.n; i++) {
    if (cli_scene_open(&scene[i], all->at[i], r) != CLI_DONE) s = DM_NO_MEMORY;
    choose_times(&w.part[i], all->at[i], r);
    w.part[i].begin = w.time;
    w.time += w.part[i].to - w.part[i].from;
  }
  if (s == DM_OK) {
    w.view = cli_scene_view(scene, w.n, r);
    for (int i = 0; i < w.n; i++) w.part[i].scene = scene[i];
    w.rest = goes_on(&w.part[w.n - 1]) ? 0 : rest;
    w.time += w.rest;
    s = make_film(&w);
  }

  for (int i = 0; scene && i < w.n; i++)
    if (scene[i].of) cli_scene_close(&scene[i]);
  for (int i = 0; w.part && i < w.n; i++) {
    cli_strokes_free(&w.part[i].strokes);
    free(w.part[i].t);
    free(w.part[i].at);
    free(w.part[i].frame);
  }
  free(w.part);
  free(scene);
  return s;
}

const cli_plot cli_plot_moving = {
    .word = "moving",
    .help =
        "the robot as it moves, in real time, several folders one after another: SVG that plays "
        "by itself",
    .takes = "--points --plane --times",
    .most = CLI_MANY,
    .apart = true,
    .mixed = true,
    .prepare = prepare_moving,
    .write = write_moving,
};
