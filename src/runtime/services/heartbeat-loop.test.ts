import { Fault } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryMedia } from '../../../test/support/memory-media.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { createSeededRandom } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import type { DeviceLink } from '../../core/ports.ts';
import { createBell } from '../bell.ts';
import { createBoard } from '../board.ts';
import { createHeartbeatLoop } from './heartbeat-loop.ts';

const MINUTE_MS = 60_000;
const never = () => new Promise<never>(() => {});

/** Boxes that got their power in the same instant, behind a network that lets no socket through. */
function boxesOfOneFuse(count: number) {
  const clock = createManualClock();
  const line = { away: false };
  const began = clock.mono();
  const beats = Array.from({ length: count }, (): number[] => []);
  const session = new AbortController();
  onTestFinished(() => session.abort());
  for (const [n, beatsMs] of beats.entries()) {
    const store = createMemoryStore();
    const link: DeviceLink = {
      async heartbeat() {
        beatsMs.push(clock.mono() - began);
        if (line.away) throw new Fault('cloud.unreachable', 'later', { reason: 'ECONNREFUSED' });
        return {
          kind: 'ok',
          answer: {
            server_time: new Date(clock.wall()).toISOString(),
            manifest_revision: 'r1',
            commands: [],
            next_heartbeat_in: 60,
          },
        };
      },
      manifest: never,
      plays: never,
      commandStatus: never,
      listen: never,
    };
    const loop = createHeartbeatLoop({
      clock,
      store,
      link,
      random: createSeededRandom(n + 1),
      media: createMemoryMedia({ index: store, maxCacheBytes: null }),
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
      board: createBoard({ clock }),
      bell: createBell(clock),
      playerVersion: '1.0.0',
      shell: 'test',
      uptimeSeconds: () => 1,
      frames: () => null,
      socketOpen: () => false,
      onCommands: () => {},
      onRevision: () => {},
      onOnline: () => {},
      onUnpaired: () => {},
      log: createQuietLog(),
    });
    void loop.run(session.signal);
  }
  return { clock, line, beats };
}

test.each([
  ['that is there', false],
  ['that is out of reach, and comes back to all of them at once', true],
])('boxes that got their power together do not for ever call together on a cloud %s', async (_, away) => {
  const { clock, line, beats } = boxesOfOneFuse(20);
  line.away = away;
  await clock.advance(3 * 60 * MINUTE_MS);
  const lastSeconds = beats.map((beatsMs) => Math.floor(beatsMs.at(-1)! / 1_000));
  expect(new Set(lastSeconds).size).toBeGreaterThan(10);
  // Never later than the cloud expects it, which counts the ones that are missed; hardly sooner.
  for (const beatsMs of beats) {
    const waits = beatsMs.slice(1).map((atMs, i) => atMs - beatsMs[i]!);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE_MS);
    expect(Math.min(...waits)).toBeGreaterThan(0.94 * MINUTE_MS);
  }
});
