import { MAX_SOCKET_HEARTBEAT_BYTES } from '@placard/protocol';
import type {
  HeartbeatAnswer,
  HeartbeatRequest,
  HeartbeatResponse,
  ReportedState,
  SocketHeartbeat,
} from '@placard/protocol';
import type { Clock, Log } from '../../core/ports.ts';

/** The cloud answers after its commit, which takes milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000;

interface SocketHeartbeatDeps {
  clock: Pick<Clock, 'sleep'>;
  sendText(text: string): void;
  /** Aborts when the socket has closed. */
  closed: AbortSignal;
  onServerTime(serverMs: number, roundTripMs: number): void;
  log: Log;
}

export type SocketHeartbeats = ReturnType<typeof createSocketHeartbeats>;

/** JSON of each field that has a value. */
type FieldTexts = ReadonlyMap<string, string>;

/** Heartbeats over one socket. */
export function createSocketHeartbeats(deps: SocketHeartbeatDeps) {
  let seq = 0;
  /** What the cloud completes the next heartbeat with; null: nothing. */
  let acknowledgedFields: FieldTexts | null = null;
  let waiting: { seq: number; answer: HeartbeatAnswer | null; answered: AbortController } | null = null;

  async function exchange(text: string, signal: AbortSignal): Promise<HeartbeatAnswer | null> {
    const pending = { seq, answer: null, answered: new AbortController() };
    waiting = pending;
    deps.sendText(text);
    const end = AbortSignal.any([pending.answered.signal, deps.closed, signal]);
    await deps.clock.sleep(ANSWER_TIMEOUT_MS, end);
    waiting = null;
    return pending.answer;
  }

  return {
    /**
     * Sends a heartbeat and waits for its answer. Null when it must go by HTTP: it is too large, or it was refused or not
     * answered. The cloud may have stored it nevertheless; it counts samples once.
     */
    async send({ samples, state }: HeartbeatRequest, signal: AbortSignal): Promise<HeartbeatResponse | null> {
      if (waiting || deps.closed.aborted) {
        return null;
      }
      const fields = toFieldTexts(state);
      const changes = acknowledgedFields && changesSince(acknowledgedFields, state, fields);
      seq += 1;
      const message: SocketHeartbeat = {
        type: 'heartbeat',
        seq,
        samples,
        ...(changes ? { changes } : { state }),
      };
      const text = JSON.stringify(message);
      if (Buffer.byteLength(text) > MAX_SOCKET_HEARTBEAT_BYTES) {
        return null;
      }
      // Until it is acknowledged, it is unknown which state the cloud has.
      acknowledgedFields = null;
      const began = performance.now();
      const answer = await exchange(text, signal);
      if (answer?.type !== 'heartbeat_ack') {
        deps.log.info({ code: answer?.error.code ?? null }, 'heartbeat.not_acknowledged');
        return null;
      }
      acknowledgedFields = fields;
      const { type: _, seq: __, ...response } = answer;
      deps.onServerTime(Date.parse(response.server_time), performance.now() - began);
      return response;
    },
    /** An answer arrived. One that nobody waits for any longer is ignored. */
    receive(answer: HeartbeatAnswer): void {
      if (waiting?.seq === answer.seq) {
        waiting.answer = answer;
        waiting.answered.abort();
      }
    },
  };
}

const toFieldTexts = (state: ReportedState): FieldTexts =>
  new Map(Object.entries(state).map(([name, value]) => [name, JSON.stringify(value)]));

/** The fields that have another value than the cloud has; null when one has none any more, which changes cannot say. */
function changesSince(
  known: FieldTexts,
  state: ReportedState,
  fields: FieldTexts,
): SocketHeartbeat['changes'] | null {
  if ([...known.keys()].some((name) => !fields.has(name))) {
    return null;
  }
  return Object.fromEntries(Object.entries(state).filter(([name]) => fields.get(name) !== known.get(name)));
}
