// cli/mpi/processes.h: work shared by processes of this machine, each an image of this one: for
// work that uses what must not run in two threads at once, such as IPOPT's linear algebra.
//
// Whoever is free takes the next item. What an item is worth does not depend on who computes it,
// so results are the same for any number of processes. One that dies leaves its item undone.
#ifndef CLI_MPI_PROCESSES_H
#define CLI_MPI_PROCESSES_H
#include "cli/mpi/work_sharing.h"

// How many to run at once: what --threads says, else the processors there are; within shared work
// and beside other ranks 1. Returns CLI_DONE, or CLI_INPUT after saying what is wrong.
int cli_processes_count(const cli_args *args, int *count);

// Share items out to `count` processes; with 1 all are computed here. Results are collected here,
// rank 0. Returns DM_OK, DM_INTERRUPTED where some were not done, with the others taken, or
// DM_NO_MEMORY.
dm_status cli_processes_share(const cli_share *s, int count);
#endif
