// Rate limits: an input changes by no more than share u_step from one call to the next.

// u as close to its desired value as its rate allows, within limits; the first call starts at
// `planned`
static void slew(const tables *T, const memory *m, real t, real share, const real *planned,
                 real *u) {
  int i;
  *m->cut = 0;
  for (i = 0; i < T->nu; i++) {
    real before = (*m->begun != 0) ? m->given[i] : planned[i];
    real step = share * T->u_step[i];
    real most = before + step;
    real least = before - step;
    if ((u[i] > most) || (u[i] < least)) {
      *m->cut = 1;
    }
    if (u[i] > most) {
      u[i] = most;
    }
    if (u[i] < least) {
      u[i] = least;
    }
    u[i] = limited(T, i, u[i]);
    m->given[i] = u[i];
  }
  *m->begun = 1;
  *m->given_at = t;
}
