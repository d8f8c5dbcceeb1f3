// Pictures alone: scripts for gnuplot, which is not started, and those that move by themselves.
#include "cli/pictures/figure.h"
#include "cli/pictures/plots.h"
#include "tests/fuzz/grammar.h"
#include "tests/fuzz/kinds.h"
#include "tests/fuzz/named_result.h"

#include <string.h>

static char plain_bones[CLI_PLOT_COUNT][FUZZ_BONES];

// -- gnuplot

// what order and moving draw is not a script of names alone
static bool has_script(int plot) {
  return cli_plots[plot]->draw && strcmp(cli_plots[plot]->word, "order") != 0;
}

static void write_script(int plot) {
  fuzz_name_result();
  fuzz_request.what = cli_plots[plot]->word;
  fuzz_result.shown = cli_plots[plot]->most > 1 ? fuzz_result.n : 1;
  FILE *f = fuzz_open_text();
  if (cli_figure_write(f, &fuzz_result, &fuzz_request) < 0)
    fuzz_fail("no picture", fuzz_request.what);
  fuzz_close_text(f);
}

static void begin_script(void) {
  fuzz_open_result();
  fuzz_take_names(NULL, 0);
  for (int i = 0; i < CLI_PLOT_COUNT; i++) {
    if (!has_script(i)) continue;
    write_script(i);
    const char *why = grammar_script(fuzz_text, plain_bones[i], FUZZ_BONES);
    if (why) fuzz_fail(why, fuzz_text);
  }
}

// each input is one picture
static void run_script(const uint8_t *bytes, size_t size) {
  int plot = (int)(fuzz_draw(bytes, size) % CLI_PLOT_COUNT);
  while (!has_script(plot)) plot = (plot + 1) % CLI_PLOT_COUNT;
  fuzz_take_names(bytes, size);
  write_script(plot);
  fuzz_check_bones(grammar_script(fuzz_text, fuzz_bones, FUZZ_BONES), plain_bones[plot]);
}

// -- pictures that move

enum { SHORTER = 20 };

static void write_film(void) {
  fuzz_name_result();
  fuzz_result.shown = fuzz_result.n;
  FILE *f = fuzz_open_text();
  if (cli_plot_moving.write(f, &fuzz_result, &fuzz_request) != DM_OK)
    fuzz_fail("no picture", "moving");
  fuzz_close_text(f);
}

// of a motion so short that it has a few frames: its numbers have nothing to do with names
static void begin_film(void) {
  fuzz_open_result();
  for (int i = 0; i < fuzz_result.n; i++) fuzz_result.at[i]->job.x->h /= SHORTER;
  fuzz_take_names(NULL, 0);
  write_film();
  const char *why = grammar_xml(fuzz_text, plain_bones[0], FUZZ_BONES);
  if (why) fuzz_fail(why, fuzz_text);
}

static void run_film(const uint8_t *bytes, size_t size) {
  fuzz_take_names(bytes, size);
  write_film();
  fuzz_check_bones(grammar_xml(fuzz_text, fuzz_bones, FUZZ_BONES), plain_bones[0]);
}

const fuzz_kind fuzz_pictures[] = {
    {"script", begin_script, run_script}, {"film", begin_film, run_film}, {NULL, NULL, NULL}};
