import type { Body, Command as SentCommand } from '@placard/client';
import type { Command } from 'commander';
import { findDevice, findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import { runOperation } from '../run-operation.ts';
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
  program
    .command('command <name> [devices...]')
    .description(`send ${NAMES.join(', ')} to screens, called by name or id, or to those of a filter`)
    .option('--tag <tag>', 'all screens with this tag')
    .option('--store <name>', 'all screens of this store')
    .option('--all', 'all screens')
    .option('--expires-in <seconds>', 'a screen that is offline longer does not execute it')
    .option('--wait', 'wait until all have finished; fails unless all succeeded')
    .action(async (text: string, names: string[], options: Options) => {
      const session = await open();
      const { out } = session;
      const command = parseName(text);
      const { sent, refused } = await sendToAll(session, await findDevices(session, names, options), {
        command,
        ...(options.expiresIn !== undefined && { expires_in: Number(options.expiresIn) }),
      });
      const last = options.wait ? await waitFor(session, sent) : sent;
      out.list(last, COLUMNS);
      const failed = last.filter(({ status }) => status === 'failed' || status === 'expired').length;
      if (refused + failed > 0) {
        throw new Error(`${refused + failed} of ${refused + last.length} did not succeed.`);
      }
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

type Devices = Body<'createOperation'>['devices'];

async function findDevices(
  session: Session,
  names: string[],
  { tag, store, all }: Options,
): Promise<Devices> {
  if (names.length > 0) {
    return { ids: await Promise.all(names.map((each) => findDevice(session.placard, each))) };
  }
  if (tag === undefined && store === undefined && !all) {
    throw new UsageError('Which screens? Name them, or use --tag, --store or --all.');
  }
  return {
    filter: {
      ...(tag !== undefined && { tag }),
      ...(store !== undefined && { store_id: await findStore(session.placard, store) }),
    },
  };
}

/** The commands that were sent, and to how many screens none could be. */
async function sendToAll(
  session: Session,
  devices: Devices,
  action: { command: Name; expires_in?: number },
): Promise<{ sent: SentCommand[]; refused: number }> {
  const { placard, out, signal } = session;
  if ('ids' in devices && devices.ids.length === 1) {
    return {
      sent: [await placard.devices.sendCommand(devices.ids[0] ?? '', action, { signal })],
      refused: 0,
    };
  }
  const { operation, results } = await runOperation(session, action.command, {
    devices,
    action: { type: 'command', ...action },
  });
  const refused = results.filter(({ status }) => status !== 'succeeded');
  for (const { device_id: id, device_name: name, error } of refused) {
    out.note(`${name ?? id}: ${error?.message ?? 'not sent, because the operation was cancelled.'}`);
  }
  const ids = new Set(results.map(({ command_id: id }) => id));
  return { sent: await readCommands(session, ids, operation.created_at), refused: refused.length };
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
  for await (const { data } of stream) {
    const id = idOf(data['command']);
    if (states.has(id)) {
      states.set(id, await placard.commands.get(id, { signal }));
    }
    if (!isRunning()) {
      break;
    }
  }
  return [...states.values()];
}

const idOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '';
