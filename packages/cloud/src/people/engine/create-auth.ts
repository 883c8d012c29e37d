import { randomUUID } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { CompanySignIn, EngineDeps } from '../sign-in-engine.ts';
import { recognizedPlugin } from './recognized-plugin.ts';
import { createRowAdapter } from './row-adapter.ts';

const BASE_PATH = '/v1/auth';
/** How the cookies of better-auth begin; `http-server/session-cookie.ts` reads that of the session. */
export const COOKIE_PREFIX = 'placard';
export const ADDRESS_HEADER = 'x-placard-address';

/** The provider of the company, as better-auth calls it; the end of `COMPANY_CALLBACK_PATH`. */
export const COMPANY = 'company';

const ID_KINDS = { user: 'user', session: 'session', passkey: 'passkey' } as const;

/** better-auth on the tables of the cloud. */
export function createAuth(deps: EngineDeps) {
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
      recognizedPlugin,
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
