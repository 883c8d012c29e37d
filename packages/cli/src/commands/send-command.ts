import type { Command as SentCommand } from '@placard/client';
import type { Command } from 'commander';
import { findDevice } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession, Session } from '../session.ts';
import { deviceQuery } from './devices.ts';

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
      const { placard, out, signal } = session;
      const command = parseName(text);
      const body = {
        command,
        ...(options.expiresIn !== undefined && { expires_in: Number(options.expiresIn) }),
      };
      const sent: SentCommand[] = [];
      for (const id of await findDevices(session, names, options)) {
        sent.push(await placard.devices.sendCommand(id, body, { signal }));
      }
      const last = options.wait ? await waitFor(session, sent) : sent;
      out.list(last, COLUMNS);
      const failed = last.filter(({ status }) => status === 'failed' || status === 'expired');
      if (failed.length > 0) {
        throw new Error(`${failed.length} of ${last.length} did not succeed.`);
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

async function findDevices(
  session: Session,
  names: string[],
  { tag, store, all }: Options,
): Promise<string[]> {
  const { placard, signal } = session;
  if (names.length > 0) {
    return Promise.all(names.map((each) => findDevice(placard, each)));
  }
  if (tag === undefined && store === undefined && !all) {
    throw new UsageError('Which screens? Name them, or use --tag, --store or --all.');
  }
  const query = await deviceQuery(session, { ...(tag && { tag }), ...(store && { store }) });
  const found = await placard.devices.list(query, { signal }).toArray();
  if (found.length === 0) {
    throw new UsageError('There are no such screens.', 'notFound');
  }
  return found.map(({ id }) => id);
}

/** The commands once all have finished. */
async function waitFor({ placard, signal }: Session, sent: SentCommand[]): Promise<SentCommand[]> {
  const states = new Map(sent.map((each) => [each.id, each]));
  const isRunning = () => [...states.values()].some(({ status }) => !FINISHED.has(status));
  const { meta } = await placard.events.list({ cursor: 'latest', limit: 1 }, { signal }).page();
  // What has finished before the stream begins.
  for (const { id } of sent) {
    states.set(id, await placard.commands.get(id, { signal }));
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
