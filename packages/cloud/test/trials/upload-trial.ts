import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import type { Api } from './support/api.ts';
import { assert } from './support/contract-violation.ts';
import type { CloudProcess } from './support/cloud-process.ts';
import { listDataFiles, hashFile, hashInName } from './support/data-folder.ts';
import { asObject } from './support/json.ts';
import { randomPng, writeSparseMp4 } from './support/media.ts';
import { streamUpload } from './support/stream-upload.ts';
import type { StreamedUpload, UploadOutcome } from './support/stream-upload.ts';
import { waitFor } from './support/wait-for.ts';
import { startTrialCloud } from './support/trial-cloud.ts';

/** Maximum size of one file, by the contract. */
const MAX_UPLOAD_BYTES = 2_147_483_648;

export interface UploadTrialOptions {
  /** Size of the large file; the long trial uses the maximum. */
  bytes: number;
  /** Also tests one byte over the maximum; needs twice 2 GB of disk and traffic. */
  tooLarge: boolean;
  onStep?: (step: string) => void;
}

export interface UploadReport {
  bytes: number;
  /** Rise of peak resident memory per upload. */
  rssRiseMiB: Record<string, number>;
  seconds: Record<string, number>;
}

/** Uploads large, too large, interrupted, chunked, malformed and identical files, and checks for leftovers. */
export async function uploadTrial(options: UploadTrialOptions): Promise<UploadReport> {
  const { dir, dataDir, cloud, ring, api, close } = await startTrialCloud();
  const report: UploadReport = { bytes: options.bytes, rssRiseMiB: {}, seconds: {} };
  const context: UploadContext = {
    dir,
    dataDir,
    cloud,
    api,
    key: () => ring.take(),
    report,
    step: options.onStep,
  };
  try {
    await warmUp(context);
    await testLargeFile(context, options.bytes, 'length');
    await testLargeFile(context, options.bytes, 'chunked');
    await testDisconnects(context, options.bytes);
    await testInvalidForms(context);
    await testConcurrentDuplicates(context);
    if (options.tooLarge) {
      await testTooLargeFile(context);
    }
    return report;
  } finally {
    await close();
  }
}

interface UploadContext {
  dir: string;
  dataDir: string;
  cloud: CloudProcess;
  api: Api;
  key(): Promise<string>;
  report: UploadReport;
  step: ((step: string) => void) | undefined;
}

const MIB = 2 ** 20;

/** Warms up: memory for code that is loaded and compiled on first use is not a leak. */
async function warmUp(context: UploadContext): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const file = join(context.dir, 'warm.mp4');
    const bytes = 24 * MIB;
    await writeSparseMp4(file, bytes, `warm ${n}`);
    const outcome = await send(context, { file, size: bytes, transfer: n % 2 === 0 ? 'length' : 'chunked' });
    await deleteAsset(context, parseCreatedAsset(outcome).id);
  }
  const picture = await send(context, {
    file: randomPng(64, 64),
    size: randomPng(64, 64).length,
    transfer: 'length',
  });
  await deleteAsset(context, parseCreatedAsset(picture).id);
}

async function send(
  context: UploadContext,
  upload: Omit<StreamedUpload, 'url' | 'key'>,
): Promise<UploadOutcome> {
  return streamUpload({ url: context.cloud.url, key: await context.key(), ...upload });
}

function parseCreatedAsset(outcome: UploadOutcome) {
  assert(outcome.kind === 'response' && outcome.status === 201, 'an upload did not succeed', outcome);
  return operations.uploadContent.data.parse(asObject(JSON.parse(outcome.text))['data']);
}

function assertRefused(outcome: UploadOutcome, code: string, what: string): void {
  assert(outcome.kind === 'response', `${what}: the connection closed before the response`, outcome);
  assert(
    outcome.text.includes(`"code":"${code}"`) && outcome.headers['x-request-id'] !== undefined,
    `${what} must be ${code}`,
    outcome,
  );
}

