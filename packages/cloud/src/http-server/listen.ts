import { networkInterfaces } from 'node:os';
import { errorCode } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { createHttpServer } from './server.ts';

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
    await app.listen({ host, port });
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or choose another port with --port.`,
        cause,
      );
    }
    if (code === 'EACCES') {
      throw new StartupError(
        `Permission denied for port ${port}. Choose a port above 1023 with --port.`,
        cause,
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError(
        `This machine does not have the address ${host}. Choose another with --host.`,
        cause,
      );
    }
    throw cause;
  }
  const address = app.server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  const reachableHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${actual}`;
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
