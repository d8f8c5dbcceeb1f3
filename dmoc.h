// dmoc.h: discrete mechanics and optimal control, all of it, in reading order.
//
// Installed as <dmoc/dmoc.h>; `pkg-config --cflags --libs dmoc` says where. The programs in
// examples/ show it at work.
//
//   what moves     dm_model, or any dm_lagrangian          -> dm_system
//   its motion     dm_del_step, dm_trajectory_rollout
//   a task         oc_task -> oc_solve -> dm_trajectory
//   its feedback   fb_tvlqr, fb_closed_loop_run, fb_controller_source
//
// DMOC_VERSION is the version, "0.2.0". A function that can fail returns a dm_status.
#ifndef DMOC_H
#define DMOC_H
// clang-format off
#include "lib/version.h"

// lib/base: what everything is written with
#include "lib/base/linkage.h"                     // names that C++ can link
#include "lib/base/status.h"                      // how every function says what became of it
#include "lib/base/sparse_rows.h"               // rows without their zeros
#include "lib/base/diagonal_blocks.h"           // factors of independent blocks
#include "lib/base/lcp.h"                         // linear complementarity problems
#include "lib/base/difference.h"                  // a derivative against differences, by order
#include "lib/base/order_fit.h"                   // the order of convergence from errors
#include "lib/base/curve.h"                       // smooth curves through points
#include "lib/base/tape_functions.h"              // functions of one or two numbers
#include "lib/base/tape.h"                        // functions as lists of operations, with derivatives

// lib/mechanics: what a system is
#include "lib/mechanics/bounds.h"                 // limits of quantities
#include "lib/mechanics/lagrangian.h"             // L(q,v) and its derivatives; write your own
#include "lib/mechanics/potential.h"              // potential energies, taken off a Lagrangian
#include "lib/mechanics/force.h"                  // general forces f(q,v,u); write your own
#include "lib/mechanics/hyperdual.h"                   // all derivatives of a Lagrangian written once
#include "lib/mechanics/differenced.h"            // third derivatives by differences
#include "lib/mechanics/holonomic.h"              // constraints h(q) = 0
#include "lib/mechanics/contact_laws.h"           // contacts and dry friction at knots
#include "lib/mechanics/function.h"               // functions of q, v, u; write your own
#include "lib/mechanics/step_function.h"          // these by the unknowns of a step
#include "lib/mechanics/output_map.h"             // outputs y(q,v) made of functions and their rates
#include "lib/mechanics/driven_output.h"          // and those of inputs: forces, and their power
#include "lib/mechanics/contact_output.h"         // and those of contacts: forces, rates, impulses
#include "lib/mechanics/unilateral.h"             // constraints g(q) >= 0
#include "lib/mechanics/system.h"                 // all of these, and the rule that discretizes them
#include "lib/mechanics/scale.h"                  // the sizes of its numbers in a task
#include "lib/mechanics/family_basis.h"           // polynomials in numbers of a system
#include "lib/mechanics/family.h"                 // systems that differ by numbers, as one
#include "lib/mechanics/family_misfit.h"          // how far these are from one of them
#include "lib/mechanics/mass_matrix.h"            // a mass matrix, factored
#include "lib/mechanics/continuous.h"             // the continuous equations: accelerations, energies
#include "lib/mechanics/momentum_map.h"           // what bodies have of momentum together
#include "lib/mechanics/symmetry.h"               // which parts of it a system keeps
#include "lib/mechanics/symmetry_group.h"         // all symmetries, by search
#include "lib/mechanics/symmetry_search.h"        // of a system

