import { playerMessage, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import type { HeartbeatAnswer } from '@placard/protocol';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { Api } from '../support/api.ts';
import { assert, truncate } from '../support/contract-violation.ts';
import { buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import { openPlayerSocket } from '../support/player-socket.ts';
import type { PlayerSocket } from '../support/player-socket.ts';
import { waitFor } from '../support/wait-for.ts';
import { mutateMessage } from './mutate.ts';

/** Messages of one device; more are too many between two pings. Each is followed by a valid heartbeat. */
const PER_DEVICE = 120;
/** Too large, not UTF-8, or an unknown protocol version. */
const EXPECTED_CLOSES: ReadonlySet<number> = new Set([1009, 1007, SOCKET_CLOSE.protocol]);

export interface SocketFuzzReport {
  messages: number;
  acknowledged: number;
  refused: number;
  ignored: number;
  closed: number;
}

/**
 * Sends valid and malformed messages over sockets of devices: a heartbeat is acknowledged or refused under its number,
 * everything else has no answer, and a valid heartbeat that follows is acknowledged.
 */
export async function fuzzSockets(
  { api, random }: { api: Api; random: SeededRandom },
  messages: number,
): Promise<SocketFuzzReport> {
  const report: SocketFuzzReport = { messages, acknowledged: 0, refused: 0, ignored: 0, closed: 0 };
  let socket: PlayerSocket | null = null;
  let token = '';
  for (let number = 0; number < messages; number++) {
    if (number % PER_DEVICE === 0) {
      socket?.close();
      socket = null;
      ({ token } = await pairDevice(api, `socket ${number}`, {}, `127.0.3.${1 + (number % 250)}`));
    }
    socket ??= await openPlayerSocket(api.client.url, token);
    const text = mutateMessage(buildMessage(random), random);
    const outcome = await sendOne(socket, text).catch((error: unknown) => {
      throw new Error(`message ${number}: ${truncate(text.toString('utf8'), 1_500)}`, { cause: error });
    });
    report[outcome] += 1;
    if (outcome === 'closed') {
      socket = null;
    }
  }
  socket?.close();
  return report;
}

function buildMessage(random: SeededRandom): object {
  if (random.oneIn(8)) {
    return { type: 'hello', protocol: PROTOCOL_VERSION, player_version: '0.1.0' };
  }
  const samples = Array.from({ length: random.below(3) }, () =>
    buildSample(Date.now() - random.below(60_000)),
  );
  const fields = random.oneIn(2)
    ? { state: buildReportedState() }
    : { changes: { uptime_seconds: random.below(1000), faults: [] } };
  return { type: 'heartbeat', seq: random.below(1_000_000), samples, ...fields };
}

const isAnswer = (message: PlayerSocket['messages'][number]): message is HeartbeatAnswer =>
  message.type === 'heartbeat_ack' || message.type === 'heartbeat_refused';

async function sendOne(
  socket: PlayerSocket,
  text: string | Buffer,
): Promise<Exclude<keyof SocketFuzzReport, 'messages'>> {
  const from = socket.messages.length;
  const marker = 2_000_000 + from;
  socket.send(text);
  socket.send(JSON.stringify({ type: 'heartbeat', seq: marker, samples: [], state: buildReportedState() }));
  const answers = () => socket.messages.slice(from).filter((one) => isAnswer(one));
  const isMarkerAnswered = () => answers().some((one) => one.seq === marker);
  await waitFor(
    'the next heartbeat is answered',
    () => isMarkerAnswered() || socket.closed.aborted,
    60_000,
    1,
  );
  const [answer, next, ...more] = answers();
  if (socket.closed.aborted) {
    assert(EXPECTED_CLOSES.has(socket.closeCode ?? 0), `the socket was closed with ${socket.closeCode}`);
    return 'closed';
  }
  assert(more.length === 0, 'more than one answer', answers());
  if (!next) {
    assert(answer?.type === 'heartbeat_ack', 'a valid heartbeat was refused', answer);
    return 'ignored';
  }
  assert(next.type === 'heartbeat_ack', 'a valid heartbeat was refused', next);
  const sent = playerMessage.safeParse(parseJson(text.toString('utf8')));
  if (answer?.type === 'heartbeat_ack') {
    assert(
      sent.data?.type === 'heartbeat' && sent.data.seq === answer.seq,
      'an invalid heartbeat was acknowledged',
      answer,
    );
    return 'acknowledged';
  }
  return 'refused';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
