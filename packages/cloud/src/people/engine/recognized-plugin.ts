import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

/** Begins the session of a person whom the cloud has recognized by itself. It has no path: only this program calls it. */
export const recognizedPlugin = {
  id: 'recognized',
  endpoints: {
    signInRecognized: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ userId: z.string() }) },
      async (call) => {
        const { internalAdapter } = call.context;
        const user = await internalAdapter.findUserById(call.body.userId);
        const session = user && (await internalAdapter.createSession(user.id));
        if (!session) {
          throw new APIError('UNAUTHORIZED', { code: 'NOT_RECOGNIZED', message: 'disabled or removed' });
        }
        await setSessionCookie(call, { session, user });
        return { token: session.token };
      },
    ),
  },
} satisfies BetterAuthPlugin;
