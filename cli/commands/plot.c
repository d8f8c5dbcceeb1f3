#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/pictures/facts.h"
#include "cli/pictures/painter.h"
#include "cli/pictures/plots.h"
#include "cli/stages/alone.h"
#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// the picture to draw: its folders, and the request
typedef struct picture {
  cli_exhibits all;
  cli_request request;
} picture;

static cli_json *get_list(cli_json *reply, const char *key) {
  cli_json *list = NULL;
  json_object_object_get_ex(reply, key, &list);
  return json_object_is_type(list, json_type_array) ? list : NULL;
}

// report the reply of the drawing program: notes for stderr, lines of the summary, members of the answer
static void tell_reply(const picture *w, cli_json *reply) {
  cli_call *call = &w->all.at[0]->call;
  cli_json *notes = get_list(reply, "notes"), *lines = get_list(reply, "lines");
  cli_json *found = cli_json_get_object(reply, "found");
  for (size_t i = 0; notes && i < json_object_array_length(notes); i++)
    cli_note(w->request.args, "%s", json_object_get_string(json_object_array_get_idx(notes, i)));
  for (size_t i = 0; lines && i < json_object_array_length(lines); i++) {
    json_object *line = json_object_array_get_idx(lines, i);
    cli_tell(call, json_object_get_string(json_object_array_get_idx(line, 0)), "%s",
             json_object_get_string(json_object_array_get_idx(line, 1)));
  }
  if (!found) return;
  json_object_object_foreach(found, key, value) {
    json_object_object_add(call->result, key, json_object_get(value));
  }
}

static int draw_to(const void *self, FILE *file) {
  const picture *w = self;
  const cli_args *args = w->request.args;
  FILE *facts = tmpfile();
  cli_json *reply = NULL;
  if (!facts)
    return cli_fail(args, CLI_INPUT, "no temporary file can be written: %s", strerror(errno));
  dm_message msg = {""};
  const dm_status s = cli_facts_write(facts, &w->all, &w->request, &msg);

  // a picture of half the facts would look whole
  const bool whole = fflush(facts) == 0 && !ferror(facts);
  rewind(facts);
  int status = CLI_DONE;
  if (s != DM_OK)
    status = cli_fail_status(args, s, msg.text[0] ? &msg : NULL);
  else if (!whole)
    status = cli_fail(args, CLI_INPUT, "no temporary file can be written: is the disk full?");
  else
    status = cli_painter_run(args, facts, file, &reply);
  fclose(facts);
  if (status == CLI_DONE) tell_reply(w, reply);
  json_object_put(reply);
  return status;
}

// write next to the folder, or to the path of -o
static int place_picture(const picture *w) {
  const char *out = w->request.args->out;
  const int status = cli_alone_write(w->request.args, out, draw_to, w);
  if (status != CLI_DONE) return status;

  // report in the first folder's summary
  cli_call *call = &w->all.at[0]->call;
  cli_tell_path(call, "picture", out);
  cli_json_text(call->result, "picture", out);
  return status;
}

// -- checking the request

// the words of --what, the last being all
enum { WORDS = CLI_PLOT_COUNT + 1 };
// the plot must support the format
static int check_format(const cli_request *r) {
  const cli_plot *plot = cli_plot_find(r->what);
  if (!plot || !plot->moves || !strcmp(r->suffix, "svg")) return CLI_DONE;
  return cli_fail(r->args, CLI_INPUT, "--what %s is drawn as SVG: -o FILE.svg, got '%s'", r->what,
                  r->args->out);
}

// one of the plots, or all
static int check_word(const cli_request *r) {
  const char *word[WORDS];
  char list[240], near[CLI_SUGGESTION];
  for (int i = 0; i < CLI_PLOT_COUNT; i++) word[i] = cli_plots[i].word;
  word[CLI_PLOT_COUNT] = "all";
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
    if (!options[i].value || heeds_option(cli_plot_find(r->what), options[i].name)) continue;

    // the plots that use it
    const char *word[WORDS];
    int n = 0;
    char list[160];
    for (int k = 0; k < CLI_PLOT_COUNT; k++)
      if (heeds_option(&cli_plots[k], options[i].name)) word[n++] = cli_plots[k].word;
    return cli_fail(a, CLI_INPUT, "%s is for --what %s, not for %s", options[i].name,
                    dm_names_join(word, n, list, sizeof list), r->what);
  }
  return CLI_DONE;
}

