import { operations } from '@placard/protocol/api';
import type { Api } from '../support/api.ts';
import { must } from '../support/breach.ts';
import type { Client } from '../support/client.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { noisePng } from '../support/media.ts';
import { pairScreen } from '../support/player.ts';
import { multipart } from '../support/upload.ts';
import type { Orders } from './attack/messages.ts';

/** What is in the cloud before it begins. */
export interface Scenery {
  screens: { deviceId: string; token: string; from: string }[];
  contentId: string;
  playlistId: string;
  scheduleId: string;
  readKey: string;
  writeKey: string;
  /** What the hostile side knows. */
  leaked: Pick<Orders, 'writeKeys' | 'readKey' | 'cleanerKey' | 'deviceToken' | 'playlistId' | 'screens'>;
}

const LEAKED_WRITE_KEYS = 4;
/** Half of the screens come from the address that is also one of the hostile side, as behind one router. */
const addressOf = (index: number): string =>
  index % 2 === 0 ? '127.0.0.1' : `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`;
const serialOf = (index: number): string => `STEADY-${index}`;

/** Pairs the screens, gives them a playlist and a schedule, and makes the keys. */
export async function furnish(deps: {
  api: Api;
  client: Client;
  ring: KeyRing;
  screens: number;
}): Promise<Scenery> {
  const { api, client, ring } = deps;
  const screens: Scenery['screens'] = [];
  for (let index = 0; index < deps.screens; index++) {
    // Codes are typed in from everywhere; the address of the screens keeps its allowance.
    const paired = await pairScreen(
      api,
      serialOf(index),
      { name: `steady screen ${index}`, tags: ['steady'] },
      `127.3.0.${1 + (index % 250)}`,
    );
    screens.push({ ...paired, from: addressOf(index) });
  }
  const other = await pairScreen(api, 'OPENED', { name: 'opened screen' }, '127.3.1.1');
  const { body, contentType } = multipart(
    { name: 'picture of all' },
    { fileName: 'x.png', contentType: 'image/png', bytes: noisePng(60, 60) },
  );
  const uploaded = await client.send({
    method: 'POST',
    path: '/v1/content/upload',
    key: await ring.take(),
    headers: { 'content-type': contentType },
    body,
  });
  must(uploaded.status === 201, 'the picture of all was refused', uploaded.text);
  const contentId = operations.uploadContent.data.parse(uploaded.data).id;
  const items = [{ content_id: contentId, duration: 10 }];
  const playlist = await api.get(operations.createPlaylist, { body: { name: 'playlist of all', items } });
  const targets = [{ type: 'tag', value: 'steady' }];
  await api.get(operations.deployPlaylist, { params: { id: playlist.id }, body: { targets } });
  const rule = { playlist_id: playlist.id, start_time: '00:00', end_time: '24:00', days: ['MON', 'SUN'] };
  const schedule = await api.get(operations.createSchedule, {
    body: { name: 'schedule of all', targets, rules: [rule] },
  });
  const makeKey = async (name: string, scope: 'Read' | 'Write' | 'Admin') =>
    (await api.get(operations.createApiKey, { body: { name, scope } })).key;
  const writeKeys: string[] = [];
  for (let n = 0; n < LEAKED_WRITE_KEYS; n++) writeKeys.push(await makeKey(`leaked ${n}`, 'Write'));
  return {
    screens,
    contentId,
    playlistId: playlist.id,
    scheduleId: schedule.id,
    readKey: await makeKey('steady reader', 'Read'),
    // Removing things takes an Admin key.
    writeKey: await makeKey('steady writer', 'Admin'),
    leaked: {
      writeKeys,
      readKey: await makeKey('leaked reader', 'Read'),
      cleanerKey: await makeKey('cleaner', 'Admin'),
      deviceToken: other.token,
      playlistId: playlist.id,
      screens: screens.map(({ deviceId, from }, index) => ({
        deviceId,
        serial: serialOf(index),
        address: from,
      })),
    },
  };
}
