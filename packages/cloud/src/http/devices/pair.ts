import { DEFAULT_DISPLAY } from '@placard/protocol';
import type { PairingStartRequest } from '@placard/protocol';
import { toDisplayColumns } from '../../database/devices.ts';
import { deviceOperations as operations } from '@placard/protocol/api';
import { defaultDeviceName } from '../../domain/pairing-request.ts';
import { ApiError } from '../../domain/api-error.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireWithinLimits, requireStore } from '../request-checks.ts';
import { deriveDeviceToken, hashSecret } from '../../http-server/secrets.ts';
import { readDeviceDetail } from './device-detail.ts';

/** `bcdfgh` as `BCD-FGH`, ignoring separators that the operator typed. */
export function normalizeCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 3)}-${letters.slice(3)}`;
}

export function pairRoutes({ newId, clock, expiredCodes, newLimiter }: HttpDeps): Route[] {
  const guessLock = createGuessLock({ newLimiter, clock });
  return [
    route(operations.pairDevice, async ({ body, actor, nowMs, commit }) => {
      const caller = actor?.id ?? '';
      await guessLock.check(caller);
      return commit(async (tx) => {
        // Checked again: wrong codes sent concurrently may have been counted in the meantime.
        await guessLock.check(caller);
        const code = normalizeCode(body.code);
        const pairing = await tx.pairings.findByCode(code);
        if (!pairing && expiredCodes.has(code, nowMs)) {
          throw codeExpiredError();
        }
        if (!pairing) {
          await guessLock.recordWrongCode(caller);
          throw pairingCodeError('wrong', 'No screen shows this code.');
        }
        if (!pairing.poll_token || pairing.device_id !== null) {
          throw pairingCodeError('used', 'This pairing code was already used.');
        }
        if (pairing.expires_at <= nowMs) {
          throw codeExpiredError();
        }
        if (body.store_id) {
          await requireStore(tx, body.store_id);
        }
        const pairingRequest: PairingStartRequest = JSON.parse(pairing.request);
        const id = newId('device');
        await tx.devices.insert(
          {
            id,
            name: body.name ?? defaultDeviceName(pairingRequest, pairing.code),
            type: pairingRequest.type ?? 'other',
            platform: pairingRequest.platform,
            serial: pairingRequest.serial,
            store_id: body.store_id ?? null,
            orientation: body.orientation ?? 'landscape',
            ...toDisplayColumns(DEFAULT_DISPLAY),
            menu_pin_hash: null,
            status: 'offline',
            told_status: 'offline',
            player_version: pairingRequest.player_version,
            hardware: JSON.stringify(mergeHardware(pairingRequest)),
            created_at: nowMs,
            updated_at: nowMs,
          },
          body.tags ?? [],
        );
        requireWithinLimits({ devices: await tx.devices.count() }, '');
        if (body.tags?.length) {
          requireWithinLimits({ deviceTags: await tx.devices.countTags() }, 'tags');
        }
        await tx.devices.insertToken(
          hashSecret(deriveDeviceToken(pairing.id, pairing.poll_token)),
          id,
          nowMs,
        );
        await tx.pairings.update(pairing.id, { device_id: id });
        tx.invalidateManifests({ deviceId: id });
        const data = await readDeviceDetail(tx, id);
        tx.recordEvent({ type: 'device.paired', resource: id, data: { device: data } });
        return { data };
      });
    }),
  ];
}

/** Pairing code errors with a reason that the pairing page can show. */
const pairingCodeError = (reason: 'wrong' | 'used' | 'expired', message: string) =>
  new ApiError('PAIRING_CODE_NOT_FOUND', message, { details: { reason } });

const codeExpiredError = () =>
  pairingCodeError('expired', 'This pairing code has expired; use the new one on the screen.');

function mergeHardware(pairingRequest: PairingStartRequest) {
  return {
    ...pairingRequest.hardware,
    model: pairingRequest.hardware?.model ?? pairingRequest.model ?? null,
    serial: pairingRequest.hardware?.serial ?? pairingRequest.serial,
  };
}

const MAX_WRONG_CODES = 5;
const LOCK_MS = 15 * 60_000;

/** Locks pairing for a key for 15 minutes after five wrong codes in 15 minutes; survives restarts. */
function createGuessLock({ newLimiter, clock }: Pick<HttpDeps, 'newLimiter' | 'clock'>) {
  const wrongCodes = newLimiter('wrong pairing codes', LOCK_MS);
  const locks = newLimiter('pairing locks', LOCK_MS);
  return {
    async check(caller: string): Promise<void> {
      const { allowed, resetSeconds } = await locks.peek(caller, 1, clock.nowMs());
      if (!allowed) {
        throw new ApiError(
          'RATE_LIMITED',
          'Too many wrong pairing codes with this key; try again in 15 minutes.',
          { details: { reason: 'pairing_locked' }, headers: { 'retry-after': String(resetSeconds) } },
        );
      }
    },
    async recordWrongCode(caller: string): Promise<void> {
      const nowMs = clock.nowMs();
      const { remaining } = await wrongCodes.take(caller, MAX_WRONG_CODES, nowMs);
      if (remaining === 0) {
        await locks.take(caller, 1, nowMs);
      }
    },
  };
}
