#include "control/loop/binomial.h"

#include <math.h>

// the continued fraction of the incomplete beta function, by Lentz's method; x < (a+1)/(a+b+2)
static double fraction(double a, double b, double x) {
  enum { MOST = 100000 };
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double f = d;
  for (int m = 1; m < MOST; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (int i = 0; i < 2; i++) {
      double term = i ? odd : even;
      d = 1 + term * d, c = 1 + term / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      change = c * d;
      f *= change;
    }
    if (fabs(change - 1) < 1e-15) break;
  }
  return f;
}

double fb_binomial_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x >= 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * fraction(a, b, x) / a;
  return 1 - front * fraction(b, a, 1 - x) / b;
}

// x with fb_binomial_beta(a, b, x) = chance, by bisection to the last bit
static double quantile(double a, double b, double chance) {
  double low = 0, high = 1;
  for (;;) {
    double x = low + (high - low) / 2;
    if (x <= low || x >= high) return x;
    if (fb_binomial_beta(a, b, x) < chance)
      low = x;
    else
      high = x;
  }
}

double fb_binomial_at_least(int held, int n, double confidence) {
  return held > 0 ? quantile(held, n - held + 1, 1 - confidence) : 0;
}

void fb_binomial_interval(int held, int n, double confidence, double *low, double *high) {
  double side = (1 + confidence) / 2;
  *low = fb_binomial_at_least(held, n, side);
  *high = 1 - fb_binomial_at_least(n - held, n, side);
}
