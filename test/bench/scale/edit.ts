/** An edit that concerns all connected screens of three nodes: when they know, and what it writes. `npm run bench:scale`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectDevices, untilAllReceived } from '../cloud/connect-devices.ts';
import { deployPlaylist } from '../cloud/deployed-playlist.ts';
import { EVERY_TAG } from '../cloud/fill-database.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { ofNode, startScaleFleet } from './scale-fleet.ts';

const SOCKETS = 10_000;
const EDITS = 5;
const POLL_MS = 20;

async function readNumber(client: Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ value: string }>(statement);
  return Number(rows[0]!.value);
}

const nextTransaction = (client: Client) => readNumber(client, 'select pg_current_xact_id()::text as value');

/** Rows of devices that were written since this transaction: exact at once, unlike the counts of the server. */
const rowsWrittenSince = (client: Client, transaction: number) =>
  readNumber(
    client,
    `select (select count(*) from devices where xmin::text::bigint >= ${transaction})
      + (select count(*) from device_live where xmin::text::bigint >= ${transaction}) as value`,
  );

/** A node stores a little later that a device has connected. */
async function untilConnectsAreStored(client: Client): Promise<void> {
  const missing = 'select count(*) as value from device_live where last_seen is null';
  while ((await readNumber(client, missing)) > 0) {
    await sleep(POLL_MS);
  }
}

export async function measureScaleEdit(settings: Settings): Promise<Figure[]> {
  const fleet = await startScaleFleet(settings.count(SOCKETS));
  try {
    const { nodes, client } = fleet;
    const edit = await deployPlaylist(nodes[0]!, EVERY_TAG);
    const tokens = fleet.devices.map(({ token }) => token);
    const connected = await Promise.all(
      nodes.map(({ url }, index) => connectDevices(url, ofNode(fleet, index, tokens), { hello: true })),
    );
    const sockets = connected.flatMap((each) => each.sockets);
    await untilConnectsAreStored(client);
    const acknowledgedMs: number[] = [];
    const toldMs: number[] = [];
    const writtenRows: number[] = [];
    for (let round = 0; round < settings.rounds(EDITS); round++) {
      const transaction = await nextTransaction(client);
      const told = untilAllReceived(sockets);
      const beganMs = performance.now();
      await edit(11 + round, fleet.writeKeys[round % fleet.writeKeys.length]);
      acknowledgedMs.push(performance.now() - beganMs);
      toldMs.push(await told);
      writtenRows.push(await rowsWrittenSince(client, transaction));
    }
    connected.forEach((each) => each.close());
    return [
      {
        name: `edit that ${sockets.length.toLocaleString('en')} sockets of three nodes show: all told`,
        ours: Math.max(...toldMs),
        unit: 'ms',
        limit: null,
        goal: 2_000,
        detail: `the slowest of ${toldMs.length}, median ${median(toldMs).toFixed(0)}`,
      },
      { name: '… acknowledged', ours: median(acknowledgedMs), unit: 'ms', limit: null, goal: null },
      {
        name: '… rows of devices written',
        ours: Math.max(...writtenRows),
        unit: 'rows',
        limit: null,
        goal: 0,
      },
    ];
  } finally {
    await fleet.stop();
  }
}
