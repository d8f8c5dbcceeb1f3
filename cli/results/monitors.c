#include "cli/results/monitors.h"

#include "cli/results/registry.h"

#include <math.h>
#include <string.h>

static const char columns[] =
    "k,t,energy,energy.step,moment.x,moment.y,moment.z,moment.vertical,momentum.x,momentum.y,"
    "momentum.z,constraint,form,form.cloud";
static const char *const names[CLI_MONITORS] = {
    "energy",     "energy.step", "moment.x",   "moment.y",   "moment.z", "moment.vertical",
    "momentum.x", "momentum.y",  "momentum.z", "constraint", "form",     "form.cloud"};

void cli_monitors_begin(cli_monitors *w, FILE *f, int steps) {
  *w = (cli_monitors){.f = f, .steps = steps};
  fprintf(f, "%s\n", columns);
}

static void add(cli_series *s, int k, int steps, double y) {
  int tenth = (int)((long long)k * CLI_WINDOWS / (steps + 1));
  if (!s->count++) s->first = s->low = s->high = y;
  s->low = fmin(s->low, y), s->high = fmax(s->high, y);
  double t = k, off = y - s->first;
  s->counts[tenth]++, s->sums[tenth] += off;
  s->t += t, s->tt += t * t, s->y += off, s->ty += t * off, s->yy += off * off;
}

void cli_monitors_add(cli_monitors *w, int k, double t, const double value[CLI_MONITORS],
                      bool row) {
  if (row) fprintf(w->f, "%d,%.17g", k, t);
  for (int i = 0; i < CLI_MONITORS; i++) {
    bool there = !isnan(value[i]);
    if (there) add(&w->series[i], k, w->steps, value[i]);
    if (row && there) fprintf(w->f, ",%.17g", value[i]);
    if (row && !there) fputc(',', w->f);
  }
  if (row) fputc('\n', w->f);
}

// the line through what was seen, and what is left about it
static void report_line(const cli_series *s, double h, cli_json *o) {
  double n = s->count, mean = s->y / n, middle = s->t / n;
  double tt = s->tt / n - middle * middle, ty = s->ty / n - middle * mean;
  double slope = tt > 0 ? ty / tt : 0, left = s->yy / n - mean * mean - slope * ty;
  cli_json_number(o, "slope", slope / h);
  cli_json_number(o, "scatter", sqrt(fmax(left, 0)));
}

// the object of a dotted name
static cli_json *object(cli_json *o, const char *name) {
  const char *dot = strchr(name, '.');
  char key[32];
  snprintf(key, sizeof key, "%.*s", (int)(dot ? dot - name : 31), name);
  cli_json *inner;
  if (!json_object_object_get_ex(o, key, &inner)) inner = cli_json_object(o, key);
  return dot ? object(inner, dot + 1) : inner;
}

void cli_monitors_report(const cli_monitors *w, double h, cli_json *result) {
  cli_json *all = cli_json_object(result, "monitors");
  for (int i = 0; i < CLI_MONITORS; i++) {
    const cli_series *s = &w->series[i];
    double mean[CLI_WINDOWS];
    int windows = 0;
    if (!s->count) continue;
    cli_json *o = object(all, names[i]);
    cli_json_number(o, "start", s->first);
    cli_json_number(o, "mean", s->first + s->y / s->count);
    cli_json_number(o, "low", s->low);
    cli_json_number(o, "high", s->high);
    for (int k = 0; k < CLI_WINDOWS; k++)
      if (s->counts[k]) mean[windows++] = s->first + s->sums[k] / s->counts[k];
    cli_json_vector(o, "windows", mean, windows);
    report_line(s, h, o);
  }
}

// of a motion that was watched; table->x [rows x (2 + CLI_MONITORS)]
static dm_status read_table(cli_table *table, const char *path, const cli_table_source *from,
                            dm_message *msg) {
  if (!json_object_object_get_ex(from->result, "monitors", NULL)) return DM_OK;
  return cli_table_read(table, path, columns, NULL, false, msg);
}

static void put_columns(FILE *f, const cli_names *header) {
  (void)header;
  fputs(columns, f);
}

const cli_result_file cli_file_monitors = {
    .name = "monitors.csv",
    .stage = "motion",
    .part = CLI_PART_MONITORS,
    .columns = "What a simulation conserves, a row a knot kept.",
    .header = put_columns,
    .read = read_table,
};
