// A library with HSL's names for tests of `hsllib`: MA27 by our own ldl, and of MA57 one routine only.
#include "optim/nlp/ldl.h"

void ma27id_(int *icntl, double *cntl);
void ma27ad_(int *n, int *nz, const int *row, const int *col, int *iw, int *liw, int *ikeep,
             int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info, double *ops);
void ma27bd_(int *n, int *nz, const int *row, const int *col, double *a, int *la, int *iw, int *liw,
             int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl, double *cntl, int *info);
void ma27cd_(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt, double *rhs,
             int *iw1, int *nsteps, int *icntl, double *cntl);
void ma57ad_(void);
extern int hsl_factorizations;
int hsl_factorizations;

void ma27id_(int *icntl, double *cntl) {
  oc_ldl_default(icntl, cntl);
}

void ma27ad_(int *n, int *nz, const int *row, const int *col, int *iw, int *liw, int *ikeep,
             int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info, double *ops) {
  oc_ldl_order(n, nz, row, col, iw, liw, ikeep, iw1, nsteps, iflag, icntl, cntl, info, ops);
}

void ma27bd_(int *n, int *nz, const int *row, const int *col, double *a, int *la, int *iw, int *liw,
             int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl, double *cntl, int *info) {
  hsl_factorizations++;
  oc_ldl_factor(n, nz, row, col, a, la, iw, liw, ikeep, nsteps, maxfrt, iw1, icntl, cntl, info);
}

void ma27cd_(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt, double *rhs,
             int *iw1, int *nsteps, int *icntl, double *cntl) {
  oc_ldl_solve(n, a, la, iw, liw, w, maxfrt, rhs, iw1, nsteps, icntl, cntl);
}

void ma57ad_(void) {}
