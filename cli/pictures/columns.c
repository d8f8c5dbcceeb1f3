#include "cli/console/log.h"
#include "cli/pictures/column_words.h"
#include "cli/pictures/compare.h"
#include "cli/pictures/plots.h"
#include "lib/base/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = CLI_FILES + 1, KNOWN = 4096 };

// -- which table has the columns

// whether the word stands for a column: its name, or, where no column has that, what stands before
// its first dot, as q stands for all of q.NAME
static bool fits_word(const cli_named_table *t, int column, const char *word) {
  const char *name = t->name[column];
  const size_t length = strlen(word);
  if (!strcmp(name, word)) return true;
  return !strncmp(name, word, length) && name[length] == '.' && cli_named_table_find(t, word) < 0;
}

static bool has_column_for(const cli_named_table *t, const char *word) {
  for (int c = 0; c < t->cols; c++)
    if (fits_word(t, c, word)) return true;
  return false;
}

// the first word that a table has no column for; NULL: it has all
static const char *find_lack(const cli_named_table *t, const cli_request *r) {
  if (r->x && cli_named_table_find(t, r->x) < 0) return r->x;
  for (int i = 0; i < r->y.n; i++)
    if (!has_column_for(t, r->y.word[i])) return r->y.word[i];
  return NULL;
}

// the tables of a folder by their columns' names
typedef struct candidates {
  int n;
  const char *file[CANDIDATES];
  cli_named_table table[CANDIDATES];
} candidates;

static void free_candidates(candidates *c) {
  for (int i = 0; i < c->n; i++) cli_named_table_free(&c->table[i]);
}

// the head of a file of the folder, where it is there
static dm_status add_candidate(candidates *c, const pb_folder *folder, const char *name,
                               dm_message *msg) {
  const pb_file file = pb_file_in(folder, name);
  if (!pb_file_there(&file)) return DM_OK;
  DM_TRY(cli_named_table_head(&c->table[c->n], &file, msg));
  if (c->table[c->n].name) c->file[c->n++] = name;
  return DM_OK;
}

static dm_status list_tables(candidates *c, const cli_exhibit *x, const cli_request *r,
                             dm_message *msg) {
  if (r->table) return add_candidate(c, &x->job.operand, r->table, msg);
  for (int i = 0; i < CLI_FILES; i++)
    if (strstr(cli_result_files[i]->name, ".csv"))
      DM_TRY(add_candidate(c, &x->job.operand, cli_result_files[i]->name, msg));
  return DM_OK;
}

// a column that no table has, beside the nearest that one has
static int refuse_lack(const char *path, const candidates *c, const cli_request *r,
                       const char *lack) {
  const char **known = calloc(KNOWN, sizeof *known);
  char near[CLI_SUGGESTION] = "";
  int n = 0;
  for (int i = 0; known && i < c->n; i++)
    for (int k = 0; k < c->table[i].cols && n < KNOWN; k++) known[n++] = c->table[i].name[k];
  if (known) cli_suggest(known, n, lack, near);
  free(known);
  return cli_fail(r->args, CLI_INPUT, "%s has no column '%s'%s%s", path, lack,
                  c->n > 1 ? " beside the others in one table" : "", near);
}

// the first table of a folder that has all columns, or the one that is named
static int read_columns(cli_exhibit *x, const cli_request *r) {
  candidates c = {0};
  dm_message msg = {0};
  dm_status s = list_tables(&c, x, r, &msg);
  int status = s == DM_OK ? CLI_DONE : cli_fail_status(r->args, s, &msg), found = 0;
  if (status == CLI_DONE && !c.n)
    status = cli_fail(r->args, CLI_INPUT, "%s has no table %s", x->path, r->table ? r->table : "");
  while (status == CLI_DONE && found < c.n && find_lack(&c.table[found], r)) found++;

  // of what no table has all of, the first table says what it lacks
  const pb_file file = pb_file_in(&x->job.operand, c.n ? c.file[found < c.n ? found : 0] : "");
  if (status == CLI_DONE && found == c.n)
    status = refuse_lack(c.n > 1 ? x->path : file.path, &c, r, find_lack(&c.table[0], r));
  if (status == CLI_DONE) {
    s = cli_named_table_read(&x->columns, &file, &msg);
    if (s != DM_OK) status = cli_fail_status(r->args, s, &msg);
  }
  free_candidates(&c);
  return status;
}

static int prepare_columns(cli_exhibits *all, const cli_request *r) {
  if (!r->y.n)
    return cli_fail(r->args, CLI_INPUT,
                    "--what columns needs --y COLUMNS: names of columns, separated by commas");
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < all->shown; i++) {
    cli_exhibit *x = all->at[i];
    if (x->folder) {
      status = read_columns(x, r);
      continue;
    }

    // a table by itself
    const char *lack = find_lack(&x->columns, r);
    const candidates c = {.n = 1, .table = {x->columns}};
    if (lack) status = refuse_lack(x->path, &c, r, lack);
  }
  return status;
}

// -- numbers

// A column of a folder's table, over another.
typedef struct column {
  const char *name;
  int folder;
  double *x, *y; // [rows]
  int rows;
} column;

typedef struct column_list {
  int n;
  column *at; // [n]
} column_list;

