#!/bin/sh
# A part of a robot, friction in a joint, in all that asks for parts: info, plan, gains, verification with errors, the file for
# MuJoCo, sweeps by its path; and refusals by name.
#   parts.sh DMOC SOURCE
. "$(dirname "$0")/support.sh"
