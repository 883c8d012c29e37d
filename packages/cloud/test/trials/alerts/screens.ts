import { operations } from '@placard/protocol/api';
import { buildBlack, buildPicture } from '../../support/screen-pictures.ts';
import type { Api } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import type { HttpClient } from '../support/http-client.ts';
import { randomPng } from '../support/media.ts';
import { multipart } from '../support/multipart.ts';
import { buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import type { ClockedNodes } from './clocked-nodes.ts';
import { WATCHED_TAG, WELL } from './incidents.ts';
import type { Report } from './incidents.ts';

export const STEP_MS = 15_000;
/** Steps from one heartbeat of a screen to the next. */
export const STEPS_PER_HEARTBEAT = 4;
/** The shortest interval of pictures. */
const PICTURE_MINUTES = 5;
const STEPS_PER_PICTURE = (PICTURE_MINUTES * 60_000) / STEP_MS;
/** Too few of a store for an alert of the store when one of them has something. */
const SCREENS_PER_STORE = 4;
/** The first store is one of many screens. */
const SCREENS_OF_FIRST = 60;
const REQUESTS_AT_ONCE = 16;
/** Where it is open in the one, it is closed in the other. */
const ZONES = [
  { timezone: 'Asia/Kolkata', aheadMinutes: 330 },
  { timezone: 'Asia/Tashkent', aheadMinutes: 300 },
  { timezone: 'Asia/Tashkent', aheadMinutes: 300 },
] as const;
/** A manifest that no screen should show. */
const OLD_REVISION = '0'.repeat(20);

export interface Screen {
  id: string;
  token: string;
  report: Report | null;
  /** The manifest that it should show, as the cloud has last said. */
  revision: string | null;
  /** Whether its last heartbeat was answered; it is sent again at the next step otherwise. */
  isHeard: boolean;
  /** The step of its next picture; null: it sends none. */
  pictureStep: number | null;
  /** Pictures of its present report that the cloud has, and all. */
  pictures: number;
  allPictures: number;
}

export interface Store {
  id: string;
  /** Always. */
  isMuted: boolean;
  /** Whether the rule with a filter finds its screens. */
  isFiltered: boolean;
  /** Of its time zone, ahead of UTC. */
  aheadMinutes: number;
  screens: readonly Screen[];
}

export interface Fleet {
  stores: readonly Store[];
  /** What screens show that are well. */
  current: { playlist_id: string; item_id: string; content_id: string };
  pictures: { well: readonly string[]; frozen: string; black: string };
}

const toText = (image: Buffer | undefined): string => (image ?? Buffer.alloc(0)).toString('base64');

/** From now on the screen reports something else. */
export const setReport = (screen: Screen, report: Report | null): void => {
  Object.assign(screen, { report, pictures: 0 });
};

/** Stores with screens that are well, to which a playlist is deployed; one of them is muted, some send pictures. */
export async function prepareFleet(api: Api, adminKey: string, count: number): Promise<Fleet> {
  const stores: Store[] = [];
  let serial = 0;
  for (let index = 0; index < count; index++) {
    const { timezone, aheadMinutes } = ZONES[index % ZONES.length]!;
    const { id } = await api.expectSuccess(operations.createStore, {
      body: { name: `Store ${index}`, timezone },
    });
    const isFiltered = index % 2 === 0;
    const screens: Screen[] = [];
    for (let n = 0; n < (index === 0 ? SCREENS_OF_FIRST : SCREENS_PER_STORE); n++) {
      serial += 1;
      const from = `127.0.${1 + Math.floor(serial / 250)}.${1 + (serial % 250)}`;
      const fields = { store_id: id, tags: isFiltered ? [WATCHED_TAG] : [] };
      const { deviceId, token } = await pairDevice(api, `ALERT-${serial}`, fields, from);
      const sendsPictures = index % 6 === 2;
      if (sendsPictures) {
        await api.expectSuccess(operations.updateDevice, {
          params: { id: deviceId },
          body: { configuration: { screenshot_interval_minutes: PICTURE_MINUTES } },
        });
      }
      screens.push({
        id: deviceId,
        token,
        report: WELL,
        revision: null,
        isHeard: true,
        pictureStep: sendsPictures ? serial % STEPS_PER_PICTURE : null,
        pictures: 0,
        allPictures: 0,
      });
    }
    const isMuted = index === 1;
    if (isMuted) {
      const until = new Date(Date.UTC(2027, 5, 1)).toISOString();
      await api.expectSuccess(operations.createAlertMute, { body: { target: { type: 'store', id }, until } });
    }
    stores.push({ id, isMuted, isFiltered, aheadMinutes, screens });
  }
  const [one, other, third, black] = await Promise.all([...[1, 2, 3].map(buildPicture), buildBlack()]);
  return {
    stores,
    current: await deployPicture(api, adminKey, stores),
    pictures: { well: [toText(one), toText(other)], frozen: toText(third), black: toText(black) },
  };
}

/** Deploys a playlist with a picture to all stores; returns what screens then show. */
async function deployPicture(
  api: Api,
  adminKey: string,
  stores: readonly Store[],
): Promise<Fleet['current']> {
  const file = { fileName: 'picture.png', contentType: 'image/png', bytes: randomPng(32, 32) };
  const { body, contentType } = multipart({}, file);
  const uploaded = await api.client.send({
    method: 'POST',
    path: '/v1/content/upload',
    key: adminKey,
    body,
    headers: { 'content-type': contentType },
  });
  const { id } = operations.uploadContent.data.parse(uploaded.data);
  const playlist = await api.expectSuccess(operations.createPlaylist, {
    body: { name: 'All day', items: [{ content_id: id }] },
  });
  await api.expectSuccess(operations.deployPlaylist, {
    params: { id: playlist.id },
    body: { targets: stores.map((store) => ({ type: 'store', id: store.id })) },
  });
  return { playlist_id: playlist.id, item_id: playlist.items[0]?.id ?? '', content_id: id };
}

interface Sending {
  cloud: ClockedNodes;
  /** One for each node. */
  clients: readonly HttpClient[];
  fleet: Fleet;
}

/** The screens whose turn it is send heartbeats and pictures. Returns what went wrong with those that were not answered. */
export async function sendReports({ cloud, clients, fleet }: Sending, step: number): Promise<unknown[]> {
  const nowMs = cloud.nowMs();
  const running = cloud.running();
  const failures: unknown[] = [];
  let sent = 0;
  const post = (path: string, screen: Screen, json: object) => {
    const client = clients[running[sent++ % running.length]!]!;
    return client.send({ method: 'POST', path, key: screen.token, json });
  };
  const sendHeartbeat = async (screen: Screen, report: Report) => {
    screen.isHeard = false;
    const heartbeat = toHeartbeat(report, screen, fleet.current, nowMs);
    const answer = await post('/v1/player/heartbeats', screen, heartbeat);
    assert(answer.status === 200, 'a heartbeat must be answered', answer.text);
    screen.revision = operations.sendHeartbeats.data.parse(answer.data).manifest_revision;
    screen.isHeard = true;
  };
  const sendPicture = async (screen: Screen, report: Report, dueStep: number) => {
    const answer = await post('/v1/player/screenshots', screen, toPicture(report, screen, fleet, nowMs));
    // It had come before the cloud was killed, which could not say so.
    const hadCome = step > dueStep && answer.code === 'COMMAND_NOT_FOUND';
    assert(answer.status === 200 || hadCome, 'a picture must be taken', answer.text);
    screen.pictureStep = step + STEPS_PER_PICTURE;
    screen.pictures += 1;
    screen.allPictures += 1;
  };
  const queue: (() => Promise<void>)[] = [];
  for (const [index, screen] of fleet.stores.flatMap(({ screens }) => screens).entries()) {
    const { report, pictureStep } = screen;
    if (report !== null && (!screen.isHeard || (index + step) % STEPS_PER_HEARTBEAT === 0)) {
      queue.push(() => sendHeartbeat(screen, report));
    }
    if (report !== null && pictureStep !== null && pictureStep <= step) {
      queue.push(() => sendPicture(screen, report, pictureStep));
    }
  }
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        await next().catch((error: unknown) => failures.push(error));
      }
    }),
  );
  return failures;
}

function toHeartbeat(
  { version, faults, celsius, freeBytes, isBehind, isIdle }: Report,
  { revision }: Screen,
  current: Fleet['current'],
  nowMs: number,
) {
  const at = new Date(nowMs).toISOString();
  return {
    samples: [{ ...buildSample(nowMs), temperature_celsius: celsius }],
    state: {
      ...buildReportedState(isBehind ? OLD_REVISION : revision),
      player_version: version,
      current: isIdle ? null : { ...current, since: at },
      storage: { cache_bytes: 0, free_bytes: freeBytes, assets_held: 0, assets_missing: 0 },
      faults: faults.map((code) => ({ code, since: at, facts: {} })),
    },
  };
}

/** What the screen looks like. One that is well, or frozen, should show other content in each picture. */
function toPicture(
  { picture }: Report,
  { allPictures }: Screen,
  { current, pictures }: Fleet,
  nowMs: number,
) {
  const at = new Date(nowMs).toISOString();
  const turn = allPictures % pictures.well.length;
  return {
    taken_at: at,
    current: { ...current, content_id: picture === 'black' ? 'asset_dark' : `asset_${turn}`, since: at },
    image: picture === 'well' ? pictures.well[turn] : pictures[picture],
  };
}
