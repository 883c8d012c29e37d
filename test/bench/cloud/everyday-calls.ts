/** What screens and customers request all the time. */
import { randomBytes } from 'node:crypto';
import { heartbeatRequest, makeId } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import { Agent } from 'undici';
import { buildPlay } from '../../../packages/cloud/test/trials/support/paired-device.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import { EVERY_TAG, HUNDRED_TAG } from './fill-database.ts';
import type { FilledDatabase } from './fill-database.ts';
import { inRandomOrder } from './fleet-history.ts';

/** Of one who reads, such as a browser with some pages. */
export const READER_CONNECTIONS = 8;

/** Every tenth edit concerns all devices, the others a hundred. */
const EDITS_OF_ALL = 10;

/**
 * Changes playlists in turn, one at the first node and one at the last, with keys in turn, because each has a rate limit.
 */
export async function prepareEdits({
  clouds,
  writeKeys,
}: {
  clouds: readonly { url: string; adminKey: string }[];
  writeKeys: readonly string[];
}): Promise<() => Promise<void>> {
  const all = await deployPlaylist(clouds[0]!, EVERY_TAG);
  const hundred = await deployPlaylist(clouds.at(-1)!, HUNDRED_TAG);
  let turn = 0;
  return async () => {
    const edit = turn % EDITS_OF_ALL === 0 ? all : hundred;
    await edit(10 + (turn % 1_000), writeKeys[turn % writeKeys.length]);
    turn += 1;
  };
}

/** The connections of screens and those of a reader, whose reads would otherwise wait for heartbeats that wait for a commit. */
export function createAgents(screenConnections: number) {
  const screens = new Agent({ connections: screenConnections });
  const reader = new Agent({ connections: READER_CONNECTIONS });
  return { screens, reader, destroy: () => Promise.all([screens.destroy(), reader.destroy()]) };
}

/** A request; rejects if it is refused. */
async function call(
  agent: Agent,
  origin: string,
  method: 'GET' | 'POST',
  path: string,
  token: string,
  body?: object,
): Promise<void> {
  const response = await agent.request({
    origin,
    method,
    path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200) {
    throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
  }
}

/** What reads need. */
export interface ReadsOf {
  /** Of the nodes. */
  urls: readonly string[];
  deviceIds: readonly string[];
  readKeys: readonly string[];
}

/** One device and a list of a hundred in turn, each at the next node. */
export function createReads({ urls, deviceIds, readKeys }: ReadsOf, agent: Agent): () => Promise<void> {
  let turn = 0;
  return async () => {
    const path =
      turn % 2 === 0 ? `/v1/devices/${deviceIds[turn % deviceIds.length]!}` : '/v1/devices?limit=100';
    const [origin, key] = [urls[turn % urls.length]!, readKeys[turn % readKeys.length]!];
    turn += 1;
    await call(agent, origin, 'GET', path, key);
  };
}

/** Heartbeats, plays and reads of devices in turn, each at the next node. A call that is refused rejects. */
export function createCalls(
  {
    urls,
    devices,
    readKeys,
  }: Pick<FilledDatabase, 'devices' | 'readKeys'> & {
    /** Of the nodes. */
    urls: readonly string[];
  },
  { screens, reader }: Pick<ReturnType<typeof createAgents>, 'screens' | 'reader'>,
) {
  const {
    samples: [sample],
    state,
  } = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);
  const contentId = makeId('asset', Date.now(), randomBytes(16));
  const reporting = inRandomOrder(devices);
  let callTurn = 0;
  let heartbeatTurn = 0;
  let playTurn = 0;

  const nextOrigin = () => urls[callTurn++ % urls.length]!;

  return {
    sendHeartbeat: async () => {
      const { token } = reporting[heartbeatTurn++ % reporting.length]!;
      const samples = [{ ...sample, measured_at: new Date().toISOString() }];
      await call(screens, nextOrigin(), 'POST', '/v1/player/heartbeats', token, { samples, state });
    },
    sendPlay: async () => {
      const { token } = reporting[playTurn++ % reporting.length]!;
      const nowMs = Date.now();
      const plays = [buildPlay(makeId('play', nowMs, randomBytes(16)), contentId, nowMs - 10_000)];
      await call(screens, nextOrigin(), 'POST', '/v1/player/plays', token, { plays });
    },
    read: createReads({ urls, deviceIds: devices.map(({ id }) => id), readKeys }, reader),
  };
}
