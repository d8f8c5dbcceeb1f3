// The on-board code in single precision, of trees without ball joints.
#include "control/onboard/single.inc"
