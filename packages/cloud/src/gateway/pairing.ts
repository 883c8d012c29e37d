import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { idTimeMs, PAIRING_ALPHABET, PAIRING_CODE_LENGTH, PAIRING_RENEWAL_MS } from '@placard/protocol';
import type { PairingStartRequest } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { createOneAtATime } from '../domain/one-at-a-time.ts';
import { createPollPace } from '../domain/poll-pace.ts';
import type { RateLimiter } from '../domain/rate-window.ts';
import { refusal } from '../domain/refusal.ts';
import { keptHardware } from '../domain/told-by-screen.ts';
import type { WrongSecrets } from '../domain/wrong-secrets.ts';
import { siteOf } from '../http/addresses.ts';
import type { Addresses } from '../http/addresses.ts';
import { count } from '../http/authenticate.ts';
import { route } from '../http/call.ts';
import type { Route } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { deviceTokenOf } from '../http/devices/pair.ts';
import { iso } from '../http/present.ts';
import { hashSecret, newSecret, sameSecret } from '../http/secrets.ts';
import type { Row } from '../store/schema.ts';
import type { Work } from '../store/store.ts';

const LIFE_MS = 15 * 60_000;
/** Somebody stands on a ladder and waits. */
const POLL_SECONDS = 2;
/** What RFC 8628 adds for a screen that asks too often. */
const SLOW_DOWN_SECONDS = 5;
const STARTS_WINDOW_MS = 10 * 60_000;

export interface PairingLimits {
  /** New sessions in 10 minutes for one IPv4 address, or one /64 of IPv6. */
  startsPerAddress: number;
  /** New sessions in 10 minutes for one /48 of IPv6: who has one, has 65,536 networks. */
  startsPerSite: number;
  /** New sessions in 10 minutes for all addresses together. */
  starts: number;
  /** Sessions that wait at the same time. */
  waiting: number;
}

/** 5,000 waiting sessions are some 50 MB with all that is kept of each. */
const DEFAULT_LIMITS: PairingLimits = {
  startsPerAddress: 60,
  startsPerSite: 600,
  starts: 6_000,
  waiting: 5_000,
};
/** Starts that wait to be written down. */
const MOST_QUEUED = 200;
/** When there is no room, the address with most sessions gives up its oldest, if it has more than this. */
const FEW_OF_AN_ADDRESS = 10;

export interface PairingDeps extends Pick<HttpDeps, 'store' | 'newId'> {
  addresses: Addresses;
  wrongSecrets: Pick<WrongSecrets, 'right'>;
  /** Where an operator types the code. */
  verificationUrl: () => string;
  limits?: Partial<PairingLimits> | undefined;
  newLimiter: (name: string, windowMs: number) => RateLimiter;
}

export function pairingRoutes(deps: PairingDeps): Route[] {
  const { store, newId, addresses, wrongSecrets, verificationUrl } = deps;
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const startsOfAddress = deps.newLimiter('pairing of an address', STARTS_WINDOW_MS);
  const startsOfSite = deps.newLimiter('pairing of a site', STARTS_WINDOW_MS);
  const starts = deps.newLimiter('pairing', STARTS_WINDOW_MS);
  const pace = createPollPace();
  // Whoever else asks for something waits for one of them, not for all.
  const queue = createOneAtATime({ mostWaiting: MOST_QUEUED, pause: () => setImmediate() });
  return [
    route(operations.startPairing, async ({ body, request, reply, nowMs }) => {
      const address = addresses.of(request.raw);
      const screen = {
        serial: body.serial,
        secretHash: body.screen_secret === undefined ? null : hashSecret(body.screen_secret),
        address,
      };
      const told = kept(body);
      const own = startsOfAddress.take(address, limits.startsPerAddress, nowMs);
      const site = siteOf(address);
      const shared = own.allowed && site ? startsOfSite.take(site, limits.startsPerSite, nowMs) : own;
      const allowance = shared.allowed ? own : shared;
      // A code that is on a wall stays there, whatever somebody else at this address does, or the disk.
      const before = await store.pairings.findLive(
        screen,
        nowMs + (allowance.allowed ? PAIRING_RENEWAL_MS : 0),
      );
      if (before && (!allowance.allowed || before.request === told)) return { data: answerOf(before) };
      count(allowance, reply);
      const made = queue.run(() =>
        store.transaction(async (work) => {
          const live = await work.pairings.findLive(screen, nowMs + PAIRING_RENEWAL_MS);
          if (live) {
            if (live.request !== told) await work.pairings.update(live.id, { request: told });
            return live;
          }
          const overall = starts.take('', limits.starts, nowMs);
          if (!overall.allowed) count(overall, reply);
          if (
            (await work.pairings.countWaiting()) >= limits.waiting &&
            !(await work.pairings.makeRoom(FEW_OF_AN_ADDRESS))
          )
            throw tooMany();
          const fresh = {
            id: newId('pairing'),
            code: await freeCode(work),
            poll_token: newSecret(''),
            serial: screen.serial,
            secret_hash: screen.secretHash,
            address,
            request: told,
            created_at: nowMs,
            expires_at: nowMs + LIFE_MS,
            interval: POLL_SECONDS,
            device_id: null,
          };
          await work.pairings.insert(fresh);
          return fresh;
        }),
      );
      if (!made) throw tooMany();
      return { data: answerOf(await made) };
    }),
    route(operations.pollPairing, async ({ params, body, request, nowMs }) => {
      const row = await store.pairings.find(params.id);
      // Those that are over are removed; their id still says that they are.
      if (!row && (idTimeMs('pairing', params.id) ?? nowMs) <= nowMs - LIFE_MS)
        throw expired('This pairing session is over.');
      if (!row) throw refusal('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      if (row.poll_token === null) throw expired('This pairing session is over.');
      if (!sameSecret(row.poll_token, body.poll_token))
        throw refusal('PAIRING_CODE_NOT_FOUND', 'This pairing session does not exist.');
      if (row.device_id !== null) {
        const token = deviceTokenOf(row.id, row.poll_token);
        // Its first request gets through, whatever else comes from its address.
        wrongSecrets.right(addresses.of(request.raw), hashSecret(token));
        return { data: { device_id: row.device_id, device_token: token } };
      }
      if (row.expires_at <= nowMs) throw expired('The code has expired; ask for a new one.');
      if (!pace.take(row.id, row.interval, nowMs))
        throw refusal('RATE_LIMITED', `Ask every ${row.interval} seconds at most.`, {
          headers: { 'retry-after': String(row.interval + SLOW_DOWN_SECONDS) },
        });
      return { data: { status: 'pending' as const, interval: row.interval }, status: 202 };
    }),
  ];

  function answerOf(row: Row<'pairings'>) {
    return {
      pairing_id: row.id,
      poll_token: row.poll_token ?? '',
      code: row.code,
      verification_url: verificationUrl(),
      verification_url_complete: `${verificationUrl()}?code=${row.code}`,
      expires_at: iso(row.expires_at),
      interval: row.interval,
    };
  }
}

/** What is kept of what the screen told, as JSON: no secret, and no more hardware than is of use. */
const kept = (body: PairingStartRequest): string =>
  JSON.stringify({
    ...body,
    screen_secret: undefined,
    hardware: body.hardware && keptHardware(body.hardware),
  });

const tooMany = () =>
  refusal('UNAVAILABLE', 'Too many screens wait to be paired; try again in some minutes.', {
    headers: { 'retry-after': '60' },
  });

const expired = (message: string) => refusal('PAIRING_EXPIRED', message);

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
