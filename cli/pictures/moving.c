// cli/pictures/moving.c: a motion that moves, as an SVG file without a script: a path for each kind
// of stroke, whose shape goes through frames in real time, from its beginning again after a rest.
#include "cli/console/log.h"
#include "cli/pictures/film.h"
#include "cli/pictures/plot_text.h"
#include "cli/pictures/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sparse = 0.05; // s between knots of which some were left out, at most
static const double tail = 1;      // s of a way that winds
static const double shortest = 3;  // px of a way that is worth drawing
enum { BELOW = 26 };               // px for the bar of time

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
static void put_key_times(const cli_film *w, const cli_film_part *p) {
  fprintf(w->f, "keyTimes=\"");
  if (p->begin > 0) fprintf(w->f, "0;");
  for (int k = 0; k < p->frames; k++)
    fprintf(w->f, "%.5g;", (p->begin + p->t[p->frame[k]]) / w->time);
  fprintf(w->f, "1\"");
}

// a value of each of these times
static void put_values(const cli_film *w, const cli_film_part *p,
                       void (*put)(const cli_film *, const cli_film_part *, int, int), int which) {
  const int first = p->begin > 0 ? -1 : 0, last = p->frames - 1;
  fprintf(w->f, " values=\"");
  for (int k = first; k <= p->frames; k++) {
    const int frame = k < 0 ? 0 : k;
    if (k > first) fputc(';', w->f);
    put(w, p, p->frame[frame < last ? frame : last], which);
  }
  fprintf(w->f, "\"/>");
}

