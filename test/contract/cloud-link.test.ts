import type { Manifest, PushedMessage, WireCommand } from '@placard/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CloudLink, DeviceLink } from '../../src/core/ports.ts';
import { startFakeCloud } from '../support/fake-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { buildManifest } from '../support/manifests.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { helloMessage, openCloudLink, PAIRING_REQUEST } from '../support/open-cloud-link.ts';

/** A link, and the cloud behind it as an operator controls it. */
interface Subject {
  link: CloudLink;
  readonly setManifest: (manifest: Manifest) => void;
  readonly confirmPairing: () => void;
  readonly unpair: () => void;
  readonly sendCommand: (command: WireCommand) => void;
  readonly goAway: () => Promise<void>;
}

async function overHttp(): Promise<Subject> {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  return { link: openCloudLink(cloud.url), ...cloud, goAway: () => cloud.stop() };
}

async function inMemory(): Promise<Subject> {
  const cloud = createMemoryCloud({ clock: createManualClock() });
  return {
    link: cloud,
    setManifest: (manifest) => cloud.setManifest(manifest),
    confirmPairing: () => cloud.confirmPairing(),
    unpair: () => cloud.unpair(),
    sendCommand: (command) => cloud.sendCommand(command),
    goAway: async () => {
      cloud.unreachable = true;
    },
  };
}

const signal = new AbortController().signal;
const HEARTBEAT = {
  samples: [],
  state: {
    player_version: '1.0.0',
    shell: 'test',
    uptime_seconds: 1,
    applied_manifest_revision: null,
    current: null,
    storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
    faults: [],
  },
};
const COMMAND: WireCommand = { id: 'cmd_1', command: 'REFRESH', expires_at: '2030-01-01T00:00:00.000Z' };
const PLAY = {
  id: `play_${'0'.repeat(26)}`,
  content_id: 'asset_a',
  playlist_id: 'pl',
  schedule_id: null,
  rule_id: null,
  started_at: '2026-11-20T12:00:00.000Z',
  ended_at: '2026-11-20T12:00:10.000Z',
  duration_ms: 10_000,
  outcome: 'completed' as const,
  reason: null,
};
async function pair({ link, confirmPairing }: Subject): Promise<DeviceLink> {
  const response = await link.startPairing(PAIRING_REQUEST, signal);
  const session = {
    pairingId: response.pairing_id,
    pollToken: response.poll_token,
    code: response.code,
    verificationUrl: response.verification_url,
    verificationUrlComplete: response.verification_url_complete,
    expiresAtMs: Date.parse(response.expires_at),
    intervalMs: response.interval * 1_000,
  };
  expect(await link.pollPairing(session, signal)).toMatchObject({ kind: 'pending' });
  confirmPairing();
  const paired = await link.pollPairing(session, signal);
  if (paired.kind !== 'paired') {
    throw new Error(`expected the poll to return paired, got ${paired.kind}`);
  }
  // After a lost response, polling again returns the same result.
  expect(await link.pollPairing(session, signal)).toEqual(paired);
  return link.createDeviceLink(paired.identity.deviceToken);
}

describe.each([
  ['over HTTP', overHttp],
  ['in memory', inMemory],
])('the cloud link %s', (_, make) => {
  test('pairs, and returns the manifest when its revision differs', async () => {
    const subject = await make();
    const device = await pair(subject);
    const manifest = buildManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    subject.setManifest(manifest);
    expect(await device.fetchManifest(null, signal)).toMatchObject({ kind: 'manifest', manifest });
    expect(await device.fetchManifest('r1', signal)).toEqual({ kind: 'unchanged' });
  });

  test('can be checked without a token, which does not change the pairing', async () => {
    const subject = await make();
    const { roundTripMs, clockOffsetMs } = await subject.link.probe(signal);
    expect(roundTripMs).toBeGreaterThan(0);
    // The Date header has a resolution of one second.
    expect(Math.abs(clockOffsetMs ?? Number.NaN)).toBeLessThan(5_000);
    await subject.goAway();
    await expect(subject.link.probe(signal)).rejects.toMatchObject({ code: 'cloud.unreachable' });
  });

  test('returns commands with the heartbeat until they are acknowledged', async () => {
    const subject = await make();
    const device = await pair(subject);
    subject.sendCommand(COMMAND);
    expect(await device.sendHeartbeat(HEARTBEAT, signal)).toMatchObject({
      response: { commands: [COMMAND] },
    });
    expect(await device.reportCommandStatus('cmd_1', { status: 'acknowledged' }, signal)).toEqual({
      kind: 'ok',
    });
    expect(await device.sendHeartbeat(HEARTBEAT, signal)).toMatchObject({ response: { commands: [] } });
  });

  test('accepts a play each time it is sent', async () => {
    const device = await pair(await make());
    const taken = { kind: 'ok', response: { accepted: [PLAY.id], rejected: [] } };
    expect(await device.sendPlays([PLAY], signal)).toEqual(taken);
    expect(await device.sendPlays([PLAY], signal)).toEqual(taken);
  });

  test('sends hello on the socket, receives pushes, and ends with the signal', async () => {
    const subject = await make();
    const device = await pair(subject);
    const stop = new AbortController();
    const receivedTypes: PushedMessage['type'][] = [];
    const ended = device.openSocket(
      {
        hello: helloMessage,
        onMessage(message) {
          receivedTypes.push(message.type);
          if (message.type === 'welcome') {
            queueMicrotask(() => subject.setManifest(buildManifest({ playlists: {} })));
          }
          if (message.type === 'manifest_changed') {
            subject.sendCommand(COMMAND);
          }
          if (message.type === 'command') {
            stop.abort();
          }
        },
      },
      stop.signal,
    );
    expect(await ended).toMatchObject({ kind: 'closed', welcomed: true });
    expect(receivedTypes).toEqual(['welcome', 'manifest_changed', 'command']);
  });

  test('reports that the device is unpaired, to calls and on the socket', async () => {
    const subject = await make();
    const device = await pair(subject);
    const ended = device.openSocket(
      { hello: helloMessage, onMessage: () => queueMicrotask(subject.unpair) },
      signal,
    );
    expect(await ended).toEqual({ kind: 'unpaired' });
    expect(await device.fetchManifest(null, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.sendHeartbeat(HEARTBEAT, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.sendPlays([PLAY], signal)).toEqual({ kind: 'unpaired' });
    await expect(
      device.openSocket({ hello: helloMessage, onMessage: () => {} }, signal),
    ).rejects.toMatchObject({
      code: 'cloud.refused',
    });
  });

  test('to an unreachable server fails with a fault, and does not unpair', async () => {
    const subject = await make();
    const device = await pair(subject);
    await subject.goAway();
    const fault = { code: 'cloud.unreachable' };
    await expect(device.sendHeartbeat(HEARTBEAT, signal)).rejects.toMatchObject(fault);
    await expect(device.fetchManifest(null, signal)).rejects.toMatchObject(fault);
    await expect(device.sendPlays([PLAY], signal)).rejects.toMatchObject(fault);
    await expect(
      device.openSocket({ hello: helloMessage, onMessage: () => {} }, signal),
    ).rejects.toMatchObject(fault);
    await expect(subject.link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject(fault);
  });
});
