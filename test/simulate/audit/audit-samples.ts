import { operations } from '@placard/protocol/api';
import { Refusal } from '../cloud-api/api.ts';
import type { CloudApi } from '../cloud-api/api.ts';
import type { DeviceLedger, Ledger } from '../ledger/read-ledger.ts';
import type { Findings } from './findings.ts';

const MINUTE_MS = 60_000;
/** Of one answer; the cloud allows 10,000. */
const MAX_MINUTES = 9_000;
/** Devices that are asked for at the same time. */
const AT_ONCE = 8;
const PROGRESS_EVERY = 500;

/** Compares the samples of each minute with the ledger: at least those acknowledged, at most those sent. */
export async function auditSamples(
  {
    api,
    ledger,
    sampledDevices,
    onProgress,
  }: { api: CloudApi; ledger: Ledger; sampledDevices: number | null; onProgress: (what: string) => void },
  findings: Findings,
): Promise<{ samples: number; sampled_devices: number }> {
  const all = [...ledger.devices].filter(([, { sent }]) => sent.size > 0);
  const step = Math.max(1, all.length / (sampledDevices ?? all.length));
  const chosen = all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const waiting = [...chosen];
  let samples = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [id, device] = next;
        await auditDevice(api, id, device, findings);
        samples += device.acknowledged.size;
        if (waiting.length > 0 && waiting.length % PROGRESS_EVERY === 0) {
          onProgress(`samples: ${waiting.length} devices left`);
        }
      }
    }),
  );
  return { samples, sampled_devices: chosen.length };
}

async function auditDevice(
  api: CloudApi,
  id: string,
  { sent, acknowledged }: DeviceLedger,
  findings: Findings,
): Promise<void> {
  const sentByMinute = countByMinute(sent);
  const acknowledgedByMinute = countByMinute(acknowledged);
  const minutes = [...sentByMinute.keys()].toSorted((a, b) => a - b);
  const stored = new Map<number, number>();
  for (let first = minutes[0]; first !== undefined;) {
    const end = first + MAX_MINUTES;
    for (const { timestamp, samples } of await readMinutes(
      api,
      id,
      first,
      Math.min(end, minutes.at(-1)! + 1),
    )) {
      stored.set(Date.parse(timestamp) / MINUTE_MS, samples);
    }
    first = minutes.find((minute) => minute >= end);
  }
  for (const minute of minutes) {
    const count = stored.get(minute) ?? 0;
    const [least, most] = [acknowledgedByMinute.get(minute) ?? 0, sentByMinute.get(minute) ?? 0];
    const where = `device ${id} at ${new Date(minute * MINUTE_MS).toISOString()}`;
    if (count < least) {
      findings.add('sample_lost', `${where}: ${least} acknowledged, ${count} stored`, least - count);
    }
    if (count > most) {
      findings.add('sample_doubled', `${where}: ${most} sent, ${count} stored`, count - most);
    }
  }
}

async function readMinutes(api: CloudApi, id: string, first: number, end: number) {
  try {
    return await api.call(operations.listHeartbeats, {
      params: { id },
      query: {
        from: new Date(first * MINUTE_MS).toISOString(),
        to: new Date(end * MINUTE_MS).toISOString(),
        interval: 'minute',
      },
    });
  } catch (error) {
    // A removed device of which the cloud has no sample.
    if (error instanceof Refusal && error.code === 'DEVICE_NOT_FOUND') {
      return [];
    }
    throw error;
  }
}

function countByMinute(times: ReadonlySet<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const at of times) {
    const minute = Math.floor(at / MINUTE_MS);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return counts;
}
