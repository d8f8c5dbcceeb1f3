// cli/exchange/scene_message.h: 3D scenes for viewers of recordings, as JSON messages in Foxglove's
// schemas.
//
// Source: [foxglove-schemas] in docs/sources.md.
#ifndef CLI_EXCHANGE_SCENE_MESSAGE_H
#define CLI_EXCHANGE_SCENE_MESSAGE_H
#include "cli/console/json.h"
#include "cli/exchange/body_frames.h"
#include "lib/multibody/outline.h"
#include "problems/readers/model/visuals.h"

// The JSON schemas of the messages below, and their names.
extern const char cli_frames_schema[], cli_scene_schema[], cli_joints_schema[];
#define CLI_FRAMES_SCHEMA "foxglove.FrameTransforms"
#define CLI_SCENE_SCHEMA  "foxglove.SceneUpdate"
#define CLI_JOINTS_SCHEMA "foxglove.JointStates"

// A time, ns, as {sec, nsec}.
cli_json *cli_message_time(uint64_t time);

// The frames of all bodies at the current placement.
cli_json *cli_frames_message(const cli_body_frames *w, uint64_t time);

// The visuals of bodies and the shapes of keep_out, each in the frame of its body; replaces what
// was shown before.
cli_json *cli_looks_message(const cli_body_frames *w, const pb_visuals *looks, uint64_t time);

// The sticks and masses of bodies without visuals, and rods and springs, in the world at the
// current placement. size: a typical length of the robot [m]. NULL if there are none.
cli_json *cli_outline_message(const cli_body_frames *w, const dm_outline *outline,
                              const pb_visuals *looks, double size, uint64_t time);
#endif
