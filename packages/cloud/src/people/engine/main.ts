import { randomUUID } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type {
  BrowserRequest,
  CompanySignIn,
  EngineDeps,
  Outcome,
  SignedIn,
  SignInEngine,
  WebAuthnJson,
} from '../sign-in-engine.ts';
import { createRowAdapter } from './row-adapter.ts';

/**
 * Sign-in with better-auth. A bundle of its own, which is loaded when somebody signs in for the first time: nothing of it
 * may be needed before, and it shares no module with the rest of the program.
 */
const BASE_PATH = '/v1/auth';
/** How the cookies of better-auth begin; `http-server/session-cookie.ts` reads that of the session. */
const COOKIE_PREFIX = 'placard';
const ADDRESS_HEADER = 'x-placard-address';

/** The provider of the company, as better-auth calls it; the end of `COMPANY_CALLBACK_PATH`. */
const COMPANY = 'company';

const ID_KINDS = { user: 'user', session: 'session', passkey: 'passkey' } as const;

export function createEngine(deps: EngineDeps): SignInEngine {
  const { api, handler } = createAuth(deps);

  return {
    signIn: ({ remember, ...input }, request) =>
      run(
        () => api.signInEmail({ ...call(request, false), body: { ...input, rememberMe: remember } }),
        (found) => ({ sessionToken: 'token' in found ? (found.token ?? null) : null }),
      ),
    verifyCode: ({ code, isBackupCode }, request) =>
      run(
        () =>
          isBackupCode
            ? api.verifyBackupCode({ ...call(request, false), body: { code } })
            : api.verifyTOTP({ ...call(request, false), body: { code } }),
        ({ token }): SignedIn => ({ sessionToken: token ?? null }),
      ),
    passkeyChallenge: (request) =>
      run(
        () => api.generatePasskeyAuthenticationOptions(call(request, false)),
        (options): WebAuthnJson => ({ ...options, userVerification: 'required' }),
      ),
    signInWithPasskey: (response, request) =>
      run(
        () =>
          api.verifyPasskeyAuthentication({
            ...call(request, false),
            // Whatever it is, the library checks it.
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion
            body: { response } as unknown as PasskeyBody,
          }),
        ({ session }): SignedIn => ({ sessionToken: session.token }),
      ),
    startCompany: (request) =>
      run(
        () =>
          api.signInSocial({
            ...call(request, false),
            body: {
              provider: COMPANY,
              callbackURL: '/',
              errorCallbackURL: '/sign-in',
              disableRedirect: true,
            },
          }),
        ({ url }) => url ?? '',
      ),
    async finishCompany(url, request) {
      const { headers } = call(request, false);
      const answer = await handler(new Request(url, { headers }));
      const cookies = answer.headers.getSetCookie();
      return { cookies, sessionToken: sessionTokenOf(cookies) };
    },
    checkPassword: (password, request) =>
      run(() => api.verifyPassword({ ...call(request), body: { password } }), nothing),
    changePassword: ({ current, password }, request) =>
      run(
        () =>
          api.changePassword({
            ...call(request),
            body: { currentPassword: current, newPassword: password, revokeOtherSessions: true },
          }),
        nothing,
      ),
    startTotp: (password, request) =>
      run(
        () => api.enableTwoFactor({ ...call(request), body: { password, method: 'totp' } }),
        (made) =>
          'totpURI' in made
            ? { uri: made.totpURI, backupCodes: made.backupCodes }
            : { uri: '', backupCodes: [] },
      ),
    confirmTotp: (code, request) => run(() => api.verifyTOTP({ ...call(request), body: { code } }), nothing),
    stopTotp: (password, request) =>
      run(() => api.disableTwoFactor({ ...call(request), body: { password } }), nothing),
    startPasskey: (request) =>
      run(
        () => api.generatePasskeyRegistrationOptions(call(request)),
        (options): WebAuthnJson => ({ ...options }),
      ),
    addPasskey: ({ name, response }, request) =>
      run(
        () => api.verifyPasskeyRegistration({ ...call(request), body: { name, response } }),
        ({ id }) => ({ id }),
      ),
  };
}

type Api = ReturnType<typeof createAuth>['api'];
type PasskeyBody = NonNullable<Parameters<Api['verifyPasskeyAuthentication']>[0]>['body'];

const nothing = (): null => null;

/** Of the session that cookies begin; null when they begin none. */
const sessionTokenOf = (cookies: readonly string[]): string | null =>
  cookies
    .map((each) => new RegExp(`${COOKIE_PREFIX}\\.session_token=([\\w-]+)\\.`).exec(each)?.[1])
    .find((each) => each !== undefined) ?? null;

