// lib/dm.h: the mechanics, in reading order.
#ifndef DM_LIB_DM_H
#define DM_LIB_DM_H
// clang-format off
#include "lib/status.h"      // how every function says what became of it
#include "lib/text.h"        // text that can be shown and written safely
#include "lib/block.h"       // one allocation for a workspace
#include "lib/dense.h"       // small square systems
#include "lib/spatial.h"     // motions, momenta, inertias
#include "lib/model.h"       // a tree of rigid bodies
#include "lib/lagrangian.h"  // what the rest sees of a mechanical system
#include "lib/sweep.h"       // the tree's Lagrangian and its derivatives
#include "lib/carried.h"     // vectors that bodies carry, and their products
#include "lib/constraint.h"  // holonomic constraints
#include "lib/measure.h"     // scalar functions s(q): combinations, distances, lengths of paths
#include "lib/law.h"         // functions phi(s) of one variable
#include "lib/potential.h"   // potential energies, taken off a Lagrangian
#include "lib/force.h"       // what the rest sees of general forces
#include "lib/load.h"        // wrenches on bodies, dampers, cables: the forces of a tree
#include "lib/system.h"      // Lagrangian, constraints, forces and the rule that discretizes them
#include "lib/fitted.h"      // inertia for coordinates whose damping a step cannot follow
#include "lib/discrete.h"    // one interval: D1, D2 and their derivatives
#include "lib/saddle.h"      // Newton's matrix of a constrained step
#include "lib/assemble.h"    // can the constraints be met, and where?
#include "lib/equilibrium.h" // where a machine rests, and what holds it there
#include "lib/del.h"         // one step of the discrete Euler-Lagrange equations
#include "lib/composite.h"   // steps of order 4 and 6, made of these
#include "lib/quadratic.h"   // where the energy-momentum method keeps energy
#include "lib/linearize.h"   // its derivatives A, B, and second order
#include "lib/two_point.h"   // constraints between knots: a study, not for use
#include "lib/form.h"        // the symplectic form, carried along a motion
#include "lib/continuous.h"  // the continuous equations beside it
#include "lib/inverse.h"     // forces that give accelerations, twice differentiated
#include "lib/second.h"      // discrete Lagrangians of second order and above
#include "lib/effort.h"      // what forces cost, as one of second order
#include "lib/unilateral.h"  // constraints g(q) >= 0: floors, spheres, stops
#include "lib/nnls.h"        // impulses that take off what approaches
#include "lib/friction.h"    // Coulomb friction
#include "lib/reflect.h"     // impacts
#include "lib/mass.h"        // mass matrices factored, energies
#include "lib/complement.h"  // one step under inequalities
#include "lib/nonsmooth.h"   // steps that bounce, slide and leave, by eight methods
#include "lib/trajectory.h"  // a motion on a grid
#include "lib/turn.h"        // how far it turns in a step
// clang-format on
#endif
