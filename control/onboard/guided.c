// The reference of outputs that the caller sets.

// Outputs y [count rows] of knots k, k + 1, ...; the last row goes on. Only those that a horizon from
// knot k reaches are read. It holds for the calls that follow, from the next preparation on. Numbers that
// are not finite leave it as it was.
static void guide_outputs(const tables *T, const horizon_tables *W, const horizon *o, int k,
                          int count, const real *y) {
  const int most = W->stages + 1;
  const int knots = (count > most) ? most : count;
  const int entries = knots * W->track.rows;
  int wrong = 0;
  int i;
  for (i = 0; i < entries; i++) {
    if (!finite_number(y[i])) {
      wrong++;
    }
  }
  if ((wrong == 0) && (knots > 0)) {
    copy(entries, y, o->guide_y);
    *o->guided = knots;
    *o->guided_at = knot_of(T, W, k) - (*o->lap * W->period);
    *o->ready = 0;
  }
}
