import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import { imageAsset } from '../../../test/support/manifests.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { download } from './download.ts';

/** One asset, and a server that answers as the test says. */
async function setUpDownload(bytes: Buffer) {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const asset = imageAsset('picture', cloud.addMedia(bytes));
  const partPath = join(tempDir(), 'picture.part');
  let receivedBytes = 0;
  return {
    partPath,
    receivedBytes: () => receivedBytes,
    answer: (script: (response: ServerResponse) => void) =>
      cloud.handleRoute('/media/', (_request, response) => script(response)),
    fetch: () =>
      download({
        asset,
        partPath,
        dispatcher,
        rateLimit: async (some) => void (receivedBytes += some),
        signal: new AbortController().signal,
      }),
  };
}

test('keeps all received bytes when the connection breaks before a megabyte', async () => {
  const bytes = randomBytes(300_000);
  const { partPath: part, receivedBytes, answer, fetch } = await setUpDownload(bytes);
  const open: ServerResponse[] = [];
  answer((response) => {
    response.writeHead(200, { etag: '"picture"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 200_000));
    open.push(response);
  });
  const broken = fetch().catch((error: unknown) => error);
  await waitUntil('what was sent', () => receivedBytes() === 200_000);
  for (const response of open) {
    response.destroy();
  }
  expect(await broken).toBeInstanceOf(Error);
  expect(readFileSync(part).equals(bytes.subarray(0, 200_000))).toBe(true);
});

const page = (size: number) => `<html>${'please sign in '.repeat(size / 15)}</html>`;

test.each([
  ['longer', 60_000],
  ['shorter', 300],
])('a portal page that is %s than the file is a network fault', async (_, size) => {
  const { answer, fetch } = await setUpDownload(randomBytes(5_000));
  answer((response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(size)),
  );
  await expect(fetch()).rejects.toMatchObject({
    code: 'asset.download_failed',
    details: { reason: 'an HTML page instead of the file' },
  });
});

test('a complete response that is shorter than the file is another file', async () => {
  const { answer, fetch } = await setUpDownload(randomBytes(5_000));
  answer((response) => response.writeHead(200, { 'content-length': 4_000 }).end(randomBytes(4_000)));
  await expect(fetch()).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
});

test('a short body of unknown length may be a broken connection', async () => {
  const bytes = randomBytes(5_000);
  const { answer, fetch } = await setUpDownload(bytes);
  answer((response) => {
    // Like an old proxy: the end of the connection is the end of the body.
    response.socket?.end(
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), bytes.subarray(0, 2_500)]),
    );
  });
  await expect(fetch()).rejects.toMatchObject({
    code: 'asset.download_failed',
    details: { reason: 'cut off' },
  });
});

test('refuses a range other than the requested one and restarts the download', async () => {
  const bytes = randomBytes(5_000);
  const { partPath: part, answer, fetch } = await setUpDownload(bytes);
  writeFileSync(part, bytes.subarray(0, 100));
  writeFileSync(`${part}.etag`, '"picture"');
  answer((response) => {
    response.writeHead(206, { 'content-range': 'bytes 7-4999/5000' }).end(bytes.subarray(7));
  });
  await expect(fetch()).rejects.toMatchObject({ details: { reason: 'wrong range' } });
  expect(existsSync(part)).toBe(false);
});

test('an answer that cannot be written down is not left open', async () => {
  const { partPath: part, answer, fetch } = await setUpDownload(randomBytes(5_000_000));
  // It has a size, and cannot be read.
  mkdirSync(part);
  writeFileSync(`${part}.etag`, '"picture"');
  const from = statSync(part).size;
  let closed = false;
  answer((response) => {
    response.on('close', () => (closed = true));
    response.writeHead(206, {
      'content-range': `bytes ${from}-4999999/5000000`,
      'content-length': 9_999_999,
    });
    response.write(randomBytes(1_000));
  });
  await expect(fetch()).rejects.toMatchObject({ code: 'EISDIR' });
  await waitUntil('the end of the answer', () => closed);
});
