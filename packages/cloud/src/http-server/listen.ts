import { networkInterfaces } from 'node:os';
import { errorCode } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { createHttpServer } from './server.ts';

/**
 * Connections that wait to be accepted. Those of 10,000 screens that come back at once wait for some seconds; with Node's 511
 * the system drops most of their attempts, and screens try again after one, three and seven seconds. Linux has its own
 * maximum, `net.core.somaxconn`, 4,096 since Linux 5.4.
 */
const BACKLOG = 4_096;

/** Address to listen on; with port 0 the operating system chooses. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens and returns the local URL, without a trailing slash. Throws a `StartupError` when the port is not available.
 */
export async function listen(
  app: ReturnType<typeof createHttpServer>,
  { host, port }: ListenOptions,
): Promise<string> {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (cause) {
    throw toListenError(cause, { host, port }, { port: '--port', host: '--host' });
  }
  const address = app.server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  const reachableHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${actual}`;
}

/** The `StartupError` for a port that is not available, naming the flags to change; other errors as they are. */
export function toListenError(
  cause: unknown,
  { host, port }: ListenOptions,
  flags: { host: string; port: string },
): unknown {
  switch (errorCode(cause) ?? '') {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or choose another port with ${flags.port}.`,
        cause,
      );
    case 'EACCES':
      return new StartupError(
        `Permission denied for port ${port}. Choose a port above 1023 with ${flags.port}.`,
        cause,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `This machine does not have the address ${host}. Choose another with ${flags.host}.`,
        cause,
      );
    default:
      return cause;
  }
}

/** URL for other machines when listening on all addresses; manifests contain it. */
export function networkUrl(url: string, host: string): string {
  if (host !== '0.0.0.0' && host !== '::') {
    return url;
  }
  const external = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  return external ? url.replace('127.0.0.1', external.address) : url;
}
