import type { Clock } from '../../src/core/ports.ts';
import type {
  FromStageMessage,
  MenuResponse,
  MenuRequest,
  Screen,
  StageShowing,
  ToStageMessage,
} from '@placard/protocol/stage';

interface CurrentShowing {
  showing: StageShowing;
  startedMono: number;
  finished: boolean;
}

/** What was shown on the screen, and when. */
export interface ShownItem {
  id: string;
  url: string;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** A page without a browser: prepares, cuts, ends and reports like the real one, with the test's clock. */
export interface FakeStage {
  readonly receive: (message: ToStageMessage) => void;
  /** A page opens its channel and sends hello. */
  connect(): void;
  /** The channel closes; the picture stays on the screen. */
  disconnect(): void;
  /** The page is reloaded: nothing is on the stage. */
  reload(): void;
  /** Stops sending beats. */
  freeze(): void;
  /** Sends a menu request, as the technician's menu does. */
  requestMenu(request: MenuRequest): Promise<MenuResponse>;
  readonly shown: ShownItem[];
  /** Ids of the showings that could not be prepared. */
  readonly failedShowingIds: string[];
  readonly screen: Screen | null;
  /** How often the page was loaded. */
  readonly loadCount: number;
  /** The last `configure` message. */
  readonly lastConfigure: Extract<ToStageMessage, { type: 'configure' }> | null;
  readonly current: string | null;
  /** The play of the visible file is over; its picture stays until the next one. */
  readonly isCurrentOver: boolean;
  readonly isEmpty: boolean;
}

export interface FakeStageDeps {
  clock: Clock;
  /** Sends to the currently connected runtime. */
  send(message: FromStageMessage): void;
  onConnection(connected: boolean): void;
  signal: AbortSignal;
  /** Milliseconds between beats; a real page sends one every second. */
  beatIntervalMs?: number;
  /** How many shown items are kept; all by default. */
  maxShownItems?: number;
  /** How long preparing an item takes. */
  prepareMs?: number;
  /** Items that fail to be prepared. */
  shouldFail?: (showing: StageShowing) => boolean;
}

const showingDurationMs = (showing: StageShowing) => showing.duration_ms ?? showing.video_end_ms ?? 10_000;

export function createFakeStage(deps: FakeStageDeps): FakeStage {
  const { clock, signal } = deps;
  const shown: ShownItem[] = [];
  const failedShowingIds: string[] = [];
  let connected = false;
  let frozen = false;
  let screen: Screen | null = null;
  let lastConfigure: Extract<ToStageMessage, { type: 'configure' }> | null = null;
  const pendingMenuRequests = new Map<string, (response: MenuResponse) => void>();
  let menuRequestCount = 0;
  let current: CurrentShowing | null = null;
  let prepared: {
    showing: StageShowing;
    cut: 'after_current' | 'when_ready' | 'on_command';
    ready: boolean;
  } | null = null;
  /** Reports that were sent and not acknowledged; sent again after the next hello. */
  let unacknowledged: { seq: number; createMessage: () => FromStageMessage }[] = [];
  let lastSeq = 0;
  let pageCount = 1;
  /** The picture of the page before a reload, visible until the new page shows one. */
  let previousPageUrl: string | null = null;
  let reloadRequested = false;

  const runAfter = (ms: number, act: () => void) => {
    void clock.sleep(ms, signal).then(() => (signal.aborted ? undefined : act()));
  };
  const report = (make: () => FromStageMessage) => {
    const seq = ++lastSeq;
    const numbered = () => ({ ...make(), seq });
    unacknowledged.push({ seq, createMessage: numbered });
    if (connected) {
      deps.send(numbered());
    }
  };

  function end(outcome: 'completed' | 'interrupted'): void {
    if (!current || current.finished) {
      return;
    }
    const { showing, startedMono } = current;
    current.finished = true;
    const endedMono = clock.monoMs();
    report(() => ({
      type: 'ended',
      showing_id: showing.id,
      ago_ms: clock.monoMs() - endedMono,
      shown_ms: endedMono - startedMono,
      outcome,
      reason: null,
    }));
  }

  function cut(): void {
    if (!prepared?.ready) {
      return;
    }
    const { showing } = prepared;
    end(
      current && clock.monoMs() - current.startedMono >= showingDurationMs(current.showing)
        ? 'completed'
        : 'interrupted',
    );
    prepared = null;
    const startedMono = clock.monoMs();
    current = { showing, startedMono, finished: false };
    previousPageUrl = null;
    shown.push({ id: showing.id, url: showing.url, atMs: clock.wallMs() });
    if (shown.length > (deps.maxShownItems ?? Number.POSITIVE_INFINITY)) {
      shown.shift();
    }
    report(() => ({ type: 'started', showing_id: showing.id, ago_ms: clock.monoMs() - startedMono }));
    runAfter(showingDurationMs(showing), () => {
      if (current?.showing.id !== showing.id) {
        return;
      }
      end('completed');
      if (reloadRequested) {
        return reloadPage();
      }
      if (prepared?.ready && prepared.cut !== 'on_command') {
        cut();
      }
    });
  }

  function prepare(message: Extract<ToStageMessage, { type: 'prepare' }>): void {
    const { showing } = message;
    if (prepared?.showing.id === showing.id) {
      prepared.cut = message.cut;
    } else {
      prepared = { showing, cut: message.cut, ready: false };
    }
    runAfter(deps.prepareMs ?? 50, () => {
      if (prepared?.showing.id !== showing.id) {
        return;
      }
      if (deps.shouldFail?.(showing)) {
        prepared = null;
        failedShowingIds.push(showing.id);
        return report(() => ({
          type: 'failed',
          showing_id: showing.id,
          reason: 'decode_failed',
          detail: '',
        }));
      }
      prepared.ready = true;
      if (connected) {
        deps.send({ type: 'ready', showing_id: showing.id });
      }
      if (
        prepared.cut === 'when_ready' ||
        (prepared.cut === 'after_current' && (current?.finished ?? true))
      ) {
        cut();
      }
    });
  }

  function reload(): void {
    current = prepared = previousPageUrl = null;
    unacknowledged = [];
    lastSeq = 0;
    pageCount += 1;
    frozen = reloadRequested = false;
  }

  /** As in the real page: the channel belongs to the new page, and the old page's picture stays below it. */
  function reloadPage(): void {
    const visibleUrl = current?.showing.url ?? previousPageUrl;
    disconnect();
    reload();
    previousPageUrl = visibleUrl;
    connect();
  }

  function connect(): void {
    connected = true;
    deps.onConnection(true);
    deps.send(hello());
    for (const { createMessage } of unacknowledged) {
      deps.send(createMessage());
    }
  }

  function disconnect(): void {
    connected = false;
    deps.onConnection(false);
  }

  function sendBeat(): void {
    if (connected && !frozen) {
      deps.send({ type: 'beat', frames: 60, dropped_frames: 0 });
    }
    runAfter(deps.beatIntervalMs ?? 1_000, sendBeat);
  }
  sendBeat();

  const hello = (): FromStageMessage => ({
    type: 'hello',
    protocol: 1,
    page_id: `page-${pageCount}`,
    current: current && { showing_id: current.showing.id, ago_ms: clock.monoMs() - current.startedMono },
  });

  return {
    shown,
    failedShowingIds,
    get screen() {
      return screen;
    },
    get loadCount() {
      return pageCount;
    },
    get lastConfigure() {
      return lastConfigure;
    },
    get isCurrentOver() {
      return current?.finished ?? true;
    },
    get current() {
      return current?.showing.url ?? previousPageUrl;
    },
    get isEmpty() {
      return current === null && previousPageUrl === null;
    },
    receive(message) {
      if (!connected) {
        return;
      }
      if (message.type === 'screen') {
        screen = message.screen;
      }
      if (message.type === 'configure') {
        lastConfigure = message;
      }
      if (message.type === 'menu_response') {
        pendingMenuRequests.get(message.id)?.(message.response);
      }
      if (message.type === 'prepare') {
        prepare(message);
      }
      if (message.type === 'cut' && prepared?.showing.id === message.showing_id) {
        prepared.cut = 'when_ready';
        cut();
      }
      if (message.type === 'ack') {
        unacknowledged = unacknowledged.filter(({ seq }) => seq > message.seq);
      }
      if (message.type === 'reload') {
        if (current && !current.finished) {
          reloadRequested = true;
        } else {
          reloadPage();
        }
      }
      if (message.type === 'clear') {
        end('interrupted');
        current = prepared = previousPageUrl = null;
      }
    },
    connect,
    disconnect,
    reload,
    requestMenu(request) {
      const id = `request_${++menuRequestCount}`;
      deps.send({ type: 'menu_request', id, request });
      return new Promise((resolve) => pendingMenuRequests.set(id, resolve));
    },
    freeze() {
      frozen = true;
    },
  };
}
