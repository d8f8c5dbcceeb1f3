#include "cli/report/exhibit.h"

#include "cli/console/log.h"
#include "cli/report/phase_list.h"
#include "lib/base/names.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MANY = 256 }; // folders of one picture, at most

// -- the exhibit of a word

bool cli_is_sweep(const char *path) {
  pb_folder at;
  if (pb_folder_open(&at, path, false, NULL) != DM_OK) return false;
  const pb_file table = pb_file_in(&at, "sweep.csv"), result = pb_file_in(&at, "result.json");
  const bool found = pb_file_there(&table) && !pb_file_there(&result);
  pb_folder_close(&at);
  return found;
}

static cli_exhibit *add_exhibit(cli_exhibits *all, const char *path) {
  cli_exhibit **more = realloc(all->at, ((size_t)all->n + 1) * sizeof *more);
  cli_exhibit *x = more ? calloc(1, sizeof *x) : NULL;
  if (more) all->at = more;
  if (!x) return NULL;
  all->at[all->n++] = x;
  x->path = strdup(path);
  return x->path ? x : NULL;
}

static int fail_exhibit(const cli_args *args) {
  return cli_fail(args, CLI_FAULT, "out of memory");
}

int cli_exhibits_add_study(cli_exhibits *all, const cli_args *args, const char *path) {
  cli_exhibit *x = add_exhibit(all, path);
  if (!x) return fail_exhibit(args);

  // the first of them says what is found
  x->args = *args;
  x->args.silent = args->silent || all->n > 1;

  // a call without a problem, for messages about a table
  x->call = (cli_call){.args = &x->args,
                       .place = {.stored = true, .operand = {.fd = -1}, .from = {.fd = -1}}};
  x->call.summary.file = open_memstream(&x->call.summary.text, &x->call.summary.size);
  x->call.result = json_object_new_object();
  if (!x->call.summary.file || !x->call.result) return fail_exhibit(&x->args);
  fprintf(x->call.summary.file, "%s\n", x->path);
  return CLI_DONE;
}

