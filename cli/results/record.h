// cli/results/record.h: what a result folder holds: which files are dmoc's, by which stage, with
// their digests in result.json (`files`), so that a folder that is not whole is told from one that
// is; and whether another result may take its place.
#ifndef CLI_RESULTS_RECORD_H
#define CLI_RESULTS_RECORD_H
#include "cli/console/json.h"
#include "cli/results/folder.h"

// Made of a whole result for browsers and other programs (cli/report/page.h, cli/exchange/formats.h):
// they go with the result, but are none of its files.
#define CLI_PAGE   "report.html"
#define CLI_MCAP   "motion.mcap"
#define CLI_NPZ    "tables.npz"
#define CLI_MUJOCO "mujoco.xml"

// How far a result has come.
typedef struct cli_standing {
  int stage;       // -1: none; 0: a motion that is not solved; 1: solved; 2: gains; 3: which hold
  bool controller; // exported
} cli_standing;

cli_standing cli_standing_of(const cli_json *result); // NULL: none

// Whether a has not come as far as b.
bool cli_standing_less(cli_standing a, cli_standing b);

// Read result.json of a folder, to be put; NULL where there is none, or what is there is damaged.
// Returns DM_OK, or DM_IO where it is there and cannot be read, with the reason in msg.
dm_status cli_record_read(cli_json **record, const pb_folder *folder, dm_message *msg);

// Whether all files that result.json was written with are there as they were written. A folder of
// an earlier version, which has no list of them, passes. Reads every file. Returns DM_OK, or
// DM_BAD_INPUT with the file in msg.
dm_status cli_record_check(const pb_folder *folder, const cli_json *result, dm_message *msg);

// Whether a result can take the place of what is in the folder of out: no folder is in the place of one of
// its files, and nothing else in that of `inputs`. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_record_places(const cli_folder *out, dm_message *msg);

// Begin copies of all files of another result that out neither begins nor removes, but for its
// inputs. Returns DM_OK, DM_NO_MEMORY or DM_IO.
dm_status cli_record_copy(cli_folder *out, const pb_folder *folder, const cli_json *result,
                          dm_message *msg);

// Have out remove all files of dmoc's in its folder, or in the folder `under` it where that is not NULL,
// that it does not begin; with under NULL those of `unfinished` as well. Returns DM_OK, or DM_IO where
// it cannot be read which they are.
dm_status cli_record_replace(cli_folder *out, const char *under, dm_message *msg);

// Put the digests of all files that the folder of out will hold after its commit into result: those
// begun, which are sealed, and with `kept` those there that stay. Returns DM_OK, DM_NO_MEMORY, DM_IO.
dm_status cli_record_list(cli_json *result, const cli_folder *out, bool kept, dm_message *msg);
#endif
