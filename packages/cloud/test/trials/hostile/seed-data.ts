import { operations } from '@placard/protocol/api';
import type { Api } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { randomPng } from '../support/media.ts';
import { pairDevice } from '../support/paired-device.ts';
import { multipart } from '../support/multipart.ts';
import type { AttackConfig } from './attack/messages.ts';

/** Data in the cloud before the trial starts. */
export interface SeedData {
  screens: { deviceId: string; token: string; from: string }[];
  contentId: string;
  playlistId: string;
  scheduleId: string;
  readKey: string;
  writeKey: string;
  /** Secrets known to the attackers. */
  leakedSecrets: Pick<
    AttackConfig,
    'writeKeys' | 'readKey' | 'cleanerKey' | 'deviceToken' | 'playlistId' | 'screens'
  >;
}

const LEAKED_WRITE_KEYS = 4;
/** Half of the devices share an address with attackers, as behind one router. */
const addressOf = (index: number): string =>
  index % 2 === 0 ? '127.0.0.1' : `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`;
const serialOf = (index: number): string => `STEADY-${index}`;

/** Pairs the devices, gives them a playlist and a schedule, and creates the keys. */
export async function seedCloud(deps: {
  api: Api;
  client: HttpClient;
  ring: KeyRing;
  screens: number;
}): Promise<SeedData> {
  const { api, client, ring } = deps;
  const screens: SeedData['screens'] = [];
  for (let index = 0; index < deps.screens; index++) {
    // Pairing uses other addresses, so that the rate limit of the devices' address is not used up.
    const paired = await pairDevice(
      api,
      serialOf(index),
      { name: `steady screen ${index}`, tags: ['steady'] },
      `127.3.0.${1 + (index % 250)}`,
    );
    screens.push({ ...paired, from: addressOf(index) });
  }
  const openedDevice = await pairDevice(api, 'OPENED', { name: 'opened screen' }, '127.3.1.1');
  const { body, contentType } = multipart(
    { name: 'picture of all' },
    { fileName: 'x.png', contentType: 'image/png', bytes: randomPng(60, 60) },
  );
  const uploaded = await client.send({
    method: 'POST',
    path: '/v1/content/upload',
    key: await ring.take(),
    headers: { 'content-type': contentType },
    body,
  });
  assert(uploaded.status === 201, 'the upload was rejected', uploaded.text);
  const contentId = operations.uploadContent.data.parse(uploaded.data).id;
  const items = [{ content_id: contentId, duration: 10 }];
  const playlist = await api.expectSuccess(operations.createPlaylist, {
    body: { name: 'playlist of all', items },
  });
  const targets = [{ type: 'tag', value: 'steady' }];
  await api.expectSuccess(operations.deployPlaylist, { params: { id: playlist.id }, body: { targets } });
  const rule = { playlist_id: playlist.id, start_time: '00:00', end_time: '24:00', days: ['MON', 'SUN'] };
  const schedule = await api.expectSuccess(operations.createSchedule, {
    body: { name: 'schedule of all', targets, rules: [rule] },
  });
  const makeKey = async (name: string, scope: 'Read' | 'Write' | 'Admin') =>
    (await api.expectSuccess(operations.createApiKey, { body: { name, scope } })).key;
  const writeKeys: string[] = [];
  for (let n = 0; n < LEAKED_WRITE_KEYS; n++) {
    writeKeys.push(await makeKey(`leaked ${n}`, 'Write'));
  }
  return {
    screens,
    contentId,
    playlistId: playlist.id,
    scheduleId: schedule.id,
    readKey: await makeKey('steady reader', 'Read'),
    // Deleting needs an Admin key.
    writeKey: await makeKey('steady writer', 'Admin'),
    leakedSecrets: {
      writeKeys,
      readKey: await makeKey('leaked reader', 'Read'),
      cleanerKey: await makeKey('cleaner', 'Admin'),
      deviceToken: openedDevice.token,
      playlistId: playlist.id,
      screens: screens.map(({ deviceId, from }, index) => ({
        deviceId,
        serial: serialOf(index),
        address: from,
      })),
    },
  };
}