static int add_table(cli_exhibits *all, const cli_args *args, const char *path,
                     const pb_file *file) {
  dm_message msg;
  const int status = cli_exhibits_add_study(all, args, path);
  if (status != CLI_DONE) return status;
  dm_status s = cli_named_table_read(&all->at[all->n - 1]->columns, file, &msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(args, s, &msg);
}

static int add_folder(cli_exhibits *all, const cli_args *args, const char *path, bool below) {
  cli_exhibit *x = add_exhibit(all, path);
  if (!x) return fail_exhibit(args);
  if (all->n > MANY)
    return cli_fail(args, CLI_INPUT, "a picture takes %d result folders at most", MANY);
  x->args = *args;
  x->args.operand = x->path;
  x->args.below = args->below || below;
  x->args.silent = args->silent || all->n > 1;

  // its problem and motion, by steps of this length
  int status = cli_call_open(&x->call, &x->args, false);
  x->folder = status == CLI_DONE;
  if (status == CLI_DONE) status = cli_read_motion(&x->call);
  if (status == CLI_DONE) x->step = x->call.run.x->h / cli_json_get_int(x->call.result, "every", 1);
  return status;
}

// "step 0.1, order 4": the values of a case, by the last words of their keys; to be freed
static char *name_case(const cli_named_table *t, int row, int start) {
  char *name = NULL;
  size_t size;
  FILE *f = open_memstream(&name, &size);
  if (!f) return NULL;
  for (int c = 1; c < start; c++) {
    const char *dot = strrchr(t->name[c], '.');
    const char *value = t->cell[(size_t)row * (size_t)t->cols + (size_t)c];
    fprintf(f, "%s%s %s", c > 1 ? ", " : "", dot ? dot + 1 : t->name[c], value);
  }

  // and of several guesses which it began with
  const double from = cli_named_table_number(t, row, start);
  if (from > 0 || start == 1) fprintf(f, "%sstart %g", start > 1 ? ", " : "", from);
  fclose(f);
  return name;
}

// the folder of a case that a sweep kept, by its key; NULL: it kept none
static char *find_case(const pb_folder *sweep, const char *key) {
  char name[CLI_NAME];
  snprintf(name, sizeof name, "%.*s/result.json", CLI_NAME / 2, key);
  const pb_file file = pb_file_in(sweep, name);
  return cli_commit_inside(name) && pb_file_there(&file) ? cli_join(sweep->path, key) : NULL;
}

// the folders of cases that a sweep kept
static int add_cases(cli_exhibits *all, const cli_args *args, const pb_folder *sweep) {
  cli_named_table t;
  dm_message msg;
  const pb_file file = pb_file_in(sweep, "sweep.csv");
  dm_status s = cli_named_table_read(&t, &file, &msg);
  if (s != DM_OK) return cli_fail_status(args, s, &msg);

  // each by its key, in the order of the table
  const int key = cli_named_table_find(&t, "key"), start = cli_named_table_find(&t, "start");
  int status = CLI_DONE, found = 0;
  for (int i = 0; status == CLI_DONE && key > 0 && start > 0 && i < t.rows; i++) {
    char *folder = find_case(sweep, t.cell[(size_t)i * (size_t)t.cols + (size_t)key]);
    if (folder) {
      status = add_folder(all, args, folder, true);
      if (status == CLI_DONE) all->at[all->n - 1]->name = name_case(&t, i, start);
      found++;
    }
    free(folder);
  }
  cli_named_table_free(&t);
  if (status == CLI_DONE && !found)
    status = cli_fail(args, CLI_INPUT,
                      "%s keeps no result folder of its cases: dmoc sweep --keep makes them; its "
                      "table is drawn with --x COLUMN --y COLUMNS",
                      sweep->path);
  return status;
}

// whether a sweep's table has a column
static bool has_column(const pb_file *table, const char *column) {
  cli_named_table t;
  if (!column || cli_named_table_head(&t, table, NULL) != DM_OK) return false;
  const bool found = cli_named_table_find(&t, column) >= 0;
  cli_named_table_free(&t);
  return found;
}

static int add_exhibits(cli_exhibits *all, const cli_args *args, const char *word,
                        const char *column) {
  if (cli_is_sweep(word)) {
    // a sweep: its own table, which has a column, or its cases
    pb_folder sweep;
    dm_message msg;
    if (cli_folder_hold(&sweep, word, false, true, &msg) != DM_OK)
      return cli_fail_status(args, DM_IO, &msg);
    const pb_file table = pb_file_in(&sweep, "sweep.csv");
    const int status = has_column(&table, column) ? add_table(all, args, table.path, &table)
                                                  : add_cases(all, args, &sweep);
    pb_folder_close(&sweep);
    return status;
  }
  struct stat st;
  const char *dot = strrchr(word, '.');
  if (!(dot && !strcmp(dot, ".csv") && stat(word, &st) == 0 && !S_ISDIR(st.st_mode))) {
    // a result folder, or the folders of its phases, each from the end of the one before it
    cli_phase_list phases;
    int status = cli_phase_list_read(&phases, args, word);
    if (status == CLI_DONE && !phases.n) status = add_folder(all, args, word, false);
    for (int i = 0; status == CLI_DONE && i < phases.n; i++) {
      status = add_folder(all, args, phases.dir[i], true);
      if (status == CLI_DONE) all->at[all->n - 1]->begin = phases.begin[i];
    }
    all->phases = phases.n > 1 && phases.n == all->n;
    cli_phase_list_free(&phases);
    return status;
  }
  const pb_file file = pb_file_at(word);
  return add_table(all, args, word, &file);
}

int cli_exhibits_open(cli_exhibits *all, const cli_args *args, const char *column) {
  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < args->operands.n; i++)
    status = add_exhibits(all, args, args->operands.word[i], column);
  all->shown = all->n;
  return status;
}

int cli_exhibits_refer(cli_exhibits *all, const cli_args *args, const char *word) {
  for (int i = 0; i < all->n; i++)
    if (all->at[i]->folder && cli_folder_same(all->at[i]->path, word)) {
      all->reference = all->at[i];
      return CLI_DONE;
    }

  // one more, which is a folder
  const int status = add_exhibits(all, args, word, NULL);
  if (status != CLI_DONE) return status;
  if (all->n != all->shown + 1 || !all->at[all->shown]->folder)
    return cli_fail(args, CLI_INPUT, "--against takes a number or one result folder, found '%s'",
                    word);
  all->reference = all->at[all->shown];
  return CLI_DONE;
}

