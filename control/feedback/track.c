#include "control/feedback/track.h"

#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/multibody/output_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fb_track {
  track_tables tables;
  int n, rows, parts, knots;
  int *row, *joint, *point;
  double *local, *along, *of_q, *shift, *weight, *y;
};

bool fb_track_knows(const dm_outputs *w, const dm_model *m, int i) {
  double shift = 0;
  return !m->nball && dm_output_parts(w, m, i, NULL, NULL, &shift) >= 0;
}

static void lay_out_track(void *self, dm_block *b) {
  fb_track *w = self;
  const size_t rows = (size_t)w->rows, parts = (size_t)w->parts;
  int **const integers[] = {&w->row, &w->joint, &w->point};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    *integers[i] = dm_block_alloc(b, parts, sizeof(int));
  double **const reals[] = {&w->local, &w->along, &w->of_q, &w->shift, &w->weight, &w->y};
  const size_t of[] = {3 * parts, 3 * parts, rows * (size_t)w->n,
                       rows,      rows,      rows * (size_t)w->knots};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    *reals[i] = dm_block_alloc(b, of[i], sizeof(double));
}

// the parts of row i, from part `first` on; returns their number
static int copy_parts(fb_track *w, const dm_outputs *of, const dm_model *m, int i, int row,
                      int first, dm_output_part *part) {
  const int count = dm_output_parts(of, m, row, part, w->of_q + i * w->n, &w->shift[i]);
  for (int k = 0; k < count; k++) {
    const int at = first + k;
    w->row[at] = i;
    w->joint[at] = part[k].joint;
    w->point[at] = part[k].point;
    memcpy(w->local + 3 * at, part[k].local, sizeof part[k].local);
    memcpy(w->along + 3 * at, part[k].along, sizeof part[k].along);
  }
  return count;
}

// the reference: as given, else of the states
static void fill_reference(fb_track *w, const tree_tables *M, const fb_track_settings *set,
                           double *room) {
  double *D = room + 12 * M->joints, *y = D + w->n * w->rows;
  for (int k = 0; k < w->knots; k++) {
    const int at = k < set->states ? k : set->states - 1;
    const double *given = set->y + (k < set->knots ? k : set->knots - 1) * w->rows;
    fb_onboard_outputs(M, &w->tables, set->x + at * 2 * w->n, room, y, D);
    for (int i = 0; i < w->rows; i++) w->y[k * w->rows + i] = isnan(given[i]) ? y[i] : given[i];
  }
}

dm_status fb_track_new(fb_track **out, const dm_outputs *w, const dm_model *m,
                       const struct tree_tables *M, const fb_track_settings *set, dm_message *msg) {
  fb_track sizes = {
      .n = m->nq, .rows = set->rows, .knots = set->knots > set->states ? set->knots : set->states};
  int most = 0;
  *out = NULL;
  for (int i = 0; i < set->rows; i++) {
    double shift = 0;
    if (!fb_track_knows(w, m, set->row[i]))
      return dm_fail(
          msg, DM_UNAVAILABLE,
          "row %d of the outputs is not a sum of points and directions of bodies in the world",
          set->row[i]);
    const int parts = dm_output_parts(w, m, set->row[i], NULL, NULL, &shift);
    sizes.parts += parts;
    most = parts > most ? parts : most;
  }
  fb_track *o = dm_block_make(&sizes, sizeof sizes, lay_out_track);
  dm_output_part *part = calloc((size_t)most + 1, sizeof *part);
  double *room = calloc((size_t)(12 * M->joints + (m->nq + 1) * set->rows + 1), sizeof *room);
  if (!o || !part || !room) {
    free(part);
    free(room);
    dm_block_free(o);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  int first = 0;
  for (int i = 0; i < set->rows; i++) first += copy_parts(o, w, m, i, set->row[i], first, part);
  free(part);
  memcpy(o->weight, set->weight, (size_t)set->rows * sizeof *o->weight);
  o->tables = (track_tables){.rows = o->rows,
                             .parts = o->parts,
                             .asks = set->asks,
                             .row = o->row,
                             .joint = o->joint,
                             .point = o->point,
                             .local = o->local,
                             .along = o->along,
                             .of_q = o->of_q,
                             .shift = o->shift,
                             .weight = o->weight,
                             .y = {o->y, o->knots, o->rows}};
  fill_reference(o, M, set, room);
  free(room);
  *out = o;
  return DM_OK;
}

void fb_track_free(fb_track *w) {
  dm_block_free(w);
}

const struct track_tables *fb_track_tables(const fb_track *w) {
  return &w->tables;
}