// lib/multibody: a tree of rigid bodies is one
#include "lib/multibody/spatial.h"                // motions, momenta and inertias of bodies
#include "lib/multibody/model.h"                  // a tree of rigid bodies, compiled
#include "lib/multibody/tree_lagrangian.h"        // its Lagrangian
#include "lib/multibody/tree_parts.h"             // the description of a tree
#include "lib/multibody/tree.h"                   // a model from a description
#include "lib/multibody/defaults.h"               // its parts as most are
#include "lib/multibody/inverse_dynamics.h"       // the forces that give it accelerations
#include "lib/multibody/constraint.h"             // closed loops, points and lengths that are kept
#include "lib/multibody/rolling.h"                 // wheels, balls and knife edges
#include "lib/multibody/impulse_shares.h"         // how equations that repeat one another share a force
#include "lib/multibody/shape.h"                  // spheres, capsules, boxes: signed distances
#include "lib/multibody/rolling_contact.h"        // how far a sphere or a point slides on a surface
#include "lib/multibody/capsule.h"                // a small capsule about points
#include "lib/multibody/output.h"                 // places, distances, directions that tasks speak of
#include "lib/multibody/output_parts.h"           // outputs as sums of points and directions
#include "lib/multibody/contact_geometry.h"       // floors, walls, spheres, stops of joints
#include "lib/multibody/tendon.h"                 // scalar functions s(q) of its configuration
#include "lib/multibody/spring_law.h"             // energies phi(s) of springs
#include "lib/multibody/spring.h"                 // springs
#include "lib/multibody/steering.h"               // forces across the velocity, without work
#include "lib/multibody/load.h"                   // wrenches, dampers, cables
#include "lib/multibody/outline.h"                // what a picture of a tree shows
#include "lib/multibody/hull.h"                   // the convex hull of points
#include "lib/multibody/tree_system.h"            // the tree as a system
#include "lib/multibody/turn.h"                   // how far it turns in a step
#include "lib/multibody/ball_joint.h"             // ball joints
#include "lib/multibody/drive_limits.h"           // torque-speed lines of motors
#include "lib/multibody/joint_force.h"            // friction and other forces f(v) in joints
#include "lib/multibody/formula.h"                // a formula as a part of a robot
#include "lib/multibody/formula_part.h"           // potentials, forces and Lagrangians by formulas
#include "lib/multibody/robot.h"                  // a tree with all that acts on it
#include "lib/multibody/robot_contact_laws.h"     // those of a robot
#include "lib/multibody/quaternion_system.h"      // the system of a tree with ball joints

// lib/discrete: the discrete map of any system
#include "lib/discrete/step_nodes.h"              // the action of a step by its nodes
#include "lib/discrete/interval.h"                // one interval: D1, D2 and their derivatives
#include "lib/discrete/middle_rows.h"             // nonholonomic constraints of a step
#include "lib/discrete/kkt_matrix.h"              // Newton's matrix of a constrained step
#include "lib/discrete/del.h"                     // one step of the discrete Euler-Lagrange equations
#include "lib/discrete/stepper.h"                 // what a simulation sees of steps
#include "lib/discrete/composition.h"             // steps of order 4 and 6
#include "lib/discrete/linearize.h"               // the derivatives A, B of a step, and the second
#include "lib/discrete/grid.h"                    // knots at unequal distances
#include "lib/discrete/trajectory.h"              // a motion on a grid
#include "lib/discrete/energy_balance.h"          // of the energy of steps and the work of forces
#include "lib/discrete/contact_check.h"           // whether a motion obeys them
#include "lib/discrete/contact_linearize.h"       // derivatives of their steps
#include "lib/discrete/motion_linearize.h"        // derivatives of a motion's steps and of its end
#include "lib/discrete/certify.h"                 // how far a motion is from one of the map
#include "lib/discrete/monitor.h"                 // statistics of what is conserved along it
#include "lib/discrete/simulate.h"                // a motion step by step, and its drifts
#include "lib/discrete/driven_steps.h"            // with commands of motors as inputs
#include "lib/discrete/assembly.h"                // can the constraints be met, and where?
#include "lib/discrete/repeated_rows.h"           // constraints that say what others say
#include "lib/discrete/equilibrium.h"             // places of rest, and what keeps them
#include "lib/discrete/stiff_damping.h"           // damping that a step is too long for

// lib/second: discrete Lagrangians of second order
#include "lib/second/second_order_rule.h"         // nodes and weights of a step
#include "lib/second/second_order.h"              // C(q,v,a), and of any order up to three
#include "lib/second/polynomial.h"                // a polynomial in q, q', q'' as one
#include "lib/second/flow.h"                      // its flow, and the momenta that it keeps
#include "lib/second/torque_cost.h"               // the cost of a motion's torques as one

