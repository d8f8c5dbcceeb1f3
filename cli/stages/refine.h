// cli/stages/refine.h: solve the problem of a run on a finer grid if no plant follows its motion.
//
// The file is read again with twice the steps, or as many as a known error suggests, so that
// everything in it that depends on time (references, bounds, ends) is sampled on the new grid by
// its own reader.
#ifndef CLI_STAGES_REFINE_H
#define CLI_STAGES_REFINE_H
#include "cli/stages/follow.h"

// Why a grid is too coarse for its motion.
typedef enum cli_coarse_kind {
  CLI_FINE,      // it is fine enough
  CLI_TURNS,     // a joint rotates further in a step than horizon.turn
  CLI_LANDS,     // the plant ends a step further from the next knot than horizon.gap
  CLI_OVERSPEED, // between knots the plant exceeds a speed limit by a tenth
  CLI_PASSES,    // an output violates a limit by more than horizon.between or, if limits are not
                 // enforced between knots, by a tenth of its range; clearances by 1 cm
  // horizon.error: the solution's error is too large; error estimates disagree, and the largest is
  // too large; the error is unknown
  CLI_INACCURATE,
  CLI_DIFFERS,
  CLI_UNMEASURED
} cli_coarse_kind;

typedef struct cli_coarseness {
  cli_coarse_kind kind;
  int coord, knot;       // the joint, and the step by its first knot
  double found, allowed; // rad; in fb_gap_unit; relative to the limit; relative to the objective
  int times;             // factor of steps that would suffice; 0: unknown
  char output[64];       // for CLI_PASSES, its name
} cli_coarseness;

// The history of refinements.
typedef struct cli_refinement {
  int asked, finer;     // steps in the file; number of refinements
  cli_coarseness first; // of the motion on the original grid
  double turn;          // largest rotation of that motion  [rad]
  double time;          // spent on discarded grids  [s]
  char why[200];        // why there is no finer grid; empty: none was needed
} cli_refinement;

// The state replaced by a finer grid.
typedef struct cli_coarser {
  pb_problem *problem;
  dm_trajectory *motion;
  cli_json *replaced; // replacements of the file's values on the finer grid
} cli_coarser;

// Whether the grid of the run's motion, as followed by a plant, is too coarse, and why.
cli_coarseness cli_find_coarseness(const cli_call *call, const cli_following *plant);

// Describe it: "'elbow' turns 2 rad in one step (knot 3), more than 1.57 (horizon.turn)"; returns
// text.
const char *cli_describe_coarseness(const cli_call *call, const cli_coarseness *c, char text[240]);

// The separator between "with 4 steps" and the description: a comma if it begins with a position.
const char *cli_coarseness_comma(const char *text);

// Warn if an unsolved motion, whose steps are fixed, rotates too far in a step.
void cli_warn_turn(const cli_call *call);

// Set the run's problem to the same problem with twice the steps, or with why->times as many,
// because of `why`. The current motion becomes its guess (unless it rotates by more than pi in a
// step, where it is undefined between knots). Returns whether this was done; if not,
// refinement->why states the obstacle, and the call is unchanged.
bool cli_refine(cli_call *call, const cli_coarseness *why, cli_refinement *refinement,
                cli_coarser *coarser);

// Add replacements {path: text} to list that put a problem's horizon, at `section` of its file, on
// a grid of `times` as many steps; knot numbers in the file keep their times (horizon.asked).
void cli_refine_grid(cli_json *list, const char *section, const pb_problem *p, int times);

// Keep the finer problem and free the coarser one; or restore the coarser one and free the finer
// one. The finer problem's motion, if any, belongs to the call.
void cli_refine_accept(cli_call *call, cli_refinement *refinement, cli_coarser *coarser);
void cli_refine_undo(cli_call *call, cli_coarser *coarser);

// Report steps requested and used to result.json and the summary. If the motion's grid is still
// coarse, say so, with advice.
void cli_refine_report(cli_call *call, const cli_refinement *refinement);
void cli_refine_complain(const cli_call *call, const cli_coarseness *why,
                         const cli_refinement *refinement);
#endif