void cli_exhibits_free(cli_exhibits *all) {
  for (int i = 0; i < all->n; i++) {
    cli_exhibit *x = all->at[i];
    for (int k = 0; k < CLI_FILES; k++) free(x->table[k].x);
    cli_named_table_free(&x->columns);
    free(x->energy);
    free(x->name);
    free(x->path);
    free(x);
  }
  free(all->at);
  *all = (cli_exhibits){0};
}

int cli_exhibits_close(cli_exhibits *all, int status) {
  for (int i = all->n - 1; i >= 0; i--) {
    cli_call *call = &all->at[i]->call;
    const int closed = call->args ? cli_call_close(call, status) : status;
    if (i == 0) status = closed;
  }
  cli_exhibits_free(all);
  return status;
}

// -- names

// the last `parts` parts of a path, without slashes at its end; to be freed
static char *find_tail(const char *path, int parts) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  size_t at = end;
  for (; at > 0; at--)
    if (path[at - 1] == '/' && at < end && --parts == 0) break;
  return strndup(path + at, end - at);
}

// cases of one name, of several sweeps, are told apart by what their sweep is called
static dm_status name_sweeps(cli_exhibits *all, const bool *own) {
  bool alike = false;
  for (int i = 0; i < all->n; i++)
    for (int k = 0; k < i; k++)
      alike = alike || (!own[i] && !own[k] && !strcmp(all->at[i]->name, all->at[k]->name));
  for (int i = 0; alike && i < all->n; i++) {
    if (own[i]) continue;

    // a case is a folder in its sweep's
    char *sweep = find_tail(all->at[i]->path, 2), *slash = sweep ? strchr(sweep, '/') : NULL;
    const size_t size = (sweep ? strlen(sweep) : 0) + strlen(all->at[i]->name) + 3;
    char *name = slash ? malloc(size) : NULL;
    if (slash) *slash = 0;
    if (name) snprintf(name, size, "%s: %s", sweep, all->at[i]->name);
    free(sweep);
    if (!name) return DM_NO_MEMORY;
    free(all->at[i]->name);
    all->at[i]->name = name;
  }
  return DM_OK;
}

dm_status cli_exhibits_name(cli_exhibits *all, const char *const *list) {
  bool *own = calloc((size_t)all->n + 1, sizeof *own);
  if (!own) return DM_NO_MEMORY;

  // those that are named
  for (int i = 0; list && i < all->shown; i++) {
    free(all->at[i]->name);
    all->at[i]->name = strdup(list[i]);
  }

  // cases of a sweep have theirs
  dm_status s = DM_OK;
  for (int i = 0; i < all->n; i++) own[i] = !all->at[i]->name;
  if (!list) s = name_sweeps(all, own);
  for (int parts = 1; s == DM_OK && parts < 8; parts++) {
    // names of so many parts of their paths for those without a name; false: two are alike
    bool differ = true;
    for (int i = 0; i < all->n; i++) {
      if (!own[i]) continue;
      free(all->at[i]->name);
      all->at[i]->name = find_tail(all->at[i]->path, parts);
    }

    // the same path twice stays the same
    for (int i = 0; i < all->n; i++)
      for (int k = 0; k < i; k++) {
        const cli_exhibit *a = all->at[i], *b = all->at[k];
        if (own[i] && own[k] && a->name && b->name && strcmp(a->path, b->path))
          differ = differ && strcmp(a->name, b->name);
      }
    if (differ) break;
  }
  free(own);
  for (int i = 0; i < all->n; i++)
    if (!all->at[i]->name) s = DM_NO_MEMORY;
  return s;
}

// -- what is read of a folder

// kinetic and potential energy and their sum at every knot
static dm_status read_energy(cli_exhibit *e) {
  const dm_trajectory *x = e->call.run.x;
  dm_continuous *w;
  dm_status s = DM_OK;
  e->energy = calloc(3 * (size_t)(x->N + 1), sizeof *e->energy);
  if (!e->energy) return DM_NO_MEMORY;
  DM_TRY(dm_continuous_new(&w, &e->call.run.p->task.system));

  // at the states of the motion, by the continuous equations' mass matrix and potential
  for (int k = 0; s == DM_OK && k <= x->N; k++) {
    size_t at = (size_t)k * (size_t)x->n;
    double *parts = e->energy + 3 * (size_t)k;
    s = dm_energies(w, x->q + at, x->v + at, parts, parts + 1);
    parts[2] = parts[0] + parts[1];
  }
  dm_continuous_free(w);
  return s;
}

