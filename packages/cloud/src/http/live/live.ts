import { Readable } from 'node:stream';
import type { LiveWanted } from '@placard/protocol';
import { deviceLogsOperations, screenshotOperations } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import type { DeviceRow } from '../../database/devices.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { LiveResult, NoLiveAnswer } from '../../domain/live-requests.ts';
import { route } from '../../http-server/operation-route.ts';
import type { HandlerResult, Route } from '../../http-server/operation-route.ts';
import { requireScreenshotsAllowed } from '../../http-server/screenshot-permission.ts';
import { isAuditDue } from '../audit/audit-recorder.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import type { LimitedCaller } from '../concurrency-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';

/** Of one caller, each for another device or in another window. */
const MAX_WAITING = 10;

const MESSAGES: Readonly<Record<NoLiveAnswer | 'offline', string>> = {
  offline: 'The device is offline.',
  no_socket: 'The device has no socket at the moment, and this needs one.',
  player_too_old: 'The player of the device is too old for this; update it.',
  no_answer: 'The device has not answered within 10 seconds.',
  failed: 'The player could not do it.',
};

const noAnswer = (reason: keyof typeof MESSAGES, problem: string | null = null) =>
  new ApiError('NO_LIVE_ANSWER', MESSAGES[reason], { details: { reason, problem } });

interface LiveCall extends LimitedCaller {
  params: { id: string };
  nowMs: number;
  /** In a transaction, which is here for the audit log: it has no response. */
  commit(run: (tx: Repositories) => Promise<HandlerResult<never>>): Promise<unknown>;
}

type Answer<Wanted extends LiveWanted> = Extract<LiveResult, { kind: Wanted }>;

/** What a device shows and logs now, again and again for somebody who looks; stored nowhere. */
export function liveRoutes({ database, live }: Pick<HttpDeps, 'database' | 'live'>): Route[] {
  const waiting = createConcurrencyLimit(MAX_WAITING, 'requests for live pictures and logs');

  async function askFor<Wanted extends LiveWanted>(
    wanted: Wanted,
    operation: { id: string },
    call: LiveCall,
    requireAllowed: (source: Repositories, device: DeviceRow) => Promise<void>,
  ): Promise<Answer<Wanted>> {
    const { id } = call.params;
    const device = await requireDevice(database, id);
    await requireAllowed(database, device);
    if (device.status === 'offline') {
      throw noAnswer('offline');
    }
    if (await isAuditDue(database.audit, operation, call, id)) {
      await call.commit(async () => ({ emptyStatus: 204, headers: {} }));
    }
    // What another node was answered is not waited for again.
    await database.receiveMessages();
    const result = await waiting.run(call, (signal) => live.ask(id, wanted, signal));
    if (result.kind === 'none') {
      throw noAnswer(result.reason, result.problem);
    }
    if (!isOf(result, wanted)) {
      throw new Error(`asked a device for ${wanted} and got ${result.kind}`);
    }
    return result;
  }

  return [
    route(screenshotOperations.takeLivePicture, async (call) => {
      const { image } = await askFor(
        'picture',
        screenshotOperations.takeLivePicture,
        call,
        requireScreenshotsAllowed,
      );
      const bytes = Buffer.from(image, 'base64');
      return {
        stream: Readable.from([bytes]),
        headers: {
          'content-type': 'image/jpeg',
          'content-length': String(bytes.length),
          'cache-control': 'no-store',
        },
      };
    }),
    route(deviceLogsOperations.readLiveLog, async (call) => {
      const { log } = await askFor('log_lines', deviceLogsOperations.readLiveLog, call, async () => {});
      return { data: log, headers: { 'cache-control': 'no-store' } };
    }),
  ];
}

const isOf = <Wanted extends LiveWanted>(result: LiveResult, wanted: Wanted): result is Answer<Wanted> =>
  result.kind === wanted;
