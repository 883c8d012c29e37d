import { createClient } from '@placard/client';
import type { PlacardClient } from '@placard/client';
import { UsageError } from './output/failure.ts';
import { createOutput } from './output/output.ts';
import type { Output } from './output/output.ts';
import { readSettings } from './settings.ts';

/** What a command works with. */
export interface Session {
  placard: PlacardClient;
  server: string;
  out: Output;
  /** Aborted when the user interrupts the program. */
  signal: AbortSignal;
}

export type OpenSession = () => Promise<Session>;

export interface GlobalOptions {
  server?: string;
  json?: boolean;
}

const USER_AGENT = { 'user-agent': 'placard-cli/0.1.0' };

/** The client for the address and the key of the environment or of the last login. */
export async function openSession(options: GlobalOptions, signal: AbortSignal): Promise<Session> {
  const { server, apiKey } = await findCloud(options);
  if (apiKey === undefined) {
    throw new UsageError(
      `There is no key for ${server}: run "placard login", or set PLACARD_API_KEY.`,
      'login',
    );
  }
  return {
    placard: createClient({ server, apiKey, headers: USER_AGENT }),
    server,
    out: createOutput(options.json === true),
    signal,
  };
}

/** The address of the cloud, and the key for it if there is one. */
export async function findCloud(
  options: GlobalOptions,
): Promise<{ server: string; apiKey: string | undefined }> {
  const stored = await readSettings();
  const server = (options.server ?? process.env['PLACARD_SERVER'] ?? stored?.server)?.replace(/\/+$/, '');
  if (server === undefined) {
    throw new UsageError(
      'Which cloud? Run "placard login --server https://…", or set PLACARD_SERVER.',
      'login',
    );
  }
  // A stored key is for the cloud that it was stored with alone.
  const storedKey = stored?.server === server ? stored.apiKey : undefined;
  return { server, apiKey: process.env['PLACARD_API_KEY'] ?? storedKey };
}
