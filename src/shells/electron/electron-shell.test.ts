import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { electronDouble, electronWindow, PNG } from '../../../test/electron/electron-double.ts';
import { until } from '../../../test/support/until.ts';
import type { NavigationEvent, UtilityChild } from './electron-ports.ts';
import { kioskWindow } from './electron-shell.ts';
import { denyCompany } from './lockdown.ts';
import { utilityRuntime } from './utility-runtime.ts';

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
  it('loads the page and only then shows the window', async () => {
    const loaded = Promise.withResolvers<void>();
    const { shell, windows } = electronDouble((_url, domReady) => loaded.promise.then(domReady));
    const opened = shell.open(HOME);
    await until('the page to be asked for', () => windows[0]?.loaded.length);
    expect(windows[0]!.loaded).toEqual([HOME]);
    expect(windows[0]!.visible).toBe(false);
    loaded.resolve();
    await opened;
    expect(windows[0]!.visible).toBe(true);
    expect(Buffer.from(await shell.capture())).toEqual(PNG);
  });

  it('closes without a word, and a second opening closes the first', async () => {
    const { shell, windows, gone } = electronDouble();
    await shell.open(HOME);
    await shell.open(HOME);
    expect(windows.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await shell.close();
    expect(windows[1]!.destroyed).toBe(true);
    expect(gone).toEqual([]);
    await expect(shell.capture()).rejects.toThrow('no window');
  });

  it.each([
    ['the window was closed', (window: ReturnType<typeof electronWindow>) => window.emit('closed')],
    [
      'the page crashed (oom)',
      (window: ReturnType<typeof electronWindow>) =>
        window.webContents.emit('render-process-gone', {}, { reason: 'oom' }),
    ],
    [
      'the page could not be loaded (ERR_FAILED)',
      (window: ReturnType<typeof electronWindow>) =>
        window.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', HOME, true),
    ],
  ])('tells once that %s', async (reason, happen) => {
    const { shell, windows, gone } = electronDouble();
    await shell.open(HOME);
    happen(windows[0]!);
    happen(windows[0]!);
    expect(gone).toEqual([reason]);
  });

  it('gives a page up that does not load in half a minute', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows, gone } = electronDouble(() => new Promise(() => {}));
      const opened = shell.open(HOME).then(() => null, String);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await opened).toContain('did not load within 30 s');
      expect(windows[0]!.destroyed).toBe(true);
      expect(gone).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('rejects when the page crashes while it opens, and says so to nobody else', async () => {
    const { shell, windows, gone } = electronDouble(() => new Promise(() => {}));
    const opened = shell.open(HOME).then(() => null, String);
    await until('the window', () => windows.length > 0);
    windows[0]!.webContents.emit('render-process-gone', {}, { reason: 'oom' });
    expect(await opened).toContain('the page crashed (oom)');
    expect(gone).toEqual([]);
  });

  it('stays when the page was kept from going elsewhere', async () => {
    const { shell, windows, gone } = electronDouble();
    await shell.open(HOME);
    windows[0]!.webContents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', 'https://evil.example/', true);
    expect(gone).toEqual([]);
  });

  it('gives a page that does not respond fifteen seconds', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows, gone } = electronDouble();
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

  it('tells when the GPU process dies, for what it drew is black then', async () => {
    const { shell, gone, app } = electronDouble();
    await shell.open(HOME);
    app.emit('child-process-gone', {}, { type: 'Utility', reason: 'crashed' });
    expect(gone).toEqual([]);
    app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed' });
    expect(gone).toEqual(['the GPU process ended']);
  });

  it.each(['display-added', 'display-removed', 'display-metrics-changed'])(
    'fills the screen again on %s',
    async (change) => {
      const { shell, windows, screen } = electronDouble();
      screen.emit(change);
      await shell.open(HOME);
      screen.emit(change);
      expect(windows[0]!.bounds).toEqual({ x: 0, y: 0, width: 3840, height: 2160 });
      expect(windows[0]!.kiosk).toBe(true);
    },
  );

  it('is as large as the display although nobody answers its wish for full screen', async () => {
    const { shell, windows } = electronDouble();
    const opened = shell.open(HOME);
    const whole = { x: 0, y: 0, width: 3840, height: 2160 };
    expect(windows[0]!.bounds).toEqual(whole);
    // As Electron on X without a window manager: what it cannot have it takes back.
    windows[0]!.setKiosk = () => windows[0]!.setBounds({ x: 0, y: 0, width: 800, height: 600 });
    await opened;
    expect(windows[0]!.bounds).toEqual(whole);
  });

  it('stays above the windows of other programs where it is told to', async () => {
    const above = electronDouble(undefined, { onTop: true });
    const usual = electronDouble();
    await above.shell.open(HOME);
    await usual.shell.open(HOME);
    expect([above.windows[0]!.level, usual.windows[0]!.level]).toEqual(['screen-saver', null]);
  });

  it('gives up a picture that Electron never takes', async () => {
    vi.useFakeTimers();
    try {
      const { shell, windows } = electronDouble();
      await shell.open(HOME);
      windows[0]!.webContents.capturePage = () => new Promise(() => {});
      const picture = shell.capture().then(String, String);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await picture).toContain('no picture of the page within 5 s');
    } finally {
      vi.useRealTimers();
    }
  });

  it('can change how it draws only by a restart', () => {
    const { shell } = electronDouble();
    expect([shell.drawInSoftware(true), shell.drawInSoftware(false)]).toEqual(['restart', 'next_window']);
  });

  it('rejects when the page cannot be loaded, and leaves no window', async () => {
    const { shell, windows } = electronDouble(() => Promise.reject(new Error('ERR_CONNECTION_REFUSED')));
    await expect(shell.open(HOME)).rejects.toThrow('ERR_CONNECTION_REFUSED');
    expect(windows[0]!.destroyed).toBe(true);
  });
});