// the number of folders must fit the plot
static int check_folder_count(const picture *w) {
  const cli_request *r = &w->request;
  const cli_plot *plot = cli_plot_find(r->what);
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
    if (cli_plots[k].most > 1) word[several++] = cli_plots[k].word;
  return cli_fail(r->args, CLI_INPUT, "--what %s draws one folder, got %d; several are drawn by %s",
                  r->what, n, dm_names_join(word, several, list, sizeof list));
}

// tables need a plot that draws tables
static int check_tables(const picture *w) {
  const cli_plot *plot = cli_plot_find(w->request.what);
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
  const cli_plot *plot = cli_plot_find(w->request.what);
  char text[512];
  for (int i = 1; i < w->all.n && !w->all.phases && !(plot && plot->mixed); i++) {
    const cli_exhibit *x = w->all.at[i];
    if (!cli_exhibit_alike(first, x, text, sizeof text))
      return cli_fail(w->request.args, CLI_INPUT, "%s: path and columns draw them on one axis",
                      text);
    if (!other && strcmp(first->call.run.p->file.full_name, x->call.run.p->file.full_name) != 0)
      other = x;
  }

  // note different problems
  if (other)
    cli_note(w->request.args, "%s is of problem %s, %s of %s: they are drawn over the same time",
             first->path, first->call.run.p->file.full_name, other->path,
             other->call.run.p->file.full_name);
  return CLI_DONE;
}

// whether a word of --only stands for a name: `tip` for tip and tip.x
static bool stands_for(const char *word, const char *name) {
  const size_t n = strlen(word);
  return !strncmp(name, word, n) && (!name[n] || name[n] == '.');
}

// The first of the names in --only that is not one of a coordinate, an input, an output or a row of
// one, or a contact, in name [size]; false if all are.
static bool find_unknown(const pb_problem *p, const char *only, char *name, size_t size) {
  const pb_names *names = &p->names;
  const dm_part_row *contacts = &dm_part_rows[DM_PART_CONTACT];
  const dm_robot *robot = &p->robot.mechanism;
  for (size_t word; *only; only += word + (only[word] == ',')) {
    bool known = false;
    word = strcspn(only, ",");
    snprintf(name, size, "%.*s", (int)word, only);
    for (int i = 0; i < names->n; i++) known = known || stands_for(name, names->coord[i]);
    for (int i = 0; i < names->nu; i++) known = known || stands_for(name, names->input[i]);
    for (int i = 0; i < names->ny; i++) known = known || stands_for(name, names->output[i]);
    for (int i = 0; i < contacts->count(robot); i++)
      known = known || stands_for(name, contacts->name(robot, i));
    if (!known) return true;
  }
  return false;
}

// --only names what one of the folders has
static int check_only(const picture *w) {
  char name[128], near[CLI_SUGGESTION];
  const char *only = w->request.args->only;
  for (int i = 0; i < w->all.n; i++)
    if (!only || !find_unknown(w->all.at[i]->call.run.p, only, name, sizeof name)) return CLI_DONE;

  // suggest names of the first folder
  const pb_names *names = &w->all.at[0]->call.run.p->names;
  find_unknown(w->all.at[0]->call.run.p, only, name, sizeof name);
  return cli_fail(w->request.args, CLI_INPUT,
                  "--only takes names of coordinates, inputs, outputs and contacts, got '%s'%s",
                  name, cli_suggest(names->coord, names->n, name, near));
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
  if (status == CLI_DONE) {
    const cli_words *names = &w.request.names;
    const dm_status s =
        cli_exhibits_name(&w.all, names->n ? (const char *const *)names->word : NULL);
    status = s == DM_OK ? CLI_DONE : cli_fail_status(w.request.args, s, NULL);
  }
  if (status == CLI_DONE) status = place_picture(&w);
  status = cli_exhibits_close(&w.all, status);
  cli_request_free(&w.request);
  return status;
}

// list the words of --what
static void write_words(FILE *f) {
  fprintf(f, "\nWHAT is one of\n");
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    fprintf(f, "  %-14s %s\n", cli_plots[i].word, cli_plots[i].help);

  // plots not included in all
  const char *apart[WORDS];
  int n = 0;
  char list[160];
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (cli_plots[i].apart) apart[n++] = cli_plots[i].word;
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
