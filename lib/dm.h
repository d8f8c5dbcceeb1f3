// lib/dm.h: the mechanics, in reading order.
#ifndef DM_LIB_DM_H
#define DM_LIB_DM_H
#include "lib/block.h"      // one allocation for a workspace
#include "lib/continuous.h" // the continuous equations beside it
#include "lib/del.h"        // one step of the discrete Euler-Lagrange equations
#include "lib/dense.h"      // small square systems
#include "lib/discrete.h"   // one interval: D1, D2 and their derivatives
#include "lib/lagrangian.h" // what the rest sees of a mechanical system
#include "lib/linearize.h"  // its derivatives A, B
#include "lib/model.h"      // a tree of rigid bodies
#include "lib/spatial.h"    // motions, momenta, inertias
#include "lib/status.h"     // how every function says what became of it
#include "lib/sweep.h"      // the tree's Lagrangian and its derivatives
#include "lib/system.h"     // Lagrangian, forces and the rule that discretizes them
#include "lib/trajectory.h" // a motion on a grid
#endif
