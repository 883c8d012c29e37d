/**
 * Screens in ordinary operation on three nodes: a heartbeat a minute each, most over a socket and the rest by HTTP, plays,
 * readers and edits. `npm run bench:scale`.
 */
import { connectDevices } from '../cloud/connect-devices.ts';
import { createAgents, createCalls, prepareEdits } from '../cloud/everyday-calls.ts';
import { createPace } from '../cloud/pace.ts';
import { cpuMicros } from '../cloud/servers.ts';
import { sendFirstHeartbeats, sendHeartbeat } from '../cloud/socket-load.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { readPostgresUse, readUseSince } from './postgres-use.ts';
import { ofNode, startScaleFleet } from './scale-fleet.ts';
import { openFileLimit } from '../../support/open-file-limit.ts';

const SCREENS = 100_000;
const SECONDS = 900;
const HEARTBEATS_PER_SCREEN = 1 / 60;
/** Of 100,000 screens; of fewer a part. */
const PLAYS_PER_SECOND = 50;
const READS_PER_SECOND = 20;
const EDITS_PER_SECOND = 1;
const CONNECTIONS = 64;
const MAX_WAITING = 10_000;
/** Open files of this process that are not sockets of screens. */
const OTHER_FILES = 1_000;

/** Sockets that this process can open: as many as the system lets it, and one address has ports for. */
function countSockets(screens: number): number {
  return Math.min(screens, Math.max(1, openFileLimit() - OTHER_FILES));
}

const list = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ');

/** Calls that failed are counted: they are figures, and one must not end the run. */
function createErrorCount() {
  let errors = 0;
  let first = '';
  return {
    counted: (call: () => Promise<void>) => () =>
      call().catch((error: unknown) => {
        errors += 1;
        first ||= error instanceof Error ? error.message : String(error);
      }),
    read: () => ({ errors, first }),
  };
}

