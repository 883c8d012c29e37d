import { Command } from 'commander';
import { addAlertCommands } from './commands/alerts.ts';
import { addApiCommand } from './commands/api.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addContentCommands } from './commands/content.ts';
import { addDeployCommand } from './commands/deploy.ts';
import { addDeviceCommands } from './commands/devices.ts';
import { addEventsCommand } from './commands/events.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLoginCommands } from './commands/login.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addOpenCommand } from './commands/open.ts';
import { addOperationCommands } from './commands/operations.ts';
import { addPlaylistCommands } from './commands/playlists.ts';
import { addPlaysCommand } from './commands/plays.ts';
import { addRolloutCommands } from './commands/rollouts.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addSendCommands } from './commands/send-command.ts';
import { addStoreCommands } from './commands/stores.ts';
import { addTimelineCommand } from './commands/timeline.ts';
import { addUploadCommand } from './commands/upload.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { openSession } from './session.ts';
import type { OpenSession } from './session.ts';

const HELP = `
Exit codes:
  0 done   1 refused or failed   2 wrong arguments   3 no key, or it may not do this
  4 not found   5 no connection, or busy: try again later   130 interrupted

The address and the key come from PLACARD_SERVER and PLACARD_API_KEY, otherwise from "placard login".
A key is never an argument: other users of the machine could read it.`;

/** All commands. `signal` ends what is running. With `json` wrong arguments are thrown, but not printed. */
export function createProgram(signal: AbortSignal, json: boolean): Command {
  const program = new Command('placard')
    .configureOutput(json ? { writeErr: () => {} } : {})
    .description('Screens, content, playlists and schedules of a Placard cloud')
    .option('--server <url>', 'address of the cloud (PLACARD_SERVER)')
    .option('--json', 'JSON for programs: one document, or a line for each event')
    .addHelpText('after', HELP)
    .exitOverride()
    .showHelpAfterError('(add --help for what there is)');
  const open: OpenSession = () => openSession(program.opts(), signal);
  addLoginCommands(program, open);
  addDeviceCommands(program, open);
  addSendCommands(program, open);
  addOperationCommands(program, open);
  addRolloutCommands(program, open);
  addAlertCommands(program, open);
  addUploadCommand(program, open);
  addContentCommands(program, open);
  addPlaylistCommands(program, open);
  addDeployCommand(program, open);
  addScheduleCommands(program, open);
  addTimelineCommand(program, open);
  addStoreCommands(program, open);
  addEventsCommand(program, open);
  addWebhookCommands(program, open);
  addLogsCommand(program, open);
  addPlaysCommand(program, open);
  addKeyCommands(program, open);
  addApiCommand(program, open);
  addOpenCommand(program, open);
  addCompletionCommand(program);
  return program;
}
