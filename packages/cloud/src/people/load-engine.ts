import { randomBytes } from 'node:crypto';
import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { autonomousSignInTables } from './autonomous-tables.ts';
import type { Clock } from '../domain/clock.ts';
import { SESSION_LIFETIME_MS } from '../domain/session-lifetime.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';
import type { PasswordHasher } from './password-hash.ts';
import { createAdmissions } from './admissions.ts';
import type { CompanySignIn, EngineDeps, SignInEngine } from './sign-in-engine.ts';

export interface EngineLoaderDeps {
  database: CloudDatabase;
  clock: Clock;
  newId: (kind: IdKind) => string;
  publicUrl: () => string;
  passwords: PasswordHasher;
  company: CompanySignIn | null;
  log: Pick<Logger, 'warn'>;
}

/** Loads the engine when it is asked for; the library takes longer to load than the rest of the program. */
export function createEngineLoader(deps: EngineLoaderDeps): () => Promise<SignInEngine> {
  let engine: Promise<SignInEngine> | null = null;
  return () => {
    engine ??= loadEngine(deps).catch((error: unknown) => {
      // A storage that does not answer: the next one tries again.
      engine = null;
      throw error;
    });
    return engine;
  };
}

async function loadEngine(deps: EngineLoaderDeps): Promise<SignInEngine> {
  const { database, clock, newId, publicUrl, passwords, log } = deps;
  const tables = autonomousSignInTables(database);
  const secret = await tables.secret(randomBytes(32).toString('base64url'));
  const module: { createEngine: (deps: EngineDeps) => SignInEngine } = await import(
    PROGRAM_FILES.signInEngine
  );
  return module.createEngine({
    tables,
    nowMs: () => clock.nowMs(),
    newId,
    publicUrl: publicUrl(),
    secret,
    sessionLifetimeMs: SESSION_LIFETIME_MS,
    hashPassword: (password) => passwords.hash(password),
    verifyPassword: (password, hash) => passwords.verify(password, hash),
    company: deps.company,
    admissions: createAdmissions(deps),
    log: (message, details) =>
      log.warn({ details }, `sign_in.${message.toLowerCase().replaceAll(/\W+/g, '_')}`),
  });
}
