#define _XOPEN_SOURCE 700 // realpath
#include "cli/stages/call.h"

#include "cli/console/answer.h"
#include "cli/console/args.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/console/memory.h"
#include "cli/console/terminal.h"
#include "cli/results/columns.h"
#include "cli/results/inputs.h"
#include "cli/results/registry.h"
#include "cli/results/sentences.h"
#include "cli/results/trajectory.h"
#include "cli/results/units.h"
#include "cli/stages/curves.h"
#include "cli/stages/stiff_steps.h"
#include "config.h"
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

void cli_tell(cli_call *call, const char *label, const char *format, ...) {
  fprintf(call->summary.file, "  %-13s ", label);
  va_list list;
  va_start(list, format);
  vfprintf(call->summary.file, format, list);
  va_end(list);
  fputc('\n', call->summary.file);
}

void cli_tell_path(cli_call *call, const char *label, const char *path) {
  char line[CLI_PATH];
  snprintf(line, sizeof line, "%s", path);
  for (char *c = line; (c = strpbrk(c, "\n\r"));) *c = '?';
  cli_tell(call, label, "%s", line);
}

void cli_report_constraints(cli_call *call, double residual, int row, int knot) {
  const dm_holonomic *h = &call->run.p->task.system.hol;
  if (!h->nc) return;

  // the row with the largest residual, its name and knot
  const char *name = h->row_name(h->self, row);
  cli_json *o = cli_json_object(call->result, "constraint");
  cli_json_int(o, "rows", h->nc);
  cli_json_number(o, "residual", residual);
  cli_json_text(o, "name", name);
  cli_json_int(o, "knot", knot);
  cli_tell_group(call->summary.file, "constraint", o);
}

