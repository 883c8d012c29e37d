import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { makeAdminKey, startCloudProcess } from '../../packages/cloud/test/trials/support/cloud-process.ts';
import type { CloudProcess } from '../../packages/cloud/test/trials/support/cloud-process.ts';
import { deployPlaylist } from '../bench/cloud/deployed-playlist.ts';
import { waitUntil } from '../support/wait-until.ts';
import { readFleet } from './fleet/fleet-file.ts';
import { readLedger } from './ledger/read-ledger.ts';
import type { Ledger } from './ledger/read-ledger.ts';
import { freePort } from '../support/free-port.ts';

/** As many as may be paired from one address in ten minutes, less a few. */
const DEVICES = 50;

let folder = '';
let ledgerFolder = '';
let cloud: CloudProcess;
let cloudOptions: Parameters<typeof startCloudProcess>[0];
const running = new Set<ChildProcess>();

/** For busy machines: on a tenth of a core few devices get through. */
const BUSY_MS = 180_000;
vi.setConfig({ testTimeout: 3 * BUSY_MS });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-simulate-'));
  ledgerFolder = join(folder, 'ledger');
  cloudOptions = { dataDir: join(folder, 'cloud'), port: await freePort(), adminKey: makeAdminKey() };
  cloud = await startCloudProcess(cloudOptions);
  await deployPlaylist(cloud, 'simulated');
}, 120_000);

// The audit of a later test would find what a simulator sends meanwhile.
afterEach(async () => {
  for (const child of running) {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
});

afterAll(async () => {
  await cloud.stop();
  await rm(folder, { recursive: true });
});

const summaryLine = z.looseObject({
  summary: z.string(),
  /** Of the audit: what is wrong. */
  examples: z.array(z.string()).optional(),
});

function startSimulator(...args: string[]) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), ...args, '--server', cloud.url, '--ledger', ledgerFolder],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PLACARD_ADMIN_KEY: cloud.adminKey } },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  running.add(child);
  child.once('close', () => running.delete(child));
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async end() {
      await closed;
      const lines = stdout.split('\n').slice(0, -1);
      return {
        code: child.exitCode,
        stderr,
        summaries: lines.map((line) => summaryLine.parse(JSON.parse(line))),
      };
    },
  };
}

/** Devices whose heartbeats, plays and disturbances come fast. */
const startFleet = (...args: string[]) =>
  startSimulator(
    ...args,
    ...`--devices ${DEVICES} --processes 2 --heartbeat-seconds 0.5 --play-seconds 0.5`.split(' '),
    ...'--disturb-minutes 0.05 --commands-per-minute 240 --media full --seed 11'.split(' '),
  );

const sizeOf = ({ devices, commands }: Ledger) => {
  const all = [...devices.values()];
  return {
    samples: all.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
    plays: all.reduce((sum, { plays }) => sum + plays.size, 0),
    reports: [...commands.values()].filter(({ reported }) => reported === 'succeeded').length,
  };
};

/** Until this much more was acknowledged than before. */
async function untilAcknowledged(more: { samples: number; plays: number; reports: number }): Promise<void> {
  const before = sizeOf(await readLedger(ledgerFolder));
  await waitUntil(
    `acknowledged ${JSON.stringify(more)}`,
    async () => {
      const now = sizeOf(await readLedger(ledgerFolder));
      return (
        now.samples >= before.samples + more.samples &&
        now.plays >= before.plays + more.plays &&
        now.reports >= before.reports + more.reports
      );
    },
    BUSY_MS,
  );
}

