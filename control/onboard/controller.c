// A call of the controller. HAS_ORBITS, HAS_ENVELOPE, HAS_RATES, HAS_POSITIONS, HAS_INTEGRALS, HAS_FRICTION,
// HAS_MOTORS name the parts that exist.

// the plan for a call, with which y is compared
typedef struct {
  int k;           // the knot whose gains act
  real t;          // of the call, s
  real share;      // fraction of a step since the last input
  const real *y_d; // [ny]
  const real *c;   // [nu] the plan's input
#ifdef HAS_ORBITS
  int next;   // the knot after k
  real along; // fraction of the step from k to it
#endif
} moment;

// u = c [nu] plus the feedback of y [ny], which is overwritten; v [nq] is measured. Returns 1 if
// the law is lost.
static int answer(const tables *T, const memory *m, const moment *now, const real *c, const real *v,
                  real *y, real *u) {
  int lost = 0;
  (void)m;
  (void)v;
  unwind(T, now->y_d, y);
#ifdef HAS_ORBITS
  if (T->orbits > 0) {
    law_between(T, row(&T->G, now->k), row(&T->G, now->next), now->along, now->y_d, c, y, u);
  } else {
    law(T, row(&T->G, now->k), now->y_d, c, y, u);
  }
#else
  law(T, row(&T->G, now->k), now->y_d, c, y, u);
#endif
#ifdef HAS_FRICTION
  compensate(T, now->k, now->y_d, c, y, v, u);
#endif
#ifdef HAS_MOTORS
  cut_to_lines(T, (T->speeds > 0) ? &y[T->speeds] : v, u);
#endif
  limit(T, u);
#ifdef HAS_ENVELOPE
  lost = watch(T, m, now->k, now->y_d, y, v, u);
#endif
#ifdef HAS_RATES
  if (T->slews > 0) {
    slew(T, m, now->t, now->share, (T->late != 0) ? &now->y_d[T->ny - T->nu] : now->c, u);
  }
#endif
  return lost;
}
