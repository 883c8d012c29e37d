import { MAX_LOGS_BYTES } from '@placard/protocol';
import type { LogBundle } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { validationError } from '../domain/api-error.ts';
import { toIso } from '../domain/iso-time.ts';
import { readLogBundle } from '../http-server/log-bundle.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { presentDeviceLogs } from '../http-server/present-device-logs.ts';
import { applyCommandReport } from './commands.ts';
import { requireOpenRequest } from './open-request.ts';
import { storeSent } from './store-sent.ts';
import type { DeviceUploadDeps } from './store-sent.ts';

/** The route that receives the logs of devices. */
export const logsUploadRoute = (deps: DeviceUploadDeps): Route =>
  route(operations.sendLogs, async ({ deviceId, body, nowMs }) => {
    const request = { deviceId, task: 'LOGS', commandId: body.command_id, nowMs } as const;
    await requireOpenRequest(deps.database, request);
    const bytes = Buffer.from(body.bundle, 'base64');
    const { files } = await requireBundle(bytes);
    return storeSent(deps, bytes, async (tx, file) => {
      const device = await requireOpenRequest(tx, request);
      const row = {
        device_id: device.id,
        taken_at: Date.parse(body.taken_at),
        received_at: nowMs,
        ...file,
        files: JSON.stringify(files.map(({ name, text }) => ({ name, size: Buffer.byteLength(text) }))),
      };
      const replaced = await tx.deviceLogs.save(row);
      await applyCommandReport(tx, device.id, body.command_id, { status: 'succeeded' }, nowMs);
      tx.recordEvent({
        type: 'device.logs',
        resource: device.id,
        data: { logs: presentDeviceLogs(row) },
      });
      return { result: { data: { taken_at: toIso(row.taken_at) } }, replaced };
    });
  });

async function requireBundle(bytes: Buffer): Promise<LogBundle> {
  const bundle = await readLogBundle(bytes);
  const names = bundle?.files.map(({ name }) => name) ?? [];
  if (!bundle || bytes.length > MAX_LOGS_BYTES || new Set(names).size < names.length) {
    throw validationError([
      {
        path: 'bundle',
        message: `must be files with different names as JSON, compressed by gzip to at most ${MAX_LOGS_BYTES} bytes, in Base64`,
      },
    ]);
  }
  return bundle;
}
