#include "cli/pictures/request.h"

#include "cli/console/args.h"
#include "cli/console/log.h"
#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail_request(const cli_args *args) {
  return cli_fail(args, CLI_FAULT, "out of memory");
}

// the words between commas, without blanks around them
static int read_words(cli_words *w, const cli_args *args, const char *option, const char *text) {
  if (!text) return CLI_DONE;
  for (;;) {
    text += strspn(text, " ");
    size_t length = strcspn(text, ","), end = length;
    while (end && text[end - 1] == ' ') end--;
    if (!end)
      return cli_fail(args, CLI_INPUT, "%s takes words separated by commas, found an empty one",
                      option);

    // one more
    char **more = realloc(w->word, ((size_t)w->n + 1) * sizeof *more);
    if (!more) return fail_request(args);
    w->word = more;
    if (!(w->word[w->n] = strndup(text, end))) return fail_request(args);
    w->n++;
    if (!text[length]) return CLI_DONE;
    text += length + 1;
  }
}

static void free_words(cli_words *w) {
  for (int i = 0; i < w->n; i++) free(w->word[i]);
  free(w->word);
}

// LOW:HIGH, either of which may be left out
static int read_range(double range[2], const cli_args *args, const char *option, const char *text) {
  range[0] = range[1] = NAN;
  if (!text) return CLI_DONE;
  const char *colon = strchr(text, ':');
  char low[64] = "";
  bool good = colon && colon - text < (int)sizeof low;

  // the texts before and after the colon
  if (good) snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
  if (good && low[0]) good = pb_number_parse(low, &range[0]) == DM_OK;
  if (good && colon[1]) good = pb_number_parse(colon + 1, &range[1]) == DM_OK;
  if (good && isfinite(range[0]) && isfinite(range[1])) good = range[0] < range[1];
  return good ? CLI_DONE
              : cli_fail(args, CLI_INPUT,
                         "%s takes LOW:HIGH, numbers of which the first is less, "
                         "found '%s'",
                         option, text);
}

// two of the letters x, y, z
static int read_plane(cli_request *r) {
  const char *text = r->args->plane;
  r->plane[0] = r->plane[1] = -1;
  if (!text) return CLI_DONE;
  const char *a = text[0] ? strchr("xyz", text[0]) : NULL;
  const char *b = a && text[1] ? strchr("xyz", text[1]) : NULL;
  if (!b || text[2] || *a == *b)
    return cli_fail(r->args, CLI_INPUT,
                    "--plane takes two of the world's axes, such as xz, found '%s'", text);
  r->plane[0] = *a - 'x';
  r->plane[1] = *b - 'x';
  return CLI_DONE;
}

static int read_log(cli_request *r) {
  const char *text = r->args->log;
  if (!text) return CLI_DONE;
  if (cli_args_pick(r->args, "--log", text) < 0) return CLI_INPUT;
  r->log[0] = strchr(text, 'x') != NULL;
  r->log[1] = strchr(text, 'y') != NULL;
  return CLI_DONE;
}

// svg, png or pdf
static int read_suffix(cli_request *r) {
  const cli_args *args = r->args;
  if (!args->out) return cli_fail(args, CLI_INPUT, "plot needs -o FILE.svg, FILE.png or FILE.pdf");
  const char *dot = strrchr(args->out, '.');
  static const char *const known[] = {"svg", "png", "pdf"};
  r->suffix = dot ? dot + 1 : "";
  if (dm_names_find(known, 3, r->suffix) >= 0) return CLI_DONE;
  return cli_fail(args, CLI_INPUT, "-o names the picture by its suffix svg, png or pdf, got '%s'",
                  args->out);
}

int cli_request_read(cli_request *r, const cli_args *args) {
  *r = (cli_request){.args = args, .x = args->x, .table = args->table, .against = args->against};

  // columns say what without a word
  r->what = args->what;
  if (!r->what) r->what = args->y ? "columns" : "all";
  int status = read_suffix(r);
  if (status == CLI_DONE) status = read_words(&r->y, args, "--y", args->y);
  if (status == CLI_DONE) status = read_words(&r->points, args, "--points", args->points);
  if (status == CLI_DONE) status = read_words(&r->names, args, "--names", args->names);
  if (status == CLI_DONE) {
    // the times of --times
    cli_words list = {0};
    status = read_words(&list, r->args, "--times", r->args->times);
    if (status == CLI_DONE && list.n) r->times = calloc((size_t)list.n, sizeof *r->times);
    if (status == CLI_DONE && list.n && !r->times) status = fail_request(r->args);

    // each a number
    for (int i = 0; status == CLI_DONE && i < list.n; i++)
      if (pb_number_parse(list.word[i], &r->times[r->ntimes++]) != DM_OK)
        status = cli_fail(r->args, CLI_INPUT,
                          "--times takes times in s separated by commas, found '%s'", list.word[i]);
    free_words(&list);
  }
  if (status == CLI_DONE) status = read_plane(r);
  if (status == CLI_DONE) status = read_log(r);
  if (status == CLI_DONE) status = read_range(r->range[0], args, "--xrange", args->xrange);
  if (status == CLI_DONE) status = read_range(r->range[1], args, "--yrange", args->yrange);
  return status;
}

void cli_request_free(cli_request *r) {
  free_words(&r->y);
  free_words(&r->points);
  free_words(&r->names);
  free(r->times);
}
