#include "cli/commands/commands.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/pictures/figure.h"
#include "cli/results/monitors.h"
#include "cli/stages/bench.h"
#include "cli/stages/follow.h"
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

// the figures of a folder, to be freed
typedef struct found {
  double *energy, *K, *fan, *response, *convergence, *descent, *contacts, *monitors, *robustness,
      *region, *followed;
  cli_figure_data data;
} found;

static bool exists(const char *path) {
  return path && access(path, R_OK) == 0;
}

// kinetic and potential energy at every knot
static dm_status read_energy(const cli_job *job, found *d) {
  const dm_trajectory *x = job->x;
  dm_continuous *w;
  dm_status s = DM_OK;
  d->energy = calloc(2 * (size_t)(x->N + 1), sizeof *d->energy);
  if (!d->energy) return DM_NO_MEMORY;
  DM_TRY(dm_continuous_new(&w, &job->task->system));
  for (int k = 0; s == DM_OK && k <= x->N; k++) {
    size_t at = (size_t)k * (size_t)x->n;
    double *e = d->energy + 2 * (size_t)k;
    s = dm_energies(w, x->q + at, x->v + at, e, e + 1);
  }
  dm_continuous_free(w);
  d->data.energy = d->energy;
  return s;
}

// what was verified beyond the samples
static dm_status read_robustness(cli_job *job, found *d) {
  const char *dir = job->args->operand;
  char *rates = cli_join(dir, "robustness.csv"), *region = cli_join(dir, "region.csv");
  dm_status s = rates && region ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && exists(rates))
    s = cli_robustness_read(&d->robustness, &d->data.robustness_rows, rates, job->p, &job->msg);
  if (s == DM_OK && exists(region))
    s = cli_region_read(&d->region, &d->data.region_rows, region, &job->msg);
  d->data.robustness = d->robustness, d->data.region = d->region;
  free(rates);
  free(region);
  return s;
}

// what the plant made of the plan
static dm_status read_followed(cli_job *job, found *d) {
  char *path = cli_join(job->args->operand, "plant.csv");
  dm_status s = path ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && exists(path))
    s = cli_plant_read(&d->followed, &d->data.followed_rows, path, &job->names, &job->msg);
  d->data.followed = d->followed;
  free(path);
  return s;
}

