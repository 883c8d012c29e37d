import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { freePort } from '../../../../../test/support/free-port.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { createApi } from '../support/api.ts';
import { makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import { assert } from '../support/contract-violation.ts';
import { hashFile, hashInName, listDataFiles } from '../support/data-folder.ts';
import { createHttpClient } from '../support/http-client.ts';
import { writeNoiseMp4 } from '../support/media.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { tusUpload } from './tus-upload.ts';

export interface TusTrialOptions {
  /** Size of the file. */
  bytes: number;
  /** How often the line is cut, at random; half of the cuts are not noticed by the cloud. */
  cuts: number;
  /** How often the cloud is killed meanwhile. */
  kills: number;
  random: SeededRandom;
  onStep?: (step: string) => void;
}

export interface TusReport {
  bytes: number;
  cuts: number;
  kills: number;
  /** Requests that sent bytes. */
  attempts: number;
  /** Bytes that were sent more than once. */
  sentAgain: number;
  seconds: number;
  /** Highest resident memory of the cloud, of all its processes one after the other. */
  peakRssMiB: number;
}

const MIB = 2 ** 20;

/** Uploads a large file over a line that is cut again and again, while the cloud is killed. It must arrive whole. */
export async function tusTrial({ bytes, cuts, kills, random, onStep }: TusTrialOptions): Promise<TusReport> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-tus-'));
  const dataDir = join(folder, 'cloud');
  const options = { dataDir, port: await freePort(), adminKey: makeAdminKey() };
  let cloud = await startCloudProcess(options);
  const client = createHttpClient({ url: cloud.url });
  const api = createApi({ client, key: async () => options.adminKey });
  const line = await startCuttingProxy({
    target: options.port,
    cutsAt: Array.from({ length: cuts }, () => random.int(1, bytes)).toSorted((a, b) => a - b),
    leavesServerWaiting: () => random.int(0, 1) === 1,
  });
  const killsAt = Array.from({ length: kills }, () => random.int(1, bytes)).toSorted((a, b) => a - b);
  const report: TusReport = {
    bytes,
    cuts: 0,
    kills: 0,
    attempts: 0,
    sentAgain: 0,
    seconds: 0,
    peakRssMiB: 0,
  };
  const measure = () => {
    report.peakRssMiB = Math.max(report.peakRssMiB, Math.round((cloud.peakRssBytes() ?? 0) / MIB));
  };
  let isUploading = true;
  const killing = async (): Promise<void> => {
    for (const at of killsAt) {
      await waitFor(
        () => `${at} bytes are sent`,
        () => line.sentBytes >= at || !isUploading,
        600_000,
      );
      if (!isUploading) {
        return;
      }
      measure();
      await cloud.kill9();
      report.kills += 1;
      onStep?.(`killed after ${line.sentBytes} bytes`);
      cloud = await startCloudProcess(options);
    }
  };
  try {
    const file = join(folder, 'film.mp4');
    await writeNoiseMp4(file, bytes);
    const sha256 = await hashFile(file);
    onStep?.(`uploading ${bytes} bytes`);
    const startMs = performance.now();
    const [{ assetId, attempts }] = await Promise.all([
      tusUpload({
        url: `http://127.0.0.1:${line.port}`,
        key: options.adminKey,
        file,
        size: bytes,
        metadata: `filename ${Buffer.from('film.mp4').toString('base64')},sha256 ${Buffer.from(sha256).toString('base64')}`,
        onContinue: (offset) => onStep?.(`continues at ${offset}, ${line.cuts} cuts`),
      }).finally(() => (isUploading = false)),
      killing(),
    ]);
    report.seconds = Math.round((performance.now() - startMs) / 100) / 10;
    measure();
    Object.assign(report, { cuts: line.cuts, attempts, sentAgain: line.sentBytes - bytes });
    const asset = await api.expectSuccess(operations.getContent, { params: { id: assetId } });
    assert(asset.sha256 === sha256 && asset.size === bytes, 'the asset does not match the file', asset);
    const stored = [...(await listDataFiles(dataDir))].filter(([name]) => hashInName(name) === sha256);
    assert(stored.length === 1 && stored[0]![1] === bytes, 'the file is not stored exactly once', stored);
    assert((await hashFile(join(dataDir, stored[0]![0]))) === sha256, 'the file on disk differs');
    const assets = await api.listAll(operations.listContent);
    assert(assets.length === 1, 'the upload has become more than one asset', assets);
    return report;
  } finally {
    await line.close();
    await client.close();
    await cloud.kill9();
    await rm(folder, { recursive: true, force: true });
  }
}
