import type { Command } from 'commander';
import { DEVICE_COLUMNS } from '../device-columns.ts';
import { bodyOf, withSettings } from '../device-settings.ts';
import type { Settings } from '../device-settings.ts';
import { findDevice, findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { OpenSession, Session } from '../session.ts';
import { addSetCommand } from './set-devices.ts';

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
      out.list(
        await placard.devices.list(await deviceQuery(session, filter), { signal }).toArray(),
        DEVICE_COLUMNS,
      );
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
  addSetCommand(devices, open);
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
