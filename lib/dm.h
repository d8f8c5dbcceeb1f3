// lib/dm.h: the mechanics, in reading order.
#ifndef DM_DM_H
#define DM_DM_H
// clang-format off
#include "lib/base/status.h"      // how every function says what became of it
#include "lib/base/text.h"        // text that can be shown and written safely
#include "lib/base/block.h"       // one allocation for a workspace
#include "lib/base/dense.h"       // small square systems
#include "lib/multibody/spatial.h"     // motions, momenta, inertias
#include "lib/multibody/model.h"       // a compiled tree of rigid bodies
#include "lib/mechanics/lagrangian.h"  // what the rest sees of a mechanical system
#include "lib/multibody/tree_lagrangian.h"       // the tree's Lagrangian and its derivatives
#include "lib/multibody/tree.h"        // a tree as it is described, and its compilation
#include "lib/multibody/vector_product.h"     // vectors that bodies carry, and their products
#include "lib/multibody/constraint.h"  // holonomic constraints
#include "lib/multibody/tendon.h"     // scalar functions s(q): combinations, distances, lengths of paths
#include "lib/multibody/spring_law.h"         // functions phi(s) of one variable
#include "lib/multibody/spring.h"   // potential energies, taken off a Lagrangian
#include "lib/mechanics/force.h"       // what the rest sees of general forces
#include "lib/multibody/load.h"        // wrenches on bodies, dampers, cables: the forces of a tree
#include "lib/mechanics/system.h"      // Lagrangian, constraints, forces and the rule that discretizes them
#include "lib/discrete/stiff_damping.h"      // inertia for coordinates whose damping a step cannot follow
#include "lib/discrete/interval.h"    // one interval: D1, D2 and their derivatives
#include "lib/discrete/kkt_matrix.h"      // Newton's matrix of a constrained step
#include "lib/discrete/assembly.h"    // can the constraints be met, and where?
#include "lib/discrete/equilibrium.h" // where a machine rests, and what holds it there
#include "lib/discrete/del.h"         // one step of the discrete Euler-Lagrange equations
#include "lib/discrete/composition.h"   // steps of order 4 and 6, made of these
#include "lib/discrete/quadratic.h"   // where the energy-momentum method keeps energy
#include "lib/discrete/linearize.h"   // its derivatives A, B, and second order
#include "lib/studies/two_point.h"   // constraints between knots: a study, not for use
#include "lib/studies/symplectic_form.h"        // the symplectic form, carried along a motion
#include "lib/mechanics/continuous.h"  // the continuous equations beside it
#include "lib/multibody/inverse_dynamics.h"     // forces that give accelerations, twice differentiated
#include "lib/second/second_order.h"      // discrete Lagrangians of second order and above
#include "lib/second/torque_cost.h"      // what forces cost, as one of second order
#include "lib/multibody/contact_geometry.h"  // constraints g(q) >= 0: floors, spheres, stops
#include "lib/base/nnls.h"        // impulses that take off what approaches
#include "lib/contact/friction.h"    // Coulomb friction
#include "lib/contact/impact.h"     // impacts
#include "lib/mechanics/mass_matrix.h"        // mass matrices factored, energies
#include "lib/contact/complementarity.h"  // one step under inequalities
#include "lib/contact/contact_workspace.h"    // what methods for contacts work with
#include "lib/contact/friction_step.h"        // friction within a step
#include "lib/contact/variational_contact.h"  // the generalized variational integrator
#include "lib/contact/contact_integrator.h"   // steps that bounce, slide and leave
#include "lib/studies/direct_methods.h"       // contacts by direct substitution and Newmark's method
#include "lib/studies/event_driven.h"         // contacts by cutting steps
#include "lib/studies/contact_methods.h"      // the eight methods, by name
#include "lib/discrete/trajectory.h"  // a motion on a grid
#include "lib/discrete/certify.h"     // what it is worth
#include "lib/multibody/turn.h"        // how far it turns in a step
// clang-format on
#endif
