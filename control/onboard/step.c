// A call by the step k, made on time.

// the rows of knot k
static moment on_time(const tables *T, int k) {
  moment now;
  now.k = k;
  now.t = (real)k * T->h;
  now.share = ONE;
  now.y_d = row(&T->y_d, k);
  now.c = row(&T->u_d, k);
#ifdef HAS_ORBITS
  now.next = k;
  now.along = ZERO;
#endif
  return now;
}