describe('the lockdown', () => {
  it('keeps the page on its own server', async () => {
    const { shell, windows } = electronDouble();
    await shell.open(HOME);
    for (const kind of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      const [own, foreign] = [navigation('http://127.0.0.1:4100/'), navigation('https://evil.example/')];
      windows[0]!.webContents.emit(kind, own);
      windows[0]!.webContents.emit(kind, foreign);
      expect([kind, own.prevented, foreign.prevented]).toEqual([kind, false, true]);
    }
  });

  it('grants no permission and no download', () => {
    const { session } = electronDouble();
    const download = navigation('http://127.0.0.1:4100/media/x');
    session.emit('will-download', download);
    expect([session.asked, session.checked, session.device, download.prevented]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('opens no windows, no views in views and no menu', () => {
    const { webContents } = electronWindow(async () => {});
    denyCompany(webContents);
    const [view, menu] = [navigation(HOME), navigation(HOME)];
    webContents.emit('will-attach-webview', view);
    webContents.emit('context-menu', menu);
    expect(webContents.opener()).toEqual({ action: 'deny' });
    expect([view.prevented, menu.prevented]).toEqual([true, true]);
  });

  it('keeps shortcuts from the page, but not the technician, and is not closed by a key', async () => {
    const { shell, windows } = electronDouble();
    await shell.open(HOME);
    const [reload, technician, close] = [navigation(HOME), navigation(HOME), navigation(HOME)];
    const held = { code: '', control: true, alt: false, shift: false, meta: false };
    denyCompany(windows[0]!.webContents);
    windows[0]!.webContents.emit('before-input-event', reload, { ...held, key: 'r' });
    windows[0]!.webContents.emit('before-input-event', technician, {
      ...held,
      alt: true,
      shift: true,
      key: 'S',
    });
    windows[0]!.emit('close', close);
    expect([reload.prevented, technician.prevented, close.prevented]).toEqual([true, false, true]);
  });

  it('makes a sandboxed kiosk window, with developer tools only in development', () => {
    expect(kioskWindow(false)).toMatchObject({
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
    expect(kioskWindow(true).webPreferences.devTools).toBe(true);
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
  it('speaks the shell link, and ignores what it does not know', () => {
    const child = testChild();
    const heard: unknown[] = [];
    const exits: string[] = [];
    const runtime = utilityRuntime(child, {
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

  it('says what V8 said last when it could not go on', () => {
    const child = testChild();
    const exits: string[] = [];
    utilityRuntime(child, { onMessage() {}, onExit: (reason) => exits.push(reason) });
    child.emit('error', 'FatalError', 'Heap::AllocateRaw', '{}');
    child.emit('exit', 133);
    expect(exits).toEqual(['code 133, FatalError in Heap::AllocateRaw']);
  });

  it('is ended by Electron while it has no number of its own', () => {
    const child = testChild(null);
    utilityRuntime(child, { onMessage() {}, onExit() {} }).kill();
    expect(child.kills).toBe(1);
  });

  it('is ended although it hears nothing, and once it has ended nobody else is', async () => {
    const program = "process.on('SIGTERM', () => {}); process.stdout.write('.'); setInterval(() => {}, 1000)";
    const deaf = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(deaf.stdout, 'data');
    const child = testChild(deaf.pid ?? null);
    const runtime = utilityRuntime(child, { onMessage() {}, onExit() {} });
    const ended = once(deaf, 'exit');
    runtime.kill();
    expect(await ended).toEqual([null, 'SIGKILL']);
    // Electron forgets the number with the process.
    child.pid = undefined;
    expect(() => runtime.kill()).not.toThrow();
  });
});
