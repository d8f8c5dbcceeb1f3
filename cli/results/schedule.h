// cli/results/schedule.h: schedule.csv, the state of each contact of a plan at each knot.
#ifndef CLI_RESULTS_SCHEDULE_H
#define CLI_RESULTS_SCHEDULE_H
#include "lib/discrete/contact_check.h"

#include <stdio.h>

// One row for each knot and contact.
//   entry  [(N+1) x laws] entries of the laws (lib/mechanics/contact_laws.h)
//   r      [(N+1) x rows] rows of the laws at the knots; NAN: no value
void cli_schedule_write(FILE *f, const dm_trajectory *x, const dm_contact_laws *laws,
                        const unsigned char *entry, const double *r);

// One character for each knot, at most `most` of them evenly spaced: '#' sticks, '>' and '<' slides along its first
// tangent and back, '.' open. text [most + 1]; returns text.
char *cli_schedule_strip(const unsigned char *entry, int laws, int law, int N, int most,
                         char *text);
#endif
