#include "problems/readers/format/definitions.h"

#include "lib/base/decimal.h"
#include "lib/base/spline.h"
#include "problems/readers/format/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct table_section {
  const pb_node *csv, *x, *y;
} table_section;

const pb_key pb_table_keys[] = {
    PB_KEY(table_section, csv, .type = PB_NODE, .also = "file table", .words = "file name",
           .about = "Table with a header line"),
    PB_KEY(table_section, x, .type = PB_NODE, .also = "at argument", .absent = PB_REQUIRED,
           .words = "text, or a list of numbers",
           .about = "Column of the argument, or without `csv` the arguments; ascending"),
    PB_KEY(table_section, y, .type = PB_NODE, .also = "value", .absent = PB_REQUIRED,
           .words = "text, or a list of numbers",
           .about = "Column of the value, or without `csv` the values"),
    {0}};

#define PATH "let"

// the length of a name at the beginning of a text; 0: none
static size_t measure_name(const char *text) {
  size_t n = 0;
  if (isalpha((unsigned char)text[0]) || text[0] == '_') n++;
  while (n && (isalnum((unsigned char)text[n]) || text[n] == '_')) n++;
  return n;
}

static dm_status refuse_name(const pb_reader *r, const pb_node *node) {
  return pb_refuse_key(r, node,
                       PATH ": found '%.64s', expected a name of letters, digits and '_', or a "
                            "function as 'f(x, y)'",
                       node->key);
}

// NAME or NAME(x, y)
static dm_status read_name(const pb_reader *r, const pb_node *node, pb_definition *d) {
  const char *at = node->key, *end = at + measure_name(at);
  const char **parameter;
  if (end == at) return refuse_name(r, node);
  d->name = pb_copy(r->arena, at, (size_t)(end - at));
  if (!d->name) return DM_NO_MEMORY;
  if (!*end) return DM_OK;

  // parameters between parentheses
  PB_NEW(r->arena, parameter, strlen(end));
  d->parameter = parameter;
  if (*end != '(') return refuse_name(r, node);
  do {
    at = end + 1 + strspn(end + 1, " ");
    end = at + measure_name(at);
    if (end == at || d->count == PB_MOST_PARAMETERS) return refuse_name(r, node);
    parameter[d->count] = pb_copy(r->arena, at, (size_t)(end - at));
    if (!parameter[d->count++]) return DM_NO_MEMORY;
    end += strspn(end, " ");
  } while (*end == ',');
  return strcmp(end, ")") ? refuse_name(r, node) : DM_OK;
}

// a list of expressions as the text of a vector
static dm_status join_list(const pb_reader *r, const pb_node *list, const char **text) {
  size_t size = 4;
  char found[64];
  for (const pb_node *e = list->first; e; e = e->next) {
    if (e->kind != PB_SCALAR)
      return pb_refuse_node(r, e, PATH ".%.64s: found %s, expected an expression", list->key,
                            pb_node_describe(e, found));
    size += strlen(e->text) + 2;
  }
  char *to = pb_arena_alloc(r->arena, size, 1);
  if (!to) return DM_NO_MEMORY;
  *text = to;
  *to++ = '[';
  for (const pb_node *e = list->first; e; e = e->next)
    to += sprintf(to, "%s%s", e == list->first ? "" : ", ", e->text);
  strcpy(to, "]");
  return DM_OK;
}

static dm_status find_column(const pb_reader *r, const char *path, const pb_node *node,
                             const pb_csv *c, int *column) {
  for (*column = 0; *column < c->columns; ++*column)
    if (!strcmp(c->name[*column], node->text)) return DM_OK;
  return pb_refuse_node(r, node, "%s.%s: found no column '%.64s' in %.100s, expected one", path,
                        node->key, node->text, c->file);
}

static dm_status read_cell(const pb_reader *r, const pb_csv *c, int row, int column, double *x) {
  const char *text = c->cell[row * c->columns + column];
  char *end = NULL;
  *x = text[0] ? dm_decimal_read(text, &end) : NAN;
  if (text[0] && !*end && isfinite(*x)) return DM_OK;
  return pb_refuse(r, c->file, c->line[row], 0, "found '%.40s' in '%.64s', expected a number", text,
                   c->name[column]);
}

// points of a table
typedef struct table_points {
  int n;
  double *x, *y;
} table_points;

// by the columns of a file
static dm_status read_columns(pb_reader *r, const char *path, const table_section *s,
                              table_points *to) {
  const pb_node *const of[] = {s->x, s->y};
  pb_csv c;
  int column[2];
  char found[64];
  DM_TRY(pb_csv_read_words(r, s->csv, &c));
  for (int i = 0; i < 2; i++) {
    if (of[i]->kind != PB_SCALAR)
      return pb_refuse_node(r, of[i], "%s.%s: found %s beside 'csv', expected a column", path,
                            of[i]->key, pb_node_describe(of[i], found));
    DM_TRY(find_column(r, path, of[i], &c, &column[i]));
  }
  if (c.rows < 2)
    return pb_refuse(r, c.file, 1, 0, "found %d rows, expected 2 or more of a table", c.rows);
  to->n = c.rows;
  PB_NEW(r->arena, to->x, c.rows);
  PB_NEW(r->arena, to->y, c.rows);
  for (int i = 0; i < c.rows; i++) {
    DM_TRY(read_cell(r, &c, i, column[0], &to->x[i]));
    DM_TRY(read_cell(r, &c, i, column[1], &to->y[i]));
    if (i && !(to->x[i] > to->x[i - 1]))
      return pb_refuse(r, c.file, c.line[i], 0, "found %g after %g in '%.64s', expected it to rise",
                       to->x[i], to->x[i - 1], s->x->text);
  }
  return DM_OK;
}

