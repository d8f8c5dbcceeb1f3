#include "problems/readers/task/read_fit_errors.h"

#include "lib/base/block.h"
#include "lib/base/names.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH "verify.errors.from"

// the fit as in its files; [n] parameters
typedef struct fit_files {
  pb_csv values, covariance;
  const pb_robot *robot;
  fb_fitted_parameter *list;
  const char **name;
  double *value, *matrix, *factor;
  int n;
} fit_files;

static dm_status read_table(pb_reader *r, const pb_node *node, const char *file, pb_csv *c) {
  const size_t size = strlen(node->text) + strlen(file) + 2;
  char *path = pb_arena_alloc(r->arena, size, 1);
  if (!path) return DM_NO_MEMORY;
  snprintf(path, size, "%s/%s", node->text, file);
  pb_node at = *node;
  at.text = path;
  const dm_status s = pb_csv_read_cells(r, &at, c);
  if (s != DM_BAD_INPUT || c->columns > 0) return s;
  return pb_refuse_node(r, node,
                        PATH ": found no table '%.200s', expected the folder of a fit, with "
                             "parameters.csv and covariance.csv: try the folder that dmoc identify "
                             "wrote",
                        path);
}

static dm_status read_number(const pb_reader *r, const pb_csv *c, int row, int column,
                             double *value) {
  const char *cell = c->cell[(size_t)row * (size_t)c->columns + (size_t)column];
  if (pb_number_parse(cell, value) == DM_OK) return DM_OK;
  return pb_refuse(r, c->file, c->line[row], 0, "column '%.64s': found '%.40s', expected a number",
                   c->name[column], cell);
}

static dm_status find_column(const pb_reader *r, const pb_csv *c, const char *name, int *column) {
  *column = dm_names_find(c->name, c->columns, name);
  if (*column >= 0) return DM_OK;
  return pb_refuse(r, c->file, 1, 0, "found no column '%s', expected name and value", name);
}

// the values of all parameters, by name
static dm_status read_values(pb_reader *r, fit_files *w) {
  const pb_csv *c = &w->values;
  int name, value;
  DM_TRY(find_column(r, c, "name", &name));
  DM_TRY(find_column(r, c, "value", &value));
  w->n = c->rows;
  PB_NEW(r->arena, w->list, w->n);
  PB_NEW(r->arena, w->name, w->n);
  PB_NEW(r->arena, w->value, w->n);
  for (int i = 0; i < w->n; i++) {
    dm_message why;
    const char *path = c->cell[(size_t)i * (size_t)c->columns + (size_t)name];
    if (dm_names_find(w->name, i, path) >= 0)
      return pb_refuse(r, c->file, c->line[i], 0, "found '%.64s' again, expected each name once",
                       path);
    w->name[i] = path;
    if (fb_fitted_find(&w->robot->mechanism, path, &w->list[i], &why) != DM_OK)
      return pb_refuse(r, c->file, c->line[i], 0,
                       "'%.64s': %s; the fit is of another robot: try " PATH " with a fit of this "
                       "one",
                       path, why.text);
    DM_TRY(read_number(r, c, i, value, &w->value[i]));
  }
  return DM_OK;
}

// the covariance [n x n]; zero for parameters that the table does not have
static dm_status read_covariance(pb_reader *r, fit_files *w) {
  const pb_csv *c = &w->covariance;
  int *at;
  if (c->rows != c->columns)
    return pb_refuse(r, c->file, 1, 0, "found %d rows and %d columns, expected a square table",
                     c->rows, c->columns);
  PB_NEW(r->arena, at, c->columns);
  PB_NEW(r->arena, w->matrix, (size_t)w->n * (size_t)w->n);
  PB_NEW(r->arena, w->factor, (size_t)w->n * (size_t)w->n);
  for (int i = 0; i < c->columns; i++) {
    char meant[96];
    at[i] = dm_names_find(w->name, w->n, c->name[i]);
    if (at[i] < 0)
      return pb_refuse(r, c->file, 1, 0,
                       "found the column '%.64s', expected names of parameters.csv%s", c->name[i],
                       pb_did_you_mean(w->name, w->n, c->name[i], meant));
  }
  for (int i = 0; i < c->rows; i++)
    for (int j = 0; j < c->columns; j++)
      DM_TRY(read_number(r, c, i, j, &w->matrix[at[i] * w->n + at[j]]));
  return DM_OK;
}

// the line of a parameter in the covariance; the header's for one that it does not have
static int covariance_line(const fit_files *w, int i) {
  const int row = dm_names_find(w->covariance.name, w->covariance.columns, w->name[i]);
  return row < 0 ? 1 : w->covariance.line[row];
}

static dm_status check_covariance(const pb_reader *r, const fit_files *w) {
  const double *C = w->matrix;
  for (int i = 0; i < w->n; i++)
    for (int j = 0; j < i; j++) {
      const double a = C[i * w->n + j], b = C[j * w->n + i];
      if (fabs(a - b) > 1e-6 * sqrt(fabs(C[i * w->n + i] * C[j * w->n + j])))
        return pb_refuse(
            r, w->covariance.file, covariance_line(w, i), 0,
            "found %g for '%.64s' and '%.64s', but %g for the reversed pair, expected a "
            "symmetric table",
            a, w->name[i], w->name[j], b);
    }
  const int bad = fb_fitted_factor(w->n, C, w->factor);
  if (bad < 0) return DM_OK;
  return pb_refuse(
      r, w->covariance.file, covariance_line(w, bad), 0,
      "'%.64s': found a covariance that is not positive semidefinite, expected that of "
      "a fit: try dmoc identify again, with all digits",
      w->name[bad]);
}

// refuse values that are not physical
static dm_status check_values(pb_reader *r, const fit_files *w, const fb_fitted *f) {
  fb_fitted_draw draw = {0};
  dm_block sizes = {0}, block = {0};
  fb_fitted_lay_out(f, &draw, &sizes);
  block.limit = sizes.used;
  block.base = pb_arena_alloc(r->arena, sizes.used, 1);
  if (!block.base) return DM_NO_MEMORY;
  fb_fitted_lay_out(f, &draw, &block);
  const int bad = fb_fitted_flaw(f, &draw);
  if (bad >= 0)
    return pb_refuse(r, w->values.file, w->values.line[bad], 0,
                     "'%.64s': found %g, which is not physical%s, expected a mass above 0, moments "
                     "of a body, and damping and friction not below 0",
                     w->name[bad], w->value[bad],
                     w->list[bad].kind == FB_FITTED_LINK ? " with the link's other values" : "");
  return DM_OK;
}

dm_status pb_fit_errors_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                             const fb_fitted **out) {
  fit_files w = {.robot = robot};
  fb_fitted *f;
  DM_TRY(read_table(r, node, "parameters.csv", &w.values));
  DM_TRY(read_values(r, &w));
  DM_TRY(read_table(r, node, "covariance.csv", &w.covariance));
  DM_TRY(read_covariance(r, &w));
  DM_TRY(check_covariance(r, &w));
  PB_NEW(r->arena, f, 1);
  *f = (fb_fitted){
      .robot = &robot->mechanism, .n = w.n, .list = w.list, .value = w.value, .factor = w.factor};
  DM_TRY(check_values(r, &w, f));
  *out = f;
  return DM_OK;
}
