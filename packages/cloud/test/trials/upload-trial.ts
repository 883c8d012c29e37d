import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { createApi } from './support/api.ts';
import type { Api } from './support/api.ts';
import { must } from './support/breach.ts';
import { createClient } from './support/client.ts';
import { freePort, makeAdminKey, startCloudProcess } from './support/cloud-process.ts';
import type { CloudProcess } from './support/cloud-process.ts';
import { filesIn, hashFile, hashInName } from './support/data-folder.ts';
import { objectOf } from './support/json.ts';
import { createKeyRing } from './support/key-ring.ts';
import { noisePng, writeSparseMp4 } from './support/media.ts';
import { uploadFile } from './support/slow-upload.ts';
import type { FileUpload, UploadOutcome } from './support/slow-upload.ts';
import { waitFor } from './support/wait-for.ts';

/** Most bytes of one file, by the contract. */
const LARGEST = 2_147_483_648;

export interface UploadTrial {
  /** Bytes of the big file; the long form takes the largest that is allowed. */
  bytes: number;
  /** Also one byte more than allowed; needs 2 GB of disk and traffic twice. */
  tooLarge: boolean;
  onStep?: (step: string) => void;
}

export interface UploadReport {
  bytes: number;
  /** Peak of resident memory over what it was before, per upload. */
  rssRiseMiB: Record<string, number>;
  seconds: Record<string, number>;
}

