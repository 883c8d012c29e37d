import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Adds a company's CA certificates to the default ones, for all new connections. `NODE_EXTRA_CA_CERTS` is not
 * enough: Node reads it only at its start, and a packaged Electron not at all.
 */
export function addTrustedCertificates(caFile: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')]);
}