// what curves are drawn over: what was asked for, else time, else the first column
static int choose_abscissa(const cli_named_table *t, const cli_request *r) {
  const int c = cli_named_table_find(t, r->x ? r->x : "t");
  return c < 0 ? 0 : c;
}

// one more; false without memory
static bool add_column(column_list *list, cli_sheet *s, int folder, int c) {
  const cli_named_table *t = &s->all[folder]->columns;
  const int abscissa = choose_abscissa(t, s->request);
  column *more = realloc(list->at, ((size_t)list->n + 1) * sizeof *more);
  s->short_of_memory = s->short_of_memory || !more;
  if (!more) return false;
  list->at = more;
  column *new = &list->at[list->n++];
  *new = (column){.name = t->name[c],
                  .folder = folder,
                  .rows = t->rows,
                  .x = cli_sheet_take(s, (size_t)t->rows, sizeof *new->x),
                  .y = cli_sheet_take(s, (size_t)t->rows, sizeof *new->y)};
  if (!new->x || !new->y) return false;

  // NAN where a cell is empty or a word
  for (int i = 0; i < t->rows; i++) {
    new->x[i] = cli_named_table_number(t, i, abscissa);
    new->y[i] = cli_named_table_number(t, i, c);
  }
  return true;
}

// all that were asked for, in the order of the words
static bool list_columns(column_list *list, cli_sheet *s) {
  const cli_words *y = &s->request->y;
  for (int w = 0; w < y->n; w++)
    for (int i = 0; i < s->n; i++) {
      const cli_named_table *t = &s->all[i]->columns;
      for (int c = 0; c < t->cols; c++)
        if (fits_word(t, c, y->word[w]) && !add_column(list, s, i, c)) return false;
    }
  return true;
}

static void free_columns(column_list *list) {
  for (int i = 0; i < list->n; i++) {
    free(list->at[i].x);
    free(list->at[i].y);
  }
  free(list->at);
}

// -- panels

// whether two columns share a panel: of one folder all of a quantity and unit; of several those of
// one name; what hardly moves apart from what does
static bool has_same_panel(const cli_sheet *s, const column *a, const column *b) {
  const cli_column_words p = cli_column_say(s->all[a->folder], a->name);
  const cli_column_words q = cli_column_say(s->all[b->folder], b->name);
  if (s->n > 1) return !strcmp(a->name, b->name);
  return !strcmp(p.quantity, q.quantity) && !strcmp(p.unit, q.unit);
}

static cli_curve make_column_curve(const cli_sheet *s, const column *c, int i, bool alone) {
  const cli_exhibit *of = s->all[c->folder];
  const char *name = s->n > 1 ? of->name : c->name;
  const char *x = of->columns.name[choose_abscissa(&of->columns, s->request)];
  return (cli_curve){.n = c->rows,
                     .from = strcmp(x, "t") ? 0 : of->begin,
                     .x = c->x,
                     .x_next = 1,
                     .y = c->y,
                     .y_next = 1,
                     .size = s->request->log[1],
                     .colour = i,
                     .dash = i / CLI_COLOURS,
                     .name = alone ? NULL : name};
}

// the panel of column `first`, with all later ones that belong there
static void draw_panel(cli_sheet *s, const column_list *list, bool *drawn, int first,
                       cli_curve *curves) {
  const column *c = &list->at[first];
  const cli_column_words words = cli_column_say(s->all[c->folder], c->name);
  int n = 0, same = 0;
  for (int i = first; i < list->n; i++) same += has_same_panel(s, c, &list->at[i]);
  for (int i = first; i < list->n; i++) {
    if (drawn[i] || !has_same_panel(s, c, &list->at[i])) continue;
    curves[n] = make_column_curve(s, &list->at[i], s->n > 1 ? list->at[i].folder : n, same == 1);
    n++;
    drawn[i] = true;
  }

  // by its own name where there is one
  const bool named = n == 1 || s->n > 1;
  cli_compare(s, named ? c->name : words.quantity, words.unit, curves, n, s->n > 1);
}

static void draw_columns(cli_sheet *s) {
  column_list list = {0};
  const bool listed = list_columns(&list, s);
  bool *drawn = cli_sheet_take(s, (size_t)list.n + 1, sizeof *drawn);
  cli_curve *curves = cli_sheet_take(s, (size_t)list.n + 1, sizeof *curves);

  // the horizontal axis, which is that of the first
  const cli_named_table *t = &s->d->columns;
  const char *x = t->name[choose_abscissa(t, s->request)];
  const cli_column_words words = cli_column_say(s->d, x);
  const bool plain = !strcmp(x, "t") || !strcmp(x, "k") || !strcmp(x, "h");
  cli_sheet_abscissa(s, plain ? words.quantity : x, words.unit);
  cli_sheet_range(s, 0, NAN, NAN);
  for (int i = 0; listed && drawn && curves && i < list.n; i++)
    if (!drawn[i]) draw_panel(s, &list, drawn, i, curves);
  free_columns(&list);
  free(drawn);
  free(curves);
}

const cli_plot cli_plot_columns = {
    .word = "columns",
    .help = "any columns of a table (--y) over another (--x), each unit on an axis of its own",
    .takes = "--x --y --table --xrange --yrange --log",
    .most = CLI_MANY,
    .apart = true,
    .mixed = true,
    .tables = true,
    .prepare = prepare_columns,
    .draw = draw_columns,
};
