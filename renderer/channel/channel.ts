import { CHANNEL_TAKEN_OVER, toStageMessage } from '@placard/protocol/stage';
import type { FromStageMessage, ParsedToStageMessage } from '@placard/protocol/stage';
import type { ShowingEvent } from '../stage/stage-state.ts';
import { createBacklog, toMessage } from './backlog.ts';

/** Callbacks of a connection. */
export interface ConnectionEvents {
  open: () => void;
  message: (data: unknown) => void;
  /** `code` is the WebSocket close code. */
  close: (code: number) => void;
}

/** Messages from the runtime that the page handles; acknowledgements are handled by the channel. */
export type StageInstruction = Exclude<ParsedToStageMessage, { type: 'ack' }>;

export interface Channel {
  sendEvent(event: ShowingEvent): void;
  /** Sends what the browser can decode now, and after every later hello. */
  sendCapabilities(message: Extract<FromStageMessage, { type: 'capabilities' }>): void;
  sendBeat(message: Extract<FromStageMessage, { type: 'beat' }>): void;
  /** False while the runtime is not connected: the message is lost. */
  sendMenuRequest(message: Extract<FromStageMessage, { type: 'menu_request' }>): boolean;
  /** Sends the hello message again, as after a new connection. */
  sendHello(): void;
  /** A newer page has taken over the channel; this one sends nothing any more. */
  readonly isTakenOver: boolean;
}

const FIRST_RETRY_MS = 100;
const QUICK_RETRIES = 60;
const QUICK_RETRY_MS = 500;
const SLOW_RETRY_MS = 2_000;

/** Connects to the runtime and reconnects when it is gone; the stage never waits for the channel. */
export function createChannel(deps: {
  /** Opens a connection; sending is allowed between `open` and `close`. */
  connect(events: ConnectionEvents): { send(text: string): void };
  /** The current content of the stage; sent as the first message of every connection. */
  createHello(): Extract<FromStageMessage, { type: 'hello' }>;
  onMessage(message: StageInstruction): void;
  monoMs(): number;
  setTimer(ms: number, callback: () => void): void;
}): Channel {
  const backlog = createBacklog();
  let connection: { send(text: string): void } | null = null;
  let capabilities: Extract<FromStageMessage, { type: 'capabilities' }> | null = null;
  let attempts = 0;
  let isTakenOver = false;

  function connect(): void {
    const newConnection = deps.connect({
      open() {
        attempts = 0;
        connection = newConnection;
        sendHello();
      },
      message(data) {
        const message = parse(data);
        if (message?.type === 'ack') {
          backlog.acknowledge(message.seq);
        } else if (message) {
          deps.onMessage(message);
        }
      },
      close(code) {
        if (connection === newConnection) {
          connection = null;
        }
        isTakenOver ||= code === CHANNEL_TAKEN_OVER;
        if (isTakenOver) {
          return;
        }
        attempts += 1;
        deps.setTimer(retryMs(attempts), connect);
      },
    });
  }

  function sendHello(): void {
    send(deps.createHello());
    for (const message of backlog.unacknowledged(deps.monoMs())) {
      send(message);
    }
    if (capabilities) {
      send(capabilities);
    }
  }

  function send(message: FromStageMessage): void {
    connection?.send(JSON.stringify(message));
  }

  connect();
  return {
    sendEvent(event) {
      send(event.type === 'ready' ? event : toMessage(backlog.add(event), deps.monoMs()));
    },
    sendCapabilities(message) {
      capabilities = message;
      send(message);
    },
    sendBeat: send,
    sendMenuRequest(message) {
      send(message);
      return connection !== null;
    },
    sendHello,
    get isTakenOver() {
      return isTakenOver;
    },
  };
}

function retryMs(attempt: number): number {
  if (attempt > QUICK_RETRIES) {
    return SLOW_RETRY_MS;
  }
  return Math.min(QUICK_RETRY_MS, FIRST_RETRY_MS * attempt);
}

/** Null for unknown or invalid messages: a newer runtime may send more types. */
function parse(data: unknown): ParsedToStageMessage | null {
  if (typeof data !== 'string') {
    return null;
  }
  try {
    const parsed = toStageMessage.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
