import type { Role } from '@placard/protocol/api';
import type { autonomousSignInTables } from './autonomous-tables.ts';

/** How people of a company sign in: an OpenID Connect provider. */
export interface CompanySignIn {
  /** As people call it. */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The role of people who come for the first time and have no invitation; null: they are not let in. */
  role: Role | null;
}

/** Where the provider sends browsers back to. */
export const COMPANY_CALLBACK_PATH = '/v1/auth/callback/company';

/** Lets people of the company in who come for the first time; their e-mail address is verified. */
export interface Admissions {
  /** Null: not let in. */
  find(email: string): Promise<{ role: Role } | null>;
  /** Called when the person was made. */
  record(user: { id: string; name: string; email: string }): Promise<void>;
}

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
  company: CompanySignIn | null;
  admissions: Admissions;
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
  /** For a person whom the cloud has recognized by itself, without anything that they know or have. */
  signInRecognized(userId: string, request: BrowserRequest): Promise<Outcome<SignedIn>>;
  /** Returns where the browser begins to sign in with an account of the company. */
  startCompany(request: BrowserRequest): Promise<Outcome<string>>;
  /** `url`: the whole URL that the provider has sent the browser back to. */
  finishCompany(url: string, request: BrowserRequest): Promise<SignedIn & { cookies: readonly string[] }>;
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
