import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Shell } from '../../src/shells/shell.ts';
import { until } from '../support/until.ts';

/** A shell of some kind, with a hand for what happens to its page. */
export interface ShellUnderTest {
  shell: Shell;
  /** The page dies as if it had run out of memory. */
  crash(): void;
  end(): Promise<void>;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** A page that loads, wherever it is asked for, until the server is closed; what is never to come does not. */
async function startPage() {
  const server = createServer((request, response) => {
    if (request.url === '/never') return;
    const picture = request.url === '/incomplete' ? '<img src="/never">' : '';
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>page</title>${picture}`);
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

/** What every shell promises to the supervisor, see `Shell`. */
export function shellContract(name: string, make: () => Promise<ShellUnderTest>): void {
  describe(`the ${name} shell, as any shell`, () => {
    let page: Awaited<ReturnType<typeof startPage>>;
    let under: ShellUnderTest;
    let shell: Shell;
    let gone: string[];

    beforeEach(async () => {
      page = await startPage();
      under = await make();
      shell = under.shell;
      gone = [];
      shell.onGone((reason) => gone.push(reason));
    });
    afterEach(async () => {
      await under.end();
      await page.close();
    });

    it('opens a page and takes its picture', async () => {
      await shell.open(page.url);
      expect(Buffer.from(await shell.capture()).subarray(0, 4)).toEqual(PNG_SIGNATURE);
      expect(gone).toEqual([]);
    });

    it('takes a page for opened although a picture of it is still to come', async () => {
      await shell.open(new URL('/incomplete', page.url).href);
      expect((await shell.capture()).length).toBeGreaterThan(0);
    });

    it('has no picture before there is a window, nor afterwards', async () => {
      await expect(shell.capture()).rejects.toThrow('no window');
      await shell.open(page.url);
      await shell.close();
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(gone).toEqual([]);
    });

    it('rejects when the page cannot be loaded, and has no window then', async () => {
      const { url } = page;
      await page.close();
      await expect(shell.open(url)).rejects.toThrow(/./);
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(gone).toEqual([]);
      page = await startPage();
    });

    it('replaces a window that is still there, without a word', async () => {
      await shell.open(page.url);
      await shell.open(page.url);
      expect(gone).toEqual([]);
      expect((await shell.capture()).length).toBeGreaterThan(0);
    });

    it('tells once for each opening that the page has died', async () => {
      for (const deaths of [1, 2]) {
        await shell.open(page.url);
        under.crash();
        await until('word of it', () => gone.length >= deaths);
        expect(gone).toHaveLength(deaths);
        expect(gone.at(-1)).toContain('crashed');
      }
    });

    it('is closed for good while it opens', async () => {
      const [opening] = await Promise.allSettled([shell.open(page.url), shell.close()]);
      expect(opening.status).toBe('rejected');
      await expect(shell.capture()).rejects.toThrow('no window');
      expect(gone).toEqual([]);
    });

    it('closes as often as it is told to, and tells nobody', async () => {
      await shell.close();
      await shell.open(page.url);
      await shell.close();
      await shell.close();
      expect(gone).toEqual([]);
    });

    it('says how it comes to draw in software', () => {
      expect(['next_window', 'restart']).toContain(shell.drawInSoftware(true));
      expect(shell.drawInSoftware(false)).toBe('next_window');
    });
  });
}