// a file of the folder, where it has one and it has not been read yet
static dm_status read_table_file(cli_exhibit *x, const cli_result_file *of,
                                 const cli_table_source *from) {
  cli_table *table = &x->table[cli_result_find(of->name)];
  const pb_file file = pb_file_in(&x->call.place.operand, of->name);
  if (table->x || !pb_file_there(&file)) return DM_OK;
  return cli_result_read(of, table, &file, from, &x->call.msg);
}

dm_status cli_exhibit_read(cli_exhibit *x, const cli_result_file *const *files) {
  if (!x->folder) return DM_OK;
  if (!x->energy) DM_TRY(read_energy(x));

  // what result.json says of the motion and of the plant that runs are of
  cli_json *verify = NULL, *result = x->call.result;
  bool continuous = json_object_object_get_ex(result, "verify", &verify) &&
                    json_object_object_get_ex(verify, "continuous", NULL);
  x->plant = continuous ? "continuous" : "discrete";

  // that of the one start, which the problem may say
  json_object *start = NULL;
  if (verify) json_object_object_get_ex(verify, "start", &start);
  x->start_plant = start ? cli_json_get_text(start, "plant") : NULL;
  if (!x->start_plant) x->start_plant = x->plant;
  x->simulated = cli_json_get_int(result, "every", 0) > 0;
  const bool second = x->call.run.p->transcription.second;
  x->flow = second && x->simulated;
  x->at_knots = second || cli_json_get_int(result, "every", 1) > 1;

  const cli_call *call = &x->call;
  const cli_table_source from = {
      .names = &call->run.p->names, .problem = call->run.p, .result = call->result};
  for (; *files; files++) DM_TRY(read_table_file(x, *files, &from));
  return DM_OK;
}

const cli_table *cli_exhibit_table(const cli_exhibit *x, const cli_result_file *file) {
  return &x->table[cli_result_find(file->name)];
}

bool cli_exhibit_alike(const cli_exhibit *a, const cli_exhibit *b, char *text, size_t size) {
  const pb_names *one = &a->call.run.p->names, *two = &b->call.run.p->names;
  char list[2][160];
  bool same = one->n == two->n;
  for (int i = 0; same && i < one->n; i++) same = !strcmp(one->coord[i], two->coord[i]);
  if (same) return true;
  snprintf(text, size, "%s has the coordinates %s, %s has %s", a->path,
           dm_names_join(one->coord, one->n, list[0], sizeof list[0]), b->path,
           dm_names_join(two->coord, two->n, list[1], sizeof list[1]));
  return false;
}

double cli_exhibit_end(const cli_exhibit *x) {
  return x->folder ? x->call.run.x->N * x->call.run.x->h : 0;
}

bool cli_exhibit_has_goal(const cli_exhibit *x) {
  return x->call.run.p->has.task && !x->simulated;
}

int cli_exhibit_knot(const cli_exhibit *x, double t) {
  const dm_trajectory *m = x->call.run.x;
  const double end = m->N * m->h;
  if (!(t >= -1e-9 * end && t <= end * (1 + 1e-9))) return -1;
  const int at = (int)round(dm_trajectory_find(m, t));
  return fabs(dm_trajectory_time(m, at) - t) <= 1e-9 * end ? at : -1;
}

double cli_exhibit_place(const cli_exhibit *x, double t, int i) {
  const dm_trajectory *m = x->call.run.x;
  const size_t n = (size_t)m->n;
  int k = cli_exhibit_knot(x, t);
  if (k >= 0) return m->q[(size_t)k * n + (size_t)i];

  // before and behind the motion, its ends; between two knots, s of a step behind the first, Hermite's
  // polynomials
  if (!(t > 0)) return m->q[i];
  if (t >= m->N * m->h) return m->q[(size_t)m->N * n + (size_t)i];
  const double along = dm_trajectory_find(m, t);
  k = (int)along;
  if (k >= m->N) k = m->N - 1;
  const size_t at = (size_t)k * n + (size_t)i;
  const double s = along - k, r = 1 - s;
  return r * r * (1 + 2 * s) * m->q[at] + s * s * (1 + 2 * r) * m->q[at + n] +
         dm_trajectory_step(m, k) * s * r * (r * m->v[at] - s * m->v[at + n]);
}
