// The on-board code of trees with ball joints in single precision.
#define HAS_BALLS
#include "control/onboard/single.c"
