#include "control/loop/binomial.h"

#include <assert.h>
#include <math.h>

static double avoid_zero(double x) {
  const double tiny = 1e-300;
  return fabs(x) < tiny ? tiny : x;
}

// the continued fraction of the incomplete beta function, 1/(1+ d1/(1+ d2/(1+ ..))), by Lentz's
// method: f = product of c d, with c and d the ratios of consecutive numerators and denominators;
// it converges for x < (a+1)/(a+b+2)
static double evaluate_beta_fraction(double a, double b, double x) {
  enum { MAX_TERMS = 100000 };
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / avoid_zero(d);
  double f = d;
  for (int m = 1; m < MAX_TERMS; m++) {
    // d_2m and d_2m+1 from [dlmf] 8.17.23
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

    double change = 1;
    for (int i = 0; i < 2; i++) {
      double term = i ? odd : even;
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / avoid_zero(d);
      c = avoid_zero(c);
      change = c * d;
      f *= change;
    }
    if (fabs(change - 1) < 1e-15) break;
  }
  return f;
}

double fb_binomial_beta(double a, double b, double x) {
  assert(a > 0 && b > 0);
  if (x <= 0 || x >= 1) return x >= 1;

  // x^a (1-x)^b / (a B(a,b)) times the fraction; beyond its domain I_x(a,b) = 1 - I_1-x(b,a)
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * evaluate_beta_fraction(a, b, x) / a;
  return 1 - front * evaluate_beta_fraction(b, a, 1 - x) / b;
}

// x with fb_binomial_beta(a, b, x) = chance, by bisection to the last bit
static double find_beta_quantile(double a, double b, double chance) {
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

double fb_binomial_lower_bound(int successes, int n, double confidence) {
  assert(successes <= n);

  // the p for which P(>= successes | p) = I_p(successes, n - successes + 1) = 1 - confidence
  return successes > 0 ? find_beta_quantile(successes, n - successes + 1, 1 - confidence) : 0;
}

void fb_binomial_interval(int successes, int n, double confidence, double *low, double *high) {
  double side = (1 + confidence) / 2;
  assert(low && high && successes >= 0 && successes <= n);
  *low = fb_binomial_lower_bound(successes, n, side);
  *high = 1 - fb_binomial_lower_bound(n - successes, n, side);
}
