#define _XOPEN_SOURCE 700 // realpath
#include "cli/stages/job.h"

#include "cli/console/answer.h"
#include "cli/console/args.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/console/memory.h"
#include "cli/console/terminal.h"
#include "cli/results/columns.h"
#include "cli/results/inputs.h"
#include "cli/results/registry.h"
#include "cli/results/trajectory.h"
#include "cli/results/units.h"
#include "cli/stages/curves.h"
#include "cli/stages/stiff_steps.h"
#include "config.h"
#include "lib/base/dense.h"
#include "lib/base/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *cli_join(const char *dir, const char *name) {
  size_t size = strlen(dir) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path) cli_memory_end(); // few callers could report it
  if (path) snprintf(path, size, "%s/%s", dir, name);
  return path;
}

void cli_tell(cli_job *job, const char *label, const char *format, ...) {
  fprintf(job->summary, "  %-13s ", label);
  va_list list;
  va_start(list, format);
  vfprintf(job->summary, format, list);
  va_end(list);
  fputc('\n', job->summary);
}

void cli_tell_path(cli_job *job, const char *label, const char *path) {
  char line[CLI_PATH];
  snprintf(line, sizeof line, "%s", path);
  for (char *c = line; (c = strpbrk(c, "\n\r"));) *c = '?';
  cli_tell(job, label, "%s", line);
}

void cli_report_constraints(cli_job *job, double residual, int row, int knot) {
  const dm_holonomic *h = &job->task->system.hol;
  if (!h->nc) return;

  // the row with the largest residual, its name and knot
  const char *name = h->row_name(h->self, row);
  cli_json *o = cli_json_object(job->result, "constraint");
  cli_json_int(o, "rows", h->nc);
  cli_json_number(o, "residual", residual);
  cli_json_text(o, "name", name);
  cli_json_int(o, "knot", knot);
  cli_tell(job, "constraints", "%d rows, off by at most %.2g (%s, knot %d)", h->nc, residual, name,
           knot);
}