// by two lists
static dm_status read_lists(const pb_reader *r, const char *path, const table_section *s,
                            table_points *to) {
  const pb_node *const of[] = {s->x, s->y};
  double **const into[] = {&to->x, &to->y};
  char found[64], where[PB_NAME_MOST + 16];
  to->n = s->x->n;
  for (int k = 0; k < 2; k++) {
    int i = 0;
    if (of[k]->kind != PB_SEQUENCE || of[k]->n < 2 || of[k]->n != to->n)
      return pb_refuse_node(
          r, of[k],
          "%s.%s: found %s without 'csv', expected lists of as many numbers as x, 2 or more", path,
          of[k]->key, pb_node_describe(of[k], found));
    PB_NEW(r->arena, *into[k], to->n);
    snprintf(where, sizeof where, "%s.%s", path, of[k]->key);
    for (const pb_node *e = of[k]->first; e; e = e->next, i++) {
      double *x = *into[k];
      DM_TRY(pb_schema_number(r, where, e, NULL, &x[i]));
      if (!isfinite(x[i]) || (k == 0 && i && !(x[i] > x[i - 1])))
        return pb_refuse_node(r, e, "%s: found '%.40s', expected %s", where, e->text,
                              k == 0 && i ? "a number above the one before" : "a number");
    }
  }
  return DM_OK;
}

dm_status pb_table_read(pb_reader *r, const char *path, const pb_node *node, bool straight,
                        pb_definition *d) {
  table_section s = {0};
  table_points at;
  double *bend, *pivot;
  DM_TRY(pb_schema_read(r, path, node, pb_table_keys, &s));
  DM_TRY(s.csv ? read_columns(r, path, &s, &at) : read_lists(r, path, &s, &at));
  PB_NEW(r->arena, bend, at.n);
  PB_NEW(r->arena, pivot, at.n);
  if (!straight) dm_spline_fit_natural(at.n, at.x, at.y, 1, bend, pivot);
  d->table = (dm_tape_table){.name = d->name, .n = at.n, .x = at.x, .y = at.y, .y_xx = bend};
  return DM_OK;
}

// a table of `let`
static dm_status read_table(pb_reader *r, const pb_node *node, pb_definition *d) {
  char path[PB_NAME_MOST + 8];
  snprintf(path, sizeof path, PATH ".%.*s", PB_NAME_MOST, d->name);
  if (d->count)
    return pb_refuse_key(r, node, PATH ": found parameters of a table, expected its name alone: %s",
                         d->name);
  return pb_table_read(r, path, node, false, d);
}

dm_status pb_definitions_read(pb_reader *r, const pb_node *let) {
  pb_definitions *all;
  pb_definition *list;
  const char **name;
  int n = 0;
  char found[64];
  if (!let) return DM_OK;
  if (let->kind != PB_MAPPING)
    return pb_refuse_node(r, let, PATH ": found %s, expected expressions by name",
                          pb_node_describe(let, found));
  PB_NEW(r->arena, all, 1);
  PB_NEW(r->arena, list, let->n);
  PB_NEW(r->arena, name, let->n);
  for (const pb_node *e = let->first; e; e = e->next) {
    pb_definition *d = &list[n];
    d->line = e->key_line;
    DM_TRY(read_name(r, e, d));
    if (e->kind == PB_MAPPING)
      DM_TRY(read_table(r, e, d));
    else if (e->kind == PB_SEQUENCE)
      DM_TRY(join_list(r, e, &d->text));
    else
      d->text = e->text;
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, d->name));
  }
  *all = (pb_definitions){.n = n, .list = list};
  r->definitions = all;
  return DM_OK;
}

// the value of an expression without variables
static dm_status read_constant(const pb_reader *r, const char *path, const pb_node *node,
                               double none, double *value) {
  const pb_language language = {.functions = true};
  pb_expression e;
  dm_tape f;
  const int *used;
  double *room;
  *value = none;
  if (node->kind == PB_SCALAR && !strcmp(node->text, "none")) return DM_OK;
  DM_TRY(
      pb_expression_read(r, path, node, &language, "of numbers and names of 'let', or none", &e));
  DM_TRY(pb_expression_compile(r->arena, &e, &f, &used));
  PB_NEW(r->arena, room, dm_tape_room(&f));
  *value = dm_tape_eval(&f, NULL, room, NULL, NULL);
  if (isfinite(*value)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found '%.64s', which is %g, expected a finite number", path,
                        node->text, *value);
}

dm_status pb_definitions_range(const pb_reader *r, const char *path, const pb_node *node,
                               double value[2]) {
  char found[64];
  if (node->kind == PB_SCALAR) {
    DM_TRY(read_constant(r, path, node, -INFINITY, &value[0]));
    value[1] = isinf(value[0]) ? INFINITY : value[0];
    return DM_OK;
  }
  if (node->kind != PB_SEQUENCE || node->n != 2)
    return pb_refuse_node(r, node, "%s: found %s, expected a value or [low, high]", path,
                          pb_node_describe(node, found));
  DM_TRY(read_constant(r, path, node->first, -INFINITY, &value[0]));
  DM_TRY(read_constant(r, path, node->first->next, INFINITY, &value[1]));
  if (value[0] <= value[1]) return DM_OK;
  return pb_refuse_node(r, node, "%s: found [%g, %g], expected the lower limit first", path,
                        value[0], value[1]);
}
