// cli/exchange/engine_contacts.h: write contacts of a robot as pairs of MuJoCo's geoms.
//
//   above       a sphere and a plane; on a body that moves, a sphere and a face of a large box
//   outside     a sphere and the shape
//   at-least    two spheres
//
// A point is a small sphere, and the other geom is smaller by its radius. Geoms touch in their pairs only. MuJoCo's
// contacts are springs without restitution. Other kinds are not written. Source: [todorov-2012] in docs/sources.md.
#ifndef CLI_EXCHANGE_ENGINE_CONTACTS_H
#define CLI_EXCHANGE_ENGINE_CONTACTS_H
#include "cli/exchange/engine_file.h"

// Whether contact i is written; whether any is.
bool cli_engine_says_contact(const cli_engine_file *w, int i);
bool cli_engine_has_contacts(const cli_engine_file *w);

// Mark the joints that they are attached to in w->held.
void cli_engine_hold_contacts(const cli_engine_file *w);

// Print the geoms on a joint (-1: the world), and the pairs; step: the timestep of the file, s.
void cli_engine_print_surfaces(const cli_engine_file *w, int joint, int depth);
void cli_engine_print_pairs(const cli_engine_file *w, double step);
#endif
