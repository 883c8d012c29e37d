import { EventEmitter, once } from 'node:events';
import type { ReportedState, WireCommand } from '@placard/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import type { FakeCloud } from '../../../test/support/fake-cloud.ts';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { helloMessage, openCloudLink, pairDevice } from '../../../test/support/open-cloud-link.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

const { signal } = new AbortController();
const STATE: ReportedState = {
  player_version: '1.0.0',
  shell: 'headless',
  uptime_seconds: 1,
  applied_manifest_revision: null,
  current: null,
  storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
  faults: [],
};
const SAMPLE = {
  measured_at: '2026-11-20T12:00:00.000Z',
  cpu_percent: 1,
  memory_percent: 2,
  disk_percent: 3,
  temperature_celsius: null,
  wifi_signal_dbm: null,
};
const COMMAND: WireCommand = { id: 'cmd_1', command: 'REFRESH', expires_at: '2030-01-01T00:00:00.000Z' };

/** A paired player whose socket is open and welcomed. */
async function connectedPlayer(answers: FakeCloud['socketHeartbeats'], open = true) {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  cloud.socketHeartbeats = answers;
  const clock = createManualClock();
  const serverTimes: number[] = [];
  /** Types of messages that the cloud sent of its own accord. */
  const heard = new EventEmitter();
  const link = openCloudLink(cloud.url, { clock, onServerTime: (ms) => serverTimes.push(ms) });
  const device = await pairDevice(cloud, link);
  const connect = async () => {
    const session = new AbortController();
    onTestFinished(() => session.abort());
    const welcomed = once(heard, 'welcome');
    const ended = device.openSocket(
      { hello: helloMessage, onMessage: ({ type }) => void heard.emit(type) },
      session.signal,
    );
    void ended.catch(() => {});
    await welcomed;
    return { ended };
  };
  const socket = open ? await connect() : null;
  serverTimes.length = 0;
  const beat = (state: Partial<ReportedState> = {}, samples = [SAMPLE]) =>
    device.sendHeartbeat({ samples, state: { ...STATE, ...state } }, signal);
  const { heartbeats: byHttp, socketHeartbeats: bySocket } = cloud.received;
  return { cloud, clock, device, beat, byHttp, bySocket, serverTimes, connect, socket, heard };
}

test('heartbeats go over the socket: the first with the whole state, then what has changed', async () => {
  const { cloud, beat, byHttp, bySocket, serverTimes } = await connectedPlayer('acknowledge');
  cloud.sendCommand(COMMAND);
  const answer = await beat();
  expect(answer).toEqual({
    kind: 'ok',
    response: {
      server_time: expect.any(String),
      manifest_revision: 'none',
      commands: [COMMAND],
      next_heartbeat_in: 60,
    },
  });
  expect(serverTimes).toHaveLength(1);
  await beat({ uptime_seconds: 2 });
  await beat({ uptime_seconds: 3, storage: { ...STATE.storage, assets_held: 1 } }, []);
  await beat({ uptime_seconds: 3 });
  expect(bySocket).toEqual([
    { type: 'heartbeat', seq: 1, samples: [SAMPLE], state: STATE },
    { type: 'heartbeat', seq: 2, samples: [SAMPLE], changes: { uptime_seconds: 2 } },
    {
      type: 'heartbeat',
      seq: 3,
      samples: [],
      changes: { uptime_seconds: 3, storage: { ...STATE.storage, assets_held: 1 } },
    },
    { type: 'heartbeat', seq: 4, samples: [SAMPLE], changes: { storage: STATE.storage } },
  ]);
  expect(byHttp).toEqual([]);
});

test('a field that has no value any more is told by the whole state', async () => {
  const { beat, bySocket } = await connectedPlayer('acknowledge');
  await beat({ frames: { drawn: 1, dropped: 0 } });
  await beat();
  expect(bySocket[1]).toEqual({ type: 'heartbeat', seq: 2, samples: [SAMPLE], state: STATE });
});

test('each connection begins with the whole state', async () => {
  const { cloud, beat, bySocket, connect, socket } = await connectedPlayer('acknowledge');
  await beat();
  cloud.dropSockets();
  await socket?.ended;
  await connect();
  await beat();
  expect(bySocket[1]).toMatchObject({ seq: 1, state: STATE });
});

