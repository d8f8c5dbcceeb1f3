// cli/stages/passage.h: samples of a verification on their way from phase to phase: where they are at
// the end of one, and where they begin the next (optim/transcription/join_map.h).
#ifndef CLI_STAGES_PASSAGE_H
#define CLI_STAGES_PASSAGE_H
#include "optim/transcription/join_map.h"
#include "problems/readers/model/plants.h"

// Samples on one plant, or by the law that is exported.
typedef struct cli_passing {
  bool there; // they ran there
  int nx;     // 2n
  double
      *y; // [samples x nx] (q,v) where they end, or what it is off the plan where they begin; NAN:
          // there is none
  bool *held; // [samples] whether a sample succeeded in all phases so far
} cli_passing;

typedef struct cli_passage {
  int samples;
  const char *phase; // after which
  cli_passing
      on[PB_PLANTS + 1]; // the last one: by the law that is exported, on the continuous plant
} cli_passage;

// Room for so many samples of n coordinates, all of which hold so far; NULL without memory. To be freed
// by cli_passage_free, which accepts NULL.
cli_passage *cli_passage_new(const char *phase, int samples, int n);
void cli_passage_free(cli_passage *w);

// The starts of the next phase from the ends of one: by how much its plan's start y_d (q,v) [2n] is
// missed. What finds no start has none.
void cli_passage_join(cli_passage *to, const cli_passage *from, oc_join_map *map,
                      const double *y_d);

// The start error of sample s, for fb_monte_carlo_settings.draw; from: a cli_passing.
void cli_passing_draw(const void *from, int n, int s, double *d);
#endif
