import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Shell } from '../../src/shells/supervision/shell.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A shell, with controls for what happens to its page. */
export interface ShellUnderTest {
  shell: Shell;
  /** The page crashes as if it had run out of memory. */
  crash(): void;
  end(): Promise<void>;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** A server whose pages load until it is closed; some paths never respond. */
async function startPage() {
  const server = createServer((request, response) => {
    if (request.url === '/never') {
      return;
    }
    if (request.url === '/lost.js') {
      request.socket.destroy();
      return;
    }
    const picture = request.url === '/incomplete' ? '<img src="/never">' : '';
    const start =
      request.url === '/without-script' ? '<html data-script="loading"><script src="/lost.js"></script>' : '';
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html>${start}<title>page</title>${picture}`);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    close() {
      server.closeAllConnections();
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      return closed;
    },
  };
}

/** The requirements for every shell, see `Shell`. */
export function describeShellContract(name: string, make: () => Promise<ShellUnderTest>): void {
  describe(`the ${name} shell, like any shell`, () => {
    let page: Awaited<ReturnType<typeof startPage>>;
    let under: ShellUnderTest;
    let shell: Shell;
    let goneReasons: string[];

    beforeEach(async () => {
      page = await startPage();
      under = await make();
      shell = under.shell;
      goneReasons = [];
      shell.onLost((reason) => goneReasons.push(reason));
    });
    afterEach(async () => {
      await under.end();
      await page.close();
    });

    test('opens a page, takes screenshots only while there is a window, and can be closed repeatedly', async () => {
      await expect(shell.capture()).rejects.toThrow('no window');
      await expect(shell.captureJpeg(100)).rejects.toThrow('no window');
      await shell.close();
      await shell.open(page.url);
      expect(Buffer.from(await shell.capture()).subarray(0, 4)).toEqual(PNG_SIGNATURE);
      expect((await shell.captureJpeg(100)).length).toBeGreaterThan(0);
      expect(goneReasons).toEqual([]);
      await shell.close();
      await expect(shell.capture()).rejects.toThrow('no window');
      await shell.close();
      expect(goneReasons).toEqual([]);
    });

    test('rejects when the page cannot be loaded, and has no window then', async () => {
      const { url } = page;
      await page.close();
      await expect(shell.open(url)).rejects.toThrow(/./);
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(goneReasons).toEqual([]);
      page = await startPage();
    });

    test('rejects when the script of the page cannot be loaded', async () => {
      await expect(shell.open(new URL('/without-script', page.url).href)).rejects.toThrow('script');
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(goneReasons).toEqual([]);
    });

    test('replaces an open window without reporting it as gone, although a picture of the new page is still loading', async () => {
      await shell.open(page.url);
      await shell.open(new URL('/incomplete', page.url).href);
      expect(goneReasons).toEqual([]);
      expect((await shell.capture()).length).toBeGreaterThan(0);
    });

    test('reports once per opening that the page has crashed', async () => {
      for (const deaths of [1, 2]) {
        await shell.open(page.url);
        under.crash();
        await waitUntil('the report of the crash', () => goneReasons.length >= deaths);
        expect(goneReasons).toHaveLength(deaths);
        expect(goneReasons.at(-1)).toContain('crashed');
      }
    });

    test('stays closed when it is closed while it opens', async () => {
      const [opening] = await Promise.allSettled([shell.open(page.url), shell.close()]);
      expect(opening.status).toBe('rejected');
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(goneReasons).toEqual([]);
    });

    test('returns when software rendering takes effect', () => {
      expect(['next_window', 'restart']).toContain(shell.setSoftwareRendering(true));
      expect(shell.setSoftwareRendering(false)).toBe('next_window');
    });
  });
}
