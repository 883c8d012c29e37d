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
    const isEmpty = process.env['PLACARD_API_KEY'] !== undefined;
    throw new UsageError(
      `There is no key for ${server}${isEmpty ? ', and PLACARD_API_KEY is empty' : ''}: run "placard login", or set PLACARD_API_KEY to one.`,
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

/** A variable that is set to nothing is not set. */
const fromEnvironment = (name: string): string | undefined => process.env[name]?.trim() || undefined;

/** The key of the environment, which goes before the one of the last login. */
export const keyOfEnvironment = (): string | undefined => fromEnvironment('PLACARD_API_KEY');

/** The address of the cloud, and the key for it if there is one. */
export async function findCloud(
  options: GlobalOptions,
): Promise<{ server: string; apiKey: string | undefined }> {
  const stored = await readSettings();
  const given = [
    ['--server', options.server],
    ['PLACARD_SERVER', fromEnvironment('PLACARD_SERVER')],
    ['The address of "placard login"', stored?.server],
  ].find(([, address]) => address !== undefined);
  if (!given) {
    throw new UsageError(
      'Which cloud? Run "placard login --server https://…", or set PLACARD_SERVER.',
      'login',
    );
  }
  const [source, address = ''] = given;
  if (!isAddress(address)) {
    throw new UsageError(
      `${source} must be the address of the cloud, such as https://signage.example.com, without a user or a password.`,
    );
  }
  const server = address.replace(/\/+$/, '');
  // A stored key is for the cloud that it was stored with alone.
  const storedKey = stored?.server === server ? stored.apiKey : undefined;
  return { server, apiKey: keyOfEnvironment() ?? storedKey };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
}
