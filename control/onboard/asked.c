// The reference that the caller sets.

// whether x is beyond low or high by more than rounding
static _Bool is_beyond(real x, real low, real high) {
  const real room = ROUNDING * ((x < ZERO) ? -x : x);
  return (x > (high + room)) || (x < (low - room));
}

// Positions q [count places] of knots k, k + 1, ...; after the last one the robot is to rest there.
// Only those that a horizon from knot k reaches are read. It holds for the calls that follow, from
// the next preparation on. Positions that are not finite leave it as it was.
static void ask_reference(const tables *T, const horizon_tables *W, const horizon *o, int k,
                          int count, const real *q, const horizon_room *w) {
  const int most = W->stages + 1;
  const int knots = (count > most) ? most : count;
  const int size = W->places;
  const int entries = knots * size;
  const int inputs = knots * T->nu;
  int wrong = 0;
  int far = 0;
  int i;
  int j;
  for (i = 0; i < entries; i++) {
    if (!finite_number(q[i])) {
      wrong++;
    }
  }
#ifdef HAS_BALLS
  for (j = 0; j < knots; j++) {
    take_order(T->tree, &q[j * size], w->next);
    wrong += count_broken_turns(T->tree, w->next);
  }
#endif
  if ((wrong == 0) && (knots > 0)) {
    follow_positions(T->tree, W->R, knots, q, &w->interval, o->asked_y, o->asked_u);
    for (i = 0; i < inputs; i++) {
      const int input = i % T->nu;
      far += is_beyond(o->asked_u[i], T->u_min[input], T->u_max[input]) ? 1 : 0;
    }
    for (j = 0; j < knots; j++) {
      for (i = 0; i < W->softs; i++) {
        far += is_beyond(o->asked_y[(j * W->y.cols) + i], W->q_min[i], W->q_max[i]) ? 1 : 0;
      }
    }

    // the rest goes on
    for (j = knots + 1; j <= most; j++) {
      copy(W->y.cols, &o->asked_y[knots * W->y.cols], &o->asked_y[j * W->y.cols]);
    }
    for (j = knots; j < most; j++) {
      copy(T->nu, &o->asked_u[(knots - 1) * T->nu], &o->asked_u[j * T->nu]);
    }
    *o->asked = 1;
    *o->asked_at = knot_of(T, W, k);
    *o->unreached = far;
    *o->ready = 0;
  }
}
