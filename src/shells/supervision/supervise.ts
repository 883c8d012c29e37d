import { errorMessage } from '../../core/error-details.ts';
import type { FromRuntimeMessage, RuntimeConfig } from '../../runtime/shell-messages.ts';
import { createCrashLoopDetector } from './crash-loop-detector.ts';
import { EXIT_RESTART } from './exit-codes.ts';
import { createRestartBackoff } from './restart-backoff.ts';
import type { RuntimeProcess, StartRuntime } from './runtime-process.ts';
import type { ShellLog } from './shell-log.ts';
import type { Shell } from './shell.ts';
import type { StartRecord } from './start-record.ts';
import { writeSnapshots } from './snapshot-writer.ts';

export interface SuperviseDeps {
  shell: Shell;
  startRuntime: StartRuntime;
  config: RuntimeConfig;
  /** Secret of this launch, at least 32 characters. */
  session: string;
  /** PNG file for screenshots, or null. */
  snapshot: string | null;
  /** Record of this start; the mode of the next one is written to it at the end. */
  startRecord: StartRecord;
  log: ShellLog;
  /** Prints a message for the operator. */
  printMessage(message: string): void;
  /** Resolves with a new file of settings, which apply from the next start on; null when aborted. */
  waitForNewSettings?(signal: AbortSignal): Promise<string | null>;
  /** Aborted when the player is asked to end. */
  signal: AbortSignal;
  /** How long a runtime may send no message, from its start on, before it is replaced. Milliseconds; for tests. */
  runtimeSilenceTimeoutMs?: number;
}

const STOP_TIMEOUT_MS = 4_000;
/** A slow disk may delay the runtime before it listens. */
const STARTUP_SILENCE_TIMEOUT_MS = 90_000;
/** Later it sends a message every 5 s. If it hangs, the watchdog of systemd ends everything after 60 s or more. */
const RUNNING_SILENCE_TIMEOUT_MS = 45_000;
/** A runtime that fails this often before it listens has probably lost its port to another program. */
const STARTS_BEFORE_NEW_PORT = 3;

/**
 * Keeps runtime and window running, independently: the picture stays when the runtime ends, and the runtime
 * continues when the window does. Resolves with the exit code once both have ended.
 */
