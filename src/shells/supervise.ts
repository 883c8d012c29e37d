import type { FromRuntime, RuntimeConfig } from '../runtime/shell-link.ts';
import { createCrashLoop } from './crash-loop.ts';
import { createRestartPace } from './restart-pace.ts';
import type { RuntimeProcess, StartRuntime } from './runtime-process.ts';
import type { Shell } from './shell.ts';
import type { StartRecord } from './start-record.ts';
import { writeSnapshots } from './snapshot-writer.ts';

/** The part of a pino logger that the shells use. */
export interface ShellLog {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

export interface SuperviseDeps {
  shell: Shell;
  startRuntime: StartRuntime;
  config: RuntimeConfig;
  /** Secret of this launch, at least 32 characters. */
  session: string;
  /** PNG file of what the screen shows, or null. */
  snapshot: string | null;
  /** Of this start; how the next one is to draw is left there at the end. */
  starts: StartRecord;
  log: ShellLog;
  /** Tells the person at the terminal. */
  say(sentence: string): void;
  /** Resolves with a file of settings that came after the start: they hold from the next one. Null when aborted. */
  newSettings?(signal: AbortSignal): Promise<string | null>;
  /** Aborted when the player is asked to end. */
  signal: AbortSignal;
  /** How long a runtime may say nothing, from its start on, before it is replaced. Milliseconds; for tests. */
  runtimeSilenceMs?: number;
}

/** Asks the supervisor above to start the player again (`EX_TEMPFAIL`). */
export const EXIT_RESTART = 75;

const STOP_PATIENCE_MS = 4_000;
/** A slow disk may hold a runtime up before it listens. */
const STARTING_SILENCE_MS = 90_000;
/** Later it has a word every 5 s. When it hangs, systemd hears nothing of the page and ends all, after 60 s or more. */
const LISTENING_SILENCE_MS = 45_000;
/** A runtime that cannot even begin to listen so often has probably lost its port to somebody. */
const STARTS_BEFORE_NEW_PORT = 3;

/**
 * Keeps runtime and window alive, each by itself: the picture stays when the runtime dies, and the runtime
 * works on when the window does. Resolves with the exit code once both have ended.
 */
export async function supervise(deps: SuperviseDeps): Promise<number> {
  const { shell, config, session, log } = deps;
  const { promise: ending, resolve: end } = Promise.withResolvers<number>();
  const timers = new Set<NodeJS.Timeout>();
  let stopping = false;
  let onStopped: (() => void) | null = null;

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!stopping) act();
    }, ms);
    timers.add(timer);
  }

  // The runtime.
  const runtimePace = createRestartPace({ longestAfterWorkMs: 1_000 });
  let runtime: RuntimeProcess | null = null;
  let listening = false;
  let port = 0;
  let startsWithoutListening = 0;
  let lastSaid = '';
  let silence: NodeJS.Timeout | undefined;

  /** One that hangs does not end by itself. */
  function waitForWord(): void {
    clearTimeout(silence);
    const patienceMs = listening ? LISTENING_SILENCE_MS : STARTING_SILENCE_MS;
    silence = setTimeout(() => {
      log.warn({ pid: runtime?.pid }, 'runtime.silent');
      runtime?.kill();
    }, deps.runtimeSilenceMs ?? patienceMs);
  }

  function startRuntime(): void {
    const startedMs = performance.now();
    listening = false;
    runtime = deps.startRuntime({
      onMessage(message) {
        hear(message);
        waitForWord();
      },
      onExit(reason) {
        runtime = null;
        clearTimeout(silence);
        if (stopping) {
          onStopped?.();
          return;
        }
        const cameUp = listening;
        startsWithoutListening = cameUp ? 0 : startsWithoutListening + 1;
        listening = false;
        if (startsWithoutListening >= STARTS_BEFORE_NEW_PORT && port !== 0) {
          port = 0;
          startsWithoutListening = 0;
        }
        const waitMs = runtimePace.next({ aliveMs: performance.now() - startedMs, cameUp });
        log.warn({ reason, restart_in_ms: waitMs }, 'runtime.crashed');
        later(waitMs, startRuntime);
      },
    });
    waitForWord();
    runtime.send({ type: 'start', config, port, session, safeMode: crashes.safeMode });
  }

  function hear(message: FromRuntime): void {
    if (stopping) return;
    switch (message.type) {
      case 'ready':
        // An open page cannot follow to another port.
        if (message.port !== port) windowState = 'closed';
        port = message.port;
        listening = true;
        log.info({ port, pid: runtime?.pid }, 'runtime.ready');
        wantWindow();
        break;
      case 'page':
        void openWindow(message.url);
        break;
      case 'stage_lost':
        if (windowState === 'open') windowGone('the page stopped answering');
        break;
      case 'fatal':
        log.error({ reason: message.message }, 'player.fatal');
        if (message.message !== lastSaid) deps.say(message.message);
        lastSaid = message.message;
        // A picture that stands is better than none: the runtime is tried again while it does.
        if (windowState !== 'open') end(message.exitCode);
        break;
      case 'restart_wanted':
        log.info({}, 'player.restart_wanted');
        crashes.leave();
        end(EXIT_RESTART);
        break;
      case 'alive':
        break;
    }
  }

  // The window.
  // The screen is black meanwhile; what dies too often ends in safe mode.
  const windowPace = createRestartPace({ longestAfterWorkMs: 500 });
  const crashes = createCrashLoop(deps.starts.safeMode ? { atMs: performance.now() } : null);
  let windowState: 'closed' | 'waiting' | 'opening' | 'open' = 'closed';
  let windowSinceMs = performance.now();

  function wantWindow(): void {
    if (listening && (windowState === 'closed' || windowState === 'waiting')) {
      windowState = 'waiting';
      runtime?.send({ type: 'page_wanted' });
    }
  }

  async function openWindow(url: string): Promise<void> {
    if (windowState !== 'waiting') return;
    windowState = 'opening';
    windowSinceMs = performance.now();
    try {
      await shell.open(url);
      if (windowState !== 'opening') return;
      windowState = 'open';
      log.info({ shell: shell.name }, 'window.opened');
    } catch (error) {
      if (windowState === 'opening') windowGone(error instanceof Error ? error.message : String(error));
    }
  }

  function windowGone(reason: string): void {
    if (stopping || windowState === 'closed') return;
    const cameUp = windowState === 'open';
    windowState = 'closed';
    const waitMs = windowPace.next({ aliveMs: performance.now() - windowSinceMs, cameUp });
    log.warn({ reason, restart_in_ms: waitMs }, 'window.gone');
    if (crashes.died(performance.now())) setSafeMode(true);
    later(waitMs, wantWindow);
  }

  /** Windows die of their drivers more than of anything else. */
  function setSafeMode(on: boolean): void {
    log.warn({ on }, 'player.safe_mode');
    const how = shell.drawInSoftware(on);
    if (how === 'restart') end(EXIT_RESTART);
    else runtime?.send({ type: 'safe_mode', on });
    if (on) waitForCalm();
  }

  function waitForCalm(): void {
    const leftMs = (crashes.calmAtMs ?? 0) - performance.now();
    later(Math.max(0, leftMs), () => {
      if (!crashes.safeMode) return;
      if (performance.now() < (crashes.calmAtMs ?? 0)) return waitForCalm();
      crashes.leave();
      setSafeMode(false);
      // What is on the screen was drawn in software: a window as usual shows whether that works again.
      if (windowState === 'open') {
        windowState = 'closed';
        wantWindow();
      }
    });
  }

  shell.onGone(windowGone);
  deps.signal.addEventListener('abort', () => end(0), { once: true });
  if (deps.signal.aborted) end(0);
  const aside = new AbortController();
  void takeNewSettings();
  const snapshotting =
    deps.snapshot === null
      ? Promise.resolve()
      : writeSnapshots({
          path: deps.snapshot,
          capture: () => shell.capture(),
          onError: (error) => {
            if (windowState === 'open') log.warn({ error: String(error) }, 'snapshot.failed');
          },
          signal: aside.signal,
        });
  if (crashes.safeMode) {
    shell.drawInSoftware(true);
    waitForCalm();
  }
  startRuntime();
  // Runtime and window take their time side by side.
  shell.warm?.();

  const exitCode = await ending;
  stopping = true;
  for (const timer of timers) clearTimeout(timer);
  clearTimeout(silence);
  aside.abort();
  await Promise.all([stopRuntime(), shell.close(), snapshotting]);
  deps.starts.end(crashes.safeMode && exitCode === EXIT_RESTART ? 'safe' : 'normal');
  return exitCode;

  async function takeNewSettings(): Promise<void> {
    const path = await deps.newSettings?.(aside.signal);
    if (!path || stopping) return;
    log.info({ path }, 'player.settings_found');
    crashes.leave();
    end(EXIT_RESTART);
  }

  async function stopRuntime(): Promise<void> {
    const leaving = runtime;
    if (!leaving) return;
    const stopped = new Promise<void>((resolve) => {
      onStopped = resolve;
    });
    const timer = setTimeout(() => leaving.kill(), STOP_PATIENCE_MS);
    leaving.send({ type: 'stop' });
    await stopped;
    clearTimeout(timer);
  }
}