/** Uploads what is large, too large, cut off, chunked, odd or the same, and looks at what is left behind. */
export async function uploadTrial(options: UploadTrial): Promise<UploadReport> {
  const dir = await mkdtemp(join(tmpdir(), 'placard-upload-'));
  const dataDir = join(dir, 'cloud');
  const cloud = await startCloudProcess({ dataDir, port: await freePort(), adminKey: makeAdminKey() });
  const client = createClient({ url: cloud.url });
  const ring = createKeyRing({ client, adminKey: cloud.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const report: UploadReport = { bytes: options.bytes, rssRiseMiB: {}, seconds: {} };
  const scene: Scene = { dir, dataDir, cloud, api, key: () => ring.take(), report, step: options.onStep };
  try {
    await warmUp(scene);
    await largeFile(scene, options.bytes, 'length');
    await largeFile(scene, options.bytes, 'chunked');
    await vanishing(scene, options.bytes);
    await oddForms(scene);
    await sameBytesAtOnce(scene);
    if (options.tooLarge) await oneByteMore(scene);
    return report;
  } finally {
    await client.close();
    await cloud.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

interface Scene {
  dir: string;
  dataDir: string;
  cloud: CloudProcess;
  api: Api;
  key(): Promise<string>;
  report: UploadReport;
  step: ((step: string) => void) | undefined;
}

const MIB = 2 ** 20;

/** Code is loaded and compiled on first use; that is no leak. */
async function warmUp(scene: Scene): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const file = join(scene.dir, 'warm.mp4');
    const bytes = 24 * MIB;
    await writeSparseMp4(file, bytes, `warm ${n}`);
    const outcome = await send(scene, { file, size: bytes, transfer: n % 2 === 0 ? 'length' : 'chunked' });
    await removed(scene, created(outcome).id);
  }
  const picture = await send(scene, {
    file: noisePng(64, 64),
    size: noisePng(64, 64).length,
    transfer: 'length',
  });
  await removed(scene, created(picture).id);
}

async function send(scene: Scene, upload: Omit<FileUpload, 'url' | 'key'>): Promise<UploadOutcome> {
  return uploadFile({ url: scene.cloud.url, key: await scene.key(), ...upload });
}

function created(outcome: UploadOutcome) {
  must(outcome.kind === 'answer' && outcome.status === 201, 'an upload did not succeed', outcome);
  return operations.uploadContent.data.parse(objectOf(JSON.parse(outcome.text))['data']);
}

function refused(outcome: UploadOutcome, code: string, what: string): void {
  must(outcome.kind === 'answer', `${what}: the connection was cut before the answer came`, outcome);
  must(
    outcome.text.includes(`"code":"${code}"`) && outcome.headers['x-request-id'] !== undefined,
    `${what} must be ${code}`,
    outcome,
  );
}

async function removed(scene: Scene, id: string): Promise<void> {
  await scene.api.get(operations.deleteContent, { params: { id } });
}

async function largeFile(scene: Scene, bytes: number, transfer: 'length' | 'chunked'): Promise<void> {
  scene.step?.(`${bytes} bytes, ${transfer}`);
  const file = join(scene.dir, 'large.mp4');
  await writeSparseMp4(file, bytes, `large ${transfer}`);
  const sha256 = await hashFile(file);
  const before = scene.cloud.rssBytes() ?? 0;
  scene.cloud.resetPeak();
  const startMs = performance.now();
  const asset = created(await send(scene, { file, size: bytes, transfer }));
  scene.report.seconds[transfer] = Math.round((performance.now() - startMs) / 100) / 10;
  scene.report.rssRiseMiB[transfer] = Math.round(((scene.cloud.peakRssBytes() ?? 0) - before) / MIB);
  must(
    asset.size === bytes && asset.sha256 === sha256 && asset.type === 'video' && asset.width === 1280,
    'the asset is not the file',
    { asset, sha256 },
  );
  const url = new URL(asset.url);
  const range = { range: `bytes=${bytes - 10}-` };
  const end = await scene.api.client.raw({ method: 'GET', path: url.pathname, headers: range });
  must(
    end.status === 206 &&
      end.bytes.length === 10 &&
      end.headers['content-range'] === `bytes ${bytes - 10}-${bytes - 1}/${bytes}`,
    'the end of the file cannot be read by range',
    end,
  );
  const stored = [...(await filesIn(scene.dataDir))].filter(([name]) => hashInName(name) === sha256);
  must(stored.length === 1 && stored[0]![1] === bytes, 'the bytes are not stored once', stored);
  must((await hashFile(join(scene.dataDir, stored[0]![0]))) === sha256, 'the bytes on disk are others');
  await removed(scene, asset.id);
  await rm(file);
}

/** Runs something that may leave nothing: neither a row nor a file. */
async function leavesNothing(scene: Scene, what: string, run: () => Promise<void>): Promise<void> {
  scene.step?.(what);
  const rows = await scene.api.all(operations.listContent);
  const files = await filesIn(scene.dataDir);
  await run();
  let left: string[] = [];
  await waitFor(
    () => `${what} left nothing on disk, but ${left.join(', ')}`,
    async () => {
      // Bytes of removed assets may be collected meanwhile.
      left = [...(await filesIn(scene.dataDir)).keys()].filter((name) => !files.has(name));
      return left.length === 0;
    },
  );
  const now = await scene.api.all(operations.listContent);
  must(JSON.stringify(now) === JSON.stringify(rows), `${what} left or took a row`, { rows, now });
}

async function vanishing(scene: Scene, bytes: number): Promise<void> {
  const file = join(scene.dir, 'half.mp4');
  await writeSparseMp4(file, bytes, 'half');
  for (const transfer of ['length', 'chunked'] as const)
    for (const vanishAfter of [1, 10_000, Math.floor(bytes / 2), bytes])
      await leavesNothing(
        scene,
        `a client that vanishes after ${vanishAfter} bytes (${transfer})`,
        async () => {
          const outcome = await send(scene, { file, size: bytes, transfer, vanishAfter });
          must(outcome.kind === 'cut', 'a client that vanished got an answer', outcome);
        },
      );
  await rm(file);
}

async function oddForms(scene: Scene): Promise<void> {
  const png = noisePng(6, 6);
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
    'a folder that is not there, after the file': {
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
    'a text instead of a picture': {
      body: Buffer.concat([part('file', '; filename="a.png"', 'hello'), close]),
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    },
    'a picture cut short': {
      body: Buffer.concat([part('file', '; filename="a.png"', png.subarray(0, 40)), close]),
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    },
  };
  for (const [what, { body, codes }] of Object.entries(cases))
    await leavesNothing(scene, what, async () => {
      const answer = await scene.api.client.send({
        method: 'POST',
        path: '/v1/content/upload',
        key: await scene.key(),
        body,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      });
      must(
        answer.code !== null && codes.includes(answer.code),
        `${what} must be ${codes.join(' or ')}`,
        answer.text,
      );
    });
}

/** The same bytes many times at once, removed and sent again in between: a row that is there has its bytes. */
async function sameBytesAtOnce(scene: Scene): Promise<void> {
  scene.step?.('the same bytes at once');
  for (let round = 0; round < 6; round++) {
    const png = noisePng(200, 200);
    const one = () => send(scene, { file: png, size: png.length, transfer: 'length' });
    const first = created(await one());
    const outcomes = await Promise.all([one(), removed(scene, first.id), one(), one()]);
    const kept = outcomes.filter((outcome) => outcome !== undefined).map(created);
    for (const asset of kept.slice(1)) await removed(scene, asset.id);
    const path = new URL(kept[0]!.url).pathname;
    const { status, bytes } = await scene.api.client.raw({ method: 'GET', path });
    must(
      status === 200 && createHash('sha256').update(bytes).digest('hex') === kept[0]!.sha256,
      'an asset has lost its bytes to the removal of another',
      { status, kept },
    );
    await removed(scene, kept[0]!.id);
  }
}

async function oneByteMore(scene: Scene): Promise<void> {
  const file = join(scene.dir, 'more.mp4');
  await writeSparseMp4(file, LARGEST + 1, 'more');
  for (const transfer of ['length', 'chunked'] as const)
    await leavesNothing(scene, `${LARGEST + 1} bytes (${transfer})`, async () =>
      refused(await send(scene, { file, size: LARGEST + 1, transfer }), 'FILE_TOO_LARGE', 'one byte more'),
    );
  await rm(file);
}