export async function supervise(deps: SuperviseDeps): Promise<number> {
  const { shell, config, session, log } = deps;
  const { promise: exitRequested, resolve: requestExit } = Promise.withResolvers<number>();
  const timers = new Set<NodeJS.Timeout>();
  let isStopping = false;
  let onStopped: (() => void) | null = null;

  function runLater(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!isStopping) {
        action();
      }
    }, ms);
    timers.add(timer);
  }

  const runtimeBackoff = createRestartBackoff({ maxDelayAfterReadyMs: 1_000 });
  let runtime: RuntimeProcess | null = null;
  let isListening = false;
  let port = 0;
  let startsWithoutListening = 0;
  let lastFatalMessage = '';
  let silenceTimer: NodeJS.Timeout | undefined;

  /** A hanging runtime does not end by itself. */
  function resetSilenceTimer(): void {
    clearTimeout(silenceTimer);
    const timeoutMs = isListening ? RUNNING_SILENCE_TIMEOUT_MS : STARTUP_SILENCE_TIMEOUT_MS;
    silenceTimer = setTimeout(() => {
      log.warn({ pid: runtime?.pid }, 'runtime.timed_out');
      runtime?.kill();
    }, deps.runtimeSilenceTimeoutMs ?? timeoutMs);
  }

  function startRuntime(): void {
    const startedMs = performance.now();
    isListening = false;
    runtime = deps.startRuntime({
      onMessage(message) {
        handleMessage(message);
        resetSilenceTimer();
      },
      onExit(reason) {
        runtime = null;
        clearTimeout(silenceTimer);
        if (isStopping) {
          onStopped?.();
          return;
        }
        const wasReady = isListening;
        startsWithoutListening = wasReady ? 0 : startsWithoutListening + 1;
        isListening = false;
        if (startsWithoutListening >= STARTS_BEFORE_NEW_PORT && port !== 0) {
          port = 0;
          startsWithoutListening = 0;
        }
        const delayMs = runtimeBackoff.nextDelayMs({ uptimeMs: performance.now() - startedMs, wasReady });
        log.warn({ reason, restart_in_ms: delayMs }, 'runtime.crashed');
        runLater(delayMs, startRuntime);
      },
    });
    resetSilenceTimer();
    runtime.send({ type: 'start', config, port, session, safeMode: crashLoop.safeMode });
  }

  function handleMessage(message: FromRuntimeMessage): void {
    if (isStopping) {
      return;
    }
    switch (message.type) {
      case 'ready':
        // An open page cannot switch to another port.
        if (message.port !== port) {
          windowState = 'closed';
        }
        port = message.port;
        isListening = true;
        log.info({ port, pid: runtime?.pid }, 'runtime.ready');
        requestWindow();
        break;
      case 'page':
        void openWindow(message.url);
        break;
      case 'stage_lost':
        if (windowState === 'open') {
          onWindowLost('the page stopped answering');
        }
        break;
      case 'fatal':
        log.error({ reason: message.message }, 'runtime.start_failed');
        if (message.message !== lastFatalMessage) {
          deps.printMessage(message.message);
        }
        lastFatalMessage = message.message;
        // An old picture is better than none: while it is shown, the runtime is restarted.
        if (windowState !== 'open') {
          requestExit(message.exitCode);
        }
        break;
      case 'restart_wanted':
        log.info({}, 'player.restart_requested');
        crashLoop.exitSafeMode();
        requestExit(EXIT_RESTART);
        break;
      case 'screenshot_wanted':
        void sendScreenshot(message);
        break;
      case 'alive':
        break;
    }
  }

  async function sendScreenshot({ id, maxPixels }: { id: number; maxPixels: number }): Promise<void> {
    const image = await shell.captureJpeg(maxPixels).catch((error: unknown) => {
      log.warn({ error: errorMessage(error) }, 'screenshot.failed');
      return null;
    });
    runtime?.send({ type: 'screenshot', id, image: image && Buffer.from(image).toString('base64') });
  }

  // The screen is black until the window is back, so the delay is short; a crash loop leads to safe mode.
  const windowBackoff = createRestartBackoff({ maxDelayAfterReadyMs: 500 });
  const crashLoop = createCrashLoopDetector(deps.startRecord.safeMode ? { atMs: performance.now() } : null);
  let windowState: 'closed' | 'waiting' | 'opening' | 'open' = 'closed';
  let windowOpenedAtMs = performance.now();

  function requestWindow(): void {
    if (isListening && (windowState === 'closed' || windowState === 'waiting')) {
      windowState = 'waiting';
      runtime?.send({ type: 'page_wanted' });
    }
  }

  async function openWindow(url: string): Promise<void> {
    if (windowState !== 'waiting') {
      return;
    }
    windowState = 'opening';
    windowOpenedAtMs = performance.now();
    try {
      await shell.open(url);
      if (windowState !== 'opening') {
        return;
      }
      windowState = 'open';
      log.info({ shell: shell.name }, 'window.opened');
    } catch (error) {
      if (windowState === 'opening') {
        onWindowLost(errorMessage(error));
      }
    }
  }

  function onWindowLost(reason: string): void {
    if (isStopping || windowState === 'closed') {
      return;
    }
    const wasReady = windowState === 'open';
    windowState = 'closed';
    const delayMs = windowBackoff.nextDelayMs({ uptimeMs: performance.now() - windowOpenedAtMs, wasReady });
    log.warn({ reason, restart_in_ms: delayMs }, 'window.lost');
    if (crashLoop.recordCrash(performance.now())) {
      setSafeMode(true);
    }
    runLater(delayMs, requestWindow);
  }

  /** Most window crashes come from graphics drivers. */
  function setSafeMode(on: boolean): void {
    log.warn({ on }, 'safe_mode.changed');
    const effect = shell.setSoftwareRendering(on);
    if (effect === 'restart') {
      requestExit(EXIT_RESTART);
    } else {
      runtime?.send({ type: 'safe_mode', on });
    }
    if (on) {
      scheduleSafeModeEnd();
    }
  }

  function scheduleSafeModeEnd(): void {
    const remainingMs = (crashLoop.safeModeEndsAtMs ?? 0) - performance.now();
    runLater(Math.max(0, remainingMs), () => {
      if (!crashLoop.safeMode) {
        return;
      }
      if (performance.now() < (crashLoop.safeModeEndsAtMs ?? 0)) {
        return scheduleSafeModeEnd();
      }
      crashLoop.exitSafeMode();
      setSafeMode(false);
      // The current window still uses software rendering; a new one shows whether hardware rendering works again.
      if (windowState === 'open') {
        windowState = 'closed';
        requestWindow();
      }
    });
  }

  shell.onLost(onWindowLost);
  deps.signal.addEventListener('abort', () => requestExit(0), { once: true });
  if (deps.signal.aborted) {
    requestExit(0);
  }
  const backgroundTasks = new AbortController();
  void restartOnNewSettings();
  const snapshotting =
    deps.snapshot === null
      ? Promise.resolve()
      : writeSnapshots({
          path: deps.snapshot,
          capture: () => shell.capture(),
          onError: (error) => {
            if (windowState === 'open') {
              log.warn({ error: String(error) }, 'snapshot.write_failed');
            }
          },
          signal: backgroundTasks.signal,
        });
  if (crashLoop.safeMode) {
    shell.setSoftwareRendering(true);
    scheduleSafeModeEnd();
  }
  startRuntime();
  // Runtime and window start in parallel.
  shell.warmUp?.();

  const exitCode = await exitRequested;
  isStopping = true;
  for (const timer of timers) {
    clearTimeout(timer);
  }
  clearTimeout(silenceTimer);
  backgroundTasks.abort();
  await Promise.all([stopRuntime(), shell.close(), snapshotting]);
  deps.startRecord.finish(crashLoop.safeMode && exitCode === EXIT_RESTART ? 'safe' : 'normal');
  return exitCode;

  async function restartOnNewSettings(): Promise<void> {
    const path = await deps.waitForNewSettings?.(backgroundTasks.signal);
    if (!path || isStopping) {
      return;
    }
    log.info({ path }, 'provisioning.found');
    crashLoop.exitSafeMode();
    requestExit(EXIT_RESTART);
  }

  async function stopRuntime(): Promise<void> {
    const stoppingRuntime = runtime;
    if (!stoppingRuntime) {
      return;
    }
    const stopped = new Promise<void>((resolve) => {
      onStopped = resolve;
    });
    const timer = setTimeout(() => stoppingRuntime.kill(), STOP_TIMEOUT_MS);
    stoppingRuntime.send({ type: 'stop' });
    await stopped;
    clearTimeout(timer);
  }
}
