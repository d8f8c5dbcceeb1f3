// The on-board code in double precision, of trees without ball joints.
#include "control/onboard/double.inc"