// whatever there is beside the trajectory
static dm_status read_others(cli_job *job, found *d) {
  const char *dir = job->args->operand;
  char *gains = cli_join(dir, "gains.csv"), *fan = cli_join(dir, "fan.csv");
  char *convergence = cli_join(dir, "convergence.csv"), *response = cli_join(dir, "response.csv");
  char *descent = cli_join(dir, "descent.csv"), *contacts = cli_join(dir, "contacts.csv");
  char *monitors = cli_join(dir, "monitors.csv");
  bool all = gains && fan && convergence && response && descent && contacts && monitors;
  dm_status s = all && exists(gains) ? cli_hold(job) : DM_OK;
  if (s == DM_OK) s = all ? read_energy(job, d) : DM_NO_MEMORY;
  const double rate = job->p->has_feedback ? job->p->feedback.rate : INFINITY,
               T = job->x->N * job->x->h;
  const int steps = (isfinite(rate) ? fb_resample_steps(T, rate) : job->x->N) + 1;
  if (s == DM_OK && exists(gains))
    s = cli_gains_read(&d->K, NULL, job->x->N, gains, &job->names, &job->msg);
  if (s == DM_OK && exists(fan))
    s = cli_fan_read(&d->fan, &d->data.fan_rows, fan, &job->names, &job->msg);
  if (s == DM_OK && d->data.fan_rows % steps != 0)
    s = dm_fail(&job->msg, DM_BAD_INPUT,
                "%s is damaged: found %d rows, expected %d for each sample", fan, d->data.fan_rows,
                steps);
  if (s == DM_OK && exists(response))
    s = cli_response_read(&d->response, &d->data.response_rows, response, &job->names, &job->msg);
  if (s == DM_OK && d->response && d->data.response_rows != steps)
    s = dm_fail(&job->msg, DM_BAD_INPUT, "%s is damaged: found %d rows, expected %d", response,
                d->data.response_rows, steps);
  if (s == DM_OK && exists(convergence))
    s = cli_convergence_read(&d->convergence, &d->data.convergence_rows, convergence, &job->msg);
  if (s == DM_OK && exists(descent))
    s = cli_descent_read(&d->descent, &d->data.descent_rows, descent, &job->msg);
  if (s == DM_OK && job->p->robot.contacts && exists(contacts)) {
    dm_unilateral u = dm_contacts_unilateral(job->p->robot.contacts);
    s = cli_events_read(&d->contacts, &d->data.contacts_rows, contacts, &u, &job->msg);
  }
  if (s == DM_OK && json_object_object_get_ex(job->result, "monitors", NULL) && exists(monitors))
    s = cli_monitors_read(&d->monitors, &d->data.monitors_rows, monitors, &job->msg);
  json_object *verify = NULL;
  d->data.plant = json_object_object_get_ex(job->result, "verify", &verify) &&
                          json_object_object_get_ex(verify, "continuous", NULL)
                      ? "continuous"
                      : "discrete";
  d->data.simulated = cli_json_get_int(job->result, "every", 0) > 0;
  d->data.sparse = cli_json_get_int(job->result, "every", 1) > 1;
  d->data.K = d->K, d->data.fan = d->fan, d->data.convergence = d->convergence;
  d->data.response = d->response, d->data.descent = d->descent;
  d->data.contacts = d->contacts, d->data.monitors = d->monitors;
  free(gains);
  free(fan);
  free(convergence);
  free(response);
  free(descent);
  free(contacts);
  free(monitors);
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
  cli_interrupt_ends(child);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  cli_interrupt_ends(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CLI_DONE;
  return cli_fail(args, WIFEXITED(status) && WEXITSTATUS(status) == 127 ? CLI_INPUT : CLI_FAULT,
                  "gnuplot failed");
}

// a file for the script that nobody else sees and nothing leaves behind
static FILE *open_script(const cli_args *args) {
  const char *tmp = getenv("TMPDIR");
  char path[CLI_PATH];
  snprintf(path, sizeof path, "%s/dmoc-plot-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  int fd = mkstemp(path);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
  if (fd >= 0) unlink(path);
  if (!f) cli_fail(args, CLI_INPUT, "%s cannot be written: %s", path, strerror(errno));
  return f;
}

static int draw(cli_job *job, const found *d, const char *suffix, FILE *picture) {
  const cli_args *args = job->args;
  const char *what = args->what ? args->what : "all";
  FILE *script = open_script(args);
  if (!script) return CLI_INPUT;
  int panels = cli_figure_write(script, job, &d->data, what, suffix), status;
  bool whole = fflush(script) == 0 && !ferror(script);
  rewind(script);
  if (!whole)
    status =
        cli_fail(args, CLI_INPUT, "the script for gnuplot cannot be written: is the disk full?");
  else if (!panels)
    status =
        cli_fail(args, CLI_INPUT, "%s holds nothing to draw for --what %s", args->operand, what);
  else
    status = run_gnuplot(args, script, picture);
  fclose(script);
  return status;
}

// the picture under a temporary name beside its own
static int plot(cli_job *job, const found *d, const char *dir, const char *name,
                const char *suffix) {
  cli_folder folder;
  struct stat st;
  dm_status s = cli_folder_make(&folder, dir, &job->msg);
  if (s == DM_OK) s = cli_folder_claim(&folder, name, false, &job->msg);
  FILE *picture = s == DM_OK ? cli_folder_file(&folder, name, &job->msg) : NULL;
  if (!picture) {
    cli_folder_discard(&folder);
    return cli_fail_status(job->args, DM_IO, &job->msg);
  }
  int status = draw(job, d, suffix, picture);
  if (status == CLI_DONE && (fstat(fileno(picture), &st) != 0 || st.st_size == 0))
    status = cli_fail(job->args, CLI_INPUT, "gnuplot wrote no picture: is the disk full?");
  if (status == CLI_DONE && (s = cli_folder_commit(&folder, NULL, &job->msg)) != DM_OK)
    status = cli_fail_status(job->args, s, &job->msg);
  cli_folder_discard(&folder);
  return status;
}

// what is asked for: a known part, a file whose suffix names a known format
static int read_wishes(const cli_args *args, const char **suffix) {
  int n = 0;
  while (cli_figure_what[n]) n++;
  if (args->what && dm_names_find(cli_figure_what, n, args->what) < 0) {
    char list[160];
    const char *near = dm_names_nearest(cli_figure_what, n, args->what);
    return cli_fail(args, CLI_INPUT, "--what takes %s, got '%s'%s%s%s",
                    dm_names_list(cli_figure_what, n, list, sizeof list), args->what,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
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
  const char *near = dm_names_nearest(names->coord, names->n, name);
  return cli_fail(job->args, CLI_INPUT,
                  "--only takes names of coordinates and inputs, got '%s'%s%s%s", name,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int cmd_plot(const cli_args *args) {
  cli_job job = {0};
  found d = {0};
  const char *suffix = "";
  int status = read_wishes(args, &suffix);
  if (status != CLI_DONE) return status;
  status = cli_job_open(&job, args, false);
  if (status == CLI_DONE) status = check_only(&job);
  if (status == CLI_DONE) status = cli_read_motion(&job);
  if (status == CLI_DONE) {
    dm_status s = read_others(&job, &d);
    if (s == DM_OK) s = read_robustness(&job, &d);
    if (s == DM_OK) s = read_followed(&job, &d);
    if (s != DM_OK) status = cli_fail_status(args, s, &job.msg);
  }
  if (status == CLI_DONE) {
    char *dir = strdup(args->out), *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash) *slash = 0;
    status = plot(&job, &d, slash ? *dir ? dir : "/" : ".", slash ? slash + 1 : args->out, suffix);
    free(dir);
    cli_tell_path(&job, "picture", args->out);
    cli_json_text(job.result, "picture", args->out);
  }
  free(d.energy);
  free(d.K);
  free(d.fan);
  free(d.response);
  free(d.convergence);
  free(d.descent);
  free(d.contacts);
  free(d.monitors);
  free(d.robustness);
  free(d.region);
  free(d.followed);
  return cli_job_close(&job, status);
}