describe('a heartbeat goes by HTTP', () => {
  test('to a cloud that does not announce heartbeats on the socket', async () => {
    const { beat, byHttp, bySocket } = await connectedPlayer('none');
    expect(await beat()).toMatchObject({ kind: 'ok' });
    expect([byHttp, bySocket]).toEqual([[{ samples: [SAMPLE], state: STATE }], []]);
  });

  test('without a socket, and after it has closed', async () => {
    const { cloud, beat, byHttp, bySocket, connect } = await connectedPlayer('acknowledge', false);
    await beat();
    const { ended } = await connect();
    cloud.dropSockets();
    await ended;
    await beat();
    expect([byHttp.length, bySocket]).toEqual([2, []]);
  });

  test('when it is not acknowledged within 10 s; a late answer is ignored', async () => {
    const { cloud, clock, beat, byHttp, bySocket, heard } = await connectedPlayer('ignore');
    const sent = beat();
    await waitUntil('the heartbeat', () => bySocket.length === 1);
    await clock.advance(9_000);
    expect(byHttp).toEqual([]);
    await clock.advance(1_000);
    expect(await sent).toMatchObject({ kind: 'ok', response: { commands: [] } });
    expect(byHttp).toEqual([{ samples: [SAMPLE], state: STATE }]);

    const response = {
      server_time: '2026-11-20T12:00:00.000Z',
      manifest_revision: 'late',
      next_heartbeat_in: 60,
    };
    const late = { type: 'heartbeat_ack', seq: 1, ...response, commands: [] };
    const next = beat();
    await waitUntil('the next heartbeat', () => bySocket.length === 2);
    expect(bySocket[1], 'which state the cloud has is unknown').toMatchObject({ seq: 2, state: STATE });
    const received = once(heard, 'manifest_changed');
    cloud.broadcast(late);
    cloud.broadcast({ type: 'manifest_changed', revision: 'r2' });
    await received;
    cloud.broadcast({ ...late, seq: 2, manifest_revision: 'now' });
    expect(await next).toMatchObject({ response: { manifest_revision: 'now' } });
    expect(byHttp).toHaveLength(1);
  });

  test('when it is refused, and the next has the whole state', async () => {
    const { cloud, beat, byHttp, bySocket } = await connectedPlayer('acknowledge');
    await beat();
    cloud.socketHeartbeats = 'refuse';
    expect(await beat()).toMatchObject({ kind: 'ok' });
    expect(byHttp).toEqual([{ samples: [SAMPLE], state: STATE }]);
    cloud.socketHeartbeats = 'acknowledge';
    await beat();
    expect(bySocket[2]).toMatchObject({ state: STATE });
    expect(byHttp).toHaveLength(1);
  });

  test('when the socket closes instead of an answer', async () => {
    const { cloud, beat, byHttp, bySocket } = await connectedPlayer('ignore');
    const sent = beat();
    await waitUntil('the heartbeat', () => bySocket.length === 1);
    cloud.dropSockets();
    expect(await sent).toMatchObject({ kind: 'ok' });
    expect(byHttp).toHaveLength(1);
  });

  test('when it is large, as after a month without the cloud', async () => {
    const { beat, byHttp, bySocket } = await connectedPlayer('acknowledge');
    await beat(
      {},
      Array.from({ length: 500 }, () => SAMPLE),
    );
    expect([byHttp.length, bySocket]).toEqual([1, []]);
  });

  test('while another one waits for its answer', async () => {
    const { cloud, beat, byHttp, bySocket } = await connectedPlayer('ignore');
    const first = beat();
    await waitUntil('the heartbeat', () => bySocket.length === 1);
    await beat({ uptime_seconds: 2 });
    expect(byHttp).toMatchObject([{ state: { uptime_seconds: 2 } }]);
    cloud.dropSockets();
    await first;
  });
});

test('an unpaired player learns it by HTTP', async () => {
  const { cloud, beat, bySocket } = await connectedPlayer('ignore');
  const sent = beat();
  await waitUntil('the heartbeat', () => bySocket.length === 1);
  cloud.unpair();
  expect(await sent).toEqual({ kind: 'unpaired' });
});

test('a player that stops does not wait for the answer', async () => {
  const { device, bySocket } = await connectedPlayer('ignore');
  const stop = new AbortController();
  const sent = device.sendHeartbeat({ samples: [], state: STATE }, stop.signal);
  await waitUntil('the heartbeat', () => bySocket.length === 1);
  stop.abort();
  await expect(sent).rejects.toMatchObject({ name: 'Fault' });
});

test('a command that cannot be parsed does not discard the acknowledgement', async () => {
  const { cloud, beat, byHttp, bySocket } = await connectedPlayer('ignore');
  const sent = beat();
  await waitUntil('the heartbeat', () => bySocket.length === 1);
  const response = { server_time: '2026-11-20T12:00:00.000Z', manifest_revision: 'r', next_heartbeat_in: 60 };
  cloud.broadcast({ type: 'heartbeat_ack', seq: 1, ...response, commands: [{ id: 5 }, COMMAND], more: true });
  expect(await sent).toMatchObject({ response: { commands: [COMMAND] } });
  expect(byHttp).toEqual([]);
});
