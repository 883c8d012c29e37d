import {
  CHANNEL_TAKEN_OVER,
  toStage,
  type FromStage,
  type HeardByStage,
  type VideoCapability,
} from '../../src/stage-link/messages.ts';
import type { StageEvent } from '../stage/sequence.ts';
import { createBacklog, toMessage } from './backlog.ts';

/** What a connection tells the channel. */
export interface ConnectionEvents {
  open: () => void;
  message: (data: unknown) => void;
  /** `code` is the WebSocket close code. */
  close: (code: number) => void;
}

/** What the runtime wants of the page; acknowledgements stay within the channel. */
export type StageOrder = Exclude<HeardByStage, { type: 'ack' }>;

export interface ChannelDeps {
  /** Opens a connection; sending is allowed between `open` and `close`. */
  connect(on: ConnectionEvents): { send(text: string): void };
  /** What is on the stage at this instant; the first message of every connection. */
  hello(): Extract<FromStage, { type: 'hello' }>;
  onMessage(message: StageOrder): void;
  monoMs(): number;
  later(ms: number, callback: () => void): void;
}

export interface Channel {
  tell(event: StageEvent): void;
  /** What the browser can decode: told now, and after every hello from now on. */
  able(videos: VideoCapability[]): void;
  beat(message: Extract<FromStage, { type: 'beat' }>): void;
  /** False while the runtime is away: then it is lost. */
  ask(message: Extract<FromStage, { type: 'menu_request' }>): boolean;
  /** Says again what is on the stage, as after a new connection. */
  greet(): void;
  /** A newer page has it; this one is quiet for good. */
  readonly gone: boolean;
}

const FIRST_RETRY_MS = 100;
const QUICK_RETRIES = 60;
const QUICK_RETRY_MS = 500;
const SLOW_RETRY_MS = 2_000;

/** Speaks to the runtime, and waits for it when it is away; the stage never waits for the channel. */
export function createChannel(deps: ChannelDeps): Channel {
  const backlog = createBacklog();
  let connection: { send(text: string): void } | null = null;
  let videos: VideoCapability[] | null = null;
  let attempts = 0;
  let gone = false;

  function connect(): void {
    const opening = deps.connect({
      open() {
        attempts = 0;
        connection = opening;
        greet();
      },
      message(data) {
        const message = parse(data);
        if (message?.type === 'ack') backlog.acknowledge(message.seq);
        else if (message) deps.onMessage(message);
      },
      close(code) {
        if (connection === opening) connection = null;
        gone ||= code === CHANNEL_TAKEN_OVER;
        if (gone) return;
        attempts += 1;
        deps.later(retryMs(attempts), connect);
      },
    });
  }

  function greet(): void {
    send(deps.hello());
    for (const message of backlog.untold(deps.monoMs())) send(message);
    if (videos) send({ type: 'capabilities', videos });
  }

  function send(message: FromStage): void {
    connection?.send(JSON.stringify(message));
  }

  connect();
  return {
    tell(event) {
      send(event.type === 'ready' ? event : toMessage(backlog.keep(event), deps.monoMs()));
    },
    able(known) {
      videos = known;
      send({ type: 'capabilities', videos });
    },
    beat: send,
    ask(message) {
      send(message);
      return connection !== null;
    },
    greet,
    get gone() {
      return gone;
    },
  };
}

function retryMs(attempt: number): number {
  if (attempt > QUICK_RETRIES) return SLOW_RETRY_MS;
  return Math.min(QUICK_RETRY_MS, FIRST_RETRY_MS * attempt);
}

/** Null for what this page does not know or understand: a newer runtime may say more. */
function parse(data: unknown): HeardByStage | null {
  if (typeof data !== 'string') return null;
  try {
    const parsed = toStage.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
