#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/pictures/figure.h"
#include "cli/pictures/plots.h"
#include "control/feedback/resample.h"
#include "lib/base/names.h"
#include "lib/mechanics/continuous.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_readable(const char *path) {
  return path && access(path, R_OK) == 0;
}

// kinetic and potential energy at every knot; *energy is to be freed
static dm_status read_energy(const cli_job *job, double **energy) {
  const dm_trajectory *x = job->x;
  dm_continuous *w;
  dm_status s = DM_OK;
  *energy = calloc(2 * (size_t)(x->N + 1), sizeof **energy);
  if (!*energy) return DM_NO_MEMORY;
  DM_TRY(dm_continuous_new(&w, &job->task->system));

  // at the states of the motion, by the continuous equations' mass matrix and potential
  for (int k = 0; s == DM_OK && k <= x->N; k++) {
    size_t at = (size_t)k * (size_t)x->n;
    double *e = *energy + 2 * (size_t)k;
    s = dm_energies(w, x->q + at, x->v + at, e, e + 1);
  }
  dm_continuous_free(w);
  return s;
}

// a file of the folder, where it has one and it has not been read yet
static dm_status read_file(cli_job *job, const cli_result_file *file, const cli_table_source *from,
                           cli_figure_data *d) {
  cli_table *table = &d->table[cli_result_find(file->name)];
  char *path = cli_join(job->args->operand, file->name);
  dm_status s = path ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && !table->x && is_readable(path)) s = file->read(table, path, from, &job->msg);
  free(path);
  return s;
}

// the tables of all plots
static dm_status read_tables(cli_job *job, cli_figure_data *d) {
  // runs may have the controller's own number of knots
  const double rate = job->p->has_feedback ? job->p->feedback.rate : INFINITY,
               T = job->x->N * job->x->h;
  const cli_table_source from = {
      .names = &job->names,
      .problem = job->p,
      .result = job->result,
      .steps = job->x->N,
      .closed = isfinite(rate) ? fb_resample_steps(T, rate) : job->x->N,
  };

  // each table once, though several plots may need it
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    for (const cli_result_file *const *file = cli_plots[i]->needs; *file; file++)
      DM_TRY(read_file(job, *file, &from, d));
  return DM_OK;
}

// what result.json says of the motion and of the plant that runs are of
static void read_record(const cli_job *job, cli_figure_data *d) {
  json_object *verify = NULL;
  bool continuous = json_object_object_get_ex(job->result, "verify", &verify) &&
                    json_object_object_get_ex(verify, "continuous", NULL);
  d->plant = continuous ? "continuous" : "discrete";

  // that of the one start, which the problem may say
  json_object *start = NULL;
  if (verify) json_object_object_get_ex(verify, "start", &start);
  d->start_plant = start ? cli_json_get_text(start, "plant") : NULL;
  if (!d->start_plant) d->start_plant = d->plant;
  d->simulated = cli_json_get_int(job->result, "every", 0) > 0;
  d->sparse = cli_json_get_int(job->result, "every", 1) > 1;
}

// whatever there is beside the trajectory; *energy and the tables are to be freed
static dm_status read_others(cli_job *job, double **energy, cli_figure_data *d) {
  char *gains = cli_join(job->args->operand, "gains.csv");
  dm_status s = gains ? DM_OK : DM_NO_MEMORY;

  // the rest at its end belongs to the motion that gains were made for
  if (s == DM_OK && is_readable(gains)) s = cli_append_rest(job);
  free(gains);

  // energies, tables and what result.json says
  if (s == DM_OK) s = read_energy(job, energy);
  d->energy = *energy;
  if (s == DM_OK) s = read_tables(job, d);
  if (s == DM_OK) read_record(job, d);
  return s;
}

// gnuplot as a child: it reads the script from its stdin and draws to its stdout, so that no path
// stands among its words. Its settings are its own, not the user's. Returns what spawning said.
static int spawn_gnuplot(pid_t *child, FILE *script, FILE *picture) {
  char program[] = "gnuplot", bare[] = "--default-settings", from_stdin[] = "-";
  char *words[] = {program, bare, from_stdin, NULL};
  posix_spawn_file_actions_t files;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  setenv("LC_ALL", "C.UTF-8", 1); // its numbers and signs do not depend on where one lives
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

  // while it draws, a signal ends it with us
  cli_interrupt_ends(child);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  cli_interrupt_ends(0);

  // a shell's 127: there is no such program
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CLI_DONE;
  return cli_fail(args, WIFEXITED(status) && WEXITSTATUS(status) == 127 ? CLI_INPUT : CLI_FAULT,
                  "gnuplot failed");
}

// a file for the script that nobody else sees and nothing leaves behind
static FILE *open_script(const cli_args *args) {
  const char *tmp = getenv("TMPDIR");
  char path[CLI_PATH];
  snprintf(path, sizeof path, "%s/dmoc-plot-XXXXXX", tmp && *tmp ? tmp : "/tmp");

  // removed at once: it lives as long as it is open
  int fd = mkstemp(path);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
  if (fd >= 0) unlink(path);
  if (!f) cli_fail(args, CLI_INPUT, "%s cannot be written: %s", path, strerror(errno));
  return f;
}

