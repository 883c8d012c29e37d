import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { idTimeMs, PAIRING_ALPHABET, PAIRING_CODE_LENGTH, PAIRING_RENEWAL_MS } from '@placard/protocol';
import type { IdKind, PairingStartRequest } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { createSerialQueue } from '../domain/serial-queue.ts';
import { createPollRateLimit } from '../domain/poll-rate-limit.ts';
import type { RateLimiter } from '../domain/rate-limiter.ts';
import { ApiError } from '../domain/api-error.ts';
import { truncateHardware } from '../domain/pairing-request.ts';
import type { AuthThrottle } from '../domain/auth-throttle.ts';
import { ipv6SiteOf } from '../http-server/client-address.ts';
import type { ClientAddresses } from '../http-server/client-address.ts';
import { applyRateLimit } from '../http-server/authenticate.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { toIso } from '../domain/iso-time.ts';
import { deriveDeviceToken, hashSecret, generateSecret, secretsEqual } from '../http-server/secrets.ts';
import type { Row } from '../database/schema.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';

const SESSION_LIFETIME_MS = 15 * 60_000;
/** Short, because an installer is waiting in front of the screen. */
const POLL_INTERVAL_SECONDS = 2;
/** Added to the interval of a player that polls too often (slow_down, RFC 8628). */
const SLOW_DOWN_SECONDS = 5;
const START_LIMIT_WINDOW_MS = 10 * 60_000;

const DEFAULT_LIMITS = {
  /** New sessions per 10 minutes for one IPv4 address, or one /64 of IPv6. */
  startsPerAddress: 60,
  /** New sessions per 10 minutes for one /48 of IPv6, which contains 65,536 /64 networks. */
  startsPerIpv6Site: 600,
  /** New sessions per 10 minutes for all addresses together. */
  startsInTotal: 6_000,
  /** Sessions that wait for an operator at the same time; 5,000 take about 50 MB. */
  waitingSessions: 5_000,
};
export type PairingLimits = typeof DEFAULT_LIMITS;

/** Session starts that wait for the database. */
const MAX_QUEUED_STARTS = 200;
/** When all sessions are taken, the oldest of the address with most sessions is evicted, if it has more than this. */
const EVICTION_THRESHOLD_PER_ADDRESS = 10;

export interface PairingDeps {
  database: CloudDatabase;
  newId: (kind: IdKind) => string;
  clientAddresses: ClientAddresses;
  authThrottle: Pick<AuthThrottle, 'recordSuccess'>;
  /** URL where an operator enters the code. */
  verificationUrl: () => string;
  limits?: Partial<PairingLimits> | undefined;
  newLimiter: (name: string, windowMs: number) => RateLimiter;
}

