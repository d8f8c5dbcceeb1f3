// control/codegen/controller.h: the law as C99 text for a robot: one header and one source, without
// other includes or static memory; it divides only by a hold.
//
//   u = c - G (y - y_d), summed from the left, one product after the other, cut to limits
//
// The source contains the complete on-board files of the law's parts (control/onboard/onboard.h),
// then its tables and the functions for the caller. On IEEE arithmetic, with products not fused
// with sums, its results equal those of the library with these files bit for bit.
//
// Source: docs/theory.md section 19.
#ifndef FB_CODEGEN_CONTROLLER_H
#define FB_CODEGEN_CONTROLLER_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write controller.h: a description of the law, its arrays with shapes and units, its functions.
void fb_controller_header(FILE *f, const fb_codegen *c);

// Write controller.c, which includes controller.h: tables, and a function per form of measurement.
void fb_controller_source(FILE *f, const fb_codegen *c);

// Write both in one call: the law of a schedule, for one form of measurement.
//   f     the schedule, at the controller's rate, of the system s
//   form  the measurement, FB_STATE, FB_VELOCITY or FB_POSITIONS
//   set   names, units, limits; NULL: fb_codegen_default()
// Returns DM_OK; DM_IO if a stream fails; the status of fb_codegen_new and fb_tables_check, with a
// sentence in msg and nothing written.
dm_status fb_controller_write(FILE *header, FILE *source, const fb_tvlqr *f, const dm_system *s,
                              fb_form form, const fb_codegen_settings *set, dm_message *msg);

// Write the comment at the top of a file: its name, the robot, the digest of its inputs.
void fb_controller_origin(FILE *f, const fb_codegen *c, const char *file);

// Write the comment of a parameter: its entries with names and units.
void fb_controller_parameter(FILE *f, const fb_codegen_parameter *p);

DM_END_C
#endif
