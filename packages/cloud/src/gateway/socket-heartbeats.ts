import type { HeartbeatRequest, SocketHeartbeat } from '@placard/protocol';
import type { ErrorCode } from '@placard/protocol/api';
import { ApiError, validationError } from '../domain/api-error.ts';
import type { Clock } from '../domain/clock.ts';
import type { Measurements } from '../domain/measurements.ts';
import { storageFailureOf, STORAGE_FAILURE_MESSAGES } from '../domain/storage-failure.ts';
import { send } from './device-connection.ts';
import type { DeviceConnection, InvalidHeartbeat } from './device-connection.ts';
import type { HeartbeatIntake } from './heartbeat-intake.ts';

export interface SocketHeartbeatDeps {
  heartbeats: HeartbeatIntake;
  clock: Clock;
  measurements: Pick<Measurements, 'heartbeatAccepted'>;
}

const MAX_ERROR_MESSAGE = 1000;

/**
 * Records a heartbeat that arrived on the socket and answers it there, after the commit. After a refusal the next one must
 * have the whole state.
 */
export async function receiveSocketHeartbeat(
  { heartbeats, clock, measurements }: SocketHeartbeatDeps,
  deviceId: string,
  connection: DeviceConnection,
  message: SocketHeartbeat | InvalidHeartbeat,
): Promise<void> {
  const { seq } = message;
  try {
    const request = toRequest(connection, message);
    connection.reportedState = request.state;
    const response = await heartbeats.receive(deviceId, request, clock.nowMs());
    measurements.heartbeatAccepted('socket');
    send(connection, { type: 'heartbeat_ack', seq, ...response });
  } catch (error) {
    connection.reportedState = null;
    const { code, message: text } = toRefusal(error);
    send(connection, {
      type: 'heartbeat_refused',
      seq,
      error: { code, message: text.slice(0, MAX_ERROR_MESSAGE) },
    });
  }
}

/** The heartbeat with its whole state. Both parts of the state are valid, so it is valid as well. */
function toRequest(
  connection: DeviceConnection,
  message: SocketHeartbeat | InvalidHeartbeat,
): HeartbeatRequest {
  if (message.type === 'invalid_heartbeat') {
    throw message.error;
  }
  const { samples, state, changes = {} } = message;
  const previous = connection.reportedState;
  if (state) {
    return { samples, state };
  }
  if (!previous) {
    throw validationError([
      { path: 'state', message: 'is required unless the previous heartbeat was acknowledged' },
    ]);
  }
  // A spread would have the type of fields that are present but undefined, which JSON does not know.
  return { samples, state: Object.assign({}, previous, changes) };
}

/** What the device is told; throws the error again if it is neither an `ApiError` nor a failure of the storage. */
function toRefusal(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof ApiError) {
    return error;
  }
  const failure = storageFailureOf(error);
  if (failure) {
    return { code: 'UNAVAILABLE', message: STORAGE_FAILURE_MESSAGES[failure] };
  }
  throw error;
}