// lib/contact: steps that bounce, slide and leave
#include "lib/contact/gap_rows.h"                 // gradients of gaps, without their zeros
#include "lib/contact/row_set.h"                  // sparse factors for the rows of contacts
#include "lib/contact/row_impulses.h"             // nonnegative impulses along many rows
#include "lib/contact/impact.h"                   // impacts
#include "lib/contact/friction.h"                 // Coulomb friction
#include "lib/contact/complementarity.h"          // one step under inequalities
#include "lib/contact/contact_workspace.h"        // what methods for contacts share
#include "lib/contact/variational_contact.h"      // the generalized variational integrator
#include "lib/contact/contact_integrator.h"       // steps with contacts
#include "lib/contact/contact_stepper.h"          // such steps for a simulation, counted
#include "lib/contact/cone_impulses.h"            // impulses within round cones
#include "lib/contact/knot_step.h"                // steps with one impulse per knot
#include "lib/contact/stopped_motion.h"           // continuous motion with mechanical stops

// lib/studies: what papers compare with
#include "lib/studies/two_point.h"                // constraints between knots: not for use
#include "lib/studies/two_point_start.h"          // a start from which nothing alternates
#include "lib/studies/two_point_study.h"          // what of them alternates, and how it grows
#include "lib/studies/energy_momentum.h"          // steps that keep energy and momenta
#include "lib/studies/itoh_abe.h"                 // difference quotients that keep the energy
#include "lib/studies/variable_steps.h"           // steps whose length follows their error
#include "lib/studies/symplectic_form.h"          // the symplectic form along a motion
#include "lib/studies/direct_methods.h"           // contacts by direct substitution, and Newmark
#include "lib/studies/event_driven.h"             // steps cut at each contact
#include "lib/studies/contact_methods.h"          // all methods for contacts, by name
#include "lib/studies/discrete_flow.h"            // steps with their generating function
#include "lib/studies/map_flow.h"                 // of the map
#include "lib/studies/second_flow.h"              // of second order
#include "lib/studies/laws.h"                     // theorems judged on a flow
#include "lib/studies/system_laws.h"              // and on a system

// control/feedback: gains along a motion
#include "control/feedback/riccati.h"             // the Riccati recursion, on plain arrays
#include "control/feedback/dare.h"                // its steady solution
#include "control/feedback/state_size.h"          // states and weights in numbers without units
#include "control/feedback/constraint_tangent.h"  // deviations that constraints allow
#include "control/feedback/sensor.h"              // what a controller is shown of the state
#include "control/feedback/knot_weight.h"         // weights that each knot has of its own
#include "control/feedback/output_weight.h"       // those of outputs
#include "control/feedback/repeat.h"              // a period under constraints as it repeats
#include "control/feedback/across.h"              // gains across an orbit
#include "control/feedback/tvlqr.h"               // time-varying gains along a trajectory
#include "control/feedback/envelope.h"            // where a law acts, and what acts beyond
#include "control/feedback/friction.h"            // dry friction that a law compensates
#include "control/feedback/motor.h"               // a motor that is slow
#include "control/feedback/rate_limit.h"          // how fast inputs may change
#include "control/feedback/full_turn.h"           // angles after which a robot is the same
#include "control/feedback/resample.h"            // for a controller with a rate of its own
#include "control/feedback/orbit.h"               // the phase on an orbit
#include "control/feedback/measured_law.h"        // a law in what a robot measures
#include "control/feedback/output_feedback.h"     // making and asking it
#include "control/feedback/receding.h"            // receding-horizon control in its place
#include "control/feedback/ball_tables.h"         // its tables of robots with ball joints
#include "control/feedback/track.h"               // outputs that it tracks
#include "control/feedback/controllability.h"     // what inputs steer and outputs show
#include "control/feedback/controllability_survey.h"// the same along a motion
#include "control/feedback/kalman.h"              // the Kalman filter, on plain arrays
#include "control/feedback/estimator.h"           // a law on the estimate of one
#include "control/feedback/mechanics.h"           // p, D1 and D2 of a tree, as on board
#include "control/feedback/rest.h"                // keeping the end of a motion

