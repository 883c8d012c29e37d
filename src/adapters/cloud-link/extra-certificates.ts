import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Trusts the certificates of a company besides those that are trusted anyway, in every connection from now on. Not by
 * `NODE_EXTRA_CA_CERTS`: Node reads that only when it starts, and a packaged Electron not at all.
 */
export function trustAlso(caFile: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')]);
}
