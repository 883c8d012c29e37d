import { networkInterfaces } from 'node:os';
import { codeOf } from '../domain/error-facts.ts';
import { startFault } from '../domain/start-fault.ts';
import type { createHttpServer } from './server.ts';

/** Where to listen; port 0 lets the operating system choose. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens, and answers with the address for this machine, without a slash at the end. A port that cannot be had is
 * thrown as a `StartFault`.
 */
export async function listen(
  app: ReturnType<typeof createHttpServer>,
  { host, port }: ListenOptions,
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'EADDRINUSE')
      throw startFault(
        `Port ${port} on ${host} is already in use. Stop what uses it, or choose another with --port.`,
        cause,
      );
    if (code === 'EACCES')
      throw startFault(`Port ${port} needs more rights. Choose one above 1023 with --port.`, cause);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw startFault(`This machine has no address ${host}. Choose another with --host.`, cause);
    throw cause;
  }
  const address = app.server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${actual}`;
}

/** Where other machines find us when we listen on all addresses: their manifests name it. */
export function reachableUrl(url: string, host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return url;
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  return outside ? url.replace('127.0.0.1', outside.address) : url;
}
