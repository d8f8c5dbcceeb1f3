// The on-board code of trees with ball joints in double precision.
#define HAS_BALLS
#include "control/onboard/double.c"
