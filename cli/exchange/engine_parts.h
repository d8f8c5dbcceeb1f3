// cli/exchange/engine_parts.h: write springs, dampers, cables, wrenches and constraints of a robot
// as MuJoCo elements, using additional sites and tendons.
//
//   a spring, a damper along a coordinate   stiffness, springref and damping of its joint
//   along several coordinates               a fixed tendon of their joints
//   along a path, or between two points     a spatial tendon through sites
//   a cable's tension                       a motor on a tendon
//   a wrench in the axes of its body        a motor on a site; in the world's with a refsite
//   a constant wrench                       an actuator with bias 1
//   a distance                              a tendon of fixed length, or of a joint's value
//   a point, a pose                         a weld of bodies there, for a point without rows of
//                                           rotations
//   a line, a pose in a plane               the same, if the tree moves in that plane
//   equal                                   one joint coupled to another
//
// MuJoCo enforces constraints by soft forces: solimp sets a relative softness of 1e-4. Source:
// [todorov-2012] in docs/sources.md.
#ifndef CLI_EXCHANGE_ENGINE_PARTS_H
#define CLI_EXCHANGE_ENGINE_PARTS_H
#include "cli/exchange/engine_file.h"

// A point in the frame of a joint, with that frame's axes; -1: the world.
typedef struct cli_engine_site {
  int joint;
  dm_vec at; // m
} cli_engine_site;

// A path through sites, or a combination of coordinates.
typedef struct cli_engine_tendon {
  const char *kind, *name; // "spring", ..
  double stiffness, rest, damping, friction;
  bool keeps;    // keeps a length, or the value of a coordinate
  double length; // m
  int coord;     // -1: none
  int site, sites;
  const dm_tendons *of; // of the combination `index` of these; NULL: a path
  int index;
} cli_engine_tendon;

struct cli_engine_parts {
  int nsites, ntendons;
  cli_engine_site *site;
  cli_engine_tendon *tendon;
};

// List the sites and tendons of w->robot before printing, and mark the joints they attach to in
// w->held. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_engine_parts_new(cli_engine_parts **out, const cli_engine_file *w);
void cli_engine_parts_free(cli_engine_parts *p);

// Stiffness, rest position, damping and dry friction that parts add to the first joint of a
// coordinate.
typedef struct cli_engine_joint_force {
  double stiffness, rest, damping, friction;
} cli_engine_joint_force;

cli_engine_joint_force cli_engine_joint_forces(const cli_engine_file *w, int joint);

// Print the sites and ends of welds on a joint; tendons; constraints, without the enclosing
// section.
void cli_engine_print_sites(const cli_engine_file *w, int joint, int depth);
void cli_engine_print_tendons(const cli_engine_file *w);
void cli_engine_print_constraints(const cli_engine_file *w);

// Begin the element of the actuator of a load's input, whose name and limits follow; returns false,
// and writes nothing, if it has none.
bool cli_engine_open_load(const cli_engine_file *w, int input);
bool cli_engine_has_load(const cli_engine_file *w, int input);

// Print the actuators of constant wrenches; returns their number.
int cli_engine_print_constants(const cli_engine_file *w);
int cli_engine_count_constants(const cli_engine_file *w);

// Warn by name about parts that MuJoCo cannot represent, and that it enforces constraints softly.
void cli_engine_warn_parts(const cli_engine_file *w);
#endif
