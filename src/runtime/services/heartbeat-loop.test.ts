import { Fault } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryMediaCache } from '../../../test/support/memory-media-cache.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import type { DeviceLink } from '../../core/ports.ts';
import { createWakeup } from '../base/wakeup.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createHeartbeatLoop } from './heartbeat-loop.ts';

const MINUTE_MS = 60_000;
const never = () => new Promise<never>(() => {});

/** Players powered on at the same instant, on a network that blocks sockets. */
function createPlayersPoweredTogether(count: number) {
  const clock = createManualClock();
  const network = { away: false };
  const began = clock.monoMs();
  const beats = Array.from({ length: count }, (): number[] => []);
  const session = new AbortController();
  onTestFinished(() => session.abort());
  for (const [n, beatsMs] of beats.entries()) {
    const database = createMemoryDatabase();
    const link: DeviceLink = {
      async sendHeartbeat() {
        beatsMs.push(clock.monoMs() - began);
        if (network.away) {
          throw new Fault('cloud.unreachable', 'later', { reason: 'ECONNREFUSED' });
        }
        return {
          kind: 'ok',
          response: {
            server_time: new Date(clock.wallMs()).toISOString(),
            manifest_revision: 'r1',
            commands: [],
            next_heartbeat_in: 60,
          },
        };
      },
      fetchManifest: never,
      sendPlays: never,
      reportCommandStatus: never,
      sendScreenshot: never,
      sendLogs: never,
      answerLive: never,
      sendCapabilities: never,
      openSocket: never,
    };
    const loop = createHeartbeatLoop({
      clock,
      database,
      link,
      random: createSeededRandom(n + 1),
      media: createMemoryMediaCache({ index: database, maxCacheBytes: null }),
      telemetry: {
        sample: async () => ({
          cpu_percent: null,
          memory_percent: null,
          disk_percent: null,
          temperature_celsius: null,
          wifi_signal_dbm: null,
        }),
        hardware: never,
        interfaces: never,
      },
      playerState: createPlayerState({ clock }),
      wakeup: createWakeup(clock),
      playerVersion: '1.0.0',
      shell: 'test',
      uptimeSeconds: () => 1,
      frames: () => null,
      starts: () => undefined,
      onCommands: () => {},
      onTargetRevision: () => {},
      onOnline: () => {},
      onUnpaired: () => {},
      log: createRecordingLog(),
    });
    void loop.run(session.signal);
  }
  return { clock, network, beats };
}

test.each([
  ['is reachable', false],
  ['becomes reachable for all of them at once', true],
])('heartbeats of players powered on together spread out when the cloud %s', async (_, away) => {
  const { clock, network, beats } = createPlayersPoweredTogether(20);
  network.away = away;
  await clock.advance(3 * 60 * MINUTE_MS);
  const lastSeconds = beats.map((beatsMs) => Math.floor(beatsMs.at(-1)! / 1_000));
  expect(new Set(lastSeconds).size).toBeGreaterThan(10);
  // Never later than the interval, because the cloud counts missed heartbeats; and hardly sooner.
  for (const beatsMs of beats) {
    const waits = beatsMs.slice(1).map((atMs, i) => atMs - beatsMs[i]!);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE_MS);
    expect(Math.min(...waits)).toBeGreaterThan(0.94 * MINUTE_MS);
  }
});
