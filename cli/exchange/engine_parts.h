// cli/exchange/engine_parts.h: what acts on a robot in MuJoCo's words: springs, dampers, cables,
// wrenches and constraints, by sites and tendons of their own.
//
//   a spring, a damper along a coordinate   stiffness, springref and damping of its joint
//   along a path, or between two points     a spatial tendon through sites
//   a cable's tension                       a motor on a tendon
//   a wrench in the axes of its body        a motor on a site; in the world's by a refsite
//   a constant wrench                       an actuator whose bias is 1
//   a distance                              a tendon of one length, or of a joint's
//   a point, a pose                         a weld of bodies there, the first without rows of turns
//   a line, a pose in a plane               the same, where the tree moves in that plane
//   equal                                   one joint by another
//
// MuJoCo keeps constraints by forces that are soft: solimp says how soft, 1e-4 of what would be.
// Source: [todorov-2012] in docs/sources.md.
#ifndef CLI_EXCHANGE_ENGINE_PARTS_H
#define CLI_EXCHANGE_ENGINE_PARTS_H
#include "cli/exchange/engine_file.h"

// A place in the frame of a joint, turned as that is; -1: of the world.
typedef struct cli_engine_site {
  int joint;
  dm_vec at; // m
} cli_engine_site;

// A way through sites.
typedef struct cli_engine_tendon {
  const char *kind, *name; // "spring", ..
  double stiffness, rest, damping, friction;
  bool keeps;    // a length, or that of a coordinate
  double length; // m
  int coord;     // -1: none
  int site, sites;
} cli_engine_tendon;

struct cli_engine_parts {
  int nsites, ntendons;
  cli_engine_site *site;
  cli_engine_tendon *tendon;
};

// List the sites and tendons of w->robot, before anything is printed, and mark what they hold to in
// w->held. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_engine_parts_new(cli_engine_parts **out, const cli_engine_file *w);
void cli_engine_parts_free(cli_engine_parts *p);

// Stiffness, place without force, damping and dry friction that parts add to the first joint of a coordinate.
typedef struct cli_engine_joint_force {
  double stiffness, rest, damping, friction;
} cli_engine_joint_force;

cli_engine_joint_force cli_engine_joint_forces(const cli_engine_file *w, int joint);

// The sites and ends of welds on what a joint carries; tendons; constraints, without their section's words.
void cli_engine_print_sites(const cli_engine_file *w, int joint, int depth);
void cli_engine_print_tendons(const cli_engine_file *w);
void cli_engine_print_constraints(const cli_engine_file *w);

// The element of the actuator of a load's input, with its name and limits to come: false, and nothing
// is written: it has none.
bool cli_engine_open_load(const cli_engine_file *w, int input);
bool cli_engine_has_load(const cli_engine_file *w, int input);

// The actuators of constant wrenches; how many.
int cli_engine_print_constants(const cli_engine_file *w);
int cli_engine_count_constants(const cli_engine_file *w);

// Say by name what MuJoCo has no words for, and that it keeps constraints softly.
void cli_engine_warn_parts(const cli_engine_file *w);
#endif
