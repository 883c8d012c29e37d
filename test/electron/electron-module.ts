/**
 * A fake of the `electron` module on plain Node, with only what the player uses: windows that fetch their page and draw
 * nothing, utility processes that are child processes. Records every call; anything else throws. The test that starts it
 * reads the records and sends events over the channel of `child_process`.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { PNG } from './fake-electron.ts';

/** A call by the shell: `app.exit`, `app.on('before-quit')`, with its arguments as JSON. */
export interface RecordedCall {
  call: string;
  args: readonly unknown[];
}

const CALLS_FILE = process.env['PLACARD_TEST_CALLS'] ?? '';
const DISPLAY = { x: 0, y: 0, width: 1280, height: 720 };
const EMITTER_METHODS = ['on', 'once'];

function recordCall(call: string, args: readonly unknown[]): void {
  const plain = args.filter((arg) => typeof arg !== 'function');
  const text = JSON.stringify({ call, args: plain }, (key, value: unknown) => (key === 'env' ? {} : value));
  if (CALLS_FILE !== '') {
    appendFileSync(CALLS_FILE, `${text}\n`);
  }
}

/** Wraps the object; every method call is recorded, and a missing method is an error. */
function recordCalls<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === 'symbol' || key === 'then') {
        return value;
      }
      if (value === undefined && !(key in target)) {
        throw new Error(`the shell uses ${name}.${key}, which the fake does not have`);
      }
      if (typeof value !== 'function') {
        // Calls on a nested object are recorded by that object.
        if (typeof value !== 'object') {
          recordCall(`${name}.${key}`, []);
        }
        return value;
      }
      return (...args: unknown[]): unknown => {
        const event = EMITTER_METHODS.includes(key) ? `('${String(args[0])}')` : '';
        recordCall(`${name}.${key}${event}`, event === '' ? args : []);
        const result: unknown = Reflect.apply(value, target, args);
        return result === target ? undefined : result;
      };
    },
  });
}

const switches = new Map<string, string>();
const realApp = Object.assign(new EventEmitter(), {
  isPackaged: Boolean(process.env['PLACARD_TEST_PACKAGED']),
  commandLine: recordCalls('app.commandLine', {
    appendSwitch: (name: string, value = '') => void switches.set(name, value),
    getSwitchValue: (name: string) => switches.get(name) ?? '',
  }),
  setPath(_name: string, _path: string) {},
  requestSingleInstanceLock: () => !process.env['PLACARD_TEST_LOCKED'],
  disableHardwareAcceleration() {},
  whenReady: () => new Promise<void>((resolve) => setImmediate(resolve)),
  exit: (code = 0) => process.exit(code),
});
export const app = recordCalls('app', realApp);

export const Menu = recordCalls('Menu', { setApplicationMenu(_menu: null) {} });
export const powerSaveBlocker = recordCalls('powerSaveBlocker', { start: (_type: string) => 1 });
const realScreen = Object.assign(new EventEmitter(), { getPrimaryDisplay: () => ({ bounds: DISPLAY }) });
export const screen = recordCalls('screen', realScreen);

export const session = recordCalls('session', {
  fromPartition: (_name: string) =>
    recordCalls(
      'Session',
      Object.assign(new EventEmitter(), {
        setPermissionRequestHandler() {},
        setPermissionCheckHandler() {},
        setDevicePermissionHandler() {},
      }),
    ),
});

const windows: ReturnType<typeof makeWindow>[] = [];

function makeWindow(options: { webPreferences?: object; width?: number; height?: number }) {
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler() {},
    // The page has no scripts here.
    mainFrame: recordCalls('WebFrameMain', { executeJavaScript: async () => true }),
    capturePage: async () => ({ toPNG: () => PNG }),
  });
  const window = Object.assign(new EventEmitter(), {
    webContents: recordCalls('WebContents', contents),
    contents,
    destroyed: false,
    bounds: { x: 0, y: 0, width: options.width ?? 800, height: options.height ?? 600 },
    async loadURL(url: string) {
      const page = await fetch(url, { redirect: 'manual' });
      if (page.status !== 303 && !page.ok) {
        throw new Error(`ERR_HTTP_${page.status}`);
      }
      contents.emit('dom-ready');
    },
    show() {},
    getBounds: () => window.bounds,
    setBounds(bounds: typeof DISPLAY) {
      window.bounds = bounds;
    },
    // As on X without a window manager: the request has no effect.
    setKiosk() {
      window.bounds = { x: 0, y: 0, width: 800, height: 600 };
    },
    setAlwaysOnTop() {},
    isDestroyed: () => window.destroyed,
    destroy() {
      window.destroyed = true;
      window.emit('closed');
    },
  });
  return window;
}

/** Functions instead of classes, because `new` of a function can return another object. */
export function BrowserWindow(options: Parameters<typeof makeWindow>[0]) {
  const { webPreferences: _session, ...plain } = options;
  recordCall('new BrowserWindow', [plain]);
  const window = makeWindow(options);
  windows.push(window);
  realApp.emit('web-contents-created', {}, window.webContents);
  return recordCalls('BrowserWindow', window);
}

const children: ChildProcess[] = [];

export const utilityProcess = recordCalls('utilityProcess', {
  fork(entry: string, args: readonly string[], options: { env: NodeJS.ProcessEnv }) {
    const bootstrap = new URL('utility-bootstrap.ts', import.meta.url);
    const child = fork(bootstrap, [entry, ...args], { env: options.env, execArgv: [], stdio: 'inherit' });
    children.push(child);
    const utility = Object.assign(new EventEmitter(), {
      get pid() {
        return child.exitCode === null && child.signalCode === null ? child.pid : undefined;
      },
      postMessage: (message: object) => void child.send(message, () => {}),
      kill: () => child.kill(),
    });
    child.on('message', (message) => utility.emit('message', message));
    child.once('exit', (code) => utility.emit('exit', code ?? 0));
    return recordCalls('UtilityProcess', utility);
  },
});

const testOrder = z.discriminatedUnion('order', [
  z.object({ order: z.literal('throw') }),
  z.object({ order: z.literal('reject') }),
  z.object({ order: z.literal('print') }),
  z.object({ order: z.literal('quit') }),
  z.object({ order: z.literal('crash_page') }),
  z.object({ order: z.literal('kill_runtime') }),
]);
export type TestOrder = z.infer<typeof testOrder>['order'];

process.on('message', (message) => {
  switch (testOrder.parse(message).order) {
    case 'throw':
      throw new Error('an uncaught exception');
    case 'reject':
      void Promise.reject(new Error('an unhandled rejection'));
      break;
    case 'print':
      process.stdout.write('for nobody\n');
      break;
    case 'quit':
      realApp.emit('before-quit', { preventDefault() {} });
      break;
    case 'crash_page':
      windows.at(-1)?.contents.emit('render-process-gone', {}, { reason: 'crashed' });
      break;
    case 'kill_runtime':
      children.at(-1)?.kill('SIGKILL');
      break;
  }
});
// The channel must not keep the player alive.
process.channel?.unref();