// control/loop: does it hold?
#include "control/loop/plant.h"                   // what a controller drives
#include "control/loop/contact_start.h"           // starts of runs at contacts
#include "control/loop/saturated_plant.h"         // the same with motors that lose torque with speed
#include "control/loop/stopped_plant.h"           // the same with mechanical stops, or contacts
#include "control/loop/mujoco.h"                  // the same in MuJoCo
#include "control/loop/closed_loop.h"             // a plant under gains
#include "control/loop/excess.h"                  // how far a motion exceeds its limits
#include "control/loop/position_limits.h"         // what limits mean to samples
#include "control/loop/follow.h"                  // does a plant do what a plan says?
#include "control/loop/output_errors.h"           // what outputs are off by in a run
#include "control/loop/monte_carlo.h"             // many starts
#include "control/loop/binomial.h"                // what a count says of a chance
#include "control/loop/push.h"                    // somebody pushes
#include "control/loop/fitted_machine.h"          // machines from the covariance of a fit
#include "control/loop/model_mismatch.h"          // machines that are not their model
#include "control/loop/attraction.h"              // the region of attraction
#include "control/loop/bench.h"                   // plants, limits and sensors around a law
#include "control/loop/robustness.h"              // the plan of a robustness study
#include "control/loop/trial.h"                   // one run against one disturbance
#include "control/loop/criteria.h"                // a score, criterion by criterion
#include "control/loop/racing.h"                  // which levels of it tell laws apart
#include "control/loop/evolution.h"               // a search without derivatives

// control/codegen: the law as C for a robot
#include "control/codegen/codegen.h"              // what the text is made of
#include "control/codegen/tables.h"               // its numbers
#include "control/codegen/operations.h"           // how many operations it takes
#include "control/codegen/range.h"                // the range of its inputs, proved
#include "control/codegen/controller.h"           // controller.h and controller.c
#include "control/codegen/phases.h"               // one controller for several phases
#include "control/codegen/replay.h"               // a record, and a program that replays it
#include "control/codegen/horizon.h"              // receding-horizon control as C
#include "control/codegen/emulation.h"            // what the C computes, bit for bit

// optim/nlp: sparse nonlinear programs
#include "optim/nlp/deadline.h"                   // when a solve gives up
#include "optim/nlp/triplets.h"                   // entries of a sparse matrix
#include "optim/nlp/nlp.h"                        // a program
#include "optim/nlp/scaled.h"                     // one in scaled variables and rows
#include "optim/nlp/optimality.h"                 // how far a point is from an optimum
#include "optim/nlp/inertia.h"                    // whether that is a minimum
#include "optim/nlp/options.h"                    // every option of every solver
#include "optim/nlp/ipopt_options.h"              // IPOPT's own options
#include "optim/nlp/ipopt.h"                      // solve one by IPOPT
#include "optim/interior/interior.h"              // solve one by a method of our own
#include "optim/interior/hand_over.h"             // with IPOPT behind it

// optim/task: an optimal control task
#include "optim/task/activation.h"                // of a cost: quadratic, linear, one-sided
#include "optim/task/outputs.h"                   // limits and costs on outputs of the robot
#include "optim/task/term.h"                      // costs and constraints on functions in C
#include "optim/task/task.h"                      // the task
#include "optim/task/between_knots.h"             // its limits on outputs, kept between knots
#include "optim/task/output_costs.h"              // costs on outputs as a term, and at knots
#include "optim/task/curve_place.h"               // the parameter of a curve at each knot
#include "optim/task/join.h"                      // the transition between two phases

// optim/rows: the unknowns, rows and costs of its program
#include "optim/rows/cost.h"                      // the cost, with derivatives
#include "optim/rows/series.h"                    // entries as series in time
#include "optim/rows/block_pattern.h"             // the entries of a block
#include "optim/rows/layout.h"                    // the position of unknowns, and the list of rows
#include "optim/rows/rows.h"                      // the kinds of rows, with names and units

// optim/program: a task as a program
#include "optim/program/transcribe.h"             // the program of a task
#include "optim/program/saturation.h"             // active limits
#include "optim/program/join_map.h"               // the transition off the plan, and its derivative
#include "optim/program/phases.h"                 // several tasks as one program
#include "optim/program/cycle.h"                  // multipliers of periodic phases

// optim/starts: initial guesses
#include "optim/starts/inverse_kinematics.h"      // goals in space as goals in joints
#include "optim/starts/guess.h"                   // motions to start from
#include "optim/starts/rollout.h"                 // motions of given inputs
#include "optim/starts/phases_guess.h"            // motions of phases

