import { signInOperations as operations } from '@placard/protocol/api';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../domain/api-error.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { COMPANY_CALLBACK_PATH } from '../../people/sign-in-engine.ts';
import type { HttpDeps } from '../deps.ts';
import { requireAttemptsLeft, resolveOutcome, toBrowserRequest } from './browser.ts';
import { createRecordSignIn } from './sign-in.ts';

export function companyRoutes({ people, clientAddresses }: HttpDeps): Route[] {
  return [
    route(operations.startCompanySignIn, async ({ request, reply, nowMs }) => {
      const browser = toBrowserRequest(request, clientAddresses);
      requireAttemptsLeft(await people.throttle.countAddress(browser.address, nowMs));
      if (!people.company) {
        throw new ApiError('CONFLICT', 'This cloud knows no company accounts. Start it with --oidc-issuer.');
      }
      const engine = await people.loadEngine();
      const message = 'The server of the company accounts does not answer as it should; try again later.';
      return { data: { url: await resolveOutcome(reply, engine.startCompany(browser), message) } };
    }),
  ];
}

/** Where the company sends the browser back to. It leads on to a page of the console, also when it failed. */
export function addCompanyCallback(app: FastifyInstance, deps: HttpDeps): void {
  const { people, clientAddresses, clock, publicUrl } = deps;
  const recordSignIn = createRecordSignIn(deps);
  app.get(COMPANY_CALLBACK_PATH, async (request, reply) => {
    if (!people.company) {
      throw new ApiError('ROUTE_NOT_FOUND', 'This cloud knows no company accounts.');
    }
    const nowMs = clock.nowMs();
    const browser = toBrowserRequest(request, clientAddresses);
    requireAttemptsLeft(await people.throttle.countAddress(browser.address, nowMs));
    const engine = await people.loadEngine();
    const { cookies, sessionToken } = await engine.finishCompany(`${publicUrl()}${request.url}`, browser);
    if (cookies.length > 0) {
      void reply.header('set-cookie', [...cookies]);
    }
    if (sessionToken !== null) {
      // Entries of the audit log are sorted by time: signing in comes after signing up, which the engine has recorded.
      await recordSignIn(sessionToken, 'company account', { request, nowMs: clock.nowMs() + 1 });
    }
    return reply.redirect(sessionToken === null ? '/sign-in#company-refused' : '/', 303);
  });
}