async function deleteAsset(context: UploadContext, id: string): Promise<void> {
  await context.api.expectSuccess(operations.deleteContent, { params: { id } });
}

async function testLargeFile(
  context: UploadContext,
  bytes: number,
  transfer: 'length' | 'chunked',
): Promise<void> {
  context.step?.(`${bytes} bytes, ${transfer}`);
  const file = join(context.dir, 'large.mp4');
  await writeSparseMp4(file, bytes, `large ${transfer}`);
  const sha256 = await hashFile(file);
  const before = context.cloud.rssBytes() ?? 0;
  context.cloud.resetPeak();
  const startMs = performance.now();
  const asset = parseCreatedAsset(await send(context, { file, size: bytes, transfer }));
  context.report.seconds[transfer] = Math.round((performance.now() - startMs) / 100) / 10;
  context.report.rssRiseMiB[transfer] = Math.round(((context.cloud.peakRssBytes() ?? 0) - before) / MIB);
  assert(
    asset.size === bytes && asset.sha256 === sha256 && asset.type === 'video' && asset.width === 1280,
    'the asset does not match the file',
    { asset, sha256 },
  );
  const url = new URL(asset.url);
  const range = { range: `bytes=${bytes - 10}-` };
  const end = await context.api.client.sendRaw({ method: 'GET', path: url.pathname, headers: range });
  assert(
    end.status === 206 &&
      end.bytes.length === 10 &&
      end.headers['content-range'] === `bytes ${bytes - 10}-${bytes - 1}/${bytes}`,
    'the end of the file cannot be read by range',
    end,
  );
  const stored = [...(await listDataFiles(context.dataDir))].filter(([name]) => hashInName(name) === sha256);
  assert(stored.length === 1 && stored[0]![1] === bytes, 'the file is not stored exactly once', stored);
  assert((await hashFile(join(context.dataDir, stored[0]![0]))) === sha256, 'the file on disk differs');
  await deleteAsset(context, asset.id);
  await rm(file);
}

/** Runs a function that must leave neither rows nor files. */
async function assertLeavesNothing(
  context: UploadContext,
  what: string,
  run: () => Promise<void>,
): Promise<void> {
  context.step?.(what);
  const rows = await context.api.listAll(operations.listContent);
  const files = await listDataFiles(context.dataDir);
  await run();
  let leftover: string[] = [];
  await waitFor(
    () => `${what} leaves no files on disk; found ${leftover.join(', ')}`,
    async () => {
      // Files of deleted assets may be removed meanwhile.
      leftover = [...(await listDataFiles(context.dataDir)).keys()].filter((name) => !files.has(name));
      return leftover.length === 0;
    },
  );
  const now = await context.api.listAll(operations.listContent);
  assert(JSON.stringify(now) === JSON.stringify(rows), `${what} added or removed a row`, { rows, now });
}

async function testDisconnects(context: UploadContext, bytes: number): Promise<void> {
  const file = join(context.dir, 'half.mp4');
  await writeSparseMp4(file, bytes, 'half');
  for (const transfer of ['length', 'chunked'] as const) {
    for (const disconnectAfterBytes of [1, 10_000, Math.floor(bytes / 2), bytes]) {
      await assertLeavesNothing(
        context,
        `a client that disconnects after ${disconnectAfterBytes} bytes (${transfer})`,
        async () => {
          const outcome = await send(context, { file, size: bytes, transfer, disconnectAfterBytes });
          assert(outcome.kind === 'disconnected', 'a disconnected client got a response', outcome);
        },
      );
    }
  }
  await rm(file);
}

