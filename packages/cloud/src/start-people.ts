import type { CloudDatabase } from './database/cloud-database.ts';
import type { RateLimiter } from './domain/rate-limiter.ts';
import type { HttpDeps } from './http/deps.ts';
import { createEngineLoader } from './people/load-engine.ts';
import { createPasswordHasher } from './people/password-hash.ts';
import type { CompanySignIn } from './people/sign-in-engine.ts';
import { createSignInThrottle } from './people/sign-in-throttle.ts';

export interface PeoplePartsDeps extends Pick<HttpDeps, 'clock' | 'newId' | 'publicUrl' | 'log'> {
  database: CloudDatabase;
  newLimiter: (name: string, windowMs: number) => RateLimiter;
  company: CompanySignIn | null;
  passwordCostLog2: number | undefined;
}

/** What people sign in with. */
export function createPeopleParts({
  newLimiter,
  passwordCostLog2,
  ...deps
}: PeoplePartsDeps): HttpDeps['people'] {
  const passwords = createPasswordHasher(passwordCostLog2);
  return {
    loadEngine: createEngineLoader({ ...deps, passwords }),
    throttle: createSignInThrottle(newLimiter),
    passwords,
    company: deps.company,
  };
}
