import type { Manifest, ServerMessage, WireCommand } from '@placard/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CloudLink, DeviceLink } from '../../src/core/ports.ts';
import { startFakeCloud } from '../support/fake-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sketchManifest } from '../support/manifests.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { hello, openLink, START } from '../support/open-link.ts';

/** A link, and the cloud behind it as an operator moves it. */
interface Subject {
  link: CloudLink;
  readonly setManifest: (manifest: Manifest) => void;
  readonly confirm: () => void;
  readonly unpair: () => void;
  readonly command: (command: WireCommand) => void;
  readonly goAway: () => Promise<void>;
}

async function overHttp(): Promise<Subject> {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  return { link: openLink(cloud.url), ...cloud, goAway: () => cloud.stop() };
}

async function inMemory(): Promise<Subject> {
  const cloud = createMemoryCloud({ clock: createManualClock() });
  return {
    link: cloud,
    setManifest: (manifest) => cloud.setManifest(manifest),
    confirm: () => cloud.confirm(),
    unpair: () => cloud.unpair(),
    command: (command) => cloud.command(command),
    goAway: async () => {
      cloud.away = true;
    },
  };
}

const signal = new AbortController().signal;
const BEAT = {
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
async function pair({ link, confirm }: Subject): Promise<DeviceLink> {
  const answer = await link.startPairing(START, signal);
  const session = {
    pairingId: answer.pairing_id,
    pollToken: answer.poll_token,
    code: answer.code,
    verificationUrl: answer.verification_url,
    verificationUrlComplete: answer.verification_url_complete,
    expiresAtMs: Date.parse(answer.expires_at),
    intervalMs: answer.interval * 1_000,
  };
  expect(await link.pollPairing(session, signal)).toMatchObject({ kind: 'pending' });
  confirm();
  const paired = await link.pollPairing(session, signal);
  if (paired.kind !== 'paired') throw new Error(`not paired but ${paired.kind}`);
  // A lost reply strands nobody: the same question has the same answer.
  expect(await link.pollPairing(session, signal)).toEqual(paired);
  return link.device(paired.identity.deviceToken);
}

describe.each([
  ['over HTTP', overHttp],
  ['in memory', inMemory],
])('the cloud link %s', (_, make) => {
  test('pairs, and gives the manifest when it is another one', async () => {
    const subject = await make();
    const device = await pair(subject);
    const manifest = sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    subject.setManifest(manifest);
    expect(await device.manifest(null, signal)).toMatchObject({ kind: 'manifest', manifest });
    expect(await device.manifest('r1', signal)).toEqual({ kind: 'unchanged' });
  });

  test('is probed without a token, and pairs or unpairs nobody by it', async () => {
    const subject = await make();
    const { roundTripMs, clockOffMs } = await subject.link.probe(signal);
    expect(roundTripMs).toBeGreaterThan(0);
    // The header that tells it has whole seconds.
    expect(Math.abs(clockOffMs ?? Number.NaN)).toBeLessThan(5_000);
    await subject.goAway();
    await expect(subject.link.probe(signal)).rejects.toMatchObject({ code: 'cloud.unreachable' });
  });

  test('hands commands over with the heartbeat until they are acknowledged', async () => {
    const subject = await make();
    const device = await pair(subject);
    subject.command(COMMAND);
    expect(await device.heartbeat(BEAT, signal)).toMatchObject({ answer: { commands: [COMMAND] } });
    expect(await device.commandStatus('cmd_1', { status: 'acknowledged' }, signal)).toEqual({ kind: 'ok' });
    expect(await device.heartbeat(BEAT, signal)).toMatchObject({ answer: { commands: [] } });
  });

  test('takes a play as often as it is sent', async () => {
    const device = await pair(await make());
    const taken = { kind: 'ok', answer: { accepted: [PLAY.id], rejected: [] } };
    expect(await device.plays([PLAY], signal)).toEqual(taken);
    expect(await device.plays([PLAY], signal)).toEqual(taken);
  });

  test('greets on the socket, pushes what changes, and ends with the signal', async () => {
    const subject = await make();
    const device = await pair(subject);
    const stop = new AbortController();
    const heard: ServerMessage['type'][] = [];
    const ended = device.listen(
      {
        hello,
        onMessage(message) {
          heard.push(message.type);
          if (message.type === 'welcome')
            queueMicrotask(() => subject.setManifest(sketchManifest({ playlists: {} })));
          if (message.type === 'manifest_changed') subject.command(COMMAND);
          if (message.type === 'command') stop.abort();
        },
      },
      stop.signal,
    );
    expect(await ended).toMatchObject({ kind: 'closed', welcomed: true });
    expect(heard).toEqual(['welcome', 'manifest_changed', 'command']);
  });

  test('says that the device is unpaired, to calls and on the socket', async () => {
    const subject = await make();
    const device = await pair(subject);
    const ended = device.listen({ hello, onMessage: () => queueMicrotask(subject.unpair) }, signal);
    expect(await ended).toEqual({ kind: 'unpaired' });
    expect(await device.manifest(null, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.heartbeat(BEAT, signal)).toEqual({ kind: 'unpaired' });
    expect(await device.plays([PLAY], signal)).toEqual({ kind: 'unpaired' });
    await expect(device.listen({ hello, onMessage: () => {} }, signal)).rejects.toMatchObject({
      code: 'cloud.refused',
    });
  });

  test('that leads nowhere is a fault, and unpairs nobody', async () => {
    const subject = await make();
    const device = await pair(subject);
    await subject.goAway();
    const fault = { code: 'cloud.unreachable' };
    await expect(device.heartbeat(BEAT, signal)).rejects.toMatchObject(fault);
    await expect(device.manifest(null, signal)).rejects.toMatchObject(fault);
    await expect(device.plays([PLAY], signal)).rejects.toMatchObject(fault);
    await expect(device.listen({ hello, onMessage: () => {} }, signal)).rejects.toMatchObject(fault);
    await expect(subject.link.startPairing(START, signal)).rejects.toMatchObject(fault);
  });
});
