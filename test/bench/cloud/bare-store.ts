import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** Some hundred heartbeats share a commit, as in the cloud at full load. */
const COMMIT_INTERVAL_MS = 20;

/** What a heartbeat consists of, in HTTP requests and over sockets. */
export interface BareHeartbeat {
  samples: { measured_at: string; cpu_percent: number | null; memory_percent: number | null }[];
  state?: { current: unknown };
  changes?: { current: unknown };
}

export interface BareStore {
  /** Resolves when a row of the sample and the live state of the device are on the disk. */
  save: (device: string, heartbeat: BareHeartbeat) => Promise<void>;
}

/**
 * The least that a server must do to keep heartbeats: two rows of raw SQLite for each, as durable as ours, many in one
 * transaction. Nothing is checked.
 */
export function createBareStore(): BareStore {
  const dir = mkdtempSync(join(tmpdir(), 'placard-bench-bare-'));
  const sqlite = new Sqlite(join(dir, 'bare.sqlite'));
  // The bench ends this process by a signal, which alone would leave the folder.
  process.once('SIGTERM', () => process.exit(0));
  process.once('exit', () => {
    sqlite.close();
    rmSync(dir, { recursive: true });
  });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.exec(`create table live (device integer primary key, last_seen integer, current text, latest_sample text);
    create table samples (device integer, at integer, cpu integer, memory integer, primary key (device, at)) without rowid`);
  const insertSample = sqlite.prepare('insert into samples values (?, ?, ?, ?) on conflict do nothing');
  const saveLive = sqlite.prepare('insert or replace into live values (?, ?, ?, ?)');
  const numbers = new Map<string, number>();
  let waiting: { device: number; heartbeat: BareHeartbeat; done: () => void }[] = [];

  const commit = sqlite.transaction((batch: typeof waiting) => {
    for (const { device, heartbeat } of batch) {
      const [sample] = heartbeat.samples;
      if (sample) {
        insertSample.run(device, Date.parse(sample.measured_at), sample.cpu_percent, sample.memory_percent);
      }
      const { current } = heartbeat.state ?? heartbeat.changes ?? {};
      saveLive.run(device, Date.now(), JSON.stringify(current), JSON.stringify(sample));
    }
  });
  const commitSoon = async () => {
    await sleep(COMMIT_INTERVAL_MS);
    const batch = waiting;
    waiting = [];
    commit(batch);
    for (const { done } of batch) {
      done();
    }
  };

  return {
    save: (key, heartbeat) =>
      new Promise((done) => {
        const device = numbers.get(key) ?? numbers.size + 1;
        numbers.set(key, device);
        waiting.push({ device, heartbeat, done });
        if (waiting.length === 1) {
          void commitSoon();
        }
      }),
  };
}
