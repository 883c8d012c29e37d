import type { autonomousSignInTables } from './autonomous-tables.ts';

export interface EngineDeps {
  tables: ReturnType<typeof autonomousSignInTables>;
  nowMs: () => number;
  newId: (kind: 'user' | 'session' | 'passkey') => string;
  /** Where browsers reach this cloud, without a slash at the end. */
  publicUrl: string;
  /** Signs cookies and encrypts the secrets of one-time codes. */
  secret: string;
  sessionLifetimeMs: number;
  hashPassword: (password: string) => Promise<string>;
  verifyPassword: (password: string, hash: string) => Promise<boolean>;
  log: (message: string, details: unknown) => void;
}

/** What the browser sent. */
export interface BrowserRequest {
  cookie: string | undefined;
  userAgent: string | undefined;
  address: string;
}

/** `cookies`: values of `Set-Cookie`. */
export type Outcome<T> =
  | { ok: true; value: T; cookies: readonly string[] }
  /** `wrong`: password, code or passkey. */
  | { ok: false; reason: 'wrong' | 'locked' | 'refused'; code: string; cookies: readonly string[] };

export interface SignedIn {
  /** Null: a code is needed first. */
  sessionToken: string | null;
}

export type WebAuthnJson = Record<string, unknown>;

/** Signing in, as far as a library does it. Loaded when somebody signs in for the first time. */
export interface SignInEngine {
  signIn(
    input: { email: string; password: string; remember: boolean },
    request: BrowserRequest,
  ): Promise<Outcome<SignedIn>>;
  verifyCode(
    input: { code: string; isBackupCode: boolean },
    request: BrowserRequest,
  ): Promise<Outcome<SignedIn>>;
  passkeyChallenge(request: BrowserRequest): Promise<Outcome<WebAuthnJson>>;
  signInWithPasskey(response: WebAuthnJson, request: BrowserRequest): Promise<Outcome<SignedIn>>;
  /** The rest is for the person whose session the cookie names. */
  checkPassword(password: string, request: BrowserRequest): Promise<Outcome<null>>;
  changePassword(
    input: { current: string; password: string },
    request: BrowserRequest,
  ): Promise<Outcome<null>>;
  startTotp(
    password: string,
    request: BrowserRequest,
  ): Promise<Outcome<{ uri: string; backupCodes: string[] }>>;
  confirmTotp(code: string, request: BrowserRequest): Promise<Outcome<null>>;
  stopTotp(password: string, request: BrowserRequest): Promise<Outcome<null>>;
  startPasskey(request: BrowserRequest): Promise<Outcome<WebAuthnJson>>;
  addPasskey(
    input: { name: string; response: WebAuthnJson },
    request: BrowserRequest,
  ): Promise<Outcome<{ id: string }>>;
}
