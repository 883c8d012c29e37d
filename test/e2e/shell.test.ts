import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tempDir } from '../support/temp-dir.ts';
import { createChromiumShell } from '../../src/shells/chromium/chromium-shell.ts';
import type { ChromiumShellDeps } from '../../src/shells/chromium/chromium-shell.ts';
import type { Shell } from '../../src/shells/supervision/shell.ts';
import { createStageServer } from '../../src/stage-link/server.ts';
import type { StageServer } from '../../src/stage-link/server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { bundledShellDeps } from './bundled-shell.ts';

let folder: string;
let profileDir: string;
let server: StageServer;
let connected: boolean;
let deps: ChromiumShellDeps;
let shell: Shell;
let goneReasons: string[];

// The first use of a fresh installation unpacks the browser.
beforeAll(() => bundledShellDeps('', 0, 0), 180_000);

beforeEach(async () => {
  folder = tempDir();
  profileDir = join(folder, 'browser');
  connected = false;
  server = createStageServer({
    rendererDir: resolve(import.meta.dirname, '../../dist/renderer'),
    session: 'c'.repeat(43),
    log: { info: () => {}, warn: () => {} },
    findMedia: async () => null,
    onMessage: () => {},
    onConnection: (is) => {
      connected = is;
    },
  });
  await server.listen(0);
  deps = await bundledShellDeps(profileDir, 640, 360);
  goneReasons = [];
  shell = createChromiumShell(deps);
  shell.onLost((reason) => goneReasons.push(reason));
});

afterEach(async () => {
  await shell.close();
  await server.close();
});

interface ProcessRow {
  pid: number;
  group: number;
  args: string;
}

/** All running processes, without zombies. */
function processes(): ProcessRow[] {
  return execFileSync('ps', ['-eo', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([pid, group, , ...args]) => ({ pid: Number(pid), group: Number(group), args: args.join(' ') }));
}

/** The browser of this test: it leads its process group and has this profile. */
function browser(): number | undefined {
  return processes().find(
    ({ pid, group, args }) => pid === group && args.includes(`--user-data-dir=${profileDir}`),
  )?.pid;
}

/** All of its processes, or those of one type. */
function browserProcesses(type = ''): number[] {
  const leader = browser();
  return processes()
    .filter(({ group, args }) => group === leader && args.includes(type && `--type=${type}`))
    .map(({ pid }) => pid);
}

function running(pids: readonly number[]): number[] {
  return processes()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid));
}

