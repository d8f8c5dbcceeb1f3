// cli/stages/passage.h: samples of a verification across phases: their states at the end of one
// phase, and at the start of the next (optim/program/join_map.h).
#ifndef CLI_STAGES_PASSAGE_H
#define CLI_STAGES_PASSAGE_H
#include "optim/program/join_map.h"
#include "problems/readers/model/plants.h"

// Samples on one plant, or with the exported controller.
typedef struct cli_passing {
  bool there; // whether they ran
  int nx;     // 2n
  double *y;  // [samples x nx] (q,v) at the end, or the deviation from the plan at the start; NAN:
              // none
  bool *held; // [samples] whether the sample succeeded in all phases so far
} cli_passing;

typedef struct cli_passage {
  int samples;
  const char *phase;             // name of the phase before
  cli_passing on[PB_PLANTS + 1]; // the last entry: the exported controller on the continuous plant
} cli_passage;

// Allocate for samples of n coordinates, all successful so far; NULL if out of memory. Free with
// cli_passage_free, which accepts NULL.
cli_passage *cli_passage_new(const char *phase, int samples, int n);
void cli_passage_free(cli_passage *w);

// Compute the starts of the next phase from the ends of one, as deviations from its plan's start
// y_d (q,v) [2n]. Samples without a valid start have none.
void cli_passage_join(cli_passage *to, const cli_passage *from, oc_join_map *map,
                      const double *y_d);

// The start error of sample s, for fb_monte_carlo_settings.draw; from: a cli_passing.
void cli_passing_draw(const void *from, int n, int s, double *d);
#endif
