import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { Data } from '@placard/client';
import type { Session } from './session.ts';

type Logs = NonNullable<Data<'getLogs'>['logs']>;

const POLL_MS = 1_000;

/** Asks a screen for the logs of its program and saves them in a folder; returns their paths. Throws when it does not answer. */
export async function saveLogs(session: Session, deviceId: string, folder: string): Promise<string[]> {
  const { placard, signal } = session;
  await placard.devices.requestLogs(deviceId, { signal });
  const { files } = await waitForLogs(session, deviceId);
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const { name } of files) {
    const path = join(folder, basename(name));
    const { body } = await placard.devices.getLogFile(deviceId, name, { signal });
    await pipeline(body ? Readable.fromWeb(body) : Readable.from([]), createWriteStream(path), { signal });
    paths.push(path);
  }
  return paths;
}

/** The cloud ends a request that is not answered after two minutes. */
async function waitForLogs({ placard, signal }: Session, deviceId: string): Promise<Logs> {
  for (;;) {
    const { logs, request } = await placard.devices.getLogs(deviceId, { signal });
    if (request?.status === 'succeeded' && logs) {
      return logs;
    }
    if (!request || request.finished_at !== null) {
      throw new Error(`The screen has sent no logs: ${request?.problem ?? 'it has not answered'}.`);
    }
    await setTimeout(POLL_MS, undefined, { signal });
  }
}
