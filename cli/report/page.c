#include "cli/report/page.h"

#include "cli/report/base64.h"
#include "cli/report/limits.h"
#include "cli/report/moving_robot.h"
#include "cli/report/page_parts.h"
#include "cli/report/study.h"
#include "cli/report/tables_of.h"
#include "cli/results/kinds.h"
#include "config.h"
#include "lib/base/text.h"
#include "problems/readers/format/sources.h"
#include "problems/readers/task/units.h"

#include <stdlib.h>
#include <string.h>

// a name as in table columns, with its unit
static dm_status put_name(cli_json *list, const char *name, const char *unit) {
  char *column = cli_column_name(name);
  if (!column) return DM_NO_MEMORY;
  cli_json *o = json_object_new_object();
  json_object_array_add(list, o);
  cli_json_text(o, "name", column);
  cli_json_text(o, "unit", unit);
  free(column);
  return DM_OK;
}

// the names of coordinates and inputs, with their units
dm_status cli_page_names(cli_json *o, const cli_exhibit *x) {
  const pb_problem *p = x->call.run.p;
  const pb_names *names = &x->call.run.p->names;
  cli_json *coords = json_object_new_array(), *inputs = json_object_new_array();
  cli_json *n = cli_json_object(o, "names");
  json_object_object_add(n, "coordinates", coords);
  json_object_object_add(n, "inputs", inputs);

  for (int i = 0; i < names->n; i++)
    DM_TRY(put_name(coords, names->coord[i], pb_problem_unit(p, 'q', i)));
  for (int i = 0; i < names->nu; i++)
    DM_TRY(put_name(inputs, names->input[i], pb_problem_unit(p, 'u', i)));
  return DM_OK;
}

static dm_status put_folder(cli_json *o, cli_exhibit *x, double begin) {
  static const cli_result_file *const fan[] = {&cli_file_fan, NULL};
  cli_json_text(o, "title", x->call.run.p->file.name);
  cli_json_text(o, "file_name", x->call.run.p->file.full_name);
  cli_json_number(o, "begin", begin);
  json_object_object_add(o, "result", json_object_get(x->call.result));
  const pb_source *problem = x->call.run.p->file.sources;
  if (problem) cli_json_text(o, "problem", problem->bytes);
  DM_TRY(cli_page_names(o, x));
  DM_TRY(cli_page_limits(o, x));
  DM_TRY(cli_exhibit_read(x, fan));

  // kinetic, potential and total energy at knots, thinned if there are many
  enum { MOST = 3000 };
  const dm_trajectory *m = x->call.run.x;
  const int every = m->N / MOST + 1, rows = m->N / every + 1;
  double *sorted = malloc(4 * (size_t)rows * sizeof *sorted);
  if (!sorted) return DM_NO_MEMORY;

  // row by row: times, then each part
  for (int i = 0; i < rows; i++) {
    sorted[i] = dm_trajectory_time(m, i * every);
    for (int part = 0; part < 3; part++)
      sorted[(part + 1) * rows + i] = x->energy[3 * (size_t)(i * every) + (size_t)part];
  }
  cli_json *e = cli_json_object(o, "energy");
  cli_json_int(e, "rows", rows);
  const dm_status s = cli_base64_numbers(e, "x", sorted, 4 * (size_t)rows);
  free(sorted);
  DM_TRY(s);

  DM_TRY(cli_moving_robot(o, x, cli_exhibit_table(x, &cli_file_fan)));
  return cli_tables_of(o, &x->call.place.operand);
}

// one folder or study
static dm_status put_exhibit(cli_json *folders, const cli_page *page, int i) {
  cli_exhibit *x = page->all->at[i];
  cli_json *o = json_object_new_object();
  json_object_array_add(folders, o);
  cli_json_text(o, "name", x->name);
  cli_json_text(o, "path", x->path);
  cli_json_int(o, "group", page->group[i]);
  if (page->odd[i]) {
    // for a folder whose motion cannot be read: other data, and the reason
    const char *why = page->odd[i];
    cli_json *odd = NULL, *result;
    const pb_file file = pb_file_in(&x->call.place.operand, "result.json");
    if (cli_json_read(&result, &file, NULL) == DM_OK) json_object_object_add(o, "result", result);
    const dm_status s = cli_tables_of(o, &x->call.place.operand);
    if (s == DM_OK && json_object_object_get_ex(o, "odd", &odd))
      json_object_array_add(odd, json_object_new_string(why));
    return s;
  }
  return x->folder ? put_folder(o, x, page->begin[i]) : cli_study_of(o, x->path);
}

// the common data of all phases of a folder
static dm_status put_whole(cli_json *wholes, const cli_page *page, int group) {
  const cli_whole *w = &page->whole[group];
  cli_json *o = json_object_new_object();
  json_object_array_add(wholes, o);
  if (!w->result) return DM_OK;
  const char *path = w->folder->path, *slash = strrchr(path, '/');
  cli_json_text(o, "name", slash && slash[1] ? slash + 1 : path);
  json_object_object_add(o, "result", json_object_get(w->result));
  return cli_tables_of(o, w->folder);
}

static void write_data(FILE *f, char *text) {
  // json-c passes bytes that are not valid UTF-8
  dm_text_make_plain(text, "\n", '?');
  fwrite(cli_page_before, 1, cli_page_before_size, f);

  // escape '<' in JSON, so that it cannot begin markup
  for (const char *at = text; *at;) {
    const size_t plain = strcspn(at, "<");
    fwrite(at, 1, plain, f);
    at += plain;
    if (!*at) break;
    fputs("\\u003c", f);
    at++;
  }

  fwrite(cli_page_behind, 1, cli_page_behind_size, f);
}

dm_status cli_page_write(FILE *f, const cli_page *page) {
  cli_json *data = json_object_new_object(), *folders = json_object_new_array();
  cli_json *wholes = json_object_new_array();
  if (!data || !folders || !wholes) return DM_NO_MEMORY;
  cli_json_text(data, "version", DMOC_VERSION);
  json_object_object_add(data, "labels", cli_kinds_labels());
  json_object_object_add(data, "groups", wholes);
  json_object_object_add(data, "folders", folders);

  // groups first, then their members
  dm_status s = DM_OK;
  for (int i = 0; s == DM_OK && i < page->groups; i++) s = put_whole(wholes, page, i);
  for (int i = 0; s == DM_OK && i < page->all->shown; i++) s = put_exhibit(folders, page, i);
  if (s == DM_OK) {
    const char *text = json_object_to_json_string_ext(data, JSON_C_TO_STRING_PLAIN);
    if (text)
      write_data(f, (char *)text);
    else
      s = DM_NO_MEMORY;
  }
  json_object_put(data);
  return s;
}
