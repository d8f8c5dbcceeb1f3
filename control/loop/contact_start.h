// control/loop/contact_start.h: starts of runs at contacts: the least change of a configuration that keeps closed
// gaps closed and opens violated ones.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_CONTACT_START_H
#define FB_LOOP_CONTACT_START_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Project q [n] onto the constraints and gaps of the system s (dm_system.contacts, not NULL).
//   from  [n] a configuration whose closed gaps stay closed; NULL: gaps are only opened
//   v     in and out: a velocity, which is projected along the constraints and the gaps that are closed; NULL: none
// Returns DM_OK, DM_NO_MEMORY, or the status of the projection (lib/discrete/assembly.h). Allocates.
dm_status fb_contact_start(const dm_system *s, const double *from, double *q, double *v);

DM_END_C
#endif
