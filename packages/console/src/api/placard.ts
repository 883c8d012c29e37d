import { createClient } from '@placard/client';

/** The API of the cloud that serves this page, with the session of this browser. */
export const placard = createClient();
