import { ERRORS, target as targetSchema } from '@placard/protocol/api';
import type { ErrorCode } from '@placard/protocol/api';
import type { Target } from '@placard/schedule';
import { z } from 'zod';
import type { Repositories } from '../../database/cloud-database.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { StoreAccess, StoreAccessCall } from '../../http-server/operation-route.ts';

/** Throws when a call concerns more than the stores that the person is bound to. */
type Rule = (repositories: Repositories, call: StoreAccessCall) => Promise<void>;

const open: Rule = async () => {};

const refused = (message = 'This concerns all stores, and you are bound to some of them.') =>
  new ApiError('STORE_NOT_ALLOWED', message);
/** As if it did not exist: what is in other stores is not told. */
const notFound = (code: ErrorCode) => new ApiError(code, ERRORS[code].summary);

const idSchema = z.object({ id: z.string() });
const idOf = ({ params }: StoreAccessCall): string => idSchema.parse(params).id;
/** A field of the body or query; null when it is missing. */
const fieldOf = (values: unknown, name: string): unknown =>
  typeof values === 'object' && values !== null ? (Reflect.get(values, name) ?? null) : null;

async function requireOwnDevice({ devices }: Repositories, id: unknown, { stores }: StoreAccessCall) {
  const row = typeof id === 'string' ? await devices.find(id) : undefined;
  if (!row || row.store_id === null || !stores.includes(row.store_id)) {
    throw notFound('DEVICE_NOT_FOUND');
  }
}

const ownDevice: Rule = (repositories, call) => requireOwnDevice(repositories, idOf(call), call);

/** A list that may be narrowed to one of their devices. */
const listOfOwnDevices: Rule = async (repositories, call) => {
  const device = fieldOf(call.query, 'device_id');
  if (device !== null) {
    await requireOwnDevice(repositories, device, call);
  }
};

/** A report that is narrowed to one of their devices. */
const reportOfOwnDevice: Rule = async (repositories, call) => {
  await requireOwnDevice(repositories, fieldOf(call.query, 'device_id'), call).catch(() => {
    throw refused('Name one of your devices with device_id: you are bound to stores.');
  });
};

/** Devices stay in their stores. */
const updateOwnDevice: Rule = async (repositories, call) => {
  await ownDevice(repositories, call);
  const { body, stores } = call;
  const isMoved = typeof body === 'object' && body !== null && Reflect.get(body, 'store_id') !== undefined;
  if (isMoved && !stores.some((id) => id === fieldOf(body, 'store_id'))) {
    throw refused('A device can be moved only to a store that you are bound to.');
  }
};

const pairForOwnStore: Rule = async (_repositories, { body, stores }) => {
  if (!stores.some((id) => id === fieldOf(body, 'store_id'))) {
    throw refused('Name one of your stores with store_id: the device is paired for it.');
  }
};

const ownStore: Rule = async (_repositories, call) => {
  if (!call.stores.includes(idOf(call))) {
    throw notFound('STORE_NOT_FOUND');
  }
};

const ownCommand: Rule = async (repositories, call) => {
  const command = await repositories.commands.find(idOf(call));
  if (!command) {
    throw notFound('COMMAND_NOT_FOUND');
  }
  await requireOwnDevice(repositories, command.device_id, call).catch(() => {
    throw notFound('COMMAND_NOT_FOUND');
  });
};

/** Whether targets reach nothing but devices of the stores. A tag reaches whoever has it, tomorrow others than today. */
async function areWithin({ devices }: Repositories, targets: readonly Target[], stores: readonly string[]) {
  for (const target of targets) {
    if (target.type === 'device') {
      const row = await devices.find(target.id);
      if (!row || row.store_id === null || !stores.includes(row.store_id)) {
        return false;
      }
    } else if (target.type !== 'store' || !stores.includes(target.id)) {
      return false;
    }
  }
  return true;
}

const deployToOwn: Rule = async (repositories, { body, stores }) => {
  const targets = z.array(targetSchema).parse(fieldOf(body, 'targets'));
  if (!(await areWithin(repositories, targets, stores))) {
    throw refused('Deploy to your stores, or to devices in them: you are bound to these.');
  }
};

/** A playlist that is shown in other stores is changed by somebody who is not bound. */
const ownPlaylist: Rule = async (repositories, call) => {
  if (await repositories.playlists.isShownElsewhere(idOf(call), call.stores)) {
    throw refused('This playlist is also shown in stores that you are not bound to. Make one of your own.');
  }
};

/**
 * What a person who is bound to stores may call. Every other operation is refused: a new one is closed to them until
 * somebody has thought about it. What lists, counts, deployments, schedules and alerts tell is narrowed to their stores in the queries
 * (`actor.stores` in the handlers).
 */
const RULES: Readonly<Record<string, Rule>> = {
  getOwnAccount: open,
  getOrganization: open,
  listContent: open,
  getContent: open,
  listRenditions: open,
  listContentWarnings: open,
  uploadContent: open,
  importContent: open,
  // Of whoever began them.
  createUpload: open,
  getUpload: open,
  appendUpload: open,
  deleteUpload: open,
  listFolders: open,
  getFolder: open,
  listPlaylists: open,
  getPlaylist: open,
  createPlaylist: open,
  updatePlaylist: ownPlaylist,
  addPlaylistItem: ownPlaylist,
  removePlaylistItem: ownPlaylist,
  deployPlaylist: deployToOwn,
  listDeployments: listOfOwnDevices,
  getDeployment: open,
  listSchedules: open,
  getSchedule: open,
  listDevices: open,
  countDevices: open,
  getDevice: ownDevice,
  updateDevice: updateOwnDevice,
  pairDevice: pairForOwnStore,
  sendCommand: ownDevice,
  requestScreenshot: ownDevice,
  takeLivePicture: ownDevice,
  getScreenshot: ownDevice,
  getScreenshotImage: ownDevice,
  requestLogs: ownDevice,
  readLiveLog: ownDevice,
  getLogs: ownDevice,
  getLogFile: ownDevice,
  listHeartbeats: ownDevice,
  getActiveSchedule: ownDevice,
  getTimeline: ownDevice,
  listTimeline: open,
  listCommands: reportOfOwnDevice,
  getCommand: ownCommand,
  listStores: open,
  getStore: ownStore,
  updateStore: ownStore,
  listTags: open,
  // Rules, mutes and mails are of all stores.
  listAlerts: open,
  getAlert: open,
  listAlertDevices: open,
  // Those of media, playlists, their devices and alerts about these alone.
  listEvents: open,
  getPlays: reportOfOwnDevice,
  exportPlays: reportOfOwnDevice,
};

export const requireStoreAccess: StoreAccess = async (repositories, operationId, call) => {
  const rule = RULES[operationId];
  if (!rule) {
    throw refused();
  }
  await rule(repositories, call);
};
