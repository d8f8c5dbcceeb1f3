#include "problems/readers/task/file_keys.h"

#include "problems/readers/format/definitions.h"
#include "problems/readers/model/keep_out.h"
#include "problems/readers/model/loads.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/model/read_robot.h"
#include "problems/readers/task/formula_limits.h"
#include "problems/readers/task/read_balance.h"
#include "problems/readers/task/read_design.h"
#include "problems/readers/task/read_feedback.h"
#include "problems/readers/task/read_goal.h"
#include "problems/readers/task/read_guess.h"
#include "problems/readers/task/read_identify.h"
#include "problems/readers/task/read_mpc.h"
#include "problems/readers/task/read_options.h"
#include "problems/readers/task/read_outputs.h"
#include "problems/readers/task/read_path.h"
#include "problems/readers/task/read_phases.h"
#include "problems/readers/task/read_simulation.h"
#include "problems/readers/task/read_task.h"
#include "problems/readers/task/read_until.h"
#include "problems/readers/task/read_verification.h"

#define SECTION(member, ...) PB_KEY(pb_sections, member, .type = PB_NODE, __VA_ARGS__)
const pb_key pb_file_keys[] = {
    PB_KEY(pb_sections, name, .type = PB_TEXT, .note = "FOLDER-FILE",
           .about = "Name of the result folder `results/NAME`; `cart-pole/swing-up.yaml` becomes "
                    "`cart-pole-swing-up`"),
    PB_KEY(pb_sections, folder, .type = PB_TEXT, .note = "the file's folder",
           .about = "Folder that relative file names in this file refer to"),
    SECTION(model, .absent = PB_REQUIRED, .also = "robot plant system", .words = "section",
            .sub = pb_model_keys, .about = "The robot: a file `robot`, a list `bodies`, or both"),
    PB_KEY(pb_sections, inputs, .type = PB_LIST, .also = "actuators actuation controls motors",
           .words = "all", .note = "each joint with an effort limit", .sub = pb_input_keys,
           .about = "Forces and torques that the controller sets; `[]`: no inputs, `all`: one on "
                    "each joint"),
    SECTION(let, .words = "expression, list or table by name", .also = "constants definitions",
            .sub = pb_table_keys,
            .about =
                "Names for numbers, expressions, vectors, functions `f(x)` and tables, for all "
                "formulas"),
    PB_KEY(pb_sections, outputs, .type = PB_LIST, .also = "frames tools tasks end_effector",
           .sub = pb_output_keys, .about = "Named functions of the robot's state or inputs"),
    SECTION(keep_out, .words = "section", .also = "obstacles collision collisions avoid",
            .sub = pb_keep_out_keys, .about = "Shapes that must not collide"),
    PB_KEY(pb_sections, design, .type = PB_LIST, .also = "parameters unknowns co_design",
           .sub = pb_design_keys,
           .about = "Robot parameters that are optimized together with the motion"),
    SECTION(horizon, .words = "section", .also = "time grid discretization ocp",
            .sub = pb_horizon_keys, .about = "Duration and number of steps of the task"),
    PB_KEY(pb_sections, transcription, .type = PB_WORD, .absent = "first-order",
           .words = "first-order second-order second-order-underactuated third-order",
           .about = "Unknowns of the program: configurations and inputs, or positions and "
                    "velocities (and accelerations) alone"),
    SECTION(rule, .words = "section", .sub = pb_rule_keys,
            .about = "Quadrature rule of a step (theory, section 1)"),
    SECTION(start, .words = "section", .also = "x0 q0 initial initial_state", .sub = pb_start_keys,
            .about = "State at the beginning; required with `horizon`"),
    SECTION(goal, .words = "section, or start", .also = "xf x_goal target final final_state end",
            .sub = pb_goal_keys, .about = "State at the end; `start` makes the motion periodic"),
    SECTION(bounds, .words = "section", .also = "limits", .sub = pb_bounds_keys,
            .about = "Limits of the task; a bound replaces the robot's limit"),
    PB_KEY(pb_sections, via, .type = PB_LIST, .also = "waypoints via_points windows",
           .sub = pb_via_keys,
           .about = "Conditions on outputs, coordinates and inputs at a time or over an interval"),
    SECTION(constraints, .words = "section by name", .also = "inequalities",
            .sub = pb_formula_limit_keys,
            .about = "Ranges of formulas, by name, at a time or over an interval"),
    SECTION(until, .words = "section", .also = "event ends_when", .sub = pb_until_keys,
            .about = "Event at which the motion, or a phase, ends"),
    SECTION(path, .words = "section", .also = "curve trace follow contour", .sub = pb_followed_keys,
            .about = "A curve in space that outputs follow with free timing"),
    SECTION(cost, .words = "section", .also = "objective costs weights", .sub = pb_cost_keys,
            .about = "Sum of the terms below; all terms except `time` have a factor 1/2"),
    SECTION(guess, .note = "a motion without forces, or the line",
            .words = "line, rollout, smooth, or a section", .sub = pb_guess_keys,
            .about = "Initial guess: a straight line from start to goal, a simulated motion, "
                     "solutions with a decreasing "
                     "cost on speeds, or a file"),
    SECTION(starts, .note = "the guess alone", .also = "multistart restarts",
            .words = "auto, integer in [1, 1e6], or a section", .sub = pb_starts_keys,
            .about = "Number of initial guesses tried in the search for the best optimum"),
    SECTION(solver, .words = "section", .also = "options ipopt", .sub = pb_solver_keys,
            .about = "Solver of the nonlinear program"),
    SECTION(contact, .words = "section", .sub = pb_schedule_keys,
            .about = "The schedule of `model.contacts` and dry friction in a plan, or in "
                     "`simulate: {method: knot}`"),
    SECTION(feedback, .words = "section", .also = "lqr controller gains tvlqr",
            .sub = pb_feedback_keys,
            .about = "Weights of the feedback gains; without this section no gains are computed"),
    SECTION(mpc, .words = "section", .also = "nmpc receding", .sub = pb_mpc_keys,
            .about = "Receding-horizon control with the weights of `feedback`; see "
                     "`verify.law`"),
    SECTION(verify, .words = "section", .sub = pb_verify_keys,
            .about = "Closed-loop samples; requires `feedback`"),
    SECTION(simulate, .words = "section", .also = "simulation sim", .sub = pb_simulate_keys,
            .about = "A motion without a controller; give two of `time`, `steps`, `step`, or fewer "
                     "if the file has a horizon"),
    SECTION(identify, .words = "section", .also = "identification calibration calibrate",
            .sub = pb_identify_keys,
            .about = "Parameters that `dmoc identify` fits to logs, and how it reads them"),
    SECTION(
        balance, .words = "section", .sub = pb_balance_keys,
        .about =
            "An equilibrium that a constant gain stabilizes; replaces `horizon` and `simulate`"),
    PB_KEY(pb_sections, phases, .type = PB_LIST, .also = "stages segments modes",
           .sub = pb_phase_keys,
           .about = "Consecutive parts of a motion, each with sections of its own"),
    PB_KEY(pb_sections, phase, .type = PB_TEXT,
           .about = "Name of the one phase to read; set in the files of result folders"),
    SECTION(total_time, .unit = "s", .note = "none", .words = "number > 0, or [low, high]",
            .about = "Total duration of all phases"),
    {0}};
#undef SECTION
