#include "problems/readers/format/log.h"

#include "lib/base/decimal.h"
#include "lib/base/names.h"
#include "problems/readers/format/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// a cell as a number; NAN if it is empty or "nan"
static dm_status read_cell(const pb_reader *r, const pb_csv *c, int row, int column,
                           double *value) {
  const char *cell = c->cell[(size_t)row * (size_t)c->columns + (size_t)column];
  char *end;
  *value = NAN;
  if (!cell[0] || !strcasecmp(cell, "nan")) return DM_OK;
  *value = dm_decimal_read(cell, &end);
  if (end != cell && !*end && isfinite(*value)) return DM_OK;
  return pb_refuse(r, c->file, c->line[row], 0,
                   "column '%.64s': found '%.40s', expected a finite number, or an empty cell or "
                   "nan where a sample was dropped",
                   c->name[column], cell);
}

// a column of the values of q.NAME or u.NAME, or of times
static dm_status find_column(const pb_reader *r, const pb_csv *c, const char *name,
                             const char *column, int *at) {
  char meant[96], key[96] = "time: COLUMN";
  if (name) snprintf(key, sizeof key, "columns: {%.64s: COLUMN}", name);
  *at = dm_names_find(c->name, c->columns, column);
  if (*at >= 0) return DM_OK;
  return pb_refuse(r, c->file, c->header, 0,
                   "found no column '%.64s', expected one with the %s%.64s; try 'identify: "
                   "{%.90s}' for another name%s",
                   column, name ? "values of " : "times", name ? name : "", key,
                   pb_did_you_mean(c->name, c->columns, column, meant));
}

static dm_status read_channel(const pb_reader *r, const pb_csv *c, const pb_log_column *column,
                              double second, pb_log_channel *out) {
  int value_at, time_at;
  double *t, *value;
  *out = (pb_log_channel){.name = column->name};
  if (!column->value) return DM_OK;
  DM_TRY(find_column(r, c, column->name, column->value, &value_at));
  DM_TRY(find_column(r, c, NULL, column->time, &time_at));
  PB_NEW(r->arena, t, c->rows);
  PB_NEW(r->arena, value, c->rows);
  out->t = t;
  out->value = value;
  double before = -INFINITY;
  int dropped = 0; // since the last sample
  for (int i = 0; i < c->rows; i++) {
    double time, x;
    DM_TRY(read_cell(r, c, i, time_at, &time));
    DM_TRY(read_cell(r, c, i, value_at, &x));
    if (isnan(time) && isnan(x)) continue;
    if (isnan(time))
      return pb_refuse(r, c->file, c->line[i], 0,
                       "column '%.64s': found a value and no time in '%.64s', expected both",
                       column->value, column->time);
    if (time <= before)
      return pb_refuse(r, c->file, c->line[i], 0,
                       "column '%.64s': found the time %.10g after %.10g, expected ascending "
                       "times; try one log for each run",
                       column->time, time, before);
    before = time;
    dropped += isnan(x) && out->samples;
    if (isnan(x)) continue;
    out->dropped += dropped;
    dropped = 0;
    t[out->samples] = time / second + column->delay;
    value[out->samples++] = column->factor * x;
  }
  if (out->samples >= 2) return DM_OK;
  return pb_refuse(r, c->file, 0, 0, "column '%.64s': found %d samples, expected two or more",
                   column->value, out->samples);
}

dm_status pb_log_read(pb_reader *r, const char *path, const pb_log_column *column, int n,
                      double second, pb_log *out) {
  const char *slash = strrchr(path, '/'), *before = r->file, *folder = r->folder;
  const pb_node node = {.kind = PB_SCALAR, .text = slash ? slash + 1 : path};
  pb_csv c;
  *out = (pb_log){.file = path, .n = n};

  // the path is as given, not relative to the problem
  r->file = path;
  r->folder = NULL;
  const dm_status s = pb_csv_read_words(r, &node, &c);
  r->file = before;
  r->folder = folder;
  DM_TRY(s);
  PB_NEW(r->arena, out->channel, n);
  PB_NEW(r->arena, out->ignored, c.columns);
  for (int i = 0; i < n; i++) DM_TRY(read_channel(r, &c, &column[i], second, &out->channel[i]));

  // columns that nothing reads
  for (int k = 0; k < c.columns; k++) {
    bool read = !c.name[k][0];
    for (int i = 0; i < n; i++)
      read = read || (column[i].value &&
                      (!strcmp(c.name[k], column[i].value) || !strcmp(c.name[k], column[i].time)));
    if (!read) out->ignored[out->nignored++] = c.name[k];
  }
  return DM_OK;
}
