// cli/results/record.h: the files of a result folder by stage, with their digests in result.json
// (`files`), so that an incomplete folder is recognized; and whether another result may replace it.
#ifndef CLI_RESULTS_RECORD_H
#define CLI_RESULTS_RECORD_H
#include "cli/console/json.h"
#include "cli/results/folder.h"

// Files generated from a complete result for browsers and other programs (cli/report/page.h,
// cli/exchange/formats.h): they are removed with the result but not listed in it.
#define CLI_PAGE   "report.html"
#define CLI_MCAP   "motion.mcap"
#define CLI_NPZ    "tables.npz"
#define CLI_MUJOCO "mujoco.xml"

// The progress of a result.
typedef struct cli_standing {
  int stage;       // -1: none; 0: unsolved motion; 1: solved; 2: gains; 3: gains verified
  bool controller; // exported
} cli_standing;

cli_standing cli_standing_of(const cli_json *result); // NULL: no result

// Whether a has less progress than b.
bool cli_standing_less(cli_standing a, cli_standing b);

// Read result.json of a folder; release it with cli_json_put. NULL if it is missing or damaged.
// Returns DM_OK, or DM_IO with the reason in msg if it exists but cannot be read.
dm_status cli_record_read(cli_json **record, const pb_folder *folder, dm_message *msg);

// Whether all files listed in result.json are unchanged. A folder of an earlier version, without a
// list, passes. Reads every file. Returns DM_OK, or DM_BAD_INPUT with the file in msg.
dm_status cli_record_check(const pb_folder *folder, const cli_json *result, dm_message *msg);

// Whether a result can be written to the folder of out: no folder has the name of one of its files,
// and `inputs` is a folder or missing. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_record_places(const cli_folder *out, dm_message *msg);

// Begin copies of all files of another result that out neither begins nor removes, except its
// inputs. Returns DM_OK, DM_NO_MEMORY or DM_IO.
dm_status cli_record_copy(cli_folder *out, const pb_folder *folder, const cli_json *result,
                          dm_message *msg);

// Make out remove all dmoc files that it does not begin, in its folder or in the subfolder `under`
// if not NULL; with under NULL also those of `unfinished`. Returns DM_OK, or DM_IO if they cannot
// be determined.
dm_status cli_record_replace(cli_folder *out, const char *under, dm_message *msg);

// Store in result the digests of all files that the folder of out will contain after its commit:
// those begun, which are sealed, and with `kept` the existing ones that stay. Returns DM_OK,
// DM_NO_MEMORY or DM_IO.
dm_status cli_record_list(cli_json *result, const cli_folder *out, bool kept, dm_message *msg);
#endif
