#include "cli/results/registry.h"

static void put_impulses_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",lambda.", names->equation, names->ne);
}

const cli_result_file cli_file_impulses = {
    .name = "impulses.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns =
        "If equations of constraints repeat others and were left out: the impulses lambda of all "
        "equations in the step from knot k, in N s or N m s. They make the same generalized "
        "impulse as those of trajectory.csv, which are of the equations that stayed, and are the "
        "least in the sum of squares, moments as forces with an arm of the robot's length. The "
        "row of the last knot is empty.",
    .first = "k,t",
    .header = put_impulses_columns,
};
