import type { Command as SentCommand, Operation, OperationResult } from '@placard/client';
import type { Command } from 'commander';
import { findDevice } from '../find.ts';
import { FAILURE_COLUMNS, SomeFailed, UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import { readFailures, requireSuccess, runOperation } from '../run-operation.ts';
import { DEVICES_HELP, onlyId, selectDevices, withWhere } from '../select-devices.ts';
import type { Selection } from '../select-devices.ts';
import type { OpenSession, Session } from '../session.ts';

const NAMES = ['REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK'] as const;
type Name = (typeof NAMES)[number];
const FINISHED = new Set(['succeeded', 'failed', 'expired']);

const COLUMNS: Columns<SentCommand> = {
  ID: ({ id }) => id,
  DEVICE: ({ device_id: device }) => device,
  COMMAND: ({ command }) => command,
  STATUS: ({ status }) => status,
  SENT: ({ created_at: created }) => created,
};

interface Options {
  tag?: string;
  store?: string;
  all?: true;
  where?: string[];
  wait?: true;
  expiresIn?: string;
}

function parseName(text: string): Name {
  const found = NAMES.find((each) => each === text.toUpperCase().replaceAll('-', '_'));
  if (!found) {
    throw new UsageError(`A command is ${NAMES.join(', ')}; this is "${text}".`);
  }
  return found;
}

export function addSendCommands(program: Command, open: OpenSession): void {
  withWhere(
    program
      .command('command <name> [devices...]')
      .description(`send ${NAMES.join(', ')} to screens, ${DEVICES_HELP}`)
      .option('--tag <tag>', 'all screens with this tag: --where tag:TAG')
      .option('--store <name>', 'all screens of this store: --where store:NAME')
      .option('--all', 'all screens: --where all'),
  )
    .option('--expires-in <seconds>', 'a screen that is offline longer does not execute it')
    .option('--wait', 'wait until all have finished; fails unless all succeeded')
    .action(async (text: string, names: string[], options: Options) => {
      const session = await open();
      const action = {
        command: parseName(text),
        ...(options.expiresIn !== undefined && { expires_in: Number(options.expiresIn) }),
      };
      const devices = await selectDevices(session, names, filtersOf(options));
      const id = onlyId(devices);
      if (id === undefined) {
        return sendToAll(session, devices, action, options.wait);
      }
      const { placard, out, signal } = session;
      const sent = [await placard.devices.sendCommand(id, action, { signal })];
      const last = options.wait ? await waitFor(session, sent) : sent;
      out.list(last, COLUMNS);
      requireAll(last, []);
    });
  program
    .command('commands')
    .description('what was sent to screens, and how far it is')
    .option('--device <name>', 'only to this screen')
    .option('--status <status>', 'queued, delivered, acknowledged, succeeded, failed or expired')
    .option('--limit <number>', 'how many', '50')
    .action(async (options: { device?: string; status?: SentCommand['status']; limit: string }) => {
      const { placard, out, signal } = await open();
      const id = options.device === undefined ? undefined : await findDevice(placard, options.device);
      const query = { device_id: id, status: options.status, limit: Number(options.limit) };
      out.list((await placard.commands.list(query, { signal }).page()).data, COLUMNS);
    });
}

const filtersOf = ({ tag, store, all, where = [] }: Options): string[] => [
  ...where,
  ...(tag === undefined ? [] : [`tag:${tag}`]),
  ...(store === undefined ? [] : [`store:${store}`]),
  ...(all ? ['all'] : []),
];

/** Prints the operation, or when they are waited for the commands: reading thousands of them takes minutes. */
async function sendToAll(
  session: Session,
  devices: Selection,
  action: { command: Name; expires_in?: number },
  isWaitedFor: true | undefined,
): Promise<void> {
  const { out } = session;
  const operation = await runOperation(session, { devices, action: { type: 'command', ...action } });
  if (!isWaitedFor) {
    out.done(`Sent ${action.command} to ${operation.succeeded} screens.`, operation);
    return requireSuccess(session, [operation]);
  }
  const last = await waitFor(session, await readSent(session, operation));
  out.list(last, COLUMNS);
  requireAll(last, await readFailures(session, operation));
}

/** Throws when commands, or the sending of others, have failed. */
function requireAll(commands: readonly SentCommand[], refused: readonly OperationResult[]): void {
  const failed = commands.filter(({ status }) => status === 'failed' || status === 'expired').length;
  if (refused.length + failed > 0) {
    throw new SomeFailed(refused, FAILURE_COLUMNS, refused.length + commands.length, failed);
  }
}

async function readSent(session: Session, { id, created_at: since }: Operation): Promise<SentCommand[]> {
  const { placard, signal } = session;
  const results = await placard.operations.listResults(id, { status: 'succeeded' }, { signal }).toArray();
  return readCommands(session, new Set(results.map(({ command_id: command }) => command)), since);
}

/** These commands, of which none is older than `since`. Lists have a hundred in a request. */
async function readCommands(
  { placard, signal }: Session,
  ids: ReadonlySet<string | null>,
  since: string,
): Promise<SentCommand[]> {
  const found: SentCommand[] = [];
  for await (const each of placard.commands.list({}, { signal })) {
    if (each.created_at < since) {
      break;
    }
    if (ids.has(each.id)) {
      found.push(each);
    }
  }
  return found;
}

/** The commands once all have finished. */
async function waitFor(session: Session, sent: SentCommand[]): Promise<SentCommand[]> {
  const { placard, signal } = session;
  const states = new Map(sent.map((each) => [each.id, each]));
  const isRunning = () => [...states.values()].some(({ status }) => !FINISHED.has(status));
  const { meta } = await placard.events.list({ cursor: 'latest', limit: 1 }, { signal }).page();
  // What has finished before the stream begins.
  const since = sent.reduce((first, each) => (each.created_at < first ? each.created_at : first), '9');
  for (const each of await readCommands(session, new Set(states.keys()), since)) {
    states.set(each.id, each);
  }
  if (!isRunning()) {
    return [...states.values()];
  }
  const stream = placard.events.stream({
    after: meta.next_cursor ?? undefined,
    types: ['command.finished'],
    signal,
  });
  for await (const event of stream) {
    if (event.type === 'command.finished' && states.has(event.data.command.id)) {
      states.set(event.data.command.id, event.data.command);
    }
    if (!isRunning()) {
      break;
    }
  }
  return [...states.values()];
}
