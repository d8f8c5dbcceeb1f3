// lib/studies/second_flow.h: a discrete Lagrangian of order k as a discrete flow, x = (q, .., q^(k-1)).
#ifndef DM_STUDIES_SECOND_FLOW_H
#define DM_STUDIES_SECOND_FLOW_H
#include "lib/second/second_order.h"
#include "lib/studies/discrete_flow.h"

DM_BEGIN_C

// Create the flow of L, which is borrowed. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_second_flow_new(dm_discrete_flow **out, dm_second_order *L);

DM_END_C
#endif
