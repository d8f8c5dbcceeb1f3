// problems/readers/model/solid.h: volumes of solids and areas of shells, centered and along z, with
// their moments of inertia for a mass of 1.
//
//   s     a radius; a radius and half a length; half lengths, or half axes     [m]
//   J     out: xx yy zz                                                        [m2]
#ifndef PB_MODEL_SOLID_H
#define PB_MODEL_SOLID_H

double pb_solid_sphere(const double s[3], double J[3]);
double pb_solid_ellipsoid(const double s[3], double J[3]);
double pb_solid_box(const double s[3], double J[3]);
double pb_solid_cylinder(const double s[3], double J[3]);
double pb_solid_capsule(const double s[3], double J[3]);
double pb_shell_sphere(const double s[3], double J[3]);
double pb_shell_box(const double s[3], double J[3]);
double pb_shell_cylinder(const double s[3], double J[3]);
double pb_shell_capsule(const double s[3], double J[3]);
#endif
