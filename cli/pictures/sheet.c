#include "cli/pictures/sheet.h"

#include "lib/base/text.h"

#include <math.h>
#include <string.h>

enum { ROWS = 3000 }; // of a curve

const cli_table *cli_figure_table(const cli_figure_data *d, const cli_result_file *file) {
  return &d->table[cli_result_find(file->name)];
}

// colours that the colour-blind can tell apart
const char *cli_sheet_colour(int i) {
  static const char *const colour[CLI_COLOURS] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                                  "56B4E9", "E69F00", "000000", "8C6D31"};
  return colour[i % CLI_COLOURS];
}

// whether one of the names in a list separated by commas is this one
static bool is_listed(const char *list, const char *name) {
  size_t len = strlen(name), word;
  for (; *list; list += word + (list[word] == ',')) {
    word = strcspn(list, ",");
    if (word == len && !strncmp(list, name, len)) return true;
  }
  return false;
}

bool cli_sheet_shows(const cli_sheet *s, const char *name) {
  const char *only = s->job->args->only;
  return !only || is_listed(only, name);
}

// the next curves of a panel, as many in each as make all panels about equally full
bool cli_sheet_next(const cli_sheet *s, int n, int *at, cli_group *g) {
  // as many panels as colours make necessary
  int all = 0;
  for (int i = 0; i < n; i++) all += s->wanted[i];
  const int count = (all + CLI_COLOURS - 1) / CLI_COLOURS;
  const int each = count ? (all + count - 1) / count : 0;

  // each with its own colour, where all have one; else with the panel's next
  g->n = 0;
  for (; *at < n && g->n < each; ++*at) {
    if (!s->wanted[*at]) continue;
    g->colour[g->n] = n <= CLI_COLOURS ? *at : g->n;
    g->i[g->n++] = *at;
  }
  return g->n > 0;
}

// text between gnuplot's single quotes, in which only a quote and a line's end are words of its
// own; a quote becomes an apostrophe: two of them at the beginning would be an empty text
static void put_quoted(FILE *f, const char *text) {
  fputc('\'', f);
  while (*text) {
    // a letter of one or several bytes; 0: not plain
    int n = dm_text_plain(text);
    if (*text == '\'')
      fputs("\xe2\x80\x99", f);
    else if (n)
      fwrite(text, 1, (size_t)n, f);
    else
      fputc('_', f);
    text += n ? n : 1;
  }
  fputc('\'', f);
}

static int find_longest(const char *const *name, int n) {
  size_t max = 0;
  for (int i = 0; i < n; i++) max = strlen(name[i]) > max ? strlen(name[i]) : max;
  return (int)max;
}

void cli_sheet_begin(cli_sheet *s, const char *label, const char *unit) {
  // a legend of as many columns as the longest name allows, smaller where names are long
  const cli_names *names = &s->job->names;
  int letters = find_longest(names->coord, names->n), other = find_longest(names->input, names->nu);
  if (other > letters) letters = other;
  const int columns = letters > 40 ? 1 : 1 + 40 / (letters + 7);
  fprintf(s->f, "set key maxcols %d font ',%g'\n", columns,
          letters > 16 ? 0.75 * s->font : s->font);

  // the axis with its unit, if it has one
  char text[160];
  snprintf(text, sizeof text, unit[0] ? "%s [%s]" : "%s", label, unit);
  fprintf(s->f, "set ylabel ");
  put_quoted(s->f, text);
  fprintf(s->f, " noenhanced\nplot ");
  s->panels++;
}

void cli_sheet_title(cli_sheet *s, const char *name) {
  fprintf(s->f, " title ");
  put_quoted(s->f, name);
  fprintf(s->f, " noenhanced, ");
}

void cli_sheet_curve(cli_sheet *s, const char *block, int column, const char *style, int i,
                     const char *name) {
  fprintf(s->f, "%s using 1:%d with %s lw 2 dt %d lc rgb '#%s'", block, column, style,
          1 + i / CLI_COLOURS, cli_sheet_colour(i));
  cli_sheet_title(s, name);
}

bool cli_sheet_limit(cli_sheet *s, double value, double min, double max, int i) {
  double span = fmax(max - min, 1e-3 * (1 + fabs(max)));
  if (!isfinite(value) || value > max + 2 * span || value < min - 2 * span) return false;
  fprintf(s->f, "%.8g with lines dt (8,5) lw 1.2 lc rgb '#%s' notitle, ", value,
          cli_sheet_colour(i));
  return true;
}

void cli_sheet_end(cli_sheet *s, bool limits) {
  if (limits)
    fprintf(s->f, "NaN with lines dt (8,5) lw 1.2 lc rgb '#666666' title 'limits'");
  else
    fprintf(s->f, "NaN notitle");
  fprintf(s->f, "\n");
}

const cli_kind_words *cli_sheet_kind(dm_kind kind) {
  static const cli_kind_words words[] = {
      [DM_SLIDE] = {"position", "velocity", "closed loop, position", "m", "m/s"},
      [DM_TURN] = {"angle", "angular velocity", "closed loop, angle", "rad", "rad/s"},
      [DM_QUATERNION] = {"quaternion", "its rate", "closed loop, quaternion", "1", "1/s"}};
  return &words[kind];
}

void cli_sheet_want(const cli_sheet *s, dm_kind kind) {
  for (int i = 0; i < s->job->names.n; i++)
    s->wanted[i] = s->job->p->model->kind[i] == kind && cli_sheet_shows(s, s->job->names.coord[i]);
}

void cli_sheet_put(FILE *f, const double *x, int n) {
  for (int i = 0; i < n; i++) fprintf(f, isfinite(x[i]) ? " %.8g" : " NaN", x[i]);
}

int cli_sheet_stride(int rows) {
  return rows / ROWS + 1;
}
