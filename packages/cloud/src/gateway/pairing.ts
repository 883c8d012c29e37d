import { randomInt } from 'node:crypto';
import { PAIRING_ALPHABET, PAIRING_CODE_LENGTH, PAIRING_RENEWAL_MS } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { createRateLimiter } from '../domain/rate-window.ts';
import { refusal } from '../domain/refusal.ts';
import { count } from '../http/authenticate.ts';
import { route } from '../http/call.ts';
import type { Route } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { deviceTokenOf } from '../http/devices/pair.ts';
import { iso } from '../http/present.ts';
import { newSecret, sameSecret } from '../http/secrets.ts';
import type { Row } from '../store/schema.ts';
import type { Work } from '../store/store.ts';

const LIFE_MS = 15 * 60_000;
/** Somebody stands on a ladder and waits. */
const POLL_SECONDS = 2;
/** What RFC 8628 adds for a screen that asks too often, and where that ends. */
const SLOW_DOWN_SECONDS = 5;
const SLOWEST_SECONDS = 60;
/** How far ahead of its interval a screen may be: networks delay one poll and not the next. */
const AHEAD_MS = 5000;
const STARTS_WINDOW_MS = 10 * 60_000;
const STARTS_PER_ADDRESS = 60;

export interface PairingDeps extends Pick<HttpDeps, 'store' | 'newId'> {
  /** Where an operator types the code. */
  verificationUrl: () => string;
}

export function pairingRoutes({ store, newId, verificationUrl }: PairingDeps): Route[] {
  const starts = createRateLimiter(STARTS_WINDOW_MS);
  return [
    route(operations.startPairing, async ({ body, request, reply, nowMs }) => {
      count(starts.take(request.ip, STARTS_PER_ADDRESS, nowMs), reply);
      const row = await store.transaction(async (work) => {
        const live = await work.pairings.findLive(body.serial, request.ip, nowMs + PAIRING_RENEWAL_MS);
        if (live) {
          await work.pairings.update(live.id, { request: JSON.stringify(body) });
          return live;
        }
        const fresh = {
          id: newId('pairing'),
          code: await freeCode(work),
          poll_token: newSecret(''),
          serial: body.serial,
          address: request.ip,
          request: JSON.stringify(body),
          created_at: nowMs,
          expires_at: nowMs + LIFE_MS,
          paced_until: null,
          interval: POLL_SECONDS,
          device_id: null,
        };
        await work.pairings.insert(fresh);
        return fresh;
      });
      return {
        data: {
          pairing_id: row.id,
          poll_token: row.poll_token ?? '',
          code: row.code,
          verification_url: verificationUrl(),
          verification_url_complete: `${verificationUrl()}?code=${row.code}`,
          expires_at: iso(row.expires_at),
          interval: row.interval,
        },
      };
    }),
    route(operations.pollPairing, async ({ params, body, nowMs }) => {
      const row = await store.pairings.find(params.id);
      if (!row) throw refusal('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      if (row.poll_token === null) throw expired('This pairing session is over.');
      if (!sameSecret(row.poll_token, body.poll_token))
        throw refusal('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      if (row.device_id !== null)
        return {
          data: { device_id: row.device_id, device_token: deviceTokenOf(row.id, row.poll_token) },
        };
      if (row.expires_at <= nowMs) throw expired('The code has expired; ask for a new one.');
      await store.transaction((work) => pace(work, row, nowMs));
      return { data: { status: 'pending' as const, interval: row.interval }, status: 202 };
    }),
  ];
}

const expired = (message: string) => refusal('PAIRING_EXPIRED', message);

/**
 * Counts the poll; a screen that asks too often is told to wait longer. Each poll takes up one interval, from
 * the end of the one before or from now: so one that keeps to the interval is never told, however late some
 * of its polls arrive.
 */
async function pace(work: Work, row: Row<'pairings'>, nowMs: number): Promise<void> {
  const intervalMs = row.interval * 1000;
  const aheadMs = Math.max(0, (row.paced_until ?? nowMs) - nowMs);
  // Further ahead than any poll takes it: our clock was set back.
  const usedMs = aheadMs > AHEAD_MS + intervalMs ? 0 : aheadMs;
  if (usedMs <= AHEAD_MS) {
    await work.pairings.update(row.id, { paced_until: nowMs + usedMs + intervalMs });
    return;
  }
  throw refusal('RATE_LIMITED', `Ask every ${row.interval} seconds at most.`, {
    headers: { 'retry-after': String(Math.min(row.interval + SLOW_DOWN_SECONDS, SLOWEST_SECONDS)) },
  });
}

/** A code that no session has. */
async function freeCode(work: Work): Promise<string> {
  for (;;) {
    let letters = '';
    for (let i = 0; i < PAIRING_CODE_LENGTH; i++)
      letters += PAIRING_ALPHABET[randomInt(PAIRING_ALPHABET.length)];
    const code = `${letters.slice(0, 3)}-${letters.slice(3)}`;
    if (!(await work.pairings.findByCode(code))) return code;
  }
}
