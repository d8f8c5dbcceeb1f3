// cli/stages/refine.h: the problem of a job on a finer grid, where no plant does what its motion
// says.
//
// The file is read anew with twice the steps, or as many times as a known error asks for, so that
// whatever it says over time (references, bounds, ends) is sampled on the new grid by its own reader.
#ifndef CLI_STAGES_REFINE_H
#define CLI_STAGES_REFINE_H
#include "cli/stages/follow.h"

// Why a grid is too coarse for a motion on it.
typedef enum cli_coarse_kind {
  CLI_FINE,      // it is not
  CLI_TURNS,     // a joint turns further in a step than horizon.turn
  CLI_LANDS,     // the plant ends a step further off the next knot than horizon.gap
  CLI_OVERSPEED, // between knots the plant is a tenth faster than a limit
  CLI_PASSES,    // or an output passes a limit by more than horizon.between, or, where none is kept
                 // between knots, by a tenth of how far it goes, shapes by 1 cm
  // of horizon.error: the solution's error is larger; estimates of it disagree, and the largest is;
  // it is not known
  CLI_INACCURATE,
  CLI_DIFFERS,
  CLI_UNMEASURED
} cli_coarse_kind;

typedef struct cli_coarseness {
  cli_coarse_kind kind;
  int coord, knot;       // of which joint, in the step from there
  double found, allowed; // rad; of fb_gap_unit; of its limit; of the objective
  int times;             // as many steps that would do; 0: not known
  char output[64];       // of CLI_PASSES, its name
} cli_coarseness;

// What became of a grid that was too coarse.
typedef struct cli_refinement {
  int asked, finer;     // steps of the file; how often a finer grid took their place
  cli_coarseness first; // of the motion on the grid that was asked for
  double turn;          // the largest of that motion                                  rad
  double time;          // spent on grids that were left                                  s
  char why[200];        // why there is no finer one; empty: none was wanted
} cli_refinement;

// What a finer grid takes the place of.
typedef struct cli_coarser {
  pb_problem *problem;
  dm_trajectory *motion;
  cli_json *replaced; // what stands in place of the file's values on the finer grid
} cli_coarser;

// Whether the job's motion, as a plant does it, is too coarse for its problem, and why.
cli_coarseness cli_find_coarseness(const cli_job *job, const cli_following *plant);

// It in words, "'elbow' turns 2 rad in one step (knot 3), more than 1.57 (horizon.turn)"; returns text.
const char *cli_describe_coarseness(const cli_job *job, const cli_coarseness *c, char text[240]);

// What stands between "with 4 steps" and these words: a comma where they begin with a place.
const char *cli_coarseness_comma(const char *text);

// Warn where a motion that nothing solved for turns too far: the steps are as they were asked for.
void cli_warn_turn(const cli_job *job);

// Set the job's problem to the one of twice the steps, or why->times as many, because of `why`; the
// motion so far is its guess (but for one that turns by more than pi in a step: between its knots
// there is none). Returns whether that was done; if not, refinement->why says what
// forbids it, and the job is as it was.
bool cli_refine(cli_job *job, const cli_coarseness *why, cli_refinement *refinement,
                cli_coarser *coarser);

// Put into list {path: text} what stands for a problem's horizon, at `section` of its file, on a grid of
// `times` as many steps; what the file counts in steps keeps its place (horizon.asked).
void cli_refine_grid(cli_json *list, const char *section, const pb_problem *p, int times);

// Keep the finer problem and free the coarser; or go back to the coarser and free the finer. The
// finer one's motion, if any, is the job's.
void cli_refine_accept(cli_job *job, cli_refinement *refinement, cli_coarser *coarser);
void cli_refine_undo(cli_job *job, cli_coarser *coarser);

// result.json and the summary: steps asked and taken. Of a motion that is coarse: that it is, and
// what to try.
void cli_refine_report(cli_job *job, const cli_refinement *refinement);
void cli_refine_complain(const cli_job *job, const cli_coarseness *why,
                         const cli_refinement *refinement);
#endif
