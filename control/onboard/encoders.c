// The controller for encoders: a filter, and the law on its estimate.

// y [ny] from the estimate z relative to the plan `now`; `under` [nu] is the input under way
static void estimate(const tables *T, const moment *now, const real *z, const real *under,
                     real *y) {
  int i;
  for (i = 0; i < T->nx; i++) {
    y[i] = now->y_d[i] + z[i];
  }
  copy(T->ny - T->nx, under, &y[T->nx]);
}

// by step k: correct the estimate, compute u, and advance to the next knot with the applied input
static int encoders(const tables *T, const memory *m, int k, const real *encoder, const real *under,
                    const filter_room *w, real *y, real *u) {
  const moment now = on_time(T, k);
  const real *acts = u;
  const real *planned = w->forward;
  int lost;
  correct(T, m, k, now.y_d, encoder, w);
  estimate(T, &now, m->z, under, y);
  take_off(T, m->z, now.c, w->forward);
  lost = answer(T, m, &now, w->forward, y, y, u);
  if (T->late != 0) {
    acts = under;
    planned = &now.y_d[T->nx];
  }
  predict(T, k, m->z, acts, planned, w->next);
#ifdef HAS_MAP
  if (T->by_map != 0) {
    predict_by_map(T, m, k, acts, w->forward, w, y);
  }
#endif
  keep_estimate(T->nx, w->next, m->z);
  return lost;
}

// By time t, with encoders read `age` before: correct the estimate for that time, unless the
// measurement is older than the last one or a time is not finite; u is computed from the current
// estimate.
static int encoders_at(const tables *T, const memory *m, real t, real age, real hold,
                       const real *encoder, const real *under, const filter_room *w, real *y_d,
                       real *c, real *y, real *u) {
  const _Bool known = finite_number(t);
  const _Bool dated = finite_number(age);
  const real past = dated ? age : ZERO;
  const moment now = at_time(T, m, t, past, hold, y_d, c, y, y);
  const real then = when(t, past);
  int lost;
  if (known && dated && ((*m->calls == 0) || (then > *m->read_at))) {
    if (*m->calls != 0) {
      advance(T, m, m->z, *m->read_at, then, w);
    }
    *m->read_at = then;
    correct(T, m, now.k, y_d, encoder, w);
  }

  // the current estimate, and the law on it; if the time is not finite, the plan's input
  copy(T->nz, m->z, w->z);
  if (known) {
    advance(T, m, w->z, *m->read_at, t, w);
  }
  w->z[0] = w->z[0] + (t - t);
  estimate(T, &now, w->z, under, y);
  take_off(T, w->z, c, w->forward);
  lost = answer(T, m, &now, w->forward, y, y, u);
  if (known) {
    apply(T, m, t, (T->late != 0) ? under : u);
  }
  return lost;
}
