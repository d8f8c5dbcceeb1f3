// optim/rows/contact_rows.h: unknowns and rows of contacts and dry friction in a program.
//
// At knot k a law (lib/mechanics/contact_laws.h) has the unknowns, all >= 0,
//
//   c, gap       impulse along the gap's gradient and gap after the step
//   slide, left  sliding distance of the step, and the rest of the friction bound
//   t+, t-       along each tangent the impulse in either direction
//   w+, w-       and the distance slid against it
//
// and the rows, with r' the rows r at the next knot (at the last one r + T/N Dr v_N),
//
//   gap  = r'                         w+- = slide +- (r' - r)      left = friction c + B(v) h - sum t
//   c gap <= e      t+ w+ <= e        t- w- <= e                   slide left <= e
//
// with B at the mean speed v of the step, r' - r over its time, and Dr(q_k)' (c, t+ - t-) is added to the row of motion of the knot. e, the room of the pairs, is
// relative to the robot's own force, length and time. A search lowers it (optim/contact_search.h);
// the polish then fixes one member of each pair at zero and frees their rows.
//
// All functions do nothing if the system has no contacts. Source: docs/theory.md section 32.
#ifndef OC_ROWS_CONTACT_ROWS_H
#define OC_ROWS_CONTACT_ROWS_H
#include "optim/rows/layout.h"

// Unknowns, and rows, of a knot.
int oc_contact_rows_count(const oc_task *task);

// Allocate the workspace of the rows, t->contact, with the scales of the robot and the room e = 1. Returns DM_OK
// or DM_NO_MEMORY.
dm_status oc_contact_rows_new(oc_transcription *t);
void oc_contact_rows_free(oc_contacts *c); // accepts NULL

// The meaning of row i of a knot, "gap of", and the name of its law.
const char *oc_contact_rows_text(const oc_transcription *t, int i, const char **name);

// Scales of the unknowns and rows of a knot [nz].
const double *oc_contact_rows_units(const oc_transcription *t);
const double *oc_contact_rows_sizes(const oc_transcription *t);

// The index in x of the impulse along a row of the laws, or against it, at knot k, or -1.
int oc_contact_rows_unknown(const oc_transcription *t, int k, int row, bool back);

// The row that defines variable x, with the derivative -1: of a gap, of a rest of a friction bound, or of a
// distance; else -1.
int oc_contact_rows_own(const oc_transcription *t, int x);

// Set the room e of all pairs, and give back the bounds that a polish changed. From then on the Hessian leaves out
// the products, as searches converge from more guesses without them.
void oc_contact_rows_open(oc_transcription *t, double room);

// From now on, does the Hessian contain the products?
void oc_contact_rows_curve(oc_transcription *t, bool curved);

// Read off the schedule at x: a gap is open if its impulse is smaller than it, in their units; a closed one sticks
// if the friction bound is farther than the sliding distance.
void oc_contact_rows_read(oc_transcription *t, const double *x);

// Take the schedule that the laws prescribe. Returns false if they do not prescribe one.
bool oc_contact_rows_take_given(oc_transcription *t);

// Impose the schedule: the members of pairs that it says are zero are fixed, and the rows of products are freed,
// with rows that say the same twice.
void oc_contact_rows_fix(oc_transcription *t);

// Change the schedule if its solution, with this objective, presses a member against zero. Returns the number of
// changes.
int oc_contact_rows_flip(oc_transcription *t, const oc_point *at, double objective);

// Change the schedule if its contacts contradict each other at x, where the rows were evaluated last: of those along
// one tangent that should stick and move at a knot, the one with the least rest of the friction bound slides. Returns
// the number of changes.
int oc_contact_rows_release(oc_transcription *t, const double *x);

// Open the widest gap at x that should be closed, beside a knot at which its contact is open: where the rows were evaluated
// last, the motion could not close it. Returns the number of changes.
int oc_contact_rows_part(oc_transcription *t, const double *x);

// Free the signs of the unknowns beside each change of the imposed schedule, where they are not fixed: of gaps,
// impulses and sliding distances at the change and one knot before and after it.
void oc_contact_rows_loosen(oc_transcription *t);

// The functions of the kind (oc_row_kind).
void oc_contact_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_contact_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                              double *g);
dm_status oc_contact_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                              oc_triplets *s);
dm_status oc_contact_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                      double sigma, const double *lambda, oc_triplets *s);

// A guess of the unknowns for the motion in x: gaps and distances as they are there, small impulses, or those
// of the motion if it has some.
void oc_contact_rows_pack(oc_transcription *t, const dm_trajectory *traj, double *x);

// Set the gaps of x to those of its motion, after a change of the grid.
void oc_contact_rows_follow(oc_transcription *t, double *x);

// The impulses of x, and with them the momenta before the impulses of each knot and the velocities, which
// belong to the mean of the momenta before and after them.
dm_status oc_contact_rows_unpack(oc_transcription *t, const double *x, dm_trajectory *traj);
#endif
