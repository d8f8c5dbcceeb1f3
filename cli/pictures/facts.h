// cli/pictures/facts.h: what python/dmoc/pictures draws from, beside the tables of result folders.
//
//   {request: {what, draw, suffix, only, x, y, points, names, table, times, plane, range, log,
//              against, each},
//    operand, phases, reference, exhibits: [..]}
//
// `draw` lists the plots of the picture in their order; `reference` is the exhibit that --against
// names, a number in `exhibits`, or null. The first `shown` exhibits are drawn. Each is
//
//   path, at, name, folder    as named, the same as hexadecimal bytes, in legends; of a table that is
//                             all
//   below                     it is the folder of a phase or of a case
//   begin, step               when its motion begins; the step of the method              [s]
//   file_name, method         of its problem; the rule and order in words
//   simulated, flow, at_knots, goal, periodic, plant, start_plant    cli/report/exhibit.h
//   names, limits, windows, clearances     cli/report/page.h, cli/report/limits.h
//   stops                     whether samples of a verification meet the limits of positions
//   energy, energy_every      [rows x 3] kinetic, potential, their sum at every so many knots [J]
//   reference                 of each coordinate that the cost draws to one: its values at knots
//   follow                    [{column, shift, curve}]: a row of the path that the task follows, at
//                             equal distances of its parameter s from 0 to 1; what the world's place
//                             is ahead of it, or null
//   scene                     where robots are drawn: t and poses of its joints at these times,
//                             outline, shapes and contacts (cli/report/moving_robot.h), and of
//                             joints `slides`, `last`, `parent`, `tip`, of bodies `bodies`
#ifndef CLI_PICTURES_FACTS_H
#define CLI_PICTURES_FACTS_H
#include "cli/pictures/request.h"
#include "cli/report/exhibit.h"

// Write them as JSON. Returns DM_OK, DM_NO_MEMORY, or what an exhibit's energies or a damaged table
// failed with, and why in msg.
dm_status cli_facts_write(FILE *f, const cli_exhibits *all, const cli_request *request,
                          dm_message *msg);
#endif