static int draw_picture(cli_job *job, const cli_figure_data *d, const char *suffix, FILE *picture) {
  const cli_args *args = job->args;
  const char *what = args->what ? args->what : "all";
  FILE *script = open_script(args);
  if (!script) return CLI_INPUT;

  // the panels; none, where the folder has nothing of what is asked for
  int panels = cli_figure_write(script, job, d, what, suffix), status;

  // a picture of half a script would look whole
  bool whole = fflush(script) == 0 && !ferror(script);
  rewind(script);
  if (!whole)
    status =
        cli_fail(args, CLI_INPUT, "the script for gnuplot cannot be written: is the disk full?");
  else if (!panels)
    status = cli_fail(args, CLI_INPUT, "%s has nothing to draw for --what %s; see dmoc plot --help",
                      args->operand, what);
  else
    status = run_gnuplot(args, script, picture);
  fclose(script);
  return status;
}

// the picture under a temporary name beside its own
static int write_picture(cli_job *job, const cli_figure_data *d, const char *dir, const char *name,

                         const char *suffix) {
  cli_folder folder;
  struct stat st;

  // claimed alone: other files of that folder are not ours
  dm_status s = cli_folder_make(&folder, dir, &job->msg);
  if (s == DM_OK) s = cli_folder_claim(&folder, name, false, &job->msg);
  FILE *picture = s == DM_OK ? cli_folder_file(&folder, name, &job->msg) : NULL;
  if (!picture) {
    cli_folder_discard(&folder);
    return cli_fail_status(job->args, DM_IO, &job->msg);
  }

  // gnuplot may end well on a full disk
  int status = draw_picture(job, d, suffix, picture);
  if (status == CLI_DONE && (fstat(fileno(picture), &st) != 0 || st.st_size == 0))
    status = cli_fail(job->args, CLI_INPUT, "gnuplot wrote no picture: is the disk full?");

  // renamed to its own name
  if (status == CLI_DONE && (s = cli_folder_commit(&folder, NULL, &job->msg)) != DM_OK)
    status = cli_fail_status(job->args, s, &job->msg);
  cli_folder_discard(&folder);
  return status;
}

// the words of --what, the last being all
enum { WORDS = CLI_PLOT_COUNT + 1 };
static void list_words(const char *word[WORDS]) {
  for (int i = 0; i < CLI_PLOT_COUNT; i++) word[i] = cli_plots[i]->word;
  word[CLI_PLOT_COUNT] = "all";
}

// what is asked for: a known part, a file whose suffix names a known format
static int read_plot_options(const cli_args *args, const char **suffix) {
  const char *word[WORDS];

  // one of the plots, or all
  list_words(word);
  if (args->what && dm_names_find(word, WORDS, args->what) < 0) {
    char list[160];
    char near[CLI_SUGGESTION];
    return cli_fail(args, CLI_INPUT, "--what takes %s, got '%s'%s",
                    dm_names_list(word, WORDS, list, sizeof list), args->what,
                    cli_suggest(word, WORDS, args->what, near));
  }

  // svg, png or pdf
  if (!args->out) return cli_fail(args, CLI_INPUT, "plot needs -o FILE.svg, FILE.png or FILE.pdf");
  const char *dot = strrchr(args->out, '.');
  static const char *const known[] = {"svg", "png", "pdf"};
  *suffix = dot ? dot + 1 : "";
  if (dm_names_find(known, 3, *suffix) >= 0) return CLI_DONE;
  return cli_fail(args, CLI_INPUT, "-o names the picture by its suffix svg, png or pdf, got '%s'",
                  args->out);
}

// --only names what there is
static int check_only(const cli_job *job) {
  char name[128];
  const cli_names *names = &job->names;
  if (!job->args->only || !cli_figure_unknown(names, job->args->only, name, sizeof name))
    return CLI_DONE;
  char near[CLI_SUGGESTION];
  return cli_fail(job->args, CLI_INPUT, "--only takes names of coordinates and inputs, got '%s'%s",
                  name, cli_suggest(names->coord, names->n, name, near));
}

static int plot_folder(const cli_args *args) {
  cli_job job = {0};
  cli_figure_data d = {0};
  double *energy = NULL;
  const char *suffix = "";

  // what is asked for, before anything is read
  int status = read_plot_options(args, &suffix);
  if (status != CLI_DONE) return status;
  status = cli_job_open(&job, args, false);
  if (status == CLI_DONE) status = check_only(&job);
  if (status == CLI_DONE) status = cli_read_motion(&job);

  // the motion and whatever tables there are
  if (status == CLI_DONE) {
    dm_status s = read_others(&job, &energy, &d);
    if (s != DM_OK) status = cli_fail_status(args, s, &job.msg);
  }

  // beside or under the path that -o names
  if (status == CLI_DONE) {
    char *dir = strdup(args->out), *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash) *slash = 0;
    const char *folder = slash ? dir : ".";
    if (slash && !*dir) folder = "/";
    status = write_picture(&job, &d, folder, slash ? slash + 1 : args->out, suffix);
    free(dir);
    cli_tell_path(&job, "picture", args->out);
    cli_json_text(job.result, "picture", args->out);
  }
  free(energy);
  for (int i = 0; i < CLI_FILES; i++) free(d.table[i].x);
  return cli_job_close(&job, status);
}

// the words of --what
static void write_words(FILE *f) {
  fprintf(f, "\nWHAT is one of\n");
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    fprintf(f, "  %-14s %s\n", cli_plots[i]->word, cli_plots[i]->help);
  fprintf(f, "  %-14s %s\n", "all", "all of these that the folder has (the default)");
}

const cli_command cli_command_plot = {
    .name = "plot",
    .what = "a picture of a result folder",
    .usage = "DIR -o FILE.svg|png|pdf [--what WHAT] [--only NAMES]",
    .run = plot_folder,
    .more = write_words,
};
