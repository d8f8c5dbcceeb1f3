// cli/results/contact_events.h: contacts.csv, contact events: k,t,contact,what,impulse,friction: in
// the step to knot k, at time t, a contact was made, held or left; its impulse and its friction
// impulse, N s or N m s.
#ifndef CLI_RESULTS_CONTACT_EVENTS_H
#define CLI_RESULTS_CONTACT_EVENTS_H
#include "lib/contact/contact_stepper.h"

#include <stdio.h>

// Write one row.
void cli_events_row(FILE *f, int k, double t, const char *name, dm_contact_event what,
                    double impulse, double friction);

enum { CLI_EVENT_COLUMNS = 6 };
#endif