FILE *cli_call_file(cli_call *call, const char *name) {
  char text[CLI_RESULT_NAME];
  assert(!strcmp(name, "result.json") || cli_result_find(name) >= 0);
  FILE *f =
      cli_folder_file(&call->place.out, cli_result_name(name, call->result, text), &call->msg);
  cli_json *said = cli_json_get_object(call->result, "columns");
  if (said) json_object_object_del(said, name); // description of the previous table
  if (!f) cli_fail_status(call->args, DM_IO, &call->msg);
  return f;
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// read result.json of a folder; free *result
static int read_result(cli_call *call, const pb_folder *at, cli_json **result) {
  const pb_file file = pb_file_in(at, "result.json");
  if (!pb_file_there(&file) && errno == ENOENT)
    return cli_fail(call->args, CLI_INPUT,
                    "%s is a folder without result.json: neither a problem file nor a result "
                    "folder",
                    at->path);

  // it must be valid JSON and belong to a problem
  if (cli_json_read(result, &file, &call->msg) != DM_OK)
    return cli_fail(call->args, CLI_INPUT, "%s", call->msg.text);
  if (cli_json_get_text(*result, "problem")) return CLI_DONE;
  return cli_fail(call->args, CLI_INPUT, "%s is damaged: expected an object with a key problem",
                  file.path);
}

int cli_open_result(cli_call *call, const char *dir, pb_folder *at, cli_json **result) {
  // of several ranks, only the first waits for locks
  const bool held = !call->args->nowhere && !call->place.in_place;
  const bool below = call->args->below && at == &call->place.operand;
  dm_status s = DM_OK;
  if (at->fd < 0) s = cli_folder_hold(at, dir, below, held, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  int status = read_result(call, at, result);
  if (status != CLI_DONE) return status;
  s = cli_record_check(at, *result, &call->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

int cli_call_replaced(cli_json *values, pb_replace list[CLI_REPLACED]) {
  int n = 0;
  if (!values) return 0;
  json_object_object_foreach(values, key, value) if (n < CLI_REPLACED) {
    // excess entries are refused later
    const char *text = json_object_get_string(value);
    list[n++] = (pb_replace){.path = key, .text = text ? text : ""};
  }
  return n;
}

// replacements of the file's values: from a sweep, or stored with the folder
static int find_replaced(cli_call *call, pb_replace list[CLI_REPLACED]) {
  const cli_args *args = call->args;
  cli_json *o = call->place.stored ? cli_json_get_object(call->result, "replaced") : NULL;

  // record the command's replacements; otherwise reuse the folder's
  if (args->nreplace || args->inputs) o = cli_json_object(call->result, "replaced");
  for (int i = 0; i < args->nreplace; i++)
    cli_json_text(o, args->replace[i].path, args->replace[i].text);
  if (args->inputs) cli_json_text(o, "inputs", args->inputs);
  const int n = cli_call_replaced(o, list);

  // messages name the options
  for (int i = 0; i < n; i++) {
    if (args->inputs && !strcmp(list[i].path, "inputs")) list[i].flag = "--inputs";
    for (int k = 0; k < args->nreplace; k++)
      if (!strcmp(list[i].path, args->replace[k].path)) list[i].flag = args->replace[k].flag;
  }
  return n;
}

// note changes since a result folder was made
static void note_changes(const cli_call *call, const char *path) {
  const char *was = cli_json_get_text(call->result, "inputs_sha256");
  const char *dir = call->args->operand;

  // the original differs from the copy that is used
  if (call->place.copies && cli_inputs_changed(call->run.p, path))
    cli_note(call->args,
             "%s has changed since %s was made; the copy in that folder is used; gains, verify, "
             "export and linearize use the file as it is now with --now",
             path, dir);

  // the problem differs from the one used for the motion
  if (was && !strcmp(was, call->run.p->file.sha256)) return;
  if (call->place.copies)
    cli_note(call->args, "the inputs in %s are newer than those that its motion was made from",
             dir);
  else
    cli_note(call->args,
             "%s has changed since %s was made; its motion is used as it was, all else as the "
             "problem says now",
             path, dir);
}

// read the problem of a result folder: its copy, or the original file
static dm_status read_stored_problem(cli_call *call, pb_problem **p, const char *path,
                                     const pb_replace *list, int n) {
  const char *dir = call->args->operand;
  const char *copy = cli_json_get_text(call->result, "problem_copy");
  char *copies = cli_join(dir, "inputs");
  if (!copies) return DM_NO_MEMORY;

  // --now requests the original
  call->place.copies = copy && !call->args->now;
  dm_status s = pb_problem_copied(p, path, call->place.copies ? copies : NULL, list, n, &call->msg);

  // the reader's error message follows this line
  if (s != DM_OK && call->place.copies)
    cli_note(call->args, "the copy of %s in %s was read:", path, copies);
  else if (s != DM_OK)
    cli_note(call->args, "%s came from %s, which can no longer be read:", dir, path);
  free(copies);
  return s;
}

// refuse files with phases for commands and options that do not support them
static int check_takes_phases(const cli_call *call) {
  const cli_args *args = call->args;
  const char *phase = call->run.p->phases.name[0], *option = args->searches > 0 ? "--starts" : NULL;
  if (args->from) option = "--from";
  if (!args->command->phases)
    return cli_fail(args, CLI_INPUT,
                    "%s has phases, and %s is of one motion: take the folder of a phase, such as "
                    "%s/%s, which 'dmoc optimize' makes",
                    args->operand, args->command->name, call->place.stored ? args->operand : "DIR",
                    phase);
  if (option)
    return cli_fail(args, CLI_INPUT, "found %s, expected none: %s has phases", option,
                    args->operand);
  return CLI_DONE;
}

static int read_problem(cli_call *call, const char *path) {
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;

  // the file with replacements; for a folder, as it was when its motion was made
  int n = find_replaced(call, list);
  dm_status s = call->place.stored ? read_stored_problem(call, &p, path, list, n)
                                   : pb_problem_vary(&p, path, list, n, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);

  call->run.p = p;
  if (p->phases.n && check_takes_phases(call) != CLI_DONE) return CLI_INPUT;
  if (!call->args->again) cli_note_warnings(call->args, &p->warnings);
  if (!p->has.task) cli_warn_stiff_steps(call->args, p, NULL, NULL, &call->warned);
  if (call->place.stored) note_changes(call, path);
  return CLI_DONE;
}

// create and claim the result folder
static int claim_folder(cli_call *call) {
  // other ranks compute but do not write
  const char *dir = call->args->nowhere ? NULL : call->place.dir;
  if (!call->place.dir) return cli_fail(call->args, CLI_FAULT, "out of memory");
  dm_status s = cli_folder_make(&call->place.out, dir, call->args->below, &call->msg);

  // only one command at a time; check that all files can be written before starting
  if (s == DM_OK) s = cli_folder_claim(&call->place.out, NULL, call->args->waits, &call->msg);
  if (s == DM_OK && dir && !call->place.stored) s = cli_record_places(&call->place.out, &call->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

// open the operand folder: claimed before reading if results are written there, else held
static int open_stored(cli_call *call, bool writes) {
  const cli_args *args = call->args;
  const char *dir = args->operand;

  // if results replace the folder's content, claim it before reading, so that no other command
  // changes it in between; this also finishes the commit of a killed command
  call->place.in_place =
      writes && !args->nowhere && (!args->out || cli_folder_same(args->out, dir));
  int status = CLI_DONE;
  if (call->place.in_place && cli_folder_has_result(dir, args->below)) {
    call->place.dir = strdup(dir);
    status = claim_folder(call);
  }

  // otherwise hold it for reading, which keeps out commits until the results are written
  if (status == CLI_DONE) status = cli_open_result(call, dir, &call->place.operand, &call->result);
  call->place.earlier = cli_standing_of(call->result);
  return status;
}

// -o, else the result folder itself, else results/NAME
static int choose_folder(cli_call *call, bool writes) {
  // the operand is already claimed
  if (call->place.in_place) return CLI_DONE;
  if (call->args->out)
    call->place.dir = strdup(call->args->out);
  else if (call->place.stored)
    call->place.dir = strdup(call->args->operand);
  else
    call->place.dir = cli_join("results", call->run.p->file.name);
  return writes ? claim_folder(call) : CLI_DONE;
}

// check that the operand is of the kind in the usage: a problem file, a result folder, or either
static int check_operand(const cli_call *call) {
  const char *usage = call->args->command->usage, *operand = call->args->operand;

  // the first word of the usage determines the kind
  bool folders = strncmp(usage, "DIR", 3) == 0 || strncmp(usage, "PROBLEM|DIR", 11) == 0;
  if (call->place.stored && !folders)
    return cli_fail(call->args, CLI_INPUT, "%s takes a problem file, but %s is a folder",
                    call->args->command->name, operand);

  // the command needs an existing motion
  if (!call->place.stored && usage[0] == 'D' && access(operand, F_OK) != 0)
    return cli_fail(call->args, CLI_INPUT,
                    "%s takes a result folder, and there is no '%s'; 'dmoc run PROBLEM' makes one",
                    call->args->command->name, operand);
  if (!call->place.stored && usage[0] == 'D')
    return cli_fail(call->args, CLI_INPUT, "%s takes a result folder; make one by 'dmoc run %s'",
                    call->args->command->name, operand);

  // --now chooses between the copy and the original
  if (!call->place.stored && call->args->now)
    return cli_fail(call->args, CLI_INPUT, "--now is for a result folder, but %s is a problem file",
                    operand);
  return CLI_DONE;
}

// monotonic clock [s]
static double read_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_call_time_left(const cli_call *call) {
  return call->run.p->options.max_time - (read_clock() - call->begun);
}

int cli_call_open(cli_call *call, const cli_args *args, bool writes) {
  *call = (cli_call){
      .begun = read_clock(),
      .args = args,
      .place = {.stored = is_folder(args->operand), .operand = {.fd = -1}, .from = {.fd = -1}}};

  if (args->inputs && cli_args_pick(args, "--inputs", args->inputs) < 0) return CLI_INPUT;

  // the summary is buffered until everything is written
  call->summary.file = open_memstream(&call->summary.text, &call->summary.size);
  if (!call->summary.file) return cli_fail(args, CLI_FAULT, "out of memory");

  // open a result folder for the path of its problem and its motion
  int status = check_operand(call);
  if (status == CLI_DONE && call->place.stored) status = open_stored(call, writes);
  if (status != CLI_DONE) return status;
  if (!call->result) call->result = json_object_new_object();

  // the problem, from the file or the folder's copy
  status = read_problem(call, call->place.stored ? cli_json_get_text(call->result, "problem")
                                                 : args->operand);
  if (status != CLI_DONE) return status;
  fprintf(call->summary.file, "%s\n", call->run.p->file.name);

  // a new result records its inputs: path, digest, version
  if (call->place.stored)
    return choose_folder(call, writes); // the record of the motion's inputs remains
  char *path = realpath(call->run.p->file.path, NULL);
  cli_json_text(call->result, "problem", path ? path : call->run.p->file.path);
  free(path);
  cli_json_text(call->result, "inputs_sha256", call->run.p->file.sha256);
  cli_json_text(call->result, "version", DMOC_VERSION);
  return choose_folder(call, writes);
}

void cli_forget(cli_call *call, const char *stage) {
  char text[CLI_RESULT_NAME];
  for (const cli_result_file *const *f = cli_result_files; f < cli_result_files + CLI_FILES; f++)
    if (stage ? !strcmp((*f)->stage, stage) : strcmp((*f)->stage, "motion") != 0)
      cli_folder_remove(&call->place.out, cli_result_name((*f)->name, call->result, text));
}

void cli_forget_controller(cli_call *call) {
  cli_json *certificate = cli_json_get_object(call->result, "certificate");
  cli_forget(call, "export");
  if (certificate) json_object_object_del(certificate, "controller");
  json_object_object_del(call->result, "controller");
}

int cli_stage(cli_call *call, const char *stage, int status) {
  // nothing to do if the stage completed, or failed on a folder that stays unchanged
  if (status == CLI_DONE || status == CLI_OUTCOME || call->place.stored) return status;

  // discard its files and those of dependent stages; keep earlier ones
  call->finished = true;
  cli_forget(call, stage);
  if (!strcmp(stage, "gains")) cli_forget(call, "verify");
  if (strcmp(stage, "linearization")) cli_forget(call, "export");

  // record the failure
  cli_json *o = cli_json_object(call->result, stage);
  cli_json_text(o, "status", "failed");
  cli_json_int(o, "exit", status);
  cli_tell(call, stage, "failed");
  return status;
}

// *under: the subfolder for a result that must not replace the existing one; NULL: replace it
static dm_status choose_place(cli_call *call, int status, const char **under) {
  // only a failed command with less progress than the existing result goes to a subfolder
  cli_json *there;
  DM_TRY(cli_record_read(&there, &call->place.out.at, &call->msg));
  bool less = cli_standing_less(cli_standing_of(call->result), cli_standing_of(there));
  *under = status != CLI_DONE && less ? "unfinished" : NULL;
  json_object_put(there);
  return cli_record_replace(&call->place.out, *under, &call->msg);
}

bool cli_call_wrote(const cli_call *call, const char *name) {
  pb_folder at;
  if (pb_folder_open(&at, call->place.written, call->args->below, NULL) != DM_OK) return false;
  const pb_file file = pb_file_in(&at, name);
  const bool there = pb_file_there(&file);
  pb_folder_close(&at);
  return there;
}

// copy the files of the source folder, or of an earlier save
static dm_status copy_others(cli_call *call) {
  if (call->place.stored)
    return cli_record_copy(&call->place.out, &call->place.operand, call->result, &call->msg);
  if (!call->place.written) return DM_OK;
  pb_folder kept;
  DM_TRY(pb_folder_open(&kept, call->place.written, call->args->below, &call->msg));
  const dm_status s = cli_record_copy(&call->place.out, &kept, call->result, &call->msg);
  pb_folder_close(&kept);
  return s;
}

// complete the result: files begun elsewhere, and copies of its inputs
static dm_status complete_files(cli_call *call) {
  dm_status s = call->place.in_place ? DM_OK : copy_others(call);
  if (s == DM_OK && !(call->place.in_place && call->place.copies))
    s = cli_inputs_put(&call->place.out, call->run.p, call->result, &call->msg);
  return s;
}

// write the result except result.json, which contains the digests of the others
static int write_others(cli_call *call) {
  dm_status s = complete_files(call);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  FILE *f = cli_call_file(call, "columns.txt");
  if (!f) return CLI_INPUT;
  cli_columns_write(f, call->result, &call->place.out, call->place.in_place);
  cli_units_put(call->result, call->run.p);
  return CLI_DONE;
}

// write result.json and all others atomically; the last write ends the claim
static int write_all(cli_call *call, int status, bool last) {
  // 1  all files except result.json; hurried: without syncing, because an interrupted launcher may
  // kill us soon, or because cases of a sweep can be recomputed
  call->place.out.hurried = cli_interrupted() || call->args->waits;
  int written = write_others(call);

  // 2  commits wait for readers, so close the folders that this call reads
  pb_folder_close(&call->place.operand);
  pb_folder_close(&call->place.from);
  if (written != CLI_DONE) return written;

  // 3  choose the folder, and compute the digests
  const char *under = NULL;
  dm_status s = call->place.in_place ? DM_OK : choose_place(call, status, &under);
  if (s == DM_OK) s = cli_folder_seal(&call->place.out, &call->msg);
  if (s == DM_OK)
    s = cli_record_list(call->result, &call->place.out, call->place.in_place, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);

  // 4  result.json with the digests, then rename all files
  FILE *f = cli_call_file(call, "result.json");
  if (!f) return CLI_INPUT;
  fprintf(f, "%s\n", cli_json_pretty(call->result));
  s = last ? cli_folder_commit(&call->place.out, under, &call->msg)
           : cli_folder_put(&call->place.out, under, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);

  // 5  remember the folder, for messages and later copies
  free(call->place.written);
  call->place.written = under ? cli_join(call->place.dir, under) : strdup(call->place.dir);
  return call->place.written ? CLI_DONE : cli_fail(call->args, CLI_FAULT, "out of memory");
}

// report where everything was written, and why
static void report_place(cli_call *call) {
  cli_tell_path(call, "written", call->place.written);
  if (strcmp(call->place.written, call->place.dir))
    cli_error("%s has a result that came further and stays as it is; this one is in %s",
              call->place.dir, call->place.written);
  if (call->finished) cli_error("the stages finished before that are in %s", call->place.written);
}

// whether there is something to write: a motion; for a stored one new files or a verdict on its
// gains, but not a partial verification in place of a complete one
static bool is_worth_writing(const cli_call *call, int status) {
  // a motion with a status
  const char *file = call->run.p && call->run.p->phases.n ? "convergence.csv" : "trajectory.csv";
  if (!call->place.stored)
    return (call->place.written || cli_folder_begun(&call->place.out, file)) &&
           cli_json_get_text(call->result, "status");
  if (status == CLI_DONE) return true;

  // a verification with less progress replaces nothing
  if (!cli_folder_begun(&call->place.out, "verify.csv")) return false;
  bool part = cli_json_get_text(cli_json_get_object(call->result, "verify"), "status") != NULL;
  return !part || !cli_standing_less(cli_standing_of(call->result), call->place.earlier);
}

int cli_call_save(cli_call *call) {
  if (call->place.stored || call->args->silent || !call->place.out.dir[0]) return CLI_DONE;
  int status = write_all(call, CLI_OUTCOME, false); // not complete yet
  if (status != CLI_DONE) return status;

  // on a signal, everything finished is already in the folder
  char sentence[CLI_PATH + 64];
  snprintf(sentence, sizeof sentence, "interrupted: the stages finished before that are in %s",
           call->place.written);
  cli_interrupt_sentence(dm_text_make_plain(sentence, NULL, '?'));
  cli_interrupt_worth(CLI_NOTHING);
  return CLI_DONE;
}

void cli_call_worth(const cli_call *call) {
  cli_interrupt_worth(call->args->silent ? CLI_BRIEF : CLI_ALL);
}

void cli_call_iterates(const cli_call *call) {
  cli_interrupt_worth(call->args->silent ? CLI_BRIEF : CLI_SOON);
}

// show the summary with a colored status and, on a terminal with block characters, the motion below
// it
static void show_summary(const cli_call *call) {
  static const char label[] = "  status        ";
  const char *text = dm_text_make_plain(call->summary.text, "\n", '?');
  const bool solved = cli_is_solution(cli_json_get_text(call->result, "status"));

  // up to the status word, the word, and the rest
  const char *found = strstr(text, label), *word = found ? found + strlen(label) : text;
  const int length = found ? (int)strcspn(word, " \n") : 0;
  const char *on = cli_terminal_colour(stdout, solved ? CLI_GREEN : CLI_RED);
  const char *off = cli_terminal_colour(stdout, CLI_PLAIN);
  printf("%.*s%s%.*s%s%s", (int)(word - text), text, found ? on : "", length, word,
         found ? off : "", word + length);
  if (call->run.x && call->run.p)
    cli_curves_show(stdout, call->run.x, &call->run.p->names, call->run.p);
}

// make the page and the recording after the result is written. They are not protected from signals,
// and are skipped after a signal; returns the exit status
static int make_pages(cli_call *call, int status) {
  char sentence[CLI_PATH + 64];
  if (!call->written) return status;
  snprintf(sentence, sizeof sentence, "interrupted: the result is in %s, without a page of it",
           call->place.written);
  if (cli_interrupted()) {
    if (status != CLI_DONE) return status; // already reported
    return cli_fail(call->args, CLI_OUTCOME, "%s", sentence);
  }

  cli_interrupt_sentence(dm_text_make_plain(sentence, NULL, '?'));
  const cli_worth was = cli_interrupt_worth(CLI_NOTHING);
  const int made = call->written(call);
  cli_interrupt_worth(was);
  return status == CLI_DONE ? made : status;
}

// write the result if needed, and show the summary or the JSON object; returns the exit status,
// which changes if writing fails
static int write_and_show(cli_call *call, int status, bool writes, bool worth, bool failed) {
  cli_call_worth(call);
  int written = writes && worth ? write_all(call, status, true) : CLI_DONE;

  // if writing fails, the folder keeps its previous content
  if (writes && worth && written == CLI_DONE) {
    report_place(call);
    status = make_pages(call, status);
  }
  if (written != CLI_DONE && call->place.written && access(call->place.written, F_OK) == 0)
    cli_error("the stages finished before that are in %s", call->place.written);
  if (written != CLI_DONE) return written;

  // show nothing if there is no result (the error was reported), or if the caller shows it
  if ((!worth && !call->place.stored) || call->args->silent) return status;
  if (!call->args->json && fflush(call->summary.file) == 0)
    show_summary(call);
  else if (!failed)
    cli_answer_set(call->result);
  return status;
}

int cli_call_close(cli_call *call, int status) {
  if (call->run.p && status <= CLI_OUTCOME)
    cli_warn_stiff_steps(call->args, call->run.p, NULL, call->run.x, &call->warned);

  // 1  write, if there is a folder and something worth writing
  bool writes = call->place.out.dir[0] != 0;
  bool failed = status == CLI_INPUT || status == CLI_FAULT;
  bool worth = !writes || is_worth_writing(call, status);
  if (writes && !failed && !worth && call->place.stored)
    cli_error("%s is unchanged", call->place.dir);
  if (!failed || call->finished) status = write_and_show(call, status, writes, worth, failed);

  // 2  discard uncommitted files, release claims and holds
  cli_folder_discard(&call->place.out);
  pb_folder_close(&call->place.operand);
  pb_folder_close(&call->place.from);

  if (call->summary.file) fclose(call->summary.file);
  free(call->summary.text);
  json_object_put(call->result);
  pb_run_free(&call->run);
  free(call->place.dir);
  free(call->place.written);
  return status;
}

int cli_stored_motion(cli_call *call, const pb_folder *at, const cli_json *result,
                      dm_trajectory **x) {
  const pb_file file = pb_file_in(at, "trajectory.csv");
  dm_status s = cli_trajectory_read(x, &file, &call->run.p->names, &call->msg);

  // number of stored knots: one per `every` steps
  int steps = cli_json_get_int(result, "steps", -1);
  int every = cli_json_get_int(result, "every", 1);
  int kept = every > 0 ? steps / every : -1;

  if (s == DM_OK && (steps < 0 || every < 1))
    s = dm_fail(&call->msg, DM_BAD_INPUT, "%s/result.json: found no number of steps, expected one",
                at->path);
  else if (s == DM_OK && (*x)->N != kept)
    s = dm_fail(&call->msg, DM_BAD_INPUT,
                "%s is damaged: found %d knots, expected %d by the result.json beside it",
                file.path, (*x)->N + 1, kept + 1);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

int cli_read_motion(cli_call *call) {
  // fit stiff damping to the step of the motion
  double step = cli_json_get_number(cli_json_get_object(call->result, "fitted"), "step", 0);
  dm_status s = step > 0 ? pb_problem_refit(call->run.p, step) : DM_OK;
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  const int status = cli_stored_motion(call, &call->place.operand, call->result, &call->run.x);
  if (status == CLI_DONE)
    cli_warn_stiff_steps(call->args, call->run.p, NULL, call->run.x, &call->warned);
  return status;
}
