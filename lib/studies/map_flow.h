// lib/studies/map_flow.h: the map of a system as a discrete flow, x = q, under zero inputs; kinematic coordinates stay
// where they are.
#ifndef DM_STUDIES_MAP_FLOW_H
#define DM_STUDIES_MAP_FLOW_H
#include "lib/mechanics/system.h"
#include "lib/studies/discrete_flow.h"

DM_BEGIN_C

// Create the flow of a system (copied; its arrays must outlive the flow) with steps of this order (2, 4, 6:
// lib/discrete/composition.h). Returns DM_OK, DM_NO_MEMORY, or the status of dm_composition_new with a sentence in msg.
dm_status dm_map_flow_new(dm_discrete_flow **out, const dm_system *s, int order, dm_message *msg);

DM_END_C
#endif
