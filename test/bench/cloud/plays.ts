/** Plays in batches, beside raw SQLite with the same durability, and single plays a second. `npm run bench:plays`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import { runLoad } from './load.ts';
import { makePlays } from './make-plays.ts';

const DEVICES = 20_000;
const ROUNDS = 3;
const BATCH = 100;
const CONNECTIONS = 32;
/** Above what the nearest other system stores, about 2,000. */
const SINGLE_PLAYS_PER_SECOND = 2_500;

/** CPU time of this process for each row, in microseconds, when batches are written with nothing around. */
function rawSqliteMicrosPerPlay(ms: number): number {
  const dir = mkdtempSync(join(tmpdir(), 'placard-bench-raw-'));
  const sqlite = new Sqlite(join(dir, 'raw.sqlite'));
  try {
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.exec('create table plays (id text primary key, play text not null) without rowid');
    const insert = sqlite.prepare('insert into plays values (?, ?)');
    const writeBatch = sqlite.transaction((plays: ReturnType<typeof makePlays>) => {
      for (const play of plays) {
        insert.run(play.id, JSON.stringify(play));
      }
    });
    let written = 0;
    let micros = 0;
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) {
      const plays = makePlays(BATCH);
      const before = process.cpuUsage();
      writeBatch(plays);
      const { user, system } = process.cpuUsage(before);
      micros += user + system;
      written += plays.length;
    }
    return micros / written;
  } finally {
    sqlite.close();
    rmSync(dir, { recursive: true });
  }
}

export async function measurePlays(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  try {
    const { ms } = settings;
    let turn = 0;
    const send = (count: number) => () =>
      ({
        method: 'POST',
        path: '/v1/player/plays',
        token: fleet.devices[turn++ % fleet.devices.length]!.token,
        body: JSON.stringify({ plays: makePlays(count) }),
      }) as const;
    const load = { connections: CONNECTIONS, ms };
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        raw: rawSqliteMicrosPerPlay(ms),
        batch: await runLoad(fleet.cloud, { ...load, next: send(BATCH) }),
        single: await runLoad(fleet.cloud, { ...load, next: send(1) }),
      });
    }
    return [
      {
        name: `plays in batches of ${BATCH}, server CPU of a play`,
        ours: median(rounds.map(({ batch }) => batch.cpuMicrosEach / BATCH)),
        unit: 'µs',
        limit: { name: 'raw SQLite', value: median(rounds.map(({ raw }) => raw)) },
        goal: 3,
      },
      {
        name: 'single plays',
        ours: median(rounds.map(({ single }) => single.perSecond)),
        unit: '/s',
        limit: null,
        goal: SINGLE_PLAYS_PER_SECOND,
        isMoreBetter: true,
      },
    ];
  } finally {
    await fleet.stop();
  }
}
