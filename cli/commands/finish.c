#include "cli/commands/commands.h"
#include "cli/console/answer.h"
#include "cli/console/log.h"
#include "cli/results/folder.h"

// claim the folder, which finishes the commit; waits for a running command
static int carry_out(const cli_args *args) {
  cli_folder folder;
  dm_message msg;
  dm_status s = cli_folder_make(&folder, args->operand, false, &msg);
  if (s == DM_OK) s = cli_folder_claim(&folder, NULL, true, &msg);
  cli_folder_discard(&folder);
  return s == DM_OK ? CLI_DONE : cli_fail_status(args, s, &msg);
}

// finish the commit of a killed command in a result folder
static int finish_folder(const cli_args *args) {
  pb_folder at;
  dm_message why;
  if (pb_folder_open(&at, args->operand, false, &why) != DM_OK)
    return cli_fail(args, CLI_INPUT, "finish takes a result folder; %s cannot be read: %s",
                    args->operand, why.text);
  const bool unfinished = cli_commit_pending(&at);
  pb_folder_close(&at);
  const int status = unfinished ? carry_out(args) : CLI_DONE;
  if (status == CLI_DONE) {
    char line[CLI_PATH + 64];
    snprintf(line, sizeof line, "  %-13s %s\n", unfinished ? "finished" : "whole already",
             args->operand);
    if (!args->json) cli_show(line);
    cli_json *o = json_object_new_object();
    cli_json_text(o, "status", "done");
    cli_json_text(o, "folder", args->operand);
    cli_json_bool(o, "finished", unfinished);
    cli_answer_set(o);
    json_object_put(o);
  }
  return status;
}

const cli_command cli_command_finish = {
    .name = "finish",
    .what = "put the files of a command that was killed meanwhile in their places",
    .usage = "DIR",
    .run = finish_folder,
};