test('a fleet is paired once, speaks like players, and the audit finds nothing', async () => {
  expect(await startSimulator('--devices', String(DEVICES), '--pair-only').end()).toMatchObject({ code: 0 });
  const { devices } = readFleet(ledgerFolder);
  expect(devices.size).toBe(DEVICES);
  expect(readFileSync(join(ledgerFolder, 'fleet.jsonl'), 'utf8')).not.toContain(cloud.adminKey);
  const removed = await fetch(`${cloud.url}/v1/devices/${devices.get(7)!.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${cloud.adminKey}` },
  });
  expect(removed.status).toBe(200);

  const simulator = startFleet();
  await untilAcknowledged({ samples: 100, plays: 50, reports: 1 });
  await waitUntil('the removed device', () => !readFleet(ledgerFolder).devices.has(7), BUSY_MS);
  simulator.kill('SIGINT');
  const { code, summaries, stderr } = await simulator.end();
  const end = summaries.find(({ summary }) => summary === 'end');
  expect(end).toMatchObject({ devices: DEVICES, errors: {}, media_files: expect.any(Number) });
  expect(end).toMatchObject({ ms: { heartbeat_socket: { p99: expect.any(Number) } } });
  expect(end).toHaveProperty('disturbances.line_cut');
  expect(summaries.at(-1)?.examples, stderr).toEqual([]);
  expect(code).toBe(0);
});

test('nothing is lost or doubled when the cloud is killed, and then the simulator', async () => {
  // Nothing listens at this address: devices go to the next one, as behind a load balancer.
  const simulator = startFleet('--server', `http://127.0.0.1:${await freePort()}`);
  await untilAcknowledged({ samples: 100, plays: 50, reports: 0 });
  await cloud.kill9();
  cloud = await startCloudProcess(cloudOptions);
  await untilAcknowledged({ samples: 100, plays: 50, reports: 1 });
  simulator.kill('SIGKILL');
  expect((await simulator.end()).code).toBeNull();
  const { code, summaries, stderr } = await startSimulator('audit').end();
  expect(summaries.at(-1)?.examples, stderr).toEqual([]);
  expect(code).toBe(0);
});

test('the audit finds what is lost and what counts twice', async () => {
  const ledger = await readLedger(ledgerFolder);
  const [losing, doubling, third] = [...ledger.devices].filter(
    ([, { plays, acknowledged, isUnpaired }]) => plays.size > 0 && acknowledged.size > 0 && !isUnpaired,
  );
  const [lostPlay] = [...losing![1].plays];
  const [doubledPlay] = [...doubling![1].plays];
  const [command] = [...ledger.commands].find(([, { reported }]) => reported === 'succeeded')!;
  const minuteOf = ([, { acknowledged }]: typeof losing & {}) =>
    Math.floor([...acknowledged][0]! / 60_000) * 60_000;
  const db = new Sqlite(join(cloudOptions.dataDir, 'cloud.sqlite'));
  try {
    db.prepare('delete from plays where id = ?').run(lostPlay);
    const columns =
      'content_id, playlist_id, schedule_id, rule_id, started_at, ended_at, duration_ms, outcome, reason, received_at';
    db.prepare(
      `insert into plays (id, device_id, ${columns}) select id, ?, ${columns} from plays where id = ?`,
    ).run(third![0], doubledPlay);
    const ofDevice = 'device = (select number from devices where id = ?) and at >= ? and at < ? + 60000';
    db.exec(`insert into samples select device, at, cpu, memory, disk, temperature, wifi from recent_sample_rows;
      update device_live set recent_samples = null`);
    const lost = minuteOf(losing!);
    db.prepare(`delete from samples where ${ofDevice}`).run(losing![0], lost, lost);
    const doubled = minuteOf(doubling!);
    const numbers = JSON.stringify(Array.from({ length: 100 }, (_, index) => index));
    db.prepare(
      `insert or ignore into samples (device, at)
       select distinct device, at / 60000 * 60000 + value from samples, json_each(?) where ${ofDevice}`,
    ).run(numbers, doubling![0], doubled, doubled);
    db.prepare('delete from commands where id = ?').run(command);
  } finally {
    db.close();
  }
  const { code, summaries } = await startSimulator('audit').end();
  expect(summaries).toMatchObject([
    {
      findings: {
        play_count_wrong: 2,
        play_lost: 1,
        play_doubled: 1,
        sample_lost: expect.any(Number),
        sample_doubled: expect.any(Number),
        command_lost: 1,
      },
    },
  ]);
  expect(code).toBe(1);
  expect(JSON.stringify(summaries)).toContain(lostPlay);
});
