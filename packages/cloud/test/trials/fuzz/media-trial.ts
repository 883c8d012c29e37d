import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { assert } from '../support/contract-violation.ts';
import { createSeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { CloudProcess } from '../support/cloud-process.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { multipart } from '../support/multipart.ts';
import { corrupt, maliciousSamples, validSamples } from './media-files.ts';
import { startTrialCloud } from '../support/trial-cloud.ts';

export interface MediaTrialOptions {
  files: number;
  seed: number;
  /** Maximum duration of other requests during uploads. */
  maxResponseMs: number;
  /** One in this many files is a known malicious one, which may take the whole deadline. */
  maliciousEvery: number;
  onProgress?: (sent: number, facts: string) => void;
}

export interface MediaReport {
  seed: number;
  files: number;
  accepted: number;
  /** Rejected uploads by `details.reason`. */
  refused: Record<string, number>;
  /** Number of damaged files by format and codec. */
  formats: Record<string, number>;
  /** Other requests while files were inspected. */
  otherRequests: { requests: number; p50Ms: number; p99Ms: number; slowestMs: number };
  /** The slowest upload and its file. */
  slowestUpload: { ms: number; name: string };
  /** Resident memory of the cloud without its child processes, MiB. */
  rssMiB: { begin: number; most: number; end: number };
}

const refusedBody = z.object({ reason: z.string() });
/** Concurrent uploads: more than inspection processes, so that some wait. */
const CONCURRENT_UPLOADS = Math.min(8, availableParallelism() * 2);
/** The longest wait when all files ahead in the queue use their whole deadline. */
const MAX_UPLOAD_MS = 60_000;

/** Uploads damaged files of every format to a real cloud, with other requests at the same time. */
export async function mediaTrial(options: MediaTrialOptions): Promise<MediaReport> {
  const { cloud, client, ring, close } = await startTrialCloud({ timeoutMs: 120_000 });
  const random = createSeededRandom(options.seed);
  const samples = await validSamples();
  const malicious = await maliciousSamples();
  const report: MediaReport = {
    seed: options.seed,
    files: 0,
    accepted: 0,
    refused: {},
    formats: {},
    otherRequests: { requests: 0, p50Ms: 0, p99Ms: 0, slowestMs: 0 },
    slowestUpload: { ms: 0, name: '' },
    rssMiB: { begin: rssMiB(cloud), most: 0, end: 0 },
  };
  const latencyProbe = startLatencyProbe(cloud, ring, client);
  let next = 0;
  const send = async () => {
    while (next < options.files) {
      const index = next++;
      const isMalicious = index % options.maliciousEvery === 0;
      const sample = isMalicious
        ? malicious[(index / options.maliciousEvery) % malicious.length]!
        : random.pick(samples);
      const bytes = isMalicious ? sample.bytes : corrupt(sample.bytes, random);
      report.formats[sample.name] = (report.formats[sample.name] ?? 0) + 1;
      await upload({ cloud, client, ring, report, name: sample.name, bytes, index });
      report.rssMiB.most = Math.max(report.rssMiB.most, rssMiB(cloud));
      if (report.files % 250 === 0) {
        options.onProgress?.(report.files, JSON.stringify({ ...report.refused, accepted: report.accepted }));
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, send));
    report.otherRequests = await latencyProbe.stop();
    report.rssMiB.end = rssMiB(cloud);
    assert(
      report.otherRequests.slowestMs <= options.maxResponseMs,
      `another request took longer than ${options.maxResponseMs} ms`,
      report,
    );
    return report;
  } finally {
    await latencyProbe.stop();
    await close();
  }
}

const rssMiB = (cloud: CloudProcess) => Math.round((cloud.rssBytes() ?? 0) / 2 ** 20);

interface UploadTask {
  cloud: CloudProcess;
  client: HttpClient;
  ring: KeyRing;
  report: MediaReport;
  name: string;
  bytes: Buffer;
  index: number;
}

/** Uploads one file: it must be accepted or rejected with a reason, in time. */
async function upload({ cloud, client, ring, report, name, bytes, index }: UploadTask): Promise<void> {
  const { body, contentType } = multipart({}, { fileName: name, contentType: 'image/png', bytes });
  const call = {
    method: 'POST',
    path: '/v1/content/upload',
    key: await ring.take(),
    body,
    headers: { 'content-type': contentType },
  };
  const startMs = performance.now();
  const response = await client.send(call);
  const ms = Math.round(performance.now() - startMs);
  const details = { file: index, seed: report.seed, name, ms, status: response.status, text: response.text };
  assert(!cloud.hasEnded, 'the cloud ended', { ...details, tail: cloud.recentOutput() });
  assert(ms < MAX_UPLOAD_MS, 'an upload got no response in time', details);
  if (ms > report.slowestUpload.ms) {
    report.slowestUpload = { ms, name };
  }
  report.files++;
  if (response.code === null) {
    report.accepted++;
    return;
  }
  assert(response.code === 'UNSUPPORTED_MEDIA_TYPE', 'a damaged file must be accepted or get 415', details);
  const { reason } = refusedBody.parse(response.details);
  report.refused[reason] = (report.refused[reason] ?? 0) + 1;
}

/** Sends small requests at a steady rate and records their durations. */
function startLatencyProbe(cloud: CloudProcess, ring: KeyRing, client: HttpClient) {
  const durationsMs: number[] = [];
  // Delays of this process itself must not be counted against the cloud.
  const eventLoopDelay = monitorEventLoopDelay({ resolution: 5 });
  eventLoopDelay.enable();
  const stopping = new AbortController();
  const run = async () => {
    for (let i = 0; !stopping.signal.aborted; i++) {
      const key = i % 20 === 0 ? await ring.take() : undefined;
      eventLoopDelay.reset();
      const startMs = performance.now();
      if (key !== undefined) {
        assert(
          (await client.send({ method: 'GET', path: '/v1/content?limit=5', key })).status === 200,
          'content must be listed',
        );
      } else {
        assert(
          (await client.sendRaw({ method: 'GET', path: '/readyz' })).status === 200,
          'the cloud must be ready',
        );
      }
      const ownMs = Math.max(0, eventLoopDelay.max / 1e6 - 5);
      durationsMs.push(Math.max(0, performance.now() - startMs - (Number.isFinite(ownMs) ? ownMs : 0)));
      await sleep(50);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      eventLoopDelay.disable();
      const sorted = durationsMs.toSorted((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
      return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: at(1) };
    },
  };
}