// optim/descent: descent on trajectories
#include "optim/descent/sizes.h"                  // what a descent weighs states and inputs by
#include "optim/descent/knot_velocity.h"          // the velocity of a state, under constraints
#include "optim/descent/knot_costs.h"             // what outputs cost there, by its state
#include "optim/descent/terminal.h"               // the terminal cost, and the goal as one
#include "optim/descent/start.h"                  // what is free of the start, and the step
#include "optim/descent/ranges.h"                 // limits as rows behind a barrier
#include "optim/descent/projection_operator.h"    // curves become motions by feedback
#include "optim/descent/merit.h"                  // what a descent makes less
#include "optim/descent/descent_kkt.h"            // its linear-quadratic problem, sparse
#include "optim/descent/methods.h"                // the table of its methods
#include "optim/descent/search_direction.h"       // directions of descent
#include "optim/descent/reduced_space.h"          // its merit as a function of inputs
#include "optim/descent/secant.h"                 // directions with a memory, and a trust region
#include "optim/descent/descent.h"                // the descent itself
#include "optim/descent/neighboring_extremal.h"   // gains of the second variation

// optim/second: the same by a transcription of second order
#include "optim/second/newton_bvp.h"              // boundary value problems by Newton's method
#include "optim/second/torque_layout.h"           // settings and state of the next
#include "optim/second/torque_transcription.h"    // the program of a task in q and v alone
#include "optim/second/defect.h"                  // how well its motion agrees with steps

// optim/identification: unknown parameters of a robot from logs
#include "optim/identification/recording.h"       // a log, and the motion on equal steps in it
#include "optim/identification/parameters.h"      // the parameters that are fitted
#include "optim/identification/motion_residual.h" // forces that the model lacks, and derivatives
#include "optim/identification/fit.h"             // positions and unknowns by least squares

// optim: the whole way
#include "optim/solution_layout.h"                // settings and state of the next two
#include "optim/solution_start.h"                 // where a solution begins
#include "optim/solution.h"                       // from a task to its optimal trajectory, in parts
#include "optim/solve.h"                          // the same in one call, and of several tasks
#include "optim/solver.h"                         // a task solved again and again, from other starts
#include "optim/excite.h"                         // the motion that tells most about a robot
#include "optim/design.h"                         // the best numbers of a robot with its motion
#include "optim/smooth_guess.h"                   // a guess for chains that whip: a decreasing cost on speeds
#include "optim/multistart.h"                     // the best of its optima, from many guesses
#include "optim/grid_error.h"                     // how far a solution is off, by a second grid
#include "optim/check.h"                          // are a task's derivatives right?

// problems/readers: models and tasks from files
#include "problems/readers/format/warnings.h"     // what a reader noticed and went on from
#include "problems/readers/format/replace.h"      // values of a file replaced
#include "problems/readers/model/robot.h"         // a robot
#include "problems/readers/model/plants.h"        // what a law is tried on
#include "problems/readers/task/design.h"         // numbers of a robot that a file leaves open
#include "problems/readers/task/fineness.h"       // how fine a grid has to be
#include "problems/readers/task/guess.h"          // `guess:`
#include "problems/readers/task/simulation.h"     // `simulate:`
#include "problems/readers/task/transcription.h"  // `transcription:`
#include "problems/readers/task/feedback.h"       // `feedback:`
#include "problems/readers/task/verification.h"   // `verify:`
#include "problems/readers/task/names.h"          // names of its quantities
#include "problems/readers/task/problem.h"        // a problem file, or a URDF file
#include "problems/readers/task/units.h"          // the units of its places, momenta and inputs

// problems/map: for other languages
#include "problems/map/keys.h"                    // the keys of a problem file as JSON
#include "problems/map/map.h"                     // the discrete map of a problem behind a handle
#include "problems/map/solver.h"                   // a task solved again and again, for other languages

// problems/run: a problem with its motion and controller
#include "problems/run/controller.h"              // the controller of `feedback:`
#include "problems/run/run.h"                     // gains along a motion, its certificate
#include "problems/run/cycle_gains.h"             // gains of a gait that is repeated
#include "problems/run/feet.h"                    // feet of a walk, which may slip
#include "problems/run/walk.h"                    // samples of a gait that walks for many periods
// clang-format on
#endif
