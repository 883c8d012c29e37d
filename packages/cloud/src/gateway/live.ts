import { LIVE_PROTOCOL_VERSIONS, MAX_LIVE_PICTURE_PIXELS } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { ApiError } from '../domain/api-error.ts';
import type { LiveRequest, LiveRequests, LiveResult } from '../domain/live-requests.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { findForbidding } from '../http-server/screenshot-permission.ts';
import { send } from './device-connection.ts';
import type { DeviceConnection } from './device-connection.ts';
import { requirePairedDevice } from './paired-device.ts';
import { decodeImage } from './screenshots.ts';

export interface LiveAnswerDeps {
  database: CloudDatabase;
  live: Pick<LiveRequests, 'answer'>;
}

/** Asks the device over its socket. Where it has none, other nodes may; where there is no other node, those who wait are told. */
export function askLive(
  { live, isAlone }: { live: Pick<LiveRequests, 'answer' | 'sent'>; isAlone: () => boolean },
  connection: DeviceConnection | undefined,
  request: LiveRequest,
): void {
  const { deviceId, wanted } = request;
  const protocol = connection?.protocol ?? null;
  if (connection && protocol !== null && protocol >= LIVE_PROTOCOL_VERSIONS[wanted]) {
    send(connection, { type: 'live_request', wanted });
    // When this fails they are told that there is no socket, unless the answer comes before.
    live.sent(request).catch(() => {});
    return;
  }
  if (connection || isAlone()) {
    // A player without a version has not said hello yet.
    const reason = protocol === null ? 'no_socket' : 'player_too_old';
    // When this fails they learn of it after a while.
    live.answer(deviceId, wanted, { kind: 'none', reason, problem: null }).catch(() => {});
  }
}

/** The route that receives what devices answer to those who look at them. */
export const liveAnswerRoute = ({ database, live }: LiveAnswerDeps): Route =>
  route(operations.answerLive, async ({ deviceId, body }) => {
    const device = await requirePairedDevice(database, deviceId);
    const wanted = body.kind === 'problem' ? body.wanted : body.kind;
    // Another node may have asked.
    await database.receiveMessages();
    if (body.kind === 'picture') {
      decodeImage(body.image, MAX_LIVE_PICTURE_PIXELS);
    }
    const result: LiveResult =
      body.kind === 'problem' ? { kind: 'none', reason: 'failed', problem: body.problem } : body;
    const isForbidden = body.kind === 'picture' && (await findForbidding(database, device)) !== null;
    if (isForbidden || !(await live.answer(device.id, wanted, result))) {
      throw new ApiError('COMMAND_NOT_FOUND', 'Nobody waits for this of the device.');
    }
    return { data: { kind: body.kind } };
  });
