import type { HeartbeatAnswer, HeartbeatSample } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { buildPlay, buildReportedState, buildSample } from '../support/paired-device.ts';
import type { PlayerSocket } from '../support/player-socket.ts';
import { waitFor } from '../support/wait-for.ts';
import { optional } from './inputs.ts';
import type { DeviceModel } from './model.ts';
import { attempt, step } from './world.ts';
import type { World } from './world.ts';

interface PlayInput {
  id: number;
  ageS: number;
}

const ages = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 5 });
const playInputs: fc.Arbitrary<PlayInput[]> = fc.array(fc.record({ id: fc.nat(12), ageS: fc.nat(20_000) }), {
  maxLength: 4,
});

function pickDevice({ model }: World, n: number): [id: string, DeviceModel] | undefined {
  const devices = [...model.devices];
  return devices[n % devices.length];
}

const samplesOf = (world: World, agesS: readonly number[]): HeartbeatSample[] =>
  agesS.map((age) => buildSample(world.nowMs() - age * 1000));

async function sendHeartbeat(world: World, device: DeviceModel, agesS: readonly number[]): Promise<void> {
  const samples = samplesOf(world, agesS);
  const response = await attempt(world, operations.sendHeartbeats, {
    key: device.token,
    body: { samples, state: buildReportedState() },
  });
  if (response) {
    countSamples(device, samples);
    device.frames = null;
  }
}

function countSamples(device: DeviceModel, samples: readonly HeartbeatSample[]): void {
  for (const one of samples) {
    device.samples.add(one.measured_at);
  }
}

async function sendPlays(
  world: World,
  [deviceId, { token }]: [string, DeviceModel],
  inputs: readonly PlayInput[],
  isOneWrong: boolean,
): Promise<void> {
  const plays = inputs.map(({ id, ageS }) =>
    buildPlay(`play_${deviceId.slice(-12)}${id}`, 'asset_0000000000', world.nowMs() - 60_000 - ageS * 1000),
  );
  const response = await attempt(world, operations.sendPlays, {
    key: token,
    body: { plays: isOneWrong ? [...plays, { id: 'play_x' }] : plays },
  });
  if (!response) {
    return;
  }
  assert(
    response.rejected.length === (isOneWrong ? 1 : 0) &&
      plays.every((one) => response.accepted.includes(one.id)),
    'valid plays must be accepted, invalid ones reported',
    { plays, response },
  );
  // A repeated play counts once, as it was sent first.
  for (const { id, started_at } of plays) {
    if (!world.model.plays.has(id)) {
      world.model.plays.set(id, { device: deviceId, startedMs: Date.parse(started_at) });
    }
  }
}

/** Sends a heartbeat on the socket; resolves with its answer. */
async function exchange(world: World, socket: PlayerSocket, fields: object): Promise<HeartbeatAnswer> {
  const seq = world.next();
  socket.send(JSON.stringify({ type: 'heartbeat', seq, ...fields }));
  const found = () =>
    socket.messages.find(
      (one): one is HeartbeatAnswer =>
        (one.type === 'heartbeat_ack' || one.type === 'heartbeat_refused') && one.seq === seq,
    );
  await waitFor('the heartbeat is answered', () => found() !== undefined, 60_000, 1);
  const answer = found()!;
  const outcome = `socketHeartbeat ${answer.type === 'heartbeat_ack' ? 'acknowledged' : answer.error.code}`;
  world.tally.set(outcome, (world.tally.get(outcome) ?? 0) + 1);
  return answer;
}

/** What devices report. */
export const reportSteps = [
  step({
    name: 'heartbeat',
    input: fc.record({ n: fc.nat(3), agesS: ages }),
    async run(world, { n, agesS }) {
      const [, device] = pickDevice(world, n) ?? [];
      if (device) {
        await sendHeartbeat(world, device, agesS);
      }
    },
  }),
  step({
    name: 'socketHeartbeat',
    input: fc.record({
      n: fc.nat(3),
      agesS: ages,
      isWhole: fc.boolean(),
      drawn: optional(fc.nat(1000)),
      isWrong: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
    async run(world, { n, agesS, isWhole, drawn, isWrong }) {
      const [id = '', device] = pickDevice(world, n) ?? [];
      const socket = world.sockets.get(id);
      if (!device || !socket) {
        return;
      }
      const samples = samplesOf(world, agesS);
      const changes = drawn === undefined ? {} : { frames: { drawn, dropped: 0 } };
      const answer = await exchange(world, socket, {
        samples: isWrong ? [...samples, buildSample(world.nowMs(), 101)] : samples,
        ...(isWhole ? { state: { ...buildReportedState(), ...changes } } : { changes }),
      });
      const previous = isWhole ? buildReportedState() : device.stateOnSocket;
      const isExpected = !isWrong && previous !== null;
      assert(
        isExpected === (answer.type === 'heartbeat_ack'),
        `the heartbeat must be ${isExpected ? 'acknowledged' : 'refused'}`,
        answer,
      );
      device.stateOnSocket = isExpected ? { ...previous, ...changes } : null;
      if (isExpected) {
        countSamples(device, samples);
        device.frames = device.stateOnSocket?.frames ?? null;
      }
    },
  }),
  step({
    name: 'plays',
    input: fc.record({ n: fc.nat(3), plays: playInputs, wrong: fc.boolean() }),
    async run(world, { n, plays, wrong }) {
      const device = pickDevice(world, n);
      if (device) {
        await sendPlays(world, device, plays, wrong);
      }
    },
  }),
  step({
    // What arrives in one turn of the event loop is one transaction.
    name: 'reportsAtOnce',
    input: fc.record({ agesS: ages, plays: playInputs, wrong: fc.nat(3) }),
    async run(world, { agesS, plays, wrong }) {
      await Promise.all(
        [...world.model.devices].flatMap((device, index) => [
          sendHeartbeat(world, device[1], agesS),
          sendPlays(world, device, plays, index === wrong),
        ]),
      );
    },
  }),
];