async function testInvalidForms(context: UploadContext): Promise<void> {
  const png = randomPng(6, 6);
  const boundary = 'x'.repeat(20);
  const part = (name: string, more: string, content: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const close = Buffer.from(`--${boundary}--\r\n`);
  const file = part('file', '; filename="a.png"', png);
  const cases: Record<string, { body: Buffer; codes: string[] }> = {
    'no file': { body: Buffer.concat([part('name', '', 'x'), close]), codes: ['VALIDATION_ERROR'] },
    'an empty form': { body: close, codes: ['VALIDATION_ERROR'] },
    'an empty file': {
      body: Buffer.concat([part('file', '; filename="a.png"', ''), close]),
      codes: ['UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_ERROR'],
    },
    'two files': {
      body: Buffer.concat([file, file, close]),
      codes: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'],
    },
    'an unknown field': {
      body: Buffer.concat([part('colour', '', 'red'), file, close]),
      codes: ['VALIDATION_ERROR'],
    },
    'an unknown field after the file': {
      body: Buffer.concat([file, part('colour', '', 'red'), close]),
      codes: ['VALIDATION_ERROR'],
    },
    'a missing folder, after the file': {
      body: Buffer.concat([file, part('folder_id', '', 'folder_0000000000zzzzzzzzzzzzzzzz'), close]),
      codes: ['FOLDER_NOT_FOUND'],
    },
    'a name that is too long': {
      body: Buffer.concat([part('name', '', 'n'.repeat(201)), file, close]),
      codes: ['VALIDATION_ERROR'],
    },
    'a field of 3 MiB': {
      body: Buffer.concat([part('name', '', 'n'.repeat(3 * MIB)), file, close]),
      codes: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'],
    },
    'a thousand fields': {
      body: Buffer.concat([...Array.from({ length: 1_000 }, () => part('tags', '', 'x')), file, close]),
      codes: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'],
    },
    'an end without its boundary': { body: file, codes: ['VALIDATION_ERROR'] },
    'half a file': { body: file.subarray(0, -40), codes: ['VALIDATION_ERROR', 'UNSUPPORTED_MEDIA_TYPE'] },
    'text instead of an image': {
      body: Buffer.concat([part('file', '; filename="a.png"', 'hello'), close]),
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    },
    'a truncated image': {
      body: Buffer.concat([part('file', '; filename="a.png"', png.subarray(0, 40)), close]),
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    },
  };
  for (const [what, { body, codes }] of Object.entries(cases)) {
    await assertLeavesNothing(context, what, async () => {
      const response = await context.api.client.send({
        method: 'POST',
        path: '/v1/content/upload',
        key: await context.key(),
        body,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      });
      assert(
        response.code !== null && codes.includes(response.code),
        `${what} must be ${codes.join(' or ')}`,
        response.text,
      );
    });
  }
}

/** Concurrent uploads and deletions of identical files: every existing asset must have its file. */
async function testConcurrentDuplicates(context: UploadContext): Promise<void> {
  context.step?.('identical files at once');
  for (let round = 0; round < 6; round++) {
    const png = randomPng(200, 200);
    const one = () => send(context, { file: png, size: png.length, transfer: 'length' });
    const first = parseCreatedAsset(await one());
    const outcomes = await Promise.all([one(), deleteAsset(context, first.id), one(), one()]);
    const assets = outcomes.filter((outcome) => outcome !== undefined).map(parseCreatedAsset);
    for (const asset of assets.slice(1)) {
      await deleteAsset(context, asset.id);
    }
    const path = new URL(assets[0]!.url).pathname;
    const { status, bytes } = await context.api.client.sendRaw({ method: 'GET', path });
    assert(
      status === 200 && createHash('sha256').update(bytes).digest('hex') === assets[0]!.sha256,
      'an asset lost its file when another was deleted',
      { status, assets },
    );
    await deleteAsset(context, assets[0]!.id);
  }
}

async function testTooLargeFile(context: UploadContext): Promise<void> {
  const file = join(context.dir, 'more.mp4');
  await writeSparseMp4(file, MAX_UPLOAD_BYTES + 1, 'more');
  for (const transfer of ['length', 'chunked'] as const) {
    await assertLeavesNothing(context, `${MAX_UPLOAD_BYTES + 1} bytes (${transfer})`, async () =>
      assertRefused(
        await send(context, { file, size: MAX_UPLOAD_BYTES + 1, transfer }),
        'FILE_TOO_LARGE',
        'one byte more',
      ),
    );
  }
  await rm(file);
}
