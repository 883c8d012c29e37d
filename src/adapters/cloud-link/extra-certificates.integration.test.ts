import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createDispatcher } from './dispatcher.ts';
import { addTrustedCertificates } from './extra-certificates.ts';

test('trusts a cloud with a company certificate for requests and for the socket', async () => {
  const dir = tempDir();
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=company', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.end('hello'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const trusted = getCACertificates('default');
  onTestFinished(() => {
    setDefaultCACertificates(trusted);
    server.closeAllConnections();
    server.close();
  });
  const ask = async () => {
    const dispatcher = createDispatcher({});
    try {
      const { body } = await dispatcher.request({ origin: `https://${host}`, path: '/', method: 'GET' });
      return await body.text();
    } finally {
      await dispatcher.destroy();
    }
  };
  /** The server accepts no upgrade: a trusted socket fails with its status, an untrusted one with the certificate. */
  const socketError = async () => {
    const socket = new WebSocket(`wss://${host}/`);
    const [error] = await once(socket, 'error');
    return String(error);
  };

  await expect(ask()).rejects.toThrow(/self-signed certificate/);
  expect(await socketError()).toContain('self-signed certificate');
  addTrustedCertificates(cert);
  expect(await ask()).toBe('hello');
  expect(await socketError()).toContain('Unexpected server response: 200');
});
