import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { must } from '../support/breach.ts';
import { createChance } from '../support/chance.ts';
import { createClient } from '../support/client.ts';
import type { Client } from '../support/client.ts';
import { freePort, makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import type { CloudProcess } from '../support/cloud-process.ts';
import { createKeyRing } from '../support/key-ring.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { multipart } from '../support/upload.ts';
import { damaged, knownKillers, soundFiles } from './media-files.ts';

export interface MediaTrial {
  files: number;
  seed: number;
  /** Most milliseconds that another request may take meanwhile. */
  slowestMs: number;
  /** Every so many files one is a known killer; each of those may cost the whole deadline. */
  killerEvery: number;
  onProgress?: (sent: number, facts: string) => void;
}

export interface MediaReport {
  seed: number;
  files: number;
  accepted: number;
  /** Refusals by `details.reason`. */
  refused: Record<string, number>;
  /** Formats and codings, with how many damaged files of each. */
  formats: Record<string, number>;
  /** Other requests while the files were looked at. */
  others: { requests: number; p50Ms: number; p99Ms: number; slowestMs: number };
  /** The longest that one upload took, and what it was. */
  slowestUpload: { ms: number; name: string };
  /** Resident memory of the cloud, without its processes, MiB. */
  rssMiB: { begin: number; most: number; end: number };
}

const refusedBody = z.object({ reason: z.string() });
/** Uploads at the same time: more than there are processes, so that some wait. */
const AT_ONCE = Math.min(8, availableParallelism() * 2);
/** The deadline of a file, when all that wait before it use theirs. */
const MOST_UPLOAD_MS = 60_000;

/** Uploads damaged files of every format to a real cloud, and asks it other things all the while. */
export async function mediaTrial(options: MediaTrial): Promise<MediaReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-media-'));
  const cloud = await startCloudProcess({ dataDir, port: await freePort(), adminKey: makeAdminKey() });
  const client = createClient({ url: cloud.url, timeoutMs: 120_000 });
  const chance = createChance(options.seed);
  const samples = await soundFiles();
  const killers = await knownKillers();
  const ring = createKeyRing({ client, adminKey: cloud.adminKey });
  const report: MediaReport = {
    seed: options.seed,
    files: 0,
    accepted: 0,
    refused: {},
    formats: {},
    others: { requests: 0, p50Ms: 0, p99Ms: 0, slowestMs: 0 },
    slowestUpload: { ms: 0, name: '' },
    rssMiB: { begin: rssMiB(cloud), most: 0, end: 0 },
  };
  const prober = startProber(cloud, ring, client);
  let next = 0;
  const send = async () => {
    while (next < options.files) {
      const index = next++;
      const killer = index % options.killerEvery === 0;
      const sample = killer ? killers[(index / options.killerEvery) % killers.length]! : chance.pick(samples);
      const bytes = killer ? sample.bytes : damaged(sample.bytes, chance);
      report.formats[sample.name] = (report.formats[sample.name] ?? 0) + 1;
      await upload({ cloud, client, ring, report, name: sample.name, bytes, index });
      report.rssMiB.most = Math.max(report.rssMiB.most, rssMiB(cloud));
      if (report.files % 250 === 0)
        options.onProgress?.(report.files, JSON.stringify({ ...report.refused, accepted: report.accepted }));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    report.others = await prober.stop();
    report.rssMiB.end = rssMiB(cloud);
    must(
      report.others.slowestMs <= options.slowestMs,
      `another request took longer than ${options.slowestMs} ms`,
      report,
    );
    return report;
  } finally {
    await prober.stop();
    await client.close();
    await cloud.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const rssMiB = (cloud: CloudProcess) => Math.round((cloud.rssBytes() ?? 0) / 2 ** 20);

interface Upload {
  cloud: CloudProcess;
  client: Client;
  ring: KeyRing;
  report: MediaReport;
  name: string;
  bytes: Buffer;
  index: number;
}

/** One file: it is accepted, or refused with a reason, in time. */
async function upload({ cloud, client, ring, report, name, bytes, index }: Upload): Promise<void> {
  const { body, contentType } = multipart({}, { fileName: name, contentType: 'image/png', bytes });
  const call = {
    method: 'POST',
    path: '/v1/content/upload',
    key: await ring.take(),
    body,
    headers: { 'content-type': contentType },
  };
  const startMs = performance.now();
  const answer = await client.send(call);
  const ms = Math.round(performance.now() - startMs);
  const facts = { file: index, seed: report.seed, name, ms, status: answer.status, text: answer.text };
  must(!cloud.ended, 'the cloud ended', { ...facts, tail: cloud.tail() });
  must(ms < MOST_UPLOAD_MS, 'an upload was not answered in time', facts);
  if (ms > report.slowestUpload.ms) report.slowestUpload = { ms, name };
  report.files++;
  if (answer.code === null) {
    report.accepted++;
    return;
  }
  must(answer.code === 'UNSUPPORTED_MEDIA_TYPE', 'a damaged file is accepted or 415', facts);
  const { reason } = refusedBody.parse(answer.details);
  report.refused[reason] = (report.refused[reason] ?? 0) + 1;
}

/** Asks for small things at a steady pace and keeps how long each took. */
function startProber(cloud: CloudProcess, ring: KeyRing, client: Client) {
  const took: number[] = [];
  // What this very program takes for itself is no fault of the cloud.
  const own = monitorEventLoopDelay({ resolution: 5 });
  own.enable();
  const stopping = new AbortController();
  const run = async () => {
    for (let i = 0; !stopping.signal.aborted; i++) {
      const key = i % 20 === 0 ? await ring.take() : undefined;
      own.reset();
      const startMs = performance.now();
      if (key !== undefined)
        must(
          (await client.send({ method: 'GET', path: '/v1/content?limit=5', key })).status === 200,
          'content must be listed',
        );
      else
        must(
          (await client.raw({ method: 'GET', path: '/readyz' })).status === 200,
          'the cloud must be ready',
        );
      const ownMs = Math.max(0, own.max / 1e6 - 5);
      took.push(Math.max(0, performance.now() - startMs - (Number.isFinite(ownMs) ? ownMs : 0)));
      await sleep(50);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      own.disable();
      const sorted = took.toSorted((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
      return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: at(1) };
    },
  };
}
