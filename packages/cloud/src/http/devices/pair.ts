import { createHmac } from 'node:crypto';
import { DEFAULT_DISPLAY } from '@placard/protocol';
import type { PairingStartRequest } from '@placard/protocol';
import { deviceOperations as operations } from '@placard/protocol/api';
import { deviceNameOf } from '../../domain/told-by-screen.ts';
import { refusal } from '../../domain/refusal.ts';
import { route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { requireRoom, requireStore } from '../require.ts';
import { hashSecret } from '../secrets.ts';
import { deviceDetail } from './devices.ts';

/**
 * The token of a device follows from the secret that only its screen holds. So it need not be stored to be
 * given again when the reply that carried it was lost.
 */
export function deviceTokenOf(pairingId: string, pollToken: string): string {
  return `pld_${createHmac('sha256', pollToken).update(`device token of ${pairingId}`).digest('base64url')}`;
}

/** `bcdfgh` as `BCD-FGH`, whatever the operator typed between the letters. */
export function normalCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 3)}-${letters.slice(3)}`;
}

export function pairRoutes({
  newId,
  clock,
  endedCodes,
  newLimiter,
}: Pick<HttpDeps, 'newId' | 'clock' | 'endedCodes' | 'newLimiter'>): Route[] {
  const guesses = createGuessLock({ newLimiter, clock });
  return [
    route(operations.pairDevice, async ({ body, key, nowMs, commit }) => {
      const caller = key?.id ?? '';
      guesses.check(caller);
      return commit(async (work) => {
        // Again: of many codes that came in the same instant, the wrong ones before this one are counted by now.
        guesses.check(caller);
        const code = normalCode(body.code);
        const pairing = await work.pairings.findByCode(code);
        if (!pairing && endedCodes.has(code, nowMs)) throw codeExpired();
        if (!pairing) {
          guesses.wrong(caller);
          throw noCode('wrong', 'No screen shows this code.');
        }
        if (!pairing.poll_token || pairing.device_id !== null)
          throw noCode('used', 'This code has been used already.');
        if (pairing.expires_at <= nowMs) throw codeExpired();
        if (body.store_id) await requireStore(work, body.store_id);
        const told: PairingStartRequest = JSON.parse(pairing.request);
        const id = newId('device');
        await work.devices.insert(
          {
            id,
            name: body.name ?? deviceNameOf(told, pairing.code),
            type: told.type ?? 'other',
            platform: told.platform,
            serial: told.serial,
            store_id: body.store_id ?? null,
            orientation: body.orientation ?? 'landscape',
            ...DEFAULT_DISPLAY,
            menu_pin_hash: null,
            status: 'offline',
            told_status: 'offline',
            player_version: told.player_version,
            hardware: JSON.stringify(hardwareOf(told)),
            last_heartbeat: null,
            last_seen: null,
            clock_offset_ms: null,
            manifest_revision: '',
            applied_manifest_revision: null,
            current: null,
            storage: null,
            frames: null,
            tz_version: null,
            faults: null,
            latest_sample: null,
            created_at: nowMs,
            updated_at: nowMs,
          },
          body.tags ?? [],
        );
        requireRoom({ devices: await work.devices.count() }, '');
        if (body.tags?.length) requireRoom({ deviceTags: await work.devices.countTags() }, 'tags');
        await work.devices.insertToken(hashSecret(deviceTokenOf(pairing.id, pairing.poll_token)), id, nowMs);
        await work.pairings.update(pairing.id, { device_id: id });
        work.affects({ deviceId: id });
        await work.settle();
        const data = await deviceDetail(work, id);
        await work.notify({ type: 'device.paired', resource: id, data: { device: data } });
        return { data };
      });
    }),
  ];
}

/** For people at a screen: what is wrong with the code that they typed. */
const noCode = (reason: 'wrong' | 'used' | 'expired', message: string) =>
  refusal('PAIRING_CODE_NOT_FOUND', message, { details: { reason } });

const codeExpired = () => noCode('expired', 'This code has expired; the screen shows a new one.');

function hardwareOf(told: PairingStartRequest) {
  return {
    ...told.hardware,
    model: told.hardware?.model ?? told.model ?? null,
    serial: told.hardware?.serial ?? told.serial,
  };
}

const MOST_GUESSES = 5;
const LOCK_MS = 15 * 60_000;

/** After five wrong codes in a quarter of an hour a key may not pair for a quarter of an hour, restart or not. */
function createGuessLock({ newLimiter, clock }: Pick<HttpDeps, 'newLimiter' | 'clock'>) {
  const wrongCodes = newLimiter('wrong pairing codes', LOCK_MS);
  const locks = newLimiter('pairing locks', LOCK_MS);
  return {
    check(caller: string): void {
      const { allowed, resetSeconds } = locks.look(caller, 1, clock.nowMs());
      if (!allowed)
        throw refusal(
          'RATE_LIMITED',
          'Too many wrong pairing codes with this key; wait a quarter of an hour.',
          { details: { reason: 'pairing_locked' }, headers: { 'retry-after': String(resetSeconds) } },
        );
    },
    wrong(caller: string): void {
      const nowMs = clock.nowMs();
      if (wrongCodes.take(caller, MOST_GUESSES, nowMs).remaining === 0) locks.take(caller, 1, nowMs);
    },
  };
}
