import { createClient } from '@placard/client';
import type { ClientOptions, PlacardClient } from '@placard/client';
import { ADMIN_KEY } from '../../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../../cloud/test/support/test-cloud.ts';

/** A client with the Admin key. Each request advances the clock of the cloud, to stay below rate limits. */
export const clientOf = (cloud: TestCloud, options: ClientOptions = {}): PlacardClient =>
  createClient({
    server: cloud.cloud.url,
    apiKey: ADMIN_KEY,
    ...options,
    fetch: (...args) => {
      cloud.clock.advance(2500);
      return (options.fetch ?? fetch)(...args);
    },
  });
