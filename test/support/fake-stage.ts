import type { Clock } from '../../src/core/ports.ts';
import type {
  FromStage,
  MenuAnswer,
  MenuRequest,
  Screen,
  Showing,
  ToStage,
} from '../../src/stage-link/messages.ts';

interface OnStage {
  showing: Showing;
  startedMono: number;
  through: boolean;
}

/** What was seen on the screen, and when. */
export interface Shown {
  id: string;
  url: string;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** A page without a browser: prepares, cuts, ends and reports like the real one, by the test's clock. */
export interface FakeStage {
  readonly receive: (message: ToStage) => void;
  /** A page opens its channel and says hello. */
  connect(): void;
  /** The channel closes; the picture goes on. */
  disconnect(): void;
  /** The page is loaded anew: nothing is on the stage. */
  reload(): void;
  /** Nothing beats any more. */
  freeze(): void;
  /** The technician asks for something in the menu. */
  ask(request: MenuRequest): Promise<MenuAnswer>;
  readonly shown: Shown[];
  /** Ids of the showings that could not be made ready. */
  readonly failed: string[];
  readonly screen: Screen | null;
  /** How often the page was loaded. */
  readonly loads: number;
  /** The last `configure`. */
  readonly configured: Extract<ToStage, { type: 'configure' }> | null;
  readonly current: string | null;
  readonly empty: boolean;
}

export interface FakeStageDeps {
  clock: Clock;
  /** To the runtime that is there now. */
  send(message: FromStage): void;
  onConnection(connected: boolean): void;
  signal: AbortSignal;
  /** How often it beats; a real page does every second. */
  beatMs?: number;
  /** How many showings are remembered; all unless told otherwise. */
  remember?: number;
  /** How long an item takes to be ready. */
  prepareMs?: number;
  /** Items that cannot be shown. */
  fails?: (showing: Showing) => boolean;
}

const lengthOf = (showing: Showing) => showing.duration_ms ?? showing.video_end_ms ?? 10_000;

export function createFakeStage(deps: FakeStageDeps): FakeStage {
  const { clock, signal } = deps;
  const shown: Shown[] = [];
  const failed: string[] = [];
  let connected = false;
  let frozen = false;
  let screen: Screen | null = null;
  let configured: Extract<ToStage, { type: 'configure' }> | null = null;
  const asked = new Map<string, (answer: MenuAnswer) => void>();
  let questions = 0;
  let current: OnStage | null = null;
  let prepared: {
    showing: Showing;
    cut: 'after_current' | 'when_ready' | 'on_command';
    ready: boolean;
  } | null = null;
  /** What was told and not acknowledged; told again after the next hello. */
  let untold: { seq: number; make: () => FromStage }[] = [];
  let events = 0;
  let pages = 1;
  /** Picture of the page before this one, seen until this one has a picture. */
  let behind: string | null = null;
  let reloadWanted = false;

  const after = (ms: number, act: () => void) => {
    void clock.sleep(ms, signal).then(() => (signal.aborted ? undefined : act()));
  };
  const report = (make: () => FromStage) => {
    const seq = ++events;
    const numbered = () => ({ ...make(), seq });
    untold.push({ seq, make: numbered });
    if (connected) deps.send(numbered());
  };

  function end(outcome: 'completed' | 'interrupted'): void {
    if (!current || current.through) return;
    const { showing, startedMono } = current;
    current.through = true;
    const endedMono = clock.mono();
    report(() => ({
      type: 'ended',
      showing_id: showing.id,
      ago_ms: clock.mono() - endedMono,
      shown_ms: endedMono - startedMono,
      outcome,
      reason: null,
    }));
  }

  function cut(): void {
    if (!prepared?.ready) return;
    const { showing } = prepared;
    end(
      current && clock.mono() - current.startedMono >= lengthOf(current.showing)
        ? 'completed'
        : 'interrupted',
    );
    prepared = null;
    const startedMono = clock.mono();
    current = { showing, startedMono, through: false };
    behind = null;
    shown.push({ id: showing.id, url: showing.url, atMs: clock.wall() });
    if (shown.length > (deps.remember ?? Number.POSITIVE_INFINITY)) shown.shift();
    report(() => ({ type: 'started', showing_id: showing.id, ago_ms: clock.mono() - startedMono }));
    after(lengthOf(showing), () => {
      if (current?.showing.id !== showing.id) return;
      end('completed');
      if (reloadWanted) return loadAnew();
      if (prepared?.ready && prepared.cut !== 'on_command') cut();
    });
  }

  function prepare(message: Extract<ToStage, { type: 'prepare' }>): void {
    const { showing } = message;
    if (prepared?.showing.id === showing.id) prepared.cut = message.cut;
    else prepared = { showing, cut: message.cut, ready: false };
    after(deps.prepareMs ?? 50, () => {
      if (prepared?.showing.id !== showing.id) return;
      if (deps.fails?.(showing)) {
        prepared = null;
        failed.push(showing.id);
        return report(() => ({
          type: 'failed',
          showing_id: showing.id,
          reason: 'decode_failed',
          detail: '',
        }));
      }
      prepared.ready = true;
      if (connected) deps.send({ type: 'ready', showing_id: showing.id });
      if (prepared.cut === 'when_ready' || (prepared.cut === 'after_current' && (current?.through ?? true)))
        cut();
    });
  }

  function reload(): void {
    current = prepared = behind = null;
    untold = [];
    events = 0;
    pages += 1;
    frozen = reloadWanted = false;
  }

  /** As the real page does it: the channel goes to the new page, and the picture of the old one stays below. */
  function loadAnew(): void {
    const seen = current?.showing.url ?? behind;
    disconnect();
    reload();
    behind = seen;
    connect();
  }

  function connect(): void {
    connected = true;
    deps.onConnection(true);
    deps.send(hello());
    for (const { make } of untold) deps.send(make());
  }

  function disconnect(): void {
    connected = false;
    deps.onConnection(false);
  }

  function beat(): void {
    if (connected && !frozen) deps.send({ type: 'beat', frames: 60, dropped_frames: 0 });
    after(deps.beatMs ?? 1_000, beat);
  }
  beat();

  const hello = (): FromStage => ({
    type: 'hello',
    protocol: 1,
    page_id: `page-${pages}`,
    current: current && { showing_id: current.showing.id, ago_ms: clock.mono() - current.startedMono },
    prepared: prepared?.ready ? prepared.showing.id : null,
    width: 1920,
    height: 1080,
  });

  return {
    shown,
    failed,
    get screen() {
      return screen;
    },
    get loads() {
      return pages;
    },
    get configured() {
      return configured;
    },
    get current() {
      return current?.showing.url ?? behind;
    },
    get empty() {
      return current === null && behind === null;
    },
    receive(message) {
      if (!connected) return;
      if (message.type === 'screen') screen = message.screen;
      if (message.type === 'configure') configured = message;
      if (message.type === 'menu_answer') asked.get(message.id)?.(message.answer);
      if (message.type === 'prepare') prepare(message);
      if (message.type === 'cut' && prepared?.showing.id === message.showing_id) {
        prepared.cut = 'when_ready';
        cut();
      }
      if (message.type === 'ack') untold = untold.filter(({ seq }) => seq > message.seq);
      if (message.type === 'reload') {
        if (current && !current.through) reloadWanted = true;
        else loadAnew();
      }
      if (message.type === 'clear') {
        end('interrupted');
        current = prepared = behind = null;
      }
    },
    connect,
    disconnect,
    reload,
    ask(request) {
      const id = `ask_${++questions}`;
      deps.send({ type: 'menu_request', id, request });
      return new Promise((resolve) => asked.set(id, resolve));
    },
    freeze() {
      frozen = true;
    },
  };
}
