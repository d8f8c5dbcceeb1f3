// cli/exchange/scene_message.h: what viewers of recordings show, as messages in JSON by the names
// and fields that Foxglove's schemas have.
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

// The frames of all bodies where the robot is placed.
cli_json *cli_frames_message(const cli_body_frames *w, uint64_t time);

// What the bodies look like, and the shapes that keep out of one another, each in the frame of the body
// that carries it; what was shown before goes.
cli_json *cli_looks_message(const cli_body_frames *w, const pb_visuals *looks, uint64_t time);

// The sticks and masses of what has no look, and rods and springs, in the world where the robot is
// placed. size: a typical length of the robot [m]. NULL where there are none.
cli_json *cli_outline_message(const cli_body_frames *w, const dm_outline *outline,
                              const pb_visuals *looks, double size, uint64_t time);
#endif
