import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createChromiumShell, type ChromiumShellDeps } from '../../src/shells/chromium/chromium-shell.ts';
import type { Shell } from '../../src/shells/shell.ts';
import { createStageServer, type StageServer } from '../../src/stage-link/server.ts';
import { until } from '../support/until.ts';
import { carriedShell } from './carried-shell.ts';

let folder: string;
let profileDir: string;
let server: StageServer;
let connected: boolean;
let deps: ChromiumShellDeps;
let shell: Shell;
let goneReasons: string[];

// The first use of a fresh installation unpacks it.
beforeAll(() => carriedShell('', 0, 0), 180_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-shell-'));
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
  deps = await carriedShell(profileDir, 640, 360);
  goneReasons = [];
  shell = createChromiumShell(deps);
  shell.onGone((reason) => goneReasons.push(reason));
});

afterEach(async () => {
  await shell.close();
  await server.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface ProcessRow {
  pid: number;
  group: number;
  args: string;
}

/** Everything that runs; what only waits for its parent to look does not. */
function processes(): ProcessRow[] {
  return execFileSync('ps', ['-eo', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([pid, group, , ...args]) => ({ pid: Number(pid), group: Number(group), args: args.join(' ') }));
}

/** The browser of this test leads a group of its own and was given the profile. */
function browser(): number | undefined {
  return processes().find(
    ({ pid, group, args }) => pid === group && args.includes(`--user-data-dir=${profileDir}`),
  )?.pid;
}

/** All of its processes, or those of one kind. */
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
  it('gives a page up that does not load', async () => {
    const stuck = createServer((request, response) => {
      if (request.url !== '/') return;
      response.setHeader('content-type', 'text/html');
      response.end('<script src="/never.js"></script>');
    });
    stuck.listen(0, '127.0.0.1');
    await once(stuck, 'listening');
    const { port } = z.object({ port: z.int() }).parse(stuck.address());
    try {
      // What came up before is waited for less than what never did.
      await shell.open(server.issuePageUrl());
      await expect(shell.open(`http://127.0.0.1:${port}/`)).rejects.toThrow(/did not load within \d+ s/);
    } finally {
      stuck.closeAllConnections();
      stuck.close();
    }
  });

  it('opens the page, takes its picture, and leaves no process behind', async () => {
    await shell.open(server.issuePageUrl());
    await until('the page', () => connected);
    const picture = sharp(await shell.capture());
    expect(await picture.metadata()).toMatchObject({ format: 'png', width: 640, height: 360 });
    const pids = browserProcesses();
    expect(pids.length).toBeGreaterThan(1);
    await shell.close();
    // Killed in any case; how soon the kernel has put the last one away is not ours.
    await until('no process of it', () => running(pids).length === 0);
    expect(goneReasons).toEqual([]);
    await expect(shell.capture()).rejects.toThrow('no window');
  });

  it('tells once when its browser is killed, and opens again', async () => {
    await shell.open(server.issuePageUrl());
    process.kill(browser()!, 'SIGKILL');
    await until('word of it', () => goneReasons.length > 0);
    expect(goneReasons).toEqual([expect.stringContaining('SIGKILL')]);
    await shell.open(server.issuePageUrl());
    await until('the page', () => connected);
    expect(goneReasons).toHaveLength(1);
  });

  it('tells when its page crashes', async () => {
    await shell.open(server.issuePageUrl());
    // The page's own, and one or two that the browser keeps in store.
    for (const pid of browserProcesses('renderer')) process.kill(pid, 'SIGKILL');
    await until('word of it', () => goneReasons.length > 0);
    expect(goneReasons).toEqual(['the page crashed']);
  });

  it.each(['Inspector.targetCrashed', 'Target.targetCrashed'])(
    'gives a page up that crashes while it opens, told by %s',
    async (method) => {
      // Speaks the debugging pipe like a browser whose page is dead: it says so once and answers no more.
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

  it('tells when its GPU process dies, for what it drew is black then', async () => {
    await shell.open(server.issuePageUrl());
    // The first may die before it was seen; the browser bears some of them.
    const killGpu = () => {
      for (const pid of browserProcesses('gpu-process')) process.kill(pid, 'SIGKILL');
      return goneReasons.length > 0;
    };
    await until('word of it', killGpu, 20_000, 2_000);
    expect(goneReasons).toEqual(['the GPU process ended']);
  });

  it('tells when its browser does not answer any more, and opens another', async () => {
    await shell.open(server.issuePageUrl());
    const stopped = browser()!;
    process.kill(stopped, 'SIGSTOP');
    await until('word of it', () => goneReasons.length > 0);
    expect(goneReasons).toEqual(['the browser does not answer']);
    await shell.open(server.issuePageUrl());
    expect(running([stopped])).toEqual([]);
  });

  it('makes another profile when it cannot start with the one that is there', async () => {
    await writeFile(profileDir, 'no folder');
    let tries = 0;
    const opens = async () => {
      const [opened] = await Promise.allSettled([shell.open(server.issuePageUrl())]);
      tries += 1;
      return opened.status === 'fulfilled' || tries > 3;
    };
    await until('a page, or too many tries', opens);
    expect((await shell.capture()).length).toBeGreaterThan(0);
  });

  it('says that a page cannot be loaded, and leaves no process behind', async () => {
    const url = server.issuePageUrl();
    await server.close();
    await expect(shell.open(url)).rejects.toThrow(/could not be loaded/);
    await until('no process of it', () => !processes().some(({ args }) => args.includes(profileDir)));
  });

  it.each(['warm', 'cold'])('is closed for good while it opens, %s', async (how) => {
    if (how === 'warm') shell.warm?.();
    const [opening] = await Promise.allSettled([shell.open(server.issuePageUrl()), shell.close()]);
    expect(opening.status).toBe('rejected');
    await until('no process of it', () => !processes().some(({ args }) => args.includes(profileDir)));
    expect(goneReasons).toEqual([]);
  });

  it('says that a browser cannot be started', async () => {
    const broken = createChromiumShell({ ...deps, executable: join(folder, 'no-such-browser') });
    await expect(broken.open(server.issuePageUrl())).rejects.toThrow(/could not be started/);
  });

  it('opens although a killed browser left its lock', async () => {
    await mkdir(profileDir, { recursive: true });
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await symlink(`${hostname()}-${child.pid}`, join(profileDir, 'SingletonLock'));
    await shell.open(server.issuePageUrl());
    expect(await until('the page', () => connected)).toBe(true);
  });

  it('keeps its debugging port off the network', async () => {
    await shell.open(server.issuePageUrl());
    const args = (await readFile(`/proc/${browser()}/cmdline`, 'utf8')).split('\0');
    expect(args).toContain('--remote-debugging-pipe');
    expect(args.some((arg) => arg.startsWith('--remote-debugging-port'))).toBe(false);
    // The one-time address is nobody's business who can list processes.
    expect(args.some((arg) => arg.includes('/enter/'))).toBe(false);
  });
});

it('ends its browser when the shell itself is killed', async () => {
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
  await until('the page', () => connected);
  const pids = browserProcesses();
  expect(pids.length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await until('no browser left', () => running(pids).length === 0);
});