function createAuth(deps: EngineDeps) {
  const { publicUrl, tables } = deps;
  const { hostname, origin, protocol } = new URL(publicUrl);
  return betterAuth({
    appName: 'Placard',
    baseURL: publicUrl,
    basePath: BASE_PATH,
    secret: deps.secret,
    database: createRowAdapter(deps),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (_level, message, ...details) => deps.log(message, details) },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: protocol === 'https:',
      // Of no use to a page of another site, not even by a link.
      cookies: { session_token: { attributes: { sameSite: 'strict' } } },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: {
        generateId: ({ model }) => {
          const kind = Object.entries(ID_KINDS).find(([name]) => name === model)?.[1];
          return kind ? deps.newId(kind) : randomUUID();
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      password: {
        hash: deps.hashPassword,
        verify: ({ hash, password }) => deps.verifyPassword(password, hash),
      },
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
      additionalFields: {
        role: { type: 'string', input: false, defaultValue: 'Viewer' },
        allStores: { type: 'number', input: false, defaultValue: 1, fieldName: 'all_stores' },
      },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'user_id',
        token: 'token_hash',
        ipAddress: 'address',
        userAgent: 'user_agent',
        expiresAt: 'expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        lastUsedAt: {
          type: 'date',
          input: false,
          defaultValue: () => new Date(),
          fieldName: 'last_used_at',
        },
      },
      expiresIn: deps.sessionLifetimeMs / 1000,
      disableSessionRefresh: true,
      // What is sensitive asks for the password instead.
      freshAge: 0,
    },
    account: {
      modelName: 'user_accounts',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'sign_in_steps',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
      storeIdentifier: 'hashed',
      // A job of the cloud deletes them.
      disableCleanup: true,
    },
    plugins: [
      ...(deps.company ? [companyPlugin(deps.company)] : []),
      twoFactor({
        schema: {
          user: { fields: { twoFactorEnabled: 'has_totp' } },
          twoFactor: {
            modelName: 'second_factors',
            fields: {
              backupCodes: 'backup_codes',
              userId: 'user_id',
              failedVerificationCount: 'failures',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      passkey({
        rpID: hostname,
        rpName: 'Placard',
        origin,
        // A passkey is the only thing that is asked for, so the device must have asked who holds it.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: async ({ verification }) =>
            requireVerifiedHolder(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: async ({ verification }) =>
            requireVerifiedHolder(verification.authenticationInfo.userVerified),
        },
        schema: {
          passkey: {
            modelName: 'passkeys',
            fields: {
              publicKey: 'public_key',
              userId: 'user_id',
              credentialID: 'credential_id',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
    databaseHooks: {
      user: {
        create: {
          // Only people of the company are made here; all others are by their invitation.
          before: async (user) => {
            const admission = user.emailVerified ? await deps.admissions.find(user.email) : null;
            return admission !== null && { data: { role: admission.role } };
          },
          after: (user) => deps.admissions.record(user),
        },
      },
      session: {
        create: {
          // However they sign in: who is disabled gets no session.
          before: async ({ userId }, context) => {
            const [user] = await tables.select('users', {
              where: [
                { column: 'id', operator: '=', value: userId },
                { column: 'disabled_at', operator: '=', value: null },
              ],
              limit: 1,
            });
            const address = context?.headers?.get(ADDRESS_HEADER);
            return user !== undefined && { data: { ipAddress: address ?? null } };
          },
        },
      },
    },
  });
}

const companyPlugin = ({ issuer, clientId, clientSecret }: CompanySignIn) =>
  genericOAuth({
    config: [
      {
        providerId: COMPANY,
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        requireIdTokenVerification: true,
      },
    ],
  });

function requireVerifiedHolder(isVerified: boolean | undefined): void {
  if (isVerified !== true) {
    throw new APIError('UNAUTHORIZED', {
      code: 'USER_NOT_VERIFIED',
      message: 'the device did not ask who holds it',
    });
  }
}

/** A call of better-auth for a browser. Who signs in begins without the session that the browser has. */
function call({ cookie, userAgent, address }: BrowserRequest, withSession = true) {
  const headers = new Headers({ [ADDRESS_HEADER]: address });
  const kept = (cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => withSession || !each.includes(`${COOKIE_PREFIX}.session_token=`));
  headers.set('cookie', kept.join('; '));
  if (userAgent !== undefined) {
    headers.set('user-agent', userAgent.slice(0, 500));
  }
  return { headers, returnHeaders: true } as const;
}

async function run<R, T>(
  work: () => Promise<{ headers: Headers; response: R }>,
  toValue: (response: R) => T,
): Promise<Outcome<T>> {
  try {
    const { headers, response } = await work();
    return { ok: true, value: toValue(response), cookies: headers.getSetCookie() };
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal) {
      return { ...refusal, cookies: [] };
    }
    throw error;
  }
}

/** Codes with which better-auth refuses what it should have refused with another status. */
const REFUSALS: readonly string[] = ['FAILED_TO_VERIFY_REGISTRATION', 'UNABLE_TO_CREATE_SESSION'];

function toRefusal(error: unknown) {
  if (!(error instanceof APIError)) {
    return null;
  }
  const code = String(error.body?.code ?? error.status);
  if (error.statusCode === 429) {
    return { ok: false, reason: 'locked', code } as const;
  }
  return error.statusCode < 500 || REFUSALS.includes(code)
    ? ({ ok: false, reason: 'wrong', code } as const)
    : null;
}
