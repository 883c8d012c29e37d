import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import type { FakeCloud } from '../../../test/support/fake-cloud.ts';
import { helloMessage, openCloudLink, pairDevice } from '../../../test/support/open-cloud-link.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { relay } from '../../../test/support/relay.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createDispatcher } from './dispatcher.ts';
import { addTrustedCertificates } from './extra-certificates.ts';
import type { ProxySettings } from './proxy.ts';

const linkThrough = (server: string, proxies: ProxySettings) =>
  openCloudLink(server, { proxies, dispatcher: createDispatcher(proxies) });

/** A certificate for these names, trusted until the end of the test. */
function trustedCertificate(names: string): { key: string; cert: string } {
  const dir = tempDir();
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`];
  const args = ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', args, { stdio: 'ignore' });
  const trusted = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(trusted));
  addTrustedCertificates(cert);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

/** A TLS proxy in front of the cloud that records the SNI name of each connection; false: no SNI. */
async function startFront(cloud: FakeCloud, names: string) {
  const calledBy: (string | false | null)[] = [];
  const open = new Set<Socket>();
  const server = createServer(trustedCertificate(names), (socket) => {
    calledBy.push(socket.servername);
    relay(socket, cloud.url, open);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) {
      socket.destroy();
    }
    server.close();
  });
  const address = server.address();
  return { calledBy, port: typeof address === 'object' && address ? address.port : 0 };
}

test.each([
  ['a name', 'cloud.test', 'DNS:cloud.test', 'cloud.test'],
  ['an IPv4 address', '192.0.2.7', 'IP:192.0.2.7', false],
  ['an IPv6 address', '[2001:db8::7]', 'IP:2001:db8::7', false],
])('reaches a cloud with %s over TLS through a plain and an encrypted proxy', async (_, host, names, sni) => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const front = await startFront(cloud, names);
  const tls = trustedCertificate('IP:127.0.0.1');
  for (const [scheme, proxy] of [
    ['http', await startProxy({ targetPort: front.port })],
    ['https', await startProxy({ targetPort: front.port, tls })],
  ] as const) {
    const link = linkThrough(`https://${host}`, { httpsProxy: `${scheme}://127.0.0.1:${proxy.port}` });
    const signal = new AbortController().signal;
    const device = await pairDevice(cloud, link);
    const end = await device.openSocket(
      { hello: helloMessage, onMessage: () => cloud.dropSockets() },
      signal,
    );
    expect(end).toMatchObject({ kind: 'closed', welcomed: true });
    expect(new Set(proxy.tunnels)).toEqual(new Set([`${host}:443`]));
  }
  expect(new Set(front.calledBy)).toEqual(new Set([sni]));
});

test('rejects a certificate for another address', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const front = await startFront(cloud, 'IP:2001:db8::8');
  const proxy = await startProxy({ targetPort: front.port });
  const link = linkThrough('https://[2001:db8::7]', { httpsProxy: `http://127.0.0.1:${proxy.port}` });
  const socket = link
    .createDeviceLink('token')
    .openSocket({ hello: helloMessage, onMessage: () => {} }, new AbortController().signal);
  await expect(socket).rejects.toMatchObject({
    code: 'cloud.tls',
    details: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
});

test('a stopping player does not wait for a proxy that never answers', async () => {
  const proxy = await startProxy({ silent: true });
  const asked = once(proxy.server, 'connect');
  const link = linkThrough('http://cloud.invalid', { httpProxy: `http://127.0.0.1:${proxy.port}` });
  const stop = new AbortController();
  const socket = link
    .createDeviceLink('token')
    .openSocket({ hello: helloMessage, onMessage: () => {} }, stop.signal);
  const [, tunnel] = await asked;
  const tunnelClosed = once(tunnel, 'end');
  stop.abort();
  await expect(socket).rejects.toMatchObject({ code: 'cloud.unreachable', details: { reason: 'ABORT_ERR' } });
  await tunnelClosed;
});