FILE *cli_job_file(cli_job *job, const char *name) {
  char text[CLI_RESULT_NAME];
  assert(!strcmp(name, "result.json") || cli_result_find(name) >= 0);
  FILE *f = cli_folder_file(&job->out, cli_result_name(name, job->result, text), &job->msg);
  cli_json *said = cli_json_get_object(job->result, "columns");
  if (said) json_object_object_del(said, name); // description of the previous table
  if (!f) cli_fail_status(job->args, DM_IO, &job->msg);
  return f;
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// read result.json of a folder; free *result
static int read_result(cli_job *job, const pb_folder *at, cli_json **result) {
  const pb_file file = pb_file_in(at, "result.json");
  if (!pb_file_there(&file) && errno == ENOENT)
    return cli_fail(job->args, CLI_INPUT,
                    "%s is a folder without result.json: neither a problem file nor a result "
                    "folder",
                    at->path);

  // it must be valid JSON and belong to a problem
  if (cli_json_read(result, &file, &job->msg) != DM_OK)
    return cli_fail(job->args, CLI_INPUT, "%s", job->msg.text);
  if (cli_json_get_text(*result, "problem")) return CLI_DONE;
  return cli_fail(job->args, CLI_INPUT, "%s is damaged: expected an object with a key problem",
                  file.path);
}

int cli_open_result(cli_job *job, const char *dir, pb_folder *at, cli_json **result) {
  // of several ranks, only the first waits for locks
  const bool held = !job->args->nowhere && !job->in_place;
  const bool below = job->args->below && at == &job->operand;
  dm_status s = DM_OK;
  if (at->fd < 0) s = cli_folder_hold(at, dir, below, held, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  int status = read_result(job, at, result);
  if (status != CLI_DONE) return status;
  s = cli_record_check(at, *result, &job->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

int cli_job_replaced(cli_json *values, pb_replace list[CLI_REPLACED]) {
  int n = 0;
  if (!values) return 0;
  json_object_object_foreach(values, key, value) if (n < CLI_REPLACED) {
    // excess entries are refused later
    const char *text = json_object_get_string(value);
    list[n++] = (pb_replace){key, text ? text : ""};
  }
  return n;
}

// replacements of the file's values: from a sweep, or stored with the folder
static int find_replaced(cli_job *job, pb_replace list[CLI_REPLACED]) {
  const cli_args *args = job->args;
  cli_json *o = job->stored ? cli_json_get_object(job->result, "replaced") : NULL;

  // record the command's replacements; otherwise reuse the folder's
  if (args->nreplace || args->inputs) o = cli_json_object(job->result, "replaced");
  for (int i = 0; i < args->nreplace; i++)
    cli_json_text(o, args->replace[i].path, args->replace[i].text);
  if (args->inputs) cli_json_text(o, "inputs", args->inputs);
  return cli_job_replaced(o, list);
}

void cli_job_set_problem(cli_job *job, pb_problem *p) {
  const dm_system *sys = &p->task.system;
  // names for columns: coordinates, inputs including kinematic coordinates, constraint rows
  job->p = p;
  job->task = &p->task;
  job->names = (cli_names){.n = sys->L.nq,
                           .nu = sys->nu + sys->nk,
                           .nc = sys->hol.nc,
                           .ny = p->robot.outputs.named,
                           .ne = p->equations,
                           .equation = p->equation_name,
                           .path = p->task.outputs.follow.curve != NULL,
                           .nb = p->verify.outputs.count,
                           .bound = p->verify.columns,
                           .coord = p->task.coord_name,
                           .input = p->input_name,
                           .row = p->row_name,
                           .output = p->output_name};
}

// note changes since a result folder was made
static void note_changes(const cli_job *job, const char *path) {
  const char *was = cli_json_get_text(job->result, "inputs_sha256");
  const char *dir = job->args->operand;

  // the original differs from the copy that is used
  if (job->copies && cli_inputs_changed(job->p, path))
    cli_note(job->args,
             "%s has changed since %s was made; the copy in that folder is used; gains, verify, "
             "export and linearize use the file as it is now with --now",
             path, dir);

  // the problem differs from the one used for the motion
  if (was && !strcmp(was, job->p->sha256)) return;
  if (job->copies)
    cli_note(job->args, "the inputs in %s are newer than those that its motion was made from", dir);
  else
    cli_note(job->args,
             "%s has changed since %s was made; its motion is used as it was, all else as the "
             "problem says now",
             path, dir);
}

// read the problem of a result folder: its copy, or the original file
static dm_status read_stored_problem(cli_job *job, pb_problem **p, const char *path,
                                     const pb_replace *list, int n) {
  const char *dir = job->args->operand;
  const char *copy = cli_json_get_text(job->result, "problem_copy");
  char *copies = cli_join(dir, "inputs");
  if (!copies) return DM_NO_MEMORY;

  // --now requests the original
  job->copies = copy && !job->args->now;
  dm_status s = pb_problem_copied(p, path, job->copies ? copies : NULL, list, n, &job->msg);

  // the reader's error message follows this line
  if (s != DM_OK && job->copies)
    cli_note(job->args, "the copy of %s in %s was read:", path, copies);
  else if (s != DM_OK)
    cli_note(job->args, "%s came from %s, which can no longer be read:", dir, path);
  free(copies);
  return s;
}

// refuse files with phases for commands and options that do not support them
static int check_takes_phases(const cli_job *job) {
  const cli_args *args = job->args;
  const char *phase = job->p->phases.name[0], *option = args->searches ? "--starts" : NULL;
  if (args->from) option = "--from";
  if (!args->command->phases)
    return cli_fail(args, CLI_INPUT,
                    "%s has phases, and %s is of one motion: take the folder of a phase, such as "
                    "%s/%s, which 'dmoc optimize' makes",
                    args->operand, args->command->name, job->stored ? args->operand : "DIR", phase);
  if (option)
    return cli_fail(args, CLI_INPUT, "found %s, expected none: %s has phases", option,
                    args->operand);
  return CLI_DONE;
}

static int read_problem(cli_job *job, const char *path) {
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;

  // the file with replacements; for a folder, as it was when its motion was made
  int n = find_replaced(job, list);
  dm_status s = job->stored ? read_stored_problem(job, &p, path, list, n)
                            : pb_problem_vary(&p, path, list, n, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);

  // with the names of its coordinates, inputs and rows
  cli_job_set_problem(job, p);
  if (p->phases.n && check_takes_phases(job) != CLI_DONE) return CLI_INPUT;
  if (!job->args->again) cli_note_warnings(job->args, &p->warnings);
  if (!p->has_task) cli_warn_stiff_steps(job->args, p, NULL, NULL, &job->warned);
  if (job->stored) note_changes(job, path);
  return CLI_DONE;
}

// create and claim the result folder
static int claim_folder(cli_job *job) {
  // other ranks compute but do not write
  const char *dir = job->args->nowhere ? NULL : job->dir;
  if (!job->dir) return cli_fail(job->args, CLI_FAULT, "out of memory");
  dm_status s = cli_folder_make(&job->out, dir, job->args->below, &job->msg);

  // only one command at a time; check that all files can be written before starting
  if (s == DM_OK) s = cli_folder_claim(&job->out, NULL, job->args->waits, &job->msg);
  if (s == DM_OK && dir && !job->stored) s = cli_record_places(&job->out, &job->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

// open the operand folder: claimed before reading if results are written there, else held
static int open_stored(cli_job *job, bool writes) {
  const cli_args *args = job->args;
  const char *dir = args->operand;

  // if results replace the folder's content, claim it before reading, so that no other command
  // changes it in between; this also finishes the commit of a killed command
  job->in_place = writes && !args->nowhere && (!args->out || cli_folder_same(args->out, dir));
  int status = CLI_DONE;
  if (job->in_place && cli_folder_has_result(dir, args->below)) {
    job->dir = strdup(dir);
    status = claim_folder(job);
  }

  // otherwise hold it for reading, which keeps out commits until the results are written
  if (status == CLI_DONE) status = cli_open_result(job, dir, &job->operand, &job->result);
  job->earlier = cli_standing_of(job->result);
  return status;
}

// -o, else the result folder itself, else results/NAME
static int choose_folder(cli_job *job, bool writes) {
  // the operand is already claimed
  if (job->in_place) return CLI_DONE;
  if (job->args->out)
    job->dir = strdup(job->args->out);
  else if (job->stored)
    job->dir = strdup(job->args->operand);
  else
    job->dir = cli_join("results", job->p->name);
  return writes ? claim_folder(job) : CLI_DONE;
}

// check that the operand is of the kind in the usage: a problem file, a result folder, or either
static int check_operand(const cli_job *job) {
  const char *usage = job->args->command->usage, *operand = job->args->operand;

  // the first word of the usage determines the kind
  bool folders = strncmp(usage, "DIR", 3) == 0 || strncmp(usage, "PROBLEM|DIR", 11) == 0;
  if (job->stored && !folders)
    return cli_fail(job->args, CLI_INPUT, "%s takes a problem file, but %s is a folder",
                    job->args->command->name, operand);

  // the command needs an existing motion
  if (!job->stored && usage[0] == 'D' && access(operand, F_OK) != 0)
    return cli_fail(job->args, CLI_INPUT,
                    "%s takes a result folder, and there is no '%s'; 'dmoc run PROBLEM' makes one",
                    job->args->command->name, operand);
  if (!job->stored && usage[0] == 'D')
    return cli_fail(job->args, CLI_INPUT, "%s takes a result folder; make one by 'dmoc run %s'",
                    job->args->command->name, operand);

  // --now chooses between the copy and the original
  if (!job->stored && job->args->now)
    return cli_fail(job->args, CLI_INPUT, "--now is for a result folder, but %s is a problem file",
                    operand);
  return CLI_DONE;
}

// monotonic clock [s]
static double read_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_job_time_left(const cli_job *job) {
  return job->p->solver.max_time - (read_clock() - job->begun);
}

int cli_job_open(cli_job *job, const cli_args *args, bool writes) {
  *job = (cli_job){.begun = read_clock(),
                   .args = args,
                   .stored = is_folder(args->operand),
                   .operand = {.fd = -1},
                   .from = {.fd = -1}};

  if (args->inputs && cli_args_pick(args, "--inputs", args->inputs) < 0) return CLI_INPUT;

  // the summary is buffered until everything is written
  job->summary = open_memstream(&job->summary_text, &job->summary_size);
  if (!job->summary) return cli_fail(args, CLI_FAULT, "out of memory");

  // open a result folder for the path of its problem and its motion
  int status = check_operand(job);
  if (status == CLI_DONE && job->stored) status = open_stored(job, writes);
  if (status != CLI_DONE) return status;
  if (!job->result) job->result = json_object_new_object();

  // the problem, from the file or the folder's copy
  status =
      read_problem(job, job->stored ? cli_json_get_text(job->result, "problem") : args->operand);
  if (status != CLI_DONE) return status;
  fprintf(job->summary, "%s\n", job->p->name);

  // a new result records its inputs: path, digest, version
  if (job->stored) return choose_folder(job, writes); // the record of the motion's inputs remains
  char *path = realpath(job->p->path, NULL);
  cli_json_text(job->result, "problem", path ? path : job->p->path);
  free(path);
  cli_json_text(job->result, "inputs_sha256", job->p->sha256);
  cli_json_text(job->result, "version", DMOC_VERSION);
  return choose_folder(job, writes);
}

void cli_forget(cli_job *job, const char *stage) {
  char text[CLI_RESULT_NAME];
  for (const cli_result_file *const *f = cli_result_files; f < cli_result_files + CLI_FILES; f++)
    if (stage ? !strcmp((*f)->stage, stage) : strcmp((*f)->stage, "motion") != 0)
      cli_folder_remove(&job->out, cli_result_name((*f)->name, job->result, text));
}

void cli_forget_controller(cli_job *job) {
  cli_json *certificate = cli_json_get_object(job->result, "certificate");
  cli_forget(job, "export");
  if (certificate) json_object_object_del(certificate, "controller");
  json_object_object_del(job->result, "controller");
}

int cli_stage(cli_job *job, const char *stage, int status) {
  // nothing to do if the stage completed, or failed on a folder that stays unchanged
  if (status == CLI_DONE || status == CLI_OUTCOME || job->stored) return status;

  // discard its files and those of dependent stages; keep earlier ones
  job->finished = true;
  cli_forget(job, stage);
  if (!strcmp(stage, "gains")) cli_forget(job, "verify");
  if (strcmp(stage, "linearization")) cli_forget(job, "export");

  // record the failure
  cli_json *o = cli_json_object(job->result, stage);
  cli_json_text(o, "status", "failed");
  cli_json_int(o, "exit", status);
  cli_tell(job, stage, "failed");
  return status;
}

// *under: the subfolder for a result that must not replace the existing one; NULL: replace it
static dm_status choose_place(cli_job *job, int status, const char **under) {
  // only a failed command with less progress than the existing result goes to a subfolder
  cli_json *there;
  DM_TRY(cli_record_read(&there, &job->out.at, &job->msg));
  bool less = cli_standing_less(cli_standing_of(job->result), cli_standing_of(there));
  *under = status != CLI_DONE && less ? "unfinished" : NULL;
  json_object_put(there);
  return cli_record_replace(&job->out, *under, &job->msg);
}

bool cli_job_wrote(const cli_job *job, const char *name) {
  pb_folder at;
  if (pb_folder_open(&at, job->written_dir, job->args->below, NULL) != DM_OK) return false;
  const pb_file file = pb_file_in(&at, name);
  const bool there = pb_file_there(&file);
  pb_folder_close(&at);
  return there;
}

// copy the files of the source folder, or of an earlier save
static dm_status copy_others(cli_job *job) {
  if (job->stored) return cli_record_copy(&job->out, &job->operand, job->result, &job->msg);
  if (!job->written_dir) return DM_OK;
  pb_folder kept;
  DM_TRY(pb_folder_open(&kept, job->written_dir, job->args->below, &job->msg));
  const dm_status s = cli_record_copy(&job->out, &kept, job->result, &job->msg);
  pb_folder_close(&kept);
  return s;
}

// complete the result: files begun elsewhere, and copies of its inputs
static dm_status complete_files(cli_job *job) {
  dm_status s = job->in_place ? DM_OK : copy_others(job);
  if (s == DM_OK && !(job->in_place && job->copies))
    s = cli_inputs_put(&job->out, job->p, job->result, &job->msg);
  return s;
}

// write the result except result.json, which contains the digests of the others
static int write_others(cli_job *job) {
  dm_status s = complete_files(job);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  FILE *f = cli_job_file(job, "columns.txt");
  if (!f) return CLI_INPUT;
  cli_columns_write(f, job->result, &job->out, job->in_place);
  cli_units_put(job->result, job->p);
  return CLI_DONE;
}

// write result.json and all others atomically; the last write ends the claim
static int write_all(cli_job *job, int status, bool last) {
  // 1  all files except result.json; hurried: without syncing, because an interrupted launcher may
  // kill us soon, or because cases of a sweep can be recomputed
  job->out.hurried = cli_interrupted() || job->args->waits;
  int written = write_others(job);

  // 2  commits wait for readers, so close the folders that this job reads
  pb_folder_close(&job->operand);
  pb_folder_close(&job->from);
  if (written != CLI_DONE) return written;

  // 3  choose the folder, and compute the digests
  const char *under = NULL;
  dm_status s = job->in_place ? DM_OK : choose_place(job, status, &under);
  if (s == DM_OK) s = cli_folder_seal(&job->out, &job->msg);
  if (s == DM_OK) s = cli_record_list(job->result, &job->out, job->in_place, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);

  // 4  result.json with the digests, then rename all files
  FILE *f = cli_job_file(job, "result.json");
  if (!f) return CLI_INPUT;
  fprintf(f, "%s\n", cli_json_pretty(job->result));
  s = last ? cli_folder_commit(&job->out, under, &job->msg)
           : cli_folder_put(&job->out, under, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);

  // 5  remember the folder, for messages and later copies
  free(job->written_dir);
  job->written_dir = under ? cli_join(job->dir, under) : strdup(job->dir);
  return job->written_dir ? CLI_DONE : cli_fail(job->args, CLI_FAULT, "out of memory");
}

// report where everything was written, and why
static void report_place(cli_job *job) {
  cli_tell_path(job, "written", job->written_dir);
  if (strcmp(job->written_dir, job->dir))
    cli_error("%s has a result that came further and stays as it is; this one is in %s", job->dir,
              job->written_dir);
  if (job->finished) cli_error("the stages finished before that are in %s", job->written_dir);
}

// whether there is something to write: a motion; for a stored one new files or a verdict on its
// gains, but not a partial verification in place of a complete one
static bool is_worth_writing(const cli_job *job, int status) {
  // a motion with a status
  const char *file = job->p && job->p->phases.n ? "convergence.csv" : "trajectory.csv";
  if (!job->stored)
    return (job->written_dir || cli_folder_begun(&job->out, file)) &&
           cli_json_get_text(job->result, "status");
  if (status == CLI_DONE) return true;

  // a verification with less progress replaces nothing
  if (!cli_folder_begun(&job->out, "verify.csv")) return false;
  bool part = cli_json_get_text(cli_json_get_object(job->result, "verify"), "status") != NULL;
  return !part || !cli_standing_less(cli_standing_of(job->result), job->earlier);
}

int cli_job_save(cli_job *job) {
  if (job->stored || job->args->silent || !job->out.dir[0]) return CLI_DONE;
  int status = write_all(job, CLI_OUTCOME, false); // not complete yet
  if (status != CLI_DONE) return status;

  // on a signal, everything finished is already in the folder
  char sentence[CLI_PATH + 64];
  snprintf(sentence, sizeof sentence, "interrupted: the stages finished before that are in %s",
           job->written_dir);
  cli_interrupt_sentence(dm_text_make_plain(sentence, NULL, '?'));
  cli_interrupt_worth(CLI_NOTHING);
  return CLI_DONE;
}

void cli_job_worth(const cli_job *job) {
  cli_interrupt_worth(job->args->silent ? CLI_BRIEF : CLI_ALL);
}

void cli_job_iterates(const cli_job *job) {
  cli_interrupt_worth(job->args->silent ? CLI_BRIEF : CLI_SOON);
}

// show the summary with a colored status and, on a terminal with block characters, the motion below
// it
static void show_summary(const cli_job *job) {
  static const char label[] = "  status        ";
  const char *text = dm_text_make_plain(job->summary_text, "\n", '?');
  const bool solved = cli_is_solution(cli_json_get_text(job->result, "status"));

  // up to the status word, the word, and the rest
  const char *found = strstr(text, label), *word = found ? found + strlen(label) : text;
  const int length = found ? (int)strcspn(word, " \n") : 0;
  const char *on = cli_terminal_colour(stdout, solved ? CLI_GREEN : CLI_RED);
  const char *off = cli_terminal_colour(stdout, CLI_PLAIN);
  printf("%.*s%s%.*s%s%s", (int)(word - text), text, found ? on : "", length, word,
         found ? off : "", word + length);
  if (job->x && job->p) cli_curves_show(stdout, job->x, &job->names, job->p);
}

// make the page and the recording after the result is written. They are not protected from signals,
// and are skipped after a signal; returns the exit status
static int make_pages(cli_job *job, int status) {
  char sentence[CLI_PATH + 64];
  if (!job->written) return status;
  snprintf(sentence, sizeof sentence, "interrupted: the result is in %s, without a page of it",
           job->written_dir);
  if (cli_interrupted()) {
    if (status != CLI_DONE) return status; // already reported
    return cli_fail(job->args, CLI_OUTCOME, "%s", sentence);
  }

  cli_interrupt_sentence(dm_text_make_plain(sentence, NULL, '?'));
  const cli_worth was = cli_interrupt_worth(CLI_NOTHING);
  const int made = job->written(job);
  cli_interrupt_worth(was);
  return status == CLI_DONE ? made : status;
}

// write the result if needed, and show the summary or the JSON object; returns the exit status,
// which changes if writing fails
static int write_and_show(cli_job *job, int status, bool writes, bool worth, bool failed) {
  cli_job_worth(job);
  int written = writes && worth ? write_all(job, status, true) : CLI_DONE;

  // if writing fails, the folder keeps its previous content
  if (writes && worth && written == CLI_DONE) {
    report_place(job);
    status = make_pages(job, status);
  }
  if (written != CLI_DONE && job->written_dir && access(job->written_dir, F_OK) == 0)
    cli_error("the stages finished before that are in %s", job->written_dir);
  if (written != CLI_DONE) return written;

  // show nothing if there is no result (the error was reported), or if the caller shows it
  if ((!worth && !job->stored) || job->args->silent) return status;
  if (!job->args->json && fflush(job->summary) == 0)
    show_summary(job);
  else if (!failed)
    cli_answer_set(job->result);
  return status;
}

int cli_job_close(cli_job *job, int status) {
  if (job->p && status <= CLI_OUTCOME)
    cli_warn_stiff_steps(job->args, job->p, NULL, job->x, &job->warned);

  // 1  write, if there is a folder and something worth writing
  bool writes = job->out.dir[0] != 0;
  bool failed = status == CLI_INPUT || status == CLI_FAULT;
  bool worth = !writes || is_worth_writing(job, status);
  if (writes && !failed && !worth && job->stored) cli_error("%s is unchanged", job->dir);
  if (!failed || job->finished) status = write_and_show(job, status, writes, worth, failed);

  // 2  discard uncommitted files, release claims and holds
  cli_folder_discard(&job->out);
  pb_folder_close(&job->operand);
  pb_folder_close(&job->from);

  // 3  free the parts of the job in the order of creation
  if (job->summary) fclose(job->summary);
  free(job->summary_text);
  json_object_put(job->result);
  dm_trajectory_free(job->x);
  fb_output_feedback_free(job->law);
  fb_tvlqr_free(job->sampled);
  fb_estimator_free(job->estimator);
  fb_prediction_free(job->prediction);
  fb_tvlqr_free(job->f);
  pb_problem_free(job->p);
  free(job->dir);
  free(job->written_dir);
  return status;
}

int cli_stored_motion(cli_job *job, const pb_folder *at, const cli_json *result,
                      dm_trajectory **x) {
  const pb_file file = pb_file_in(at, "trajectory.csv");
  dm_status s = cli_trajectory_read(x, &file, &job->names, &job->msg);

  // number of stored knots: one per `every` steps
  int steps = cli_json_get_int(result, "steps", -1);
  int every = cli_json_get_int(result, "every", 1);
  int kept = every > 0 ? steps / every : -1;

  if (s == DM_OK && (steps < 0 || every < 1))
    s = dm_fail(&job->msg, DM_BAD_INPUT, "%s/result.json: found no number of steps, expected one",
                at->path);
  else if (s == DM_OK && (*x)->N != kept)
    s = dm_fail(&job->msg, DM_BAD_INPUT,
                "%s is damaged: found %d knots, expected %d by the result.json beside it",
                file.path, (*x)->N + 1, kept + 1);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

int cli_read_motion(cli_job *job) {
  // fit stiff damping to the step of the motion
  double step = cli_json_get_number(cli_json_get_object(job->result, "fitted"), "step", 0);
  dm_status s = step > 0 ? pb_problem_refit(job->p, step) : DM_OK;
  if (s != DM_OK) return cli_fail_status(job->args, s, NULL);
  const int status = cli_stored_motion(job, &job->operand, job->result, &job->x);
  if (status == CLI_DONE) cli_warn_stiff_steps(job->args, job->p, NULL, job->x, &job->warned);
  return status;
}

void cli_set_law(fb_tvlqr *f, const pb_problem *p) {
  const pb_feedback *set = &p->feedback;
  f->turns = NULL;
  for (int i = 0; i < p->model->nq; i++)
    if (set->turns[i]) f->turns = set->turns;
  f->envelope = set->has_envelope ? &set->envelope : NULL;
  f->rate_limit = set->rate_limit;
  f->path = set->by_path ? set->Q : NULL;
  f->continuous = set->continuous;
}

// the weights of output rows; NULL: none
static const fb_knot_weight *take_output_weight(const fb_output_weight *w, fb_knot_weight *at) {
  if (!w) return NULL;
  *at = fb_output_weight_at_knots(w);
  return at;
}

// the weights of the file
static fb_weights find_own_weights(const cli_job *job, int rest, cli_weights *at) {
  const pb_feedback *set = &job->p->feedback;
  return (fb_weights){.Q = set->Q,
                      .R = set->R,
                      .Qf = set->Qf,
                      .Q_at = take_output_weight(set->Q_outputs, &at->Q),
                      .Qf_at = take_output_weight(set->Qf_outputs, &at->Qf),
                      .integral = set->integral,
                      .name = job->names.coord,
                      .rest = rest,
                      .periodic = job->task->periodic,
                      .idle = true, // the reader has checked for inputs without effect
                      // a delay in samples is not a delay in knots
                      .delay = isfinite(set->rate) ? 0 : set->delay};
}

// add the cost-to-go of the next phase at the end of this one
static dm_status add_carried(const void *self, void *scratch, const fb_knot *at, double *Q, int ld,
                             dm_message *msg) {
  const cli_weights *w = self;
  const int nx = 2 * at->n;
  for (int i = 0; i < nx; i++) dm_add_to(nx, 1, w->carried + i * nx, Q + i * ld);
  return w->adds ? w->adds->add(w->adds->self, scratch, at, Q, ld, msg) : DM_OK;
}

fb_weights cli_weights_of(const cli_job *job, int rest, cli_weights *at) {
  const pb_feedback *set = &job->p->feedback;
  fb_weights weights = find_own_weights(job, rest, at);
  if (!job->carried || set->second_variation) return weights;
  // in addition to the phase's own end, or instead of it
  at->carried = job->carried;
  at->own = at->Qf;
  at->adds = job->adds && weights.Qf_at ? &at->own : NULL;
  at->Qf = (fb_knot_weight){.self = at, .add = add_carried};
  if (at->adds) {
    at->Qf.scratch = at->own.scratch;
    at->Qf.rated = at->own.rated;
  }
  weights.Qf = job->adds ? weights.Qf : job->none;
  weights.Qf_at = &at->Qf;
  return weights;
}
