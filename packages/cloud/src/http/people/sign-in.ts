import { isIP } from 'node:net';
import { signInOperations as operations } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { hashSecret } from '../../http-server/secrets.ts';
import { forgetSessionCookie, readSessionToken } from '../../http-server/session-cookie.ts';
import type { Outcome, SignedIn } from '../../people/sign-in-engine.ts';
import type { HttpDeps } from '../deps.ts';
import { requireAttemptsLeft, resolveOutcome, toBrowserRequest } from './browser.ts';
import { newValue, recordPersonAction } from './person-audit.ts';

const WRONG_PASSWORD = 'The e-mail address or the password is wrong, or the account is disabled.';
const WRONG_CODE = 'The code is wrong or has expired. Codes of the phone change every 30 seconds.';
const WRONG_PASSKEY = 'This passkey is not known here, or its time to answer is over; try again.';

interface SignInContext {
  request: FastifyRequest;
  reply: FastifyReply;
  nowMs: number;
}

export function signInRoutes(deps: HttpDeps): Route[] {
  const { database, people, clientAddresses, newId, isHttps, publicUrl } = deps;
  const { throttle, loadEngine } = people;
  const finishSignIn = createFinishSignIn(deps);

  const countAddress = async ({ request, nowMs }: Pick<SignInContext, 'request' | 'nowMs'>) =>
    requireAttemptsLeft(await throttle.countAddress(clientAddresses.clientOf(request.raw), nowMs));

  return [
    route(operations.getSignInMethods, async () => ({
      data: {
        password: true,
        passkeys: isIP(hostOf(publicUrl())) === 0,
        company: people.company && { name: people.company.name },
      },
    })),
    route(operations.signIn, async ({ body, ...context }) => {
      await countAddress(context);
      const browser = toBrowserRequest(context.request, clientAddresses);
      const user = await database.users.findByEmail(body.email);
      const isKnownAddress =
        user !== undefined && (await database.sessions.isUsedFrom(user.id, browser.address));
      const attempt = { account: body.email, address: browser.address, isKnownAddress };
      requireAttemptsLeft(await throttle.countAccount(attempt, context.nowMs));
      const engine = await loadEngine();
      return { data: await finishSignIn(engine.signIn(body, browser), WRONG_PASSWORD, 'password', context) };
    }),
    route(operations.verifySecondFactor, async ({ body, ...context }) => {
      await countAddress(context);
      const engine = await loadEngine();
      const input = { code: body.code, isBackupCode: body.is_backup_code };
      const browser = toBrowserRequest(context.request, clientAddresses);
      const method = body.is_backup_code ? 'password and backup code' : 'password and code';
      return { data: await finishSignIn(engine.verifyCode(input, browser), WRONG_CODE, method, context) };
    }),
    route(operations.getPasskeyChallenge, async ({ request, reply, nowMs }) => {
      await countAddress({ request, nowMs });
      const engine = await loadEngine();
      const browser = toBrowserRequest(request, clientAddresses);
      return { data: await resolveOutcome(reply, engine.passkeyChallenge(browser), WRONG_PASSKEY) };
    }),
    route(operations.signInWithPasskey, async ({ body, ...context }) => {
      await countAddress(context);
      const engine = await loadEngine();
      const browser = toBrowserRequest(context.request, clientAddresses);
      const outcome = engine.signInWithPasskey(body.response, browser);
      return { data: await finishSignIn(outcome, WRONG_PASSKEY, 'passkey', context) };
    }),
    route(operations.signOut, async ({ request, reply, nowMs }) => {
      const token = readSessionToken(request.headers.cookie, isHttps());
      const found = token === null ? undefined : await database.credentials.findSession(hashSecret(token));
      if (token !== null && found) {
        await database.transaction(
          async (tx) => {
            await tx.sessions.endByHash(hashSecret(token));
            const person = { id: found.user_id, name: found.name };
            await recordPersonAction(tx, { person, action: 'user.signed_out' }, { request, nowMs, newId });
          },
          { freesSpace: true },
        );
      }
      reply.header('set-cookie', forgetSessionCookie(isHttps()));
      return { data: { signed_out: true as const } };
    }),
  ];
}

/** Returns what follows when somebody has shown who they are. */
export function createFinishSignIn(deps: HttpDeps) {
  const recordSignIn = createRecordSignIn(deps);
  return async (
    outcome: Promise<Outcome<SignedIn>>,
    message: string,
    method: string,
    { request, reply, nowMs }: SignInContext,
  ): Promise<{ second_factor_needed: boolean }> => {
    const { sessionToken } = await resolveOutcome(reply, outcome, message);
    if (sessionToken !== null) {
      await recordSignIn(sessionToken, method, { request, nowMs });
    }
    return { second_factor_needed: sessionToken === null };
  };
}

/** Returns what records that somebody has signed in, and ends the session that the browser had before. */
export function createRecordSignIn({ database, newId, isHttps }: HttpDeps) {
  return async (
    sessionToken: string,
    method: string,
    { request, nowMs }: Omit<SignInContext, 'reply'>,
  ): Promise<void> => {
    const person = await database.credentials.findSession(hashSecret(sessionToken));
    const before = readSessionToken(request.headers.cookie, isHttps());
    await database.transaction(
      async (tx) => {
        if (before !== null) {
          await tx.sessions.endByHash(hashSecret(before));
        }
        if (person) {
          await tx.users.update(person.user_id, { last_signed_in_at: nowMs });
          await recordPersonAction(
            tx,
            {
              person: { id: person.user_id, name: person.name },
              action: 'user.signed_in',
              changes: [newValue('method', method)],
            },
            { request, nowMs, newId },
          );
        }
      },
      { freesSpace: true },
    );
  };
}

const hostOf = (url: string): string => new URL(url).hostname.replaceAll(/[[\]]/g, '');