static void put_animation(const cli_film *w, const cli_film_part *p, const char *attribute,
                          void (*put)(const cli_film *, const cli_film_part *, int, int),
                          int which) {
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

static void put_stroke(const cli_film *w, const cli_stroke *s, const double *at) {
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
static void put_kind(const cli_film *w, const cli_film_part *p, int place, int i) {
  const int last = find_last(&p->strokes, i);
  for (; i < last; i++)
    put_stroke(w, &p->strokes.list[i], p->at + 2 * ((size_t)place * (size_t)p->m + 2 * (size_t)i));
}

// their shadows: of all that is the robot's
static void put_shadows(const cli_film *w, const cli_film_part *p, int place, int unused) {
  (void)unused;
  for (int i = 0; i < p->strokes.n; i++) {
    const cli_stroke *s = &p->strokes.list[i];
    const size_t at = (size_t)place * (size_t)p->m + (size_t)p->shadow + 2 * (size_t)i;
    if (!s->dot && s->kind != CLI_STROKE_KEPT) put_stroke(w, s, p->at + 2 * at);
  }
}

// whether points [first, first + n) stay where they are
static bool stands_still(const cli_film_part *p, int first, int n) {
  const double *x = p->at + 2 * (size_t)first;
  for (int k = 1; k < p->places; k++)
    for (int i = 0; i < 2 * n; i++)
      if (fabs(x[2 * (size_t)k * (size_t)p->m + (size_t)i] - x[i]) > 0.05) return false;
  return true;
}

// a path of strokes [i, last) at the first place, and how it moves
static void put_kind_path(const cli_film *w, const cli_film_part *p, int i, int last) {
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
static void put_end_of(const cli_film *w, const cli_film_part *p, cli_stroke_kind kind) {
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

// where the motion ends, where that is a goal
static void put_ghost(const cli_film *w, const cli_film_part *p) {
  const cli_exhibit *of = p->scene.of;
  const bool goal = cli_exhibit_has_goal(of) && !cli_film_goes_on(p);
  if (!goal || p->to < cli_exhibit_end(of)) return;
  put_end_of(w, p, CLI_STROKE_BOX);
  put_end_of(w, p, CLI_STROKE_LINK);
}

// -- ways

// how far point i has come along the frames up to a place, px
static double measure_way(const cli_film_part *p, int place, int i) {
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
static double find_way(const cli_film_part *p, double t, int i) {
  int place = 0;
  while (place + 1 < p->places && p->t[place + 1] <= t) place++;
  return measure_way(p, place, i);
}

// a way that winds through the picture so often that its last second alone is to be seen
static bool winds(const cli_film *w, const cli_film_part *p, int i) {
  return measure_way(p, p->places - 1, i) > 4 * (w->width + w->height);
}

// dashes of the way of point i, as shares of it: nothing, what is not drawn any more, what is
static void put_dashes(const cli_film *w, const cli_film_part *p, int place, int i) {
  const double whole = measure_way(p, p->places - 1, i), to = measure_way(p, place, i) / whole;
  const double from = winds(w, p, i) ? find_way(p, p->t[place] - tail, i) / whole : 0;
  fprintf(w->f, "0 %.4g %.4g 2", round(2000 * from) / 2000, round(2000 * (to - from)) / 2000);
}

// the way of an end of a chain: faint, and drawn as far as the end has come
static void put_way(const cli_film *w, const cli_film_part *p, int i) {
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
static void put_hull(const cli_film *w, const cli_hull *h) {
  double at[CLI_HULL][2], chain[2 * CLI_HULL][2];
  int n = 0;
  for (int i = 0; i < h->n; i++) cli_film_place(w, h->at[i], at[i]);
  qsort(at, (size_t)h->n, sizeof *at, compare_places);

  // a chain each way; a point that the next one does not turn left of lies within
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
static void put_floor(const cli_film *w, const cli_floor *floor) {
  double normal[2], at[2];
  normal[0] = dm_dot(w->view.right, floor->normal);
  normal[1] = dm_dot(w->view.up, floor->normal);
  if (w->view.deep || hypot(normal[0], normal[1]) < 0.9) return;
  cli_film_place(w, floor->at, at);
  const double far = w->width + w->height;
  const double ends[2][2] = {{at[0] - far * normal[1], at[1] - far * normal[0]},
                             {at[0] + far * normal[1], at[1] + far * normal[0]}};
  fprintf(w->f, "<path class=\"floor\" d=\"");
  for (int i = 0; i < 2; i++) put_pixel(w->f, i ? 'L' : 'M', ends[i]);
  fprintf(w->f, "\"/>\n");
}

static void put_ground(const cli_film *w) {
  const cli_ground *g = &w->ground;
  fprintf(w->f, "<path class=\"ground\" d=\"");
  for (int axis = 0; axis < 2; axis++) {
    const double *along = g->ends[axis], *across = g->ends[!axis];
    const int lines = (int)lround((along[1] - along[0]) / g->step);
    for (int i = 0; i <= lines; i++)
      for (int end = 0; end < 2; end++) {
        double at[2];
        const double a = along[0] + i * g->step, b = across[end];
        cli_film_ground(w, axis ? b : a, axis ? a : b, at);
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

static void put_head(const cli_film *w) {
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
static void put_clock(const cli_film *w) {
  fprintf(w->f, "<rect y=\"%g\" width=\"%g\" height=\"%d\" style=\"fill:var(--ground)\"/>\n",
          w->height - 6, w->width, BELOW + 6);
  const double length = w->width - 2 * CLI_FILM_BESIDE - 34, y = w->height + 6,
               done = w->time - w->rest;
  fprintf(w->f,
          "<path class=\"rail\" opacity=\".35\" d=\"M%d %gh%g\"/>\n<path class=\"rail\" d=\"M%d "
          "%gh%g\"><animate attributeName=\"d\" dur=\"%gs\" repeatCount=\"indefinite\" "
          "keyTimes=\"0;%.5g;1\" values=\"M%d %gh0;M%d %gh%g;M%d %gh%g\"/></path>\n",
          CLI_FILM_BESIDE, y, length, CLI_FILM_BESIDE, y, length, w->time, done / w->time,
          CLI_FILM_BESIDE, y, CLI_FILM_BESIDE, y, length, CLI_FILM_BESIDE, y, length);
  fprintf(w->f, "<text x=\"%g\" y=\"%g\">%.3g s</text>\n", CLI_FILM_BESIDE + length + 8, y + 4,
          done);
}

// of several parts each is seen in its time alone
static void put_turn(const cli_film *w, const cli_film_part *p) {
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

static void put_part(const cli_film *w, const cli_film_part *p) {
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
static void put_film(const cli_film *w) {
  put_head(w);
  if (w->view.deep) put_ground(w);
  const cli_strokes *s = &w->part[0].strokes;
  for (int i = 0; i < s->nfloor; i++) put_floor(w, &s->floor[i]);
  for (int i = 0; i < s->nhull; i++) put_hull(w, &s->hull[i]);
  put_ghost(w, &w->part[w->n - 1]);
  for (int i = 0; i < w->n; i++) put_part(w, &w->part[i]);
  put_clock(w);
  fprintf(w->f, "</svg>\n");
}

static int prepare_moving(cli_exhibits *all, const cli_request *r) {
  if (r->ntimes && (r->ntimes != 2 || !(r->times[0] >= 0 && r->times[0] < r->times[1])))
    return cli_fail(r->args, CLI_INPUT,
                    "--times of --what moving takes two times, from and to, such as 0,2");
  if (r->ntimes && r->times[1] - r->times[0] > CLI_FILM_MOST)
    return cli_fail(r->args, CLI_INPUT, "--times: a moving picture shows %d s at most, got %g s",
                    CLI_FILM_MOST, r->times[1] - r->times[0]);

  // each folder: a robot to draw, knots close enough, a part that it has
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
    if (status == CLI_DONE && !r->ntimes && end > CLI_FILM_LONGEST)
      cli_note(r->args, "%s moves for %g s: its first %d s are shown; --times FROM,TO shows others",
               x->path, end, CLI_FILM_LONGEST);
  }
  return status;
}

static dm_status write_moving(FILE *f, const cli_exhibits *all, const cli_request *r) {
  cli_film w;
  const dm_status s = cli_film_new(&w, all, r);
  w.f = f;
  if (s == DM_OK) put_film(&w);
  cli_film_free(&w);
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
    .together = true,
    .mixed = true,
    .prepare = prepare_moving,
    .write = write_moving,
};
