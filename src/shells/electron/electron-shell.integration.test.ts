import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { createFakeElectron, createFakeWindow, PNG } from '../../../test/electron/fake-electron.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import type { NavigationEvent, UtilityChild } from './electron-ports.ts';
import { kioskWindowOptions } from './electron-shell.ts';
import { lockDownContents } from './lockdown.ts';
import { createUtilityRuntime } from './utility-runtime.ts';

const HOME = 'http://127.0.0.1:4100/enter/once';

function navigation(url: string) {
  const event = {
    url,
    prevented: false,
    preventDefault() {
      event.prevented = true;
    },
  };
  return event satisfies NavigationEvent;
}

describe('the Electron shell', () => {
  test('loads the page before it shows the window', async () => {
    const loaded = Promise.withResolvers<void>();
    const { shell, windows } = createFakeElectron((_url, domReady) => loaded.promise.then(domReady));
    const opened = shell.open(HOME);
    await waitUntil('the page to be asked for', () => windows[0]?.loaded.length);
    expect(windows[0]!.loaded).toEqual([HOME]);
    expect(windows[0]!.visible).toBe(false);
    loaded.resolve();
    await opened;
    expect(windows[0]!.visible).toBe(true);
    expect(Buffer.from(await shell.capture())).toEqual(PNG);
  });

  test('closes without a report, and a second opening closes the first', async () => {
    const { shell, windows, gone } = createFakeElectron();
    await shell.open(HOME);
    await shell.open(HOME);
    expect(windows.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await shell.close();
    expect(windows[1]!.destroyed).toBe(true);
    expect(gone).toEqual([]);
    await expect(shell.capture()).rejects.toThrow('no window');
  });

  test.each([
    ['the window was closed', (window: ReturnType<typeof createFakeWindow>) => window.emit('closed')],
    [
      'the page crashed (oom)',
      (window: ReturnType<typeof createFakeWindow>) =>
        window.webContents.emit('render-process-gone', {}, { reason: 'oom' }),
    ],
    [
      'the page could not be loaded (ERR_FAILED)',
      (window: ReturnType<typeof createFakeWindow>) =>
        window.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', HOME, true),
    ],
  ])('reports once that %s', async (reason, happen) => {
    const { shell, windows, gone } = createFakeElectron();
    await shell.open(HOME);
    happen(windows[0]!);
    happen(windows[0]!);
    expect(gone).toEqual([reason]);
  });

  test('gives up a page that does not load within 30 s', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows, gone } = createFakeElectron(() => new Promise(() => {}));
      const opened = shell.open(HOME).then(() => null, String);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await opened).toContain('did not load within 30 s');
      expect(windows[0]!.destroyed).toBe(true);
      expect(gone).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('rejects when the page crashes while it opens, and does not report it otherwise', async () => {
    const { shell, windows, gone } = createFakeElectron(() => new Promise(() => {}));
    const opened = shell.open(HOME).then(() => null, String);
    await waitUntil('the window', () => windows.length > 0);
    windows[0]!.webContents.emit('render-process-gone', {}, { reason: 'oom' });
    expect(await opened).toContain('the page crashed (oom)');
    expect(gone).toEqual([]);
  });

  test('keeps the window when a navigation was prevented', async () => {
    const { shell, windows, gone } = createFakeElectron();
    await shell.open(HOME);
    windows[0]!.webContents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', 'https://evil.example/', true);
    expect(gone).toEqual([]);
  });

  test('allows an unresponsive page fifteen seconds', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows, gone } = createFakeElectron();
      await shell.open(HOME);
      windows[0]!.emit('unresponsive');
      vi.advanceTimersByTime(10_000);
      windows[0]!.emit('responsive');
      vi.advanceTimersByTime(20_000);
      expect(gone).toEqual([]);
      windows[0]!.emit('unresponsive');
      vi.advanceTimersByTime(15_000);
      expect(gone).toEqual(['the page does not respond']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('reports the end of the GPU process, because the content it drew is lost', async () => {
    const { shell, gone, app } = createFakeElectron();
    await shell.open(HOME);
    app.emit('child-process-gone', {}, { type: 'Utility', reason: 'crashed' });
    expect(gone).toEqual([]);
    app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed' });
    expect(gone).toEqual(['the GPU process ended']);
  });

  test.each(['display-added', 'display-removed', 'display-metrics-changed'])(
    'fills the screen again on %s',
    async (change) => {
      const { shell, windows, screen } = createFakeElectron();
      screen.emit(change);
      await shell.open(HOME);
      screen.emit(change);
      expect(windows[0]!.bounds).toEqual({ x: 0, y: 0, width: 3840, height: 2160 });
      expect(windows[0]!.kiosk).toBe(true);
    },
  );

  test('is as large as the display although full screen is refused', async () => {
    const { shell, windows } = createFakeElectron();
    const opened = shell.open(HOME);
    const whole = { x: 0, y: 0, width: 3840, height: 2160 };
    expect(windows[0]!.bounds).toEqual(whole);
    // Like Electron on X without a window manager, which undoes a full screen that it does not get.
    windows[0]!.setKiosk = () => windows[0]!.setBounds({ x: 0, y: 0, width: 800, height: 600 });
    await opened;
    expect(windows[0]!.bounds).toEqual(whole);
  });

  test('stays above the windows of other programs where it is told to', async () => {
    const above = createFakeElectron(undefined, { alwaysOnTop: true });
    const usual = createFakeElectron();
    await above.shell.open(HOME);
    await usual.shell.open(HOME);
    expect([above.windows[0]!.level, usual.windows[0]!.level]).toEqual(['screen-saver', null]);
  });

  test('gives up a screenshot that Electron never takes', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows } = createFakeElectron();
      await shell.open(HOME);
      windows[0]!.webContents.capturePage = () => new Promise(() => {});
      const picture = shell.capture().then(String, String);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await picture).toContain('no screenshot of the page within 5 s');
    } finally {
      vi.useRealTimers();
    }
  });

  test('can switch to software rendering only by a restart', () => {
    const { shell } = createFakeElectron();
    expect([shell.setSoftwareRendering(true), shell.setSoftwareRendering(false)]).toEqual([
      'restart',
      'next_window',
    ]);
  });

  test('rejects when the page cannot be loaded, and leaves no window', async () => {
    const { shell, windows } = createFakeElectron(() => Promise.reject(new Error('ERR_CONNECTION_REFUSED')));
    await expect(shell.open(HOME)).rejects.toThrow('ERR_CONNECTION_REFUSED');
    expect(windows[0]!.destroyed).toBe(true);
  });
});

