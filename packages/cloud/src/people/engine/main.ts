import { APIError } from 'better-auth/api';
import type {
  BrowserRequest,
  EngineDeps,
  Outcome,
  SignedIn,
  SignInEngine,
  WebAuthnJson,
} from '../sign-in-engine.ts';
import { ADDRESS_HEADER, COMPANY, COOKIE_PREFIX, createAuth } from './create-auth.ts';

/**
 * Sign-in with better-auth. A bundle of its own, which is loaded when somebody signs in for the first time: nothing of it
 * may be needed before, and it shares no module with the rest of the program.
 */
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
    signInRecognized: (userId, request) =>
      run(
        () => api.signInRecognized({ ...call(request, false), body: { userId } }),
        ({ token }): SignedIn => ({ sessionToken: token }),
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
