#include "problems/readers/task/file_keys.h"

#include "problems/readers/model/keep_out.h"
#include "problems/readers/model/loads.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/model/read_robot.h"
#include "problems/readers/task/read_balance.h"
#include "problems/readers/task/read_design.h"
#include "problems/readers/task/read_feedback.h"
#include "problems/readers/task/read_goal.h"
#include "problems/readers/task/read_guess.h"
#include "problems/readers/task/read_options.h"
#include "problems/readers/task/read_outputs.h"
#include "problems/readers/task/read_path.h"
#include "problems/readers/task/read_phases.h"
#include "problems/readers/task/read_simulation.h"
#include "problems/readers/task/read_task.h"
#include "problems/readers/task/read_verification.h"

#define SECTION(member, ...) PB_KEY(pb_sections, member, .type = PB_NODE, __VA_ARGS__)
const pb_key pb_file_keys[] = {
    PB_KEY(pb_sections, name, .type = PB_TEXT, .note = "FOLDER-FILE"),
    PB_KEY(pb_sections, folder, .type = PB_TEXT, .note = "that of the file"),
    SECTION(model, .absent = PB_REQUIRED, .also = "robot plant system", .words = "section",
            .sub = pb_model_keys),
    PB_KEY(pb_sections, inputs, .type = PB_LIST, .also = "actuators actuation controls motors",
           .words = "all", .note = "each joint with an effort limit", .sub = pb_input_keys),
    PB_KEY(pb_sections, outputs, .type = PB_LIST, .also = "frames tools tasks end_effector",
           .sub = pb_output_keys),
    SECTION(keep_out, .words = "section", .also = "obstacles collision collisions avoid",
            .sub = pb_keep_out_keys),
    PB_KEY(pb_sections, design, .type = PB_LIST, .also = "parameters unknowns co_design",
           .sub = pb_design_keys),
    SECTION(horizon, .words = "section", .also = "time grid discretization ocp",
            .sub = pb_horizon_keys),
    PB_KEY(pb_sections, transcription, .type = PB_WORD, .absent = "first-order",
           .words = "first-order second-order second-order-underactuated third-order"),
    SECTION(rule, .words = "section", .sub = pb_rule_keys),
    SECTION(start, .words = "section", .also = "x0 q0 initial initial_state", .sub = pb_start_keys),
    SECTION(goal, .words = "section, or start", .also = "xf x_goal target final final_state end",
            .sub = pb_goal_keys),
    SECTION(bounds, .words = "section", .also = "limits constraints", .sub = pb_bounds_keys),
    PB_KEY(pb_sections, via, .type = PB_LIST, .also = "waypoints via_points windows",
           .sub = pb_via_keys),
    SECTION(path, .words = "section", .also = "curve trace follow contour",
            .sub = pb_followed_keys),
    SECTION(cost, .words = "section", .also = "objective costs weights", .sub = pb_cost_keys),
    SECTION(guess, .note = "line", .words = "line, rollout, or a section", .sub = pb_guess_keys),
    SECTION(starts, .note = "the guess alone", .also = "multistart restarts",
            .words = "auto, integer in [1, 1e6], or a section", .sub = pb_starts_keys),
    SECTION(solver, .words = "section", .also = "options ipopt", .sub = pb_solver_keys),
    SECTION(feedback, .words = "section", .also = "lqr controller gains tvlqr",
            .sub = pb_feedback_keys),
    SECTION(verify, .words = "section", .sub = pb_verify_keys),
    SECTION(simulate, .words = "section", .also = "simulation sim", .sub = pb_simulate_keys),
    SECTION(balance, .words = "section", .sub = pb_balance_keys),
    PB_KEY(pb_sections, phases, .type = PB_LIST, .also = "stages segments modes",
           .sub = pb_phase_keys),
    PB_KEY(pb_sections, phase, .type = PB_TEXT),
    SECTION(total_time, .unit = "s", .note = "none", .words = "number > 0, or [low, high]"),
    {0}};
#undef SECTION
