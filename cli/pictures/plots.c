#include "cli/pictures/plots.h"

#include <string.h>

const cli_plot cli_plots[CLI_PLOT_COUNT] = {
    {.word = "trajectory",
     .help = "positions and velocities with limits that are near, and the plan on a plant",
     .most = CLI_MANY,
     .needs = {&cli_file_plant}},
    {.word = "inputs",
     .help = "forces, torques and loads with limits that are near",
     .most = CLI_MANY},
    {.word = "outputs",
     .help = "the outputs of the problem file, with their limits in the task",
     .most = CLI_MANY,
     .needs = {&cli_file_outputs}},
    {.word = "gains",
     .help = "gains against time; of many, their norms by input",
     .needs = {&cli_file_gains}},
    {.word = "loop",
     .help = "closed-loop runs from perturbed starts, about the plan and off it, with limits that "
             "are near",
     .needs = {&cli_file_fan}},
    {.word = "error",
     .help = "one start off the plan, with feedback and without, beside plan and reference",
     .needs = {&cli_file_response}},
    {.word = "convergence",
     .help = "iterations of the optimizer: violation, dual, barrier",
     .needs = {&cli_file_convergence}},
    {.word = "descent",
     .help = "iterations of each method of descent, against their number and time",
     .needs = {&cli_file_descent}},
    {.word = "compare",
     .help = "descents from several starts: work and precision, data and performance profiles",
     .needs = {&cli_file_compare},
     .most = CLI_MANY},
    {.word = "energy",
     .help = "kinetic, potential and total energy; of a simulation also its drift",
     .most = CLI_MANY},
    {.word = "momenta",
     .help = "of second order: the momenta of q, v (and a) along the solution, and its energy",
     .needs = {&cli_file_momenta}},
    {.word = "contacts",
     .help = "impulses of contacts and of their friction; of a plan also of dry friction in joints",
     .needs = {&cli_file_contacts, &cli_file_schedule}},
    {.word = "monitors",
     .help = "conserved quantities of a simulation: energy, moment, momentum, constraints, the "
             "symplectic form",
     .most = CLI_MANY,
     .needs = {&cli_file_monitors}},
    {.word = "robustness",
     .help = "success rates along each axis alone, and the region of attraction",
     .needs = {&cli_file_robustness, &cli_file_region}},
    {.word = "difference",
     .help = "of several folders: each coordinate less that of the first, or of --against",
     .takes = "--against --log",
     .least = 1,
     .most = CLI_MANY,
     .apart = true,
     .together = true},
    {.word = "columns",
     .help = "any columns of a table (--y) over another (--x), each unit on an axis of its own",
     .takes = "--x --y --table --xrange --yrange --log",
     .most = CLI_MANY,
     .apart = true,
     .mixed = true,
     .tables = true},
    {.word = "phase",
     .help = "phase portraits: the velocity of each coordinate over its position, from a dot on",
     .takes = "--xrange --yrange",
     .most = CLI_MANY,
     .apart = true},
    {.word = "path",
     .help = "the paths of points of bodies in a plane of the world, a dot per knot if they are "
             "few; and the path that the problem gives",
     .takes = "--points --plane --each --xrange --yrange",
     .most = CLI_MANY,
     .apart = true,
     .mixed = true,
     .places = true},
    {.word = "frames",
     .help = "the robot at several times, with the paths of its ends; the later the darker",
     .takes = "--points --plane --times --xrange --yrange",
     .most = CLI_MANY,
     .apart = true,
     .mixed = true,
     .places = true},
    {.word = "moving",
     .help = "the robot as it moves, in real time, several folders one after another: SVG that "
             "plays by itself",
     .takes = "--points --plane --times",
     .most = CLI_MANY,
     .apart = true,
     .together = true,
     .mixed = true,
     .moves = true,
     .places = true},
    {.word = "order",
     .help = "errors over steps by their logarithms, of folders of several steps or columns of a "
             "table, with the order that fits",
     .takes = "--x --y --times --against --xrange --yrange",
     .most = CLI_MANY,
     .apart = true,
     .together = true,
     .mixed = true,
     .tables = true},
};

const cli_plot *cli_plot_find(const char *word) {
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (!strcmp(cli_plots[i].word, word)) return &cli_plots[i];
  return NULL;
}

bool cli_plot_asked(const cli_plot *plot, const char *what, int folders) {
  if (!strcmp(what, plot->word)) return true;
  const int most = plot->most ? plot->most : 1;
  return !strcmp(what, "all") && !plot->apart && folders >= plot->least && folders <= most;
}
