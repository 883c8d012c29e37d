import { gunzipSync } from 'node:zlib';
import { logBundle } from '@placard/protocol';
import type { FakeCloud } from './fake-cloud.ts';
import { waitUntil } from './wait-until.ts';

/** Asks a paired player for its logs: the texts that it sends, by the names of the files. */
export async function fetchLogs(cloud: FakeCloud): Promise<Map<string, string>> {
  const { logs } = cloud.received;
  const count = logs.length;
  await waitUntil('a socket', () => cloud.socketCount > 0);
  cloud.sendCommand({
    id: `cmd_logs_${count + 1}`,
    command: 'LOGS',
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  });
  const { bundle } = await waitUntil('the logs', () => logs[count]);
  const { files } = logBundle.parse(JSON.parse(gunzipSync(Buffer.from(bundle, 'base64')).toString()));
  return new Map(files.map(({ name, text }) => [name, text]));
}