export function pairingRoutes(deps: PairingDeps): Route[] {
  const { database, newId, clientAddresses, authThrottle, verificationUrl } = deps;
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const startsOfAddress = deps.newLimiter('pairing of an address', START_LIMIT_WINDOW_MS);
  const startsOfSite = deps.newLimiter('pairing of a site', START_LIMIT_WINDOW_MS);
  const starts = deps.newLimiter('pairing', START_LIMIT_WINDOW_MS);
  const mayPoll = createPollRateLimit();
  // Yields between starts, so that other requests wait for one of them and not for all.
  const queue = createSerialQueue({ maxWaiting: MAX_QUEUED_STARTS, yieldToEventLoop: () => setImmediate() });
  return [
    route(operations.startPairing, async ({ body, request, reply, nowMs }) => {
      const address = clientAddresses.clientOf(request.raw);
      const screen = {
        serial: body.serial,
        secretHash: body.screen_secret === undefined ? null : hashSecret(body.screen_secret),
        address,
      };
      const requestJson = serializeRequest(body);
      const addressAllowance = await startsOfAddress.take(address, limits.startsPerAddress, nowMs);
      const site = ipv6SiteOf(address);
      const siteAllowance =
        addressAllowance.allowed && site
          ? await startsOfSite.take(site, limits.startsPerIpv6Site, nowMs)
          : addressAllowance;
      const allowance = siteAllowance.allowed ? addressAllowance : siteAllowance;
      // A code that is on a screen stays valid, regardless of rate limits of its address or a full disk.
      const existing = await database.pairings.findActive(
        screen,
        nowMs + (allowance.allowed ? PAIRING_RENEWAL_MS : 0),
      );
      if (existing && (!allowance.allowed || existing.request === requestJson)) {
        return { data: presentSession(existing) };
      }
      applyRateLimit(allowance, reply);
      const created = queue.run(() =>
        database.transaction(async (tx) => {
          const active = await tx.pairings.findActive(screen, nowMs + PAIRING_RENEWAL_MS);
          if (active) {
            if (active.request !== requestJson) {
              await tx.pairings.update(active.id, { request: requestJson });
            }
            return active;
          }
          const totalAllowance = await starts.take('', limits.startsInTotal, nowMs);
          if (!totalAllowance.allowed) {
            applyRateLimit(totalAllowance, reply);
          }
          if (
            (await tx.pairings.countWaiting()) >= limits.waitingSessions &&
            !(await tx.pairings.evictOldest(EVICTION_THRESHOLD_PER_ADDRESS))
          ) {
            throw tooManySessionsError();
          }
          const session = {
            id: newId('pairing'),
            code: await generateUnusedCode(tx),
            poll_token: generateSecret(''),
            serial: screen.serial,
            secret_hash: screen.secretHash,
            address,
            request: requestJson,
            created_at: nowMs,
            expires_at: nowMs + SESSION_LIFETIME_MS,
            interval: POLL_INTERVAL_SECONDS,
            device_id: null,
          };
          await tx.pairings.insert(session);
          return session;
        }),
      );
      if (!created) {
        throw tooManySessionsError();
      }
      return { data: presentSession(await created) };
    }),
    route(operations.pollPairing, async ({ params, body, request, nowMs }) => {
      const row = await database.pairings.find(params.id);
      // Expired sessions are deleted; the time in the id still shows that this one has expired.
      if (!row && (idTimeMs('pairing', params.id) ?? nowMs) <= nowMs - SESSION_LIFETIME_MS) {
        throw pairingExpiredError('This pairing session has ended; start a new one.');
      }
      if (!row) {
        throw new ApiError('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      }
      if (row.poll_token === null) {
        throw pairingExpiredError('This pairing session has ended; start a new one.');
      }
      if (!secretsEqual(row.poll_token, body.poll_token)) {
        throw new ApiError('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      }
      if (row.device_id !== null) {
        const token = deriveDeviceToken(row.id, row.poll_token);
        // Lets the first request of the device pass the auth throttle, even when its address is throttled.
        authThrottle.recordSuccess(clientAddresses.clientOf(request.raw), hashSecret(token));
        return { data: { device_id: row.device_id, device_token: token } };
      }
      if (row.expires_at <= nowMs) {
        throw pairingExpiredError('The pairing code has expired; start a new session.');
      }
      if (!mayPoll(row.id, row.interval, nowMs)) {
        throw new ApiError(
          'RATE_LIMITED',
          `Polling too fast; wait ${row.interval} seconds between requests.`,
          {
            headers: { 'retry-after': String(row.interval + SLOW_DOWN_SECONDS) },
          },
        );
      }
      return { data: { status: 'pending' as const, interval: row.interval }, status: 202 };
    }),
  ];

  function presentSession(row: Row<'pairings'>) {
    return {
      pairing_id: row.id,
      poll_token: row.poll_token ?? '',
      code: row.code,
      verification_url: verificationUrl(),
      verification_url_complete: `${verificationUrl()}?code=${row.code}`,
      expires_at: toIso(row.expires_at),
      interval: row.interval,
    };
  }
}

/** The stored part of the request, as JSON: no secret, and only the hardware fields that are used. */
const serializeRequest = (body: PairingStartRequest): string =>
  JSON.stringify({
    ...body,
    screen_secret: undefined,
    hardware: body.hardware && truncateHardware(body.hardware),
  });

const tooManySessionsError = () =>
  new ApiError('UNAVAILABLE', 'Too many devices are waiting to be paired; try again in a few minutes.', {
    headers: { 'retry-after': '60' },
  });

const pairingExpiredError = (message: string) => new ApiError('PAIRING_EXPIRED', message);

async function generateUnusedCode(tx: Transaction): Promise<string> {
  for (;;) {
    let letters = '';
    for (let i = 0; i < PAIRING_CODE_LENGTH; i++) {
      letters += PAIRING_ALPHABET[randomInt(PAIRING_ALPHABET.length)];
    }
    const code = `${letters.slice(0, 3)}-${letters.slice(3)}`;
    if (!(await tx.pairings.findByCode(code))) {
      return code;
    }
  }
}
