#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/pictures/figure.h"
#include "cli/pictures/plots.h"
#include "cli/stages/alone.h"
#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Start gnuplot as a child that reads the script from stdin and draws to stdout, so that no path is
// in its arguments, and without the user's settings. Returns the status of spawning.
static int spawn_gnuplot(pid_t *child, FILE *script, FILE *picture) {
  char program[] = "gnuplot", bare[] = "--default-settings", from_stdin[] = "-";
  char *words[] = {program, bare, from_stdin, NULL};
  posix_spawn_file_actions_t files;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  setenv("LC_ALL", "C.UTF-8", 1); // output must not depend on the locale
  error = posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, fileno(picture), STDOUT_FILENO);
  if (!error) error = posix_spawnp(child, program, &files, NULL, words, environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static int run_gnuplot(const cli_args *args, FILE *script, FILE *picture) {
  pid_t child;
  int status = 0, error = spawn_gnuplot(&child, script, picture);
  if (error)
    return cli_fail(args, CLI_INPUT,
                    "gnuplot draws the pictures, and it cannot be run here: %s; "
                    "please install it (Debian: apt-get install gnuplot-nox)",
                    strerror(error));

  // a signal also ends the child
  cli_interrupt_ends(child);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  cli_interrupt_ends(0);

  // 127: the program does not exist
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CLI_DONE;
  return cli_fail(args, WIFEXITED(status) && WEXITSTATUS(status) == 127 ? CLI_INPUT : CLI_FAULT,
                  "gnuplot failed");
}

// an anonymous temporary file for the script
static FILE *open_script(const cli_args *args) {
  const char *tmp = getenv("TMPDIR");
  char path[CLI_PATH];
  snprintf(path, sizeof path, "%s/dmoc-plot-XXXXXX", tmp && *tmp ? tmp : "/tmp");

  // removed at once: it exists while it is open
  int fd = mkstemp(path);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
  if (fd >= 0) unlink(path);
  if (!f) cli_fail(args, CLI_INPUT, "%s cannot be written: %s", path, strerror(errno));
  return f;
}

// the plot with this word, NULL for all
static const cli_plot *find_plot(const char *what) {
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (!strcmp(cli_plots[i]->word, what)) return cli_plots[i];
  return NULL;
}

// a picture being drawn: its data and the request
typedef struct picture {
  cli_exhibits all;
  cli_request request;
} picture;

static int draw_picture(const picture *w, FILE *file) {
  const cli_args *args = w->request.args;
  FILE *script = open_script(args);
  if (!script) return CLI_INPUT;

  // the panels; none if the folder lacks the requested data
  int panels = cli_figure_write(script, &w->all, &w->request), status;

  // discard the picture if the script is incomplete
  bool whole = fflush(script) == 0 && !ferror(script);
  rewind(script);
  if (panels < 0)
    status = cli_fail(args, CLI_FAULT, "out of memory");
  else if (!whole)
    status =
        cli_fail(args, CLI_INPUT, "the script for gnuplot cannot be written: is the disk full?");
  else if (!panels)
    status = cli_fail(args, CLI_INPUT, "%s has nothing to draw for --what %s; see dmoc plot --help",
                      args->operand, w->request.what);
  else
    status = run_gnuplot(args, script, file);
  fclose(script);
  return status;
}

static int draw_to(const void *self, FILE *file) {
  const picture *w = self;
  const cli_plot *plot = find_plot(w->request.what);
  if (!plot || !plot->write) return draw_picture(w, file);
  const dm_status s = plot->write(file, &w->all, &w->request);
  return s == DM_OK ? CLI_DONE : cli_fail_status(w->request.args, s, NULL);
}

// write next to the folder, or to the path of -o
static int place_picture(const picture *w) {
  const char *out = w->request.args->out;
  const int status = cli_alone_write(w->request.args, out, draw_to, w);
  if (status != CLI_DONE) return status;

  // report in the first folder's summary
  cli_job *job = &w->all.at[0]->job;
  cli_tell_path(job, "picture", out);
  cli_json_text(job->result, "picture", out);
  return status;
}

// -- checking the request

// the words of --what, the last being all
enum { WORDS = CLI_PLOT_COUNT + 1 };
static void list_words(const char *word[WORDS]) {
  for (int i = 0; i < CLI_PLOT_COUNT; i++) word[i] = cli_plots[i]->word;
  word[CLI_PLOT_COUNT] = "all";
}

// the plot must support the format
static int check_format(const cli_request *r) {
  const cli_plot *plot = find_plot(r->what);
  if (!plot || !plot->write || !strcmp(r->suffix, "svg")) return CLI_DONE;
  return cli_fail(r->args, CLI_INPUT, "--what %s is drawn as SVG: -o FILE.svg, got '%s'", r->what,
                  r->args->out);
}

// one of the plots, or all
static int check_word(const cli_request *r) {
  const char *word[WORDS];
  char list[240], near[CLI_SUGGESTION];
  list_words(word);
  if (dm_names_find(word, WORDS, r->what) >= 0) return CLI_DONE;
  return cli_fail(r->args, CLI_INPUT, "--what takes %s, got '%s'%s",
                  dm_names_list(word, WORDS, list, sizeof list), r->what,
                  cli_suggest(word, WORDS, r->what, near));
}

// whether a blank-separated list of options contains an option
static bool heeds_option(const cli_plot *plot, const char *option) {
  const char *at = plot && plot->takes ? strstr(plot->takes, option) : NULL;
  return at && strchr(" ", at[strlen(option)]);
}

// the plot must use every given option
static int check_options(const cli_request *r) {
  const cli_args *a = r->args;
  const struct {
    const char *name, *value;
  } options[] = {{"--x", a->x},
                 {"--y", a->y},
                 {"--table", a->table},
                 {"--points", a->points},
                 {"--times", a->times},
                 {"--plane", a->plane},
                 {"--xrange", a->xrange},
                 {"--yrange", a->yrange},
                 {"--log", a->log},
                 {"--against", a->against},
                 {"--each", a->each ? "" : NULL}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (!options[i].value || heeds_option(find_plot(r->what), options[i].name)) continue;

    // the plots that use it
    const char *word[WORDS];
    int n = 0;
    char list[160];
    for (int k = 0; k < CLI_PLOT_COUNT; k++)
      if (heeds_option(cli_plots[k], options[i].name)) word[n++] = cli_plots[k]->word;
    return cli_fail(a, CLI_INPUT, "%s is for --what %s, not for %s", options[i].name,
                    dm_names_join(word, n, list, sizeof list), r->what);
  }
  return CLI_DONE;
}

// the number of folders must fit the plot
static int check_folder_count(const picture *w) {
  const cli_request *r = &w->request;
  const cli_plot *plot = find_plot(r->what);
  const int n = w->all.shown, most = plot && plot->most ? plot->most : 1;
  if (r->names.n && r->names.n != n)
    return cli_fail(r->args, CLI_INPUT, "--names has %d names, expected one for each of %d folders",
                    r->names.n, n);
  if (w->all.phases && plot && (plot->together || n > most))
    return cli_fail(r->args, CLI_INPUT,
                    "%s has phases, and --what %s draws one motion: take the folder of a phase, "
                    "such as %s",
                    r->args->operand, r->what, w->all.at[0]->path);
  if (!plot || (n >= plot->least && n <= most)) return CLI_DONE;
  if (n < plot->least)
    return cli_fail(r->args, CLI_INPUT, "--what %s needs %d folders, got %d", r->what, plot->least,
                    n);

  // the plots that draw several folders
  const char *word[WORDS];
  int several = 0;
  char list[160];
  for (int k = 0; k < CLI_PLOT_COUNT; k++)
    if (cli_plots[k]->most > 1) word[several++] = cli_plots[k]->word;
  return cli_fail(r->args, CLI_INPUT, "--what %s draws one folder, got %d; several are drawn by %s",
                  r->what, n, dm_names_join(word, several, list, sizeof list));
}

// tables need a plot that draws tables
static int check_tables(const picture *w) {
  const cli_plot *plot = find_plot(w->request.what);
  for (int i = 0; i < w->all.n; i++)
    if (!w->all.at[i]->folder && !(plot && plot->tables))
      return cli_fail(
          w->request.args, CLI_INPUT,
          "--what %s draws result folders, %s is a table: --what columns and order draw "
          "tables",
          w->request.what, w->all.at[i]->path);
  return CLI_DONE;
}

// a reference folder for errors requires the plot of numbers
static int find_reference(picture *w) {
  double number;
  const char *word = w->request.against;
  if (!word || pb_number_parse(word, &number) == DM_OK || !strcmp(word, "finest")) return CLI_DONE;
  return cli_exhibits_refer(&w->all, w->request.args, word);
}

// folders drawn together must have the same coordinates
static int check_alike(const picture *w) {
  const cli_exhibit *first = w->all.at[0], *other = NULL;
  const cli_plot *plot = find_plot(w->request.what);
  char text[512];
  for (int i = 1; i < w->all.n && !w->all.phases && !(plot && plot->mixed); i++) {
    const cli_exhibit *x = w->all.at[i];
    if (!cli_exhibit_alike(first, x, text, sizeof text))
      return cli_fail(w->request.args, CLI_INPUT, "%s: path and columns draw them on one axis",
                      text);
    if (!other && strcmp(first->job.p->file_name, x->job.p->file_name) != 0) other = x;
  }

  // note different problems
  if (other)
    cli_note(w->request.args, "%s is of problem %s, %s of %s: they are drawn over the same time",
             first->path, first->job.p->file_name, other->path, other->job.p->file_name);
  return CLI_DONE;
}

// --only must name something in one of the folders
static int check_only(const picture *w) {
  char name[128], near[CLI_SUGGESTION];
  const char *only = w->request.args->only;
  for (int i = 0; i < w->all.n; i++)
    if (!only || !cli_figure_unknown(&w->all.at[i]->job.names, only, name, sizeof name))
      return CLI_DONE;

  // suggest names of the first folder
  const cli_names *names = &w->all.at[0]->job.names;
  cli_figure_unknown(names, only, name, sizeof name);
  return cli_fail(w->request.args, CLI_INPUT,
                  "--only takes names of coordinates, inputs and outputs, got '%s'%s", name,
                  cli_suggest(names->coord, names->n, name, near));
}

// -- reading data

static bool holds_file(const cli_exhibit *x, const cli_result_file *of) {
  const pb_file file = pb_file_in(&x->job.operand, of->name);
  return pb_file_there(&file);
}

// read the files of a folder that the plots need
static dm_status read_exhibit(const picture *w, cli_exhibit *x) {
  // gains refer to the motion including the held end
  if (x->folder && w->all.n == 1 && holds_file(x, &cli_file_gains))
    DM_TRY(cli_append_rest(&x->job));
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (cli_plot_asked(cli_plots[i], w->request.what, w->all.n))
      DM_TRY(cli_exhibit_read(x, cli_plots[i]->needs));
  return DM_OK;
}

static int read_exhibits(picture *w) {
  const cli_plot *plot = find_plot(w->request.what);
  const cli_request *r = &w->request;
  dm_status s = cli_exhibits_name(&w->all, r->names.n ? (const char *const *)r->names.word : NULL);
  if (s != DM_OK) return cli_fail_status(r->args, s, NULL);
  for (int i = 0; i < w->all.n; i++) {
    s = read_exhibit(w, w->all.at[i]);
    if (s != DM_OK) return cli_fail_status(r->args, s, &w->all.at[i]->job.msg);
  }
  return plot && plot->prepare ? plot->prepare(&w->all, r) : CLI_DONE;
}

static int plot_folders(const cli_args *args) {
  picture w = {0};

  // check the request before reading anything
  int status = cli_request_read(&w.request, args);
  if (status == CLI_DONE) status = check_word(&w.request);
  if (status == CLI_DONE) status = check_format(&w.request);
  if (status == CLI_DONE) status = check_options(&w.request);

  // open folders and tables; a sweep is a table if a column is requested
  if (status == CLI_DONE) status = cli_exhibits_open(&w.all, args, w.request.x);
  if (status == CLI_DONE) status = check_tables(&w);
  if (status == CLI_DONE) status = check_folder_count(&w);
  if (status == CLI_DONE) status = find_reference(&w);
  if (status == CLI_DONE) status = check_alike(&w);
  if (status == CLI_DONE) status = check_only(&w);
  if (status == CLI_DONE) status = read_exhibits(&w);
  if (status == CLI_DONE) status = place_picture(&w);
  status = cli_exhibits_close(&w.all, status);
  cli_request_free(&w.request);
  return status;
}

// list the words of --what
static void write_words(FILE *f) {
  fprintf(f, "\nWHAT is one of\n");
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    fprintf(f, "  %-14s %s\n", cli_plots[i]->word, cli_plots[i]->help);

  // plots not included in all
  const char *apart[WORDS];
  int n = 0;
  char list[160];
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (cli_plots[i]->apart) apart[n++] = cli_plots[i]->word;
  fprintf(f, "  %-14s all of these that the folder has (the default), but for %s\n", "all",
          dm_names_join(apart, n, list, sizeof list));
}

const cli_command cli_command_plot = {
    .name = "plot",
    .what = "a picture of result folders",
    .usage = "DIR... -o FILE.svg|png|pdf [--what WHAT] [--only NAMES] [--x COLUMN] [--y COLUMNS] "
             "[--table FILE] [--points POINTS] [--plane AXES] [--each] [--times LIST] "
             "[--against REFERENCE] [--xrange LOW:HIGH] [--yrange LOW:HIGH] [--log AXES] "
             "[--names NAMES]",
    .run = plot_folders,
    .phases = true,
    .more = write_words,
};