export async function measureScaleMix(settings: Settings): Promise<Figure[]> {
  const screens = settings.screens ?? settings.count(SCREENS);
  const ms = settings.msOf(SECONDS * 1000);
  const fleet = await startScaleFleet(screens);
  const agents = createAgents(CONNECTIONS);
  try {
    const { nodes, client, devices } = fleet;
    const failures = createErrorCount();
    const edit = await prepareEdits({ clouds: nodes, writeKeys: fleet.writeKeys });
    const restBytes = nodes.map((node) => node.rssBytes() ?? Number.NaN);
    const socketCount = countSockets(screens);
    const tokens = devices.slice(0, socketCount).map(({ token }) => token);
    const connected = await Promise.all(
      nodes.map(({ url }, index) => connectDevices(url, ofNode(fleet, index, tokens), { hello: true })),
    );
    await Promise.all(connected.map(({ sockets }) => sendFirstHeartbeats(sockets)));
    const connectedBytes = nodes.map((node) => node.rssBytes() ?? Number.NaN);
    const sockets = connected.flatMap((each) => each.sockets);
    const byHttp = devices.slice(socketCount);
    const calls = createCalls({ ...fleet, urls: nodes.map(({ url }) => url) }, agents);
    const httpCalls = createCalls({ ...fleet, devices: byHttp, urls: nodes.map(({ url }) => url) }, agents);
    let turn = 0;
    const sendOnSocket = async () => {
      const seq = ++turn;
      await sendHeartbeat(sockets[seq % sockets.length]!, seq);
    };
    const part = screens / SCREENS;
    const limit = { maxWaiting: MAX_WAITING };
    const { counted } = failures;
    const paces = [
      createPace(sockets.length * HEARTBEATS_PER_SCREEN, counted(sendOnSocket), limit),
      createPace(byHttp.length * HEARTBEATS_PER_SCREEN, counted(httpCalls.sendHeartbeat), limit),
      createPace(PLAYS_PER_SECOND * part, counted(calls.sendPlay), limit),
      createPace(READS_PER_SECOND * part, counted(calls.read), limit),
    ];
    const editing = createPace(EDITS_PER_SECOND, counted(edit), { maxWaiting: 1 });
    // Caches and the compiler are warm before anything counts.
    await Promise.all(paces.map((pace) => pace.run(Math.min(ms / 10, 30_000))));

    const before = await readPostgresUse(client);
    const nodesBefore = nodes.map(({ pid }) => cpuMicros(pid));
    const senderBefore = process.cpuUsage();
    const beganMs = performance.now();
    const [onSockets, overHttp, plays, reads, edits] = await Promise.all(
      [...paces, editing].map((pace) => pace.run(ms)),
    );
    const tookMicros = (performance.now() - beganMs) * 1000;
    const percent = (micros: number) => (100 * micros) / tookMicros;
    const sender = process.cpuUsage(senderBefore);
    const use = await readUseSince(client, before);
    const nodeCpu = nodes.map(({ pid }, index) => percent(cpuMicros(pid) - nodesBefore[index]!));
    const nodeMb = nodes.map((node) => (node.rssBytes() ?? Number.NaN) / 1e6);
    const socketBytes = connectedBytes.map((bytes, index) => bytes - restBytes[index]!);
    const { errors, first } = failures.read();
    connected.forEach((each) => each.close());
    return [
      {
        name: `${screens.toLocaleString('en')} screens on three nodes for ${(ms / 1000).toLocaleString('en')} s: errors`,
        ours: errors,
        unit: 'errors',
        limit: null,
        goal: 0,
        detail: errors > 0 ? first.slice(0, 200) : `${sockets.length.toLocaleString('en')} by socket`,
      },
      {
        name: '… heartbeats answered',
        ours: onSockets!.perSecond + (byHttp.length > 0 ? overHttp!.perSecond : 0),
        unit: '/s',
        limit: { name: 'wanted', value: screens * HEARTBEATS_PER_SCREEN },
        goal: 0.99,
        isMoreBetter: true,
        detail: `plays ${plays!.perSecond.toFixed(1)}, reads ${reads!.perSecond.toFixed(1)}, edits ${edits!.perSecond.toFixed(1)} /s`,
      },
      {
        name: '… p99 of a heartbeat over a socket',
        ours: onSockets!.p99Ms,
        unit: 'ms',
        limit: null,
        goal: 250,
      },
      ...(byHttp.length > 0
        ? [
            {
              name: '… p99 of a heartbeat over HTTP',
              ours: overHttp!.p99Ms,
              unit: 'ms',
              limit: null,
              goal: 250,
            },
          ]
        : []),
      { name: '… p99 of a reader', ours: reads!.p99Ms, unit: 'ms', limit: null, goal: 250 },
      {
        name: '… CPU of a node',
        ours: median(nodeCpu),
        unit: '% of a core',
        limit: null,
        goal: null,
        detail: list(nodeCpu),
      },
      {
        name: '… memory of a node',
        ours: median(nodeMb),
        unit: 'MB',
        limit: null,
        goal: null,
        detail: list(nodeMb),
      },
      {
        name: '… memory of a socket',
        ours: socketBytes.reduce((sum, bytes) => sum + bytes, 0) / sockets.length / 1000,
        unit: 'kB',
        limit: null,
        goal: null,
      },
      {
        name: '… CPU of PostgreSQL',
        ours: percent(use.cpuMs * 1000),
        unit: '% of a core',
        limit: null,
        goal: null,
      },
      {
        name: '… statements of a node',
        ours: (use.statements / nodes.length / tookMicros) * 1e6,
        unit: '/s',
        limit: null,
        goal: null,
      },
      {
        name: '… CPU of the client that plays the screens',
        ours: percent(sender.user + sender.system),
        unit: '% of a core',
        limit: null,
        goal: null,
      },
    ];
  } finally {
    await agents.destroy();
    await fleet.stop();
  }
}
