// optim/contact_diagnosis.h: why a motion cannot have a prescribed schedule of contacts.
#ifndef OC_CONTACT_DIAGNOSIS_H
#define OC_CONTACT_DIAGNOSIS_H
#include "optim/solution_layout.h"

// After a search of w->first with the schedule of its laws ended with status s, without a motion: search from the
// last guess for one that has the states of the schedule without the signs of its impulses along gaps and its gaps,
// or else also without its friction bounds. Its largest fault is then in w->info.unmet; if no motion is found,
// w->info.unmet.worst stays 0. Leaves the point and the other figures, except for the effort. Does nothing for other
// statuses, and without a schedule.
void oc_contact_diagnose(oc_solution *w, dm_status s);
#endif
