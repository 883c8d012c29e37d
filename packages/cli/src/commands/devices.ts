import type { Device } from '@placard/client';
import type { Command } from 'commander';
import { findDevice, findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession, Session } from '../session.ts';
import { splitList } from '../targets.ts';

const COLUMNS: Columns<Device> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  STATUS: ({ status }) => status,
  'LAST SEEN': ({ last_heartbeat: last }) => last,
  VERSION: ({ player_version: version }) => version,
  STORE: ({ store_id: store }) => store,
  TAGS: ({ tags }) => tags,
};

const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;
type Orientation = (typeof ORIENTATIONS)[number];

interface Filter {
  status?: 'online' | 'offline';
  store?: string;
  tag?: string;
  search?: string;
}

/** The query for the devices that a command is about. */
export const deviceQuery = async (
  { placard }: Pick<Session, 'placard'>,
  { status, store, tag, search }: Filter,
) => ({
  status,
  tag,
  search,
  store_id: store === undefined ? undefined : await findStore(placard, store),
});

interface Settings {
  name?: string;
  store?: string;
  tags?: string[];
  addTag?: string[];
  removeTag?: string[];
  orientation?: Orientation;
}

function parseOrientation(text: string): Orientation {
  const found = ORIENTATIONS.find((each) => each === text);
  if (!found) {
    throw new UsageError(`An orientation is ${ORIENTATIONS.join(', ')}.`);
  }
  return found;
}

const withSettings = (command: Command): Command =>
  command
    .option('--name <name>', 'what it is called')
    .option('--store <name>', 'the store it stands in; "none" for no store')
    .option('--tags <a,b>', 'its tags, instead of those it has', splitList)
    .option('--orientation <name>', ORIENTATIONS.join(', '), parseOrientation);

async function bodyOf({ placard }: Session, { name, store, tags, orientation }: Settings) {
  const storeId = store === undefined || store === 'none' ? null : await findStore(placard, store);
  return {
    ...(name !== undefined && { name }),
    ...(store !== undefined && { store_id: storeId }),
    ...(tags !== undefined && { tags }),
    ...(orientation !== undefined && { orientation }),
  };
}

export function addDeviceCommands(program: Command, open: OpenSession): void {
  const devices = program.command('devices').description('the screens');
  devices
    .command('list', { isDefault: true })
    .description('all screens, or those of a filter')
    .option('--status <status>', 'online or offline')
    .option('--store <name>', 'only of this store')
    .option('--tag <tag>', 'only with this tag')
    .option('--search <text>', 'part of the name')
    .action(async (filter: Filter) => {
      const session = await open();
      const { placard, out, signal } = session;
      out.list(await placard.devices.list(await deviceQuery(session, filter), { signal }).toArray(), COLUMNS);
    });
  devices
    .command('show <device>')
    .description('one screen: state, what it plays, faults')
    .action(async (text: string) => {
      const { placard, out, signal } = await open();
      const device = await placard.devices.get(await findDevice(placard, text), { signal });
      out.one(device, {
        id: device.id,
        name: device.name,
        status: device.status,
        'last seen': device.last_heartbeat,
        version: `${device.player_version} on ${device.platform}`,
        store: device.store_id,
        tags: device.tags,
        orientation: device.orientation,
        plays: device.current_playlist?.name ?? device.current_playlist?.id,
        'up to date':
          device.configuration.manifest_revision === device.configuration.applied_manifest_revision,
        faults: device.faults.map(({ code, since }) => `${code} since ${since}`),
      });
    });
  withSettings(devices.command('set <devices...>').description('change screens, called by name or id'))
    .option('--add-tag <a,b>', 'tags to add', splitList)
    .option('--remove-tag <a,b>', 'tags to take away', splitList)
    .action(async (names: string[], settings: Settings) => {
      const session = await open();
      const { placard, out, signal } = session;
      const body = await bodyOf(session, settings);
      const { addTag = [], removeTag = [] } = settings;
      if (Object.keys(body).length + addTag.length + removeTag.length === 0) {
        throw new UsageError('What is to change? See "placard devices set --help".');
      }
      const changed: Device[] = [];
      for (const text of names) {
        const id = await findDevice(placard, text);
        const more = addTag.length + removeTag.length === 0 ? {} : await tagsOf(session, id, settings);
        changed.push(await placard.devices.update(id, { ...body, ...more }, { signal }));
      }
      out.list(changed, COLUMNS);
    });
  devices
    .command('remove <device>')
    .description('remove a screen for good: it shows the pairing screen again')
    .option('--yes', 'really')
    .action(async (text: string, { yes }: { yes?: true }) => {
      const { placard, out, signal } = await open();
      const id = await findDevice(placard, text);
      if (!yes) {
        throw new UsageError(`This removes ${id} for good; add --yes.`);
      }
      out.done(`Removed ${id}.`, await placard.devices.delete(id, { signal }));
    });
  withSettings(program.command('pair <code>').description('pair the screen that shows this code')).action(
    async (code: string, settings: Settings) => {
      const session = await open();
      const { out, placard, signal } = session;
      const device = await placard.devices.pair({ code, ...(await bodyOf(session, settings)) }, { signal });
      out.done(`Paired ${device.name} (${device.id}).`, device);
    },
  );
}

/** The tags of a device with those that are to be added and without the others. */
async function tagsOf(
  { placard, signal }: Session,
  id: string,
  { tags, addTag = [], removeTag = [] }: Settings,
) {
  const before = tags ?? (await placard.devices.get(id, { signal })).tags;
  return { tags: [...new Set([...before, ...addTag])].filter((each) => !removeTag.includes(each)) };
}
