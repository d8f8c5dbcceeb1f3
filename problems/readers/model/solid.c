#include "problems/readers/model/solid.h"

static const double PI = 3.14159265358979323846;

// -- solids: volume, and moments of inertia for a mass of 1

double pb_solid_sphere(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) J[i] = 0.4 * s[0] * s[0];
  return 4 * PI / 3 * s[0] * s[0] * s[0];
}

double pb_solid_ellipsoid(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) {
    const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    J[i] = (a * a + b * b) / 5;
  }
  return 4 * PI / 3 * s[0] * s[1] * s[2];
}

double pb_solid_box(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) {
    const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    J[i] = (a * a + b * b) / 3;
  }
  return 8 * s[0] * s[1] * s[2];
}

double pb_solid_cylinder(const double s[3], double J[3]) {
  const double r = s[0], l = 2 * s[1];
  J[0] = J[1] = (3 * r * r + l * l) / 12;
  J[2] = r * r / 2;
  return PI * r * r * l;
}

// a cylinder with a half-sphere at each end
double pb_solid_capsule(const double s[3], double J[3]) {
  const double r = s[0], l = 2 * s[1], ends = 4 * r / (4 * r + 3 * l), middle = 1 - ends;
  J[0] = middle * (3 * r * r + l * l) / 12 + ends * (0.4 * r * r + l * (3 * r + 2 * l) / 8);
  J[2] = middle * r * r / 2 + ends * 0.4 * r * r;
  J[1] = J[0];
  return PI * r * r * (4 * r / 3 + l);
}

// -- shells: area, and moments of inertia for a mass of 1

double pb_shell_sphere(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) J[i] = 2 * s[0] * s[0] / 3;
  return 4 * PI * s[0] * s[0];
}

double pb_shell_box(const double s[3], double J[3]) {
  double area = 0, sum[3] = {0};
  for (int i = 0; i < 3; i++) {
    // the two faces normal to axis i: plates in the plane of the other axes
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double own = 8 * s[j] * s[k], jj = s[j] * s[j], kk = s[k] * s[k], ii = s[i] * s[i];
    area += own;
    sum[i] += own * (jj + kk) / 3;
    sum[j] += own * (kk / 3 + ii);
    sum[k] += own * (jj / 3 + ii);
  }
  for (int i = 0; i < 3; i++) J[i] = sum[i] / area;
  return area;
}

// a tube with a disc at each end
double pb_shell_cylinder(const double s[3], double J[3]) {
  const double r = s[0], h = s[1], tube = 4 * PI * r * h, ends = 2 * PI * r * r;
  const double area = tube + ends;
  J[0] = J[1] = (tube * (r * r / 2 + h * h / 3) + ends * (r * r / 4 + h * h)) / area;
  J[2] = (tube * r * r + ends * r * r / 2) / area;
  return area;
}

// a tube with a hemisphere at each end
double pb_shell_capsule(const double s[3], double J[3]) {
  const double r = s[0], h = s[1], tube = 4 * PI * r * h, ends = 4 * PI * r * r;
  const double area = tube + ends;
  J[0] = J[1] = (tube * (r * r / 2 + h * h / 3) + ends * (2 * r * r / 3 + h * h + h * r)) / area;
  J[2] = (tube * r * r + ends * 2 * r * r / 3) / area;
  return area;
}
