// lib/mechanics/output_term.h: a term psi of an output (lib/mechanics/output_map.h) with its derivatives by
// the signals s, their rates s' and the input u that it has.
#ifndef DM_MECHANICS_OUTPUT_TERM_H
#define DM_MECHANICS_OUTPUT_TERM_H
#include "lib/mechanics/output_map.h"

enum { DM_TERM_SIGNALS = 3 }; // at most

typedef struct dm_term_jet {
  double y;
  double by_s[DM_TERM_SIGNALS], by_rate[DM_TERM_SIGNALS], by_u;
  double by_both[DM_TERM_SIGNALS][DM_TERM_SIGNALS];  // by s_i and s_j'
  double by_rates[DM_TERM_SIGNALS][DM_TERM_SIGNALS]; // by s_i' and s_j'
  double by_u_rate;                                  // by u and s_0'
} dm_term_jet;

// The term at the values s and rates of all signals, and at its input u; of contacts: NAN.
dm_term_jet dm_output_term_eval(const dm_output_term *t, const double *s, const double *rates,
                                double u);

// -- rows that are formulas of other rows

// y_x [ny x nx] of row i by those of the rows that its formula has, with f_x [f.nx]
void dm_output_formula_slopes(const dm_output_formula *f, const double *f_x, int nx, int i,
                              double *y_x);

// H [n x n] += lambda sum f_ab y_a,x y_b,z', where A, B [ny x n] have the slopes of all rows by x and by z
void dm_output_formula_curvature(const dm_output_formula *f, const double *f_xx, double lambda,
                                 int n, const double *A, const double *B, double *H);
#endif
