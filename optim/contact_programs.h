// optim/contact_programs.h: the contacts of a solution's program, or of the programs of its phases, together.
//
// A phase may have a schedule in its file (dm_contact_laws.schedule), which is imposed whenever schedules are; those of
// the other phases are searched for (optim/contact_search.h).
#ifndef OC_CONTACT_PROGRAMS_H
#define OC_CONTACT_PROGRAMS_H
#include "optim/solution_layout.h"

// The number of programs, and program i with its part of a point of w.
int oc_contact_programs_count(const oc_solution *w);
oc_transcription *oc_contact_program(const oc_solution *w, int i, const oc_point *of,
                                     oc_point *part);

// Does any program have contacts; is any schedule given, or to be searched for?
bool oc_contact_programs_exist(const oc_solution *w);
bool oc_contact_programs_given(const oc_solution *w);
bool oc_contact_programs_searched(const oc_solution *w);

// The functions of optim/rows/contact_rows.h, for all programs: give the pairs of schedules that are searched for this
// room; let the Hessian contain their products; read off these schedules at the point; impose all of them; change them
// where their solution presses against them.
void oc_contact_programs_open(oc_solution *w, double room);
void oc_contact_programs_curve(oc_solution *w, bool curved);
void oc_contact_programs_read(oc_solution *w);
void oc_contact_programs_fix(oc_solution *w);
int oc_contact_programs_flip(oc_solution *w);
int oc_contact_programs_release(oc_solution *w);

// Open a gap that the last search could not close, beside a knot at which it is open (oc_contact_rows_part). Returns the
// number of changes.
int oc_contact_programs_part(oc_solution *w);

// Does a program have contacts that oc_contact_programs_release may let slide: with gaps and one tangent?
bool oc_contact_programs_can_release(const oc_solution *w);

// Give the point the meaning that round cones have under the schedules that are imposed (optim/rows/contact_cone.h).
void oc_contact_programs_settle(oc_solution *w);

// Give the program of w the bounds that its phases have for contacts. Does nothing without phases.
void oc_contact_programs_rebound(oc_solution *w);
#endif