describe('the Chromium shell', () => {
  test('gives up a page that does not load', async () => {
    const stuck = createServer((request, response) => {
      if (request.url !== '/') {
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.end('<script src="/never.js"></script>');
    });
    stuck.listen(0, '127.0.0.1');
    await once(stuck, 'listening');
    const { port } = z.object({ port: z.int() }).parse(stuck.address());
    try {
      // A browser that has worked before has a shorter timeout than one that never has.
      await shell.open(server.issuePageUrl());
      await expect(shell.open(`http://127.0.0.1:${port}/`)).rejects.toThrow(/did not load within \d+ s/);
    } finally {
      stuck.closeAllConnections();
      stuck.close();
    }
  });

  test('opens the page without a port, takes a screenshot, and leaves no process behind', async () => {
    await shell.open(server.issuePageUrl());
    await waitUntil('the page', () => connected);
    const args = (await readFile(`/proc/${browser()}/cmdline`, 'utf8')).split('\0');
    expect(args).toContain('--remote-debugging-pipe');
    expect(args.some((arg) => arg.startsWith('--remote-debugging-port'))).toBe(false);
    // The one-time URL must not be visible in the process list.
    expect(args.some((arg) => arg.includes('/enter/'))).toBe(false);
    const picture = sharp(await shell.capture());
    expect(await picture.metadata()).toMatchObject({ format: 'png', width: 640, height: 360 });
    expect(await sharp(await shell.captureJpeg(1_000)).metadata()).toMatchObject({
      format: 'jpeg',
      width: 640,
      height: 360,
    });
    expect(await sharp(await shell.captureJpeg(320)).metadata()).toMatchObject({ width: 320, height: 180 });
    const pids = browserProcesses();
    expect(pids.length).toBeGreaterThan(1);
    await shell.close();
    // The browser is killed by now; how soon the kernel removes the last process is out of our control.
    await waitUntil('no process of it', () => running(pids).length === 0);
    expect(goneReasons).toEqual([]);
    await expect(shell.capture()).rejects.toThrow('no window');
  });

  test('reports once that its browser was killed, opens again despite its lock, and reports a crash of the page', async () => {
    await shell.open(server.issuePageUrl());
    await waitUntil('the page', () => connected);
    const killed = browser()!;
    process.kill(killed, 'SIGKILL');
    await waitUntil('the report', () => goneReasons.length > 0);
    expect(goneReasons).toEqual([expect.stringContaining('SIGKILL')]);
    await waitUntil('the page to be gone', () => !connected);
    const lock = join(profileDir, 'SingletonLock');
    await rm(lock, { force: true });
    await symlink(`${hostname()}-${killed}`, lock);
    await shell.open(server.issuePageUrl());
    await waitUntil('the page again', () => connected);
    expect(goneReasons).toHaveLength(1);
    // That of the page, and one or two spare ones of the browser.
    for (const pid of browserProcesses('renderer')) {
      process.kill(pid, 'SIGKILL');
    }
    await waitUntil('the second report', () => goneReasons.length > 1);
    expect(goneReasons.slice(1)).toEqual(['the page crashed']);
  });

  test.each(['Inspector.targetCrashed', 'Target.targetCrashed'])(
    'gives up a page that crashes while it opens, reported by %s',
    async (method) => {
      // Speaks the debugging pipe like a browser whose page has crashed: it reports it once and never answers again.
      const executable = join(folder, 'dying-browser');
      await writeFile(
        executable,
        `#!${process.execPath}
        const { createReadStream, createWriteStream } = require('node:fs');
        const out = createWriteStream(null, { fd: 4 });
        const say = (message) => out.write(JSON.stringify(message) + '\\0');
        let rest = '';
        createReadStream(null, { fd: 3 }).on('data', (chunk) => {
          const texts = (rest + chunk).split('\\0');
          rest = texts.pop();
          for (const { id, method } of texts.map((text) => JSON.parse(text))) {
            if (method === 'Page.enable')
              say({ method: ${JSON.stringify(method)}, sessionId: 's', params: { targetId: 't' } });
            else if (method === 'Browser.close') process.exit(0);
            else say({ id, result: { targetInfos: [{ type: 'page', targetId: 't' }], sessionId: 's' } });
          }
        });`,
        { mode: 0o755 },
      );
      const dying = createChromiumShell({ ...deps, executable });
      await expect(dying.open(server.issuePageUrl())).rejects.toThrow('the page crashed');
      await dying.close();
    },
  );

  test('reports a browser that no longer responds, opens another, and reports when its GPU process ends', async () => {
    await shell.open(server.issuePageUrl());
    const stopped = browser()!;
    process.kill(stopped, 'SIGSTOP');
    await waitUntil('the report', () => goneReasons.length > 0);
    expect(goneReasons).toEqual(['the browser does not answer']);
    await shell.open(server.issuePageUrl());
    expect(running([stopped])).toEqual([]);

    // Without it the picture is black. The first may die before it was seen; the browser survives some of them.
    const killGpu = () => {
      for (const pid of browserProcesses('gpu-process')) {
        process.kill(pid, 'SIGKILL');
      }
      return goneReasons.length > 1;
    };
    await waitUntil('the second report', killGpu, 60_000, 2_000);
    expect(goneReasons.slice(1)).toEqual(['the GPU process ended']);
  });

  test('creates another profile when it cannot start with the existing one', async () => {
    await writeFile(profileDir, 'no folder');
    let tries = 0;
    const opens = async () => {
      const [opened] = await Promise.allSettled([shell.open(server.issuePageUrl())]);
      tries += 1;
      return opened.status === 'fulfilled' || tries > 3;
    };
    await waitUntil('a page, or too many tries', opens);
    expect((await shell.capture()).length).toBeGreaterThan(0);
  });

  test('reports a page that cannot be loaded, and leaves no process behind', async () => {
    const url = server.issuePageUrl();
    await server.close();
    await expect(shell.open(url)).rejects.toThrow(/could not be loaded/);
    await waitUntil('no process of it', () => !processes().some(({ args }) => args.includes(profileDir)));
  });

  test.each(['warm', 'cold'])('stays closed when it is closed while it opens, %s', async (how) => {
    if (how === 'warm') {
      shell.warmUp?.();
    }
    const [opening] = await Promise.allSettled([shell.open(server.issuePageUrl()), shell.close()]);
    expect(opening.status).toBe('rejected');
    await waitUntil('no process of it', () => !processes().some(({ args }) => args.includes(profileDir)));
    expect(goneReasons).toEqual([]);
  });

  test('reports a browser that cannot be started', async () => {
    const broken = createChromiumShell({ ...deps, executable: join(folder, 'no-such-browser') });
    await expect(broken.open(server.issuePageUrl())).rejects.toThrow(/could not be started/);
  });
});

test('ends its browser when the shell itself is killed', async () => {
  const module = pathToFileURL(resolve(import.meta.dirname, '../../src/shells/chromium/chromium-shell.ts'));
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createChromiumShell } = await import(${JSON.stringify(module.href)});
       await createChromiumShell(${JSON.stringify(deps)}).open(${JSON.stringify(server.issuePageUrl())});`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await waitUntil('the page', () => connected);
  const pids = browserProcesses();
  expect(pids.length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await waitUntil('no browser left', () => running(pids).length === 0);
});