describe('the lockdown', () => {
  test('keeps the page on its own server', async () => {
    const { shell, windows } = createFakeElectron();
    await shell.open(HOME);
    for (const kind of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      const [own, foreign] = [navigation('http://127.0.0.1:4100/'), navigation('https://evil.example/')];
      windows[0]!.webContents.emit(kind, own);
      windows[0]!.webContents.emit(kind, foreign);
      expect([kind, own.prevented, foreign.prevented]).toEqual([kind, false, true]);
    }
  });

  test('grants no permission and no download', () => {
    const { session } = createFakeElectron();
    const download = navigation('http://127.0.0.1:4100/media/x');
    session.emit('will-download', download);
    expect([session.asked, session.checked, session.device, download.prevented]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('opens no windows, no webviews and no menu', () => {
    const { webContents } = createFakeWindow(async () => {});
    lockDownContents(webContents);
    const [view, menu] = [navigation(HOME), navigation(HOME)];
    webContents.emit('will-attach-webview', view);
    webContents.emit('context-menu', menu);
    expect(webContents.opener()).toEqual({ action: 'deny' });
    expect([view.prevented, menu.prevented]).toEqual([true, true]);
  });

  test("blocks shortcuts except the technician's, and is not closed by a key", async () => {
    const { shell, windows } = createFakeElectron();
    await shell.open(HOME);
    const [reload, technician, close] = [navigation(HOME), navigation(HOME), navigation(HOME)];
    const keyInput = { code: '', control: true, alt: false, shift: false, meta: false };
    lockDownContents(windows[0]!.webContents);
    windows[0]!.webContents.emit('before-input-event', reload, { ...keyInput, key: 'r' });
    windows[0]!.webContents.emit('before-input-event', technician, {
      ...keyInput,
      alt: true,
      shift: true,
      key: 'S',
    });
    windows[0]!.emit('close', close);
    expect([reload.prevented, technician.prevented, close.prevented]).toEqual([true, false, true]);
  });

  test('creates a sandboxed kiosk window, with developer tools only in development', () => {
    expect(kioskWindowOptions(false)).toMatchObject({
      kiosk: true,
      frame: false,
      show: false,
      webPreferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        devTools: false,
        backgroundThrottling: false,
      },
    });
    expect(kioskWindowOptions(true).webPreferences.devTools).toBe(true);
  });
});

function testChild(pid: number | null = 42) {
  const child = Object.assign(new EventEmitter(), {
    pid: pid ?? undefined,
    posted: [] as unknown[],
    postMessage(message: unknown) {
      child.posted.push(message);
    },
    kills: 0,
    kill() {
      child.kills += 1;
      return child.pid !== undefined;
    },
  });
  return child satisfies UtilityChild;
}

describe('the runtime in a utility process', () => {
  test('uses the shell messages, and ignores unknown ones', () => {
    const child = testChild();
    const heard: unknown[] = [];
    const exits: string[] = [];
    const runtime = createUtilityRuntime(child, {
      onMessage: (message) => heard.push(message),
      onExit: (reason) => exits.push(reason),
    });
    child.emit('message', { type: 'ready', port: 4100 });
    child.emit('message', { type: 'from_the_future' });
    runtime.send({ type: 'page_wanted' });
    child.emit('exit', 9);
    expect(heard).toEqual([{ type: 'ready', port: 4100 }]);
    expect(child.posted).toEqual([{ type: 'page_wanted' }]);
    expect([runtime.pid, exits]).toEqual([42, ['code 9']]);
  });

  test('reports the last error of V8 when it could not continue', () => {
    const child = testChild();
    const exits: string[] = [];
    createUtilityRuntime(child, { onMessage() {}, onExit: (reason) => exits.push(reason) });
    child.emit('error', 'FatalError', 'Heap::AllocateRaw', '{}');
    child.emit('exit', 133);
    expect(exits).toEqual(['code 133, FatalError in Heap::AllocateRaw']);
  });

  test('is ended by Electron while it has no process id', () => {
    const child = testChild(null);
    createUtilityRuntime(child, { onMessage() {}, onExit() {} }).kill();
    expect(child.kills).toBe(1);
  });

  test('is killed although it does not react, and after its end no other process is', async () => {
    const program = "process.on('SIGTERM', () => {}); process.stdout.write('.'); setInterval(() => {}, 1000)";
    const unresponsiveProcess = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(unresponsiveProcess.stdout, 'data');
    const child = testChild(unresponsiveProcess.pid ?? null);
    const runtime = createUtilityRuntime(child, { onMessage() {}, onExit() {} });
    const ended = once(unresponsiveProcess, 'exit');
    runtime.kill();
    expect(await ended).toEqual([null, 'SIGKILL']);
    // Electron clears the process id when the process ends.
    child.pid = undefined;
    expect(() => runtime.kill()).not.toThrow();
  });
});
