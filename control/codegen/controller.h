// control/codegen/controller.h: the law as C99 text for a robot: one header and one source, without
// includes of others, memory of its own or division.
//
//   u = c - G (y - y_d), summed from the left, one product after the other, cut to limits
//
// The source has the on-board files of the law's parts (control/onboard/onboard.h), whole, then its tables
// and the functions for its caller. On IEEE arithmetic, products not fused with sums, it gives bit for bit
// what the library computes with these files.
//
// Source: docs/theory.md section 19.
#ifndef FB_CODEGEN_CONTROLLER_H
#define FB_CODEGEN_CONTROLLER_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write controller.h: what the law is, its arrays with shapes and units, its functions.
void fb_controller_header(FILE *f, const fb_codegen *c);

// Write controller.c, which includes it: tables, and a function for each way to be measured.
void fb_controller_source(FILE *f, const fb_codegen *c);

// Write both in one call: the law of a schedule, by one form of measurement.
//   f     the schedule, at the controller's rate, of the system s
//   form  what is measured, FB_STATE, FB_VELOCITY or FB_POSITIONS
//   set   names, units, limits; NULL: fb_codegen_default()
// Returns DM_OK; DM_IO where a stream fails; what fb_codegen_new and fb_tables_check return, with a
// sentence in msg and nothing written.
dm_status fb_controller_write(FILE *header, FILE *source, const fb_tvlqr *f, const dm_system *s,
                              fb_form form, const fb_codegen_settings *set, dm_message *msg);

// Write the comment that begins a file: its name, whose feedback it is, what it was made from.
void fb_controller_origin(FILE *f, const fb_codegen *c, const char *file);

DM_END_C
#endif
