import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OidcProvider {
  issuer: string;
  /** Who is signed in at the provider. */
  person: { sub: string; email: string; email_verified: boolean; name: string };
  /** Signs with a key that it does not publish. */
  useWrongKey: boolean;
  /** Opens the URL as a browser does that is signed in there; returns where it is sent back to. */
  authorize(url: string): string;
  close(): Promise<void>;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID Connect provider with one client. */
export async function startOidcProvider(client: { id: string; secret: string }): Promise<OidcProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const wrong = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { nonce: string | null; challenge: string | null }>();
  const provider: OidcProvider = {
    issuer: '',
    person: { sub: 'p-1', email: 'ada@company.example', email_verified: true, name: 'Ada' },
    useWrongKey: false,
    authorize(url) {
      const { searchParams: query } = new URL(url);
      const code = randomUUID();
      codes.set(code, { nonce: query.get('nonce'), challenge: query.get('code_challenge') });
      const back = new URL(query.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', query.get('state') ?? '');
      return back.href;
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };

  const toIdToken = (nonce: string | null): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: client.id,
      iat: now,
      exp: now + 300,
      ...provider.person,
      ...(nonce === null ? {} : { nonce }),
    };
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'k' })}.${encode(claims)}`;
    const key = provider.useWrongKey ? wrong.privateKey : privateKey;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
  };

  const server = createServer((request, response) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { issuer } = provider;
      if (request.url === '/.well-known/openid-configuration') {
        send(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['RS256'],
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
        });
      } else if (request.url?.startsWith('/authorize?') === true) {
        // For a browser; nobody is asked.
        response.writeHead(302, { location: provider.authorize(`${issuer}${request.url}`) }).end();
      } else if (request.url === '/jwks') {
        send(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] });
      } else if (request.url === '/token') {
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const granted = codes.get(form.get('code') ?? '');
        codes.delete(form.get('code') ?? '');
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        if (granted?.challenge !== challenge) {
          send(400, { error: 'invalid_grant' });
          return;
        }
        send(200, {
          access_token: randomUUID(),
          token_type: 'Bearer',
          expires_in: 300,
          id_token: toIdToken(granted.nonce),
        });
      } else {
        send(404, {});
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
