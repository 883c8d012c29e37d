import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { z } from 'zod';

type Options = Record<string, unknown>;

/** What keeps passkeys in a browser: answers as the Web Authentication API does, with the JSON of its results. */
export function createAuthenticator(origin: string, { isHolderVerified = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const flags = 0x01 | (isHolderVerified ? 0x04 : 0);
  let counter = 0;

  const clientDataOf = (type: string, challenge: unknown) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  const authenticatorData = (rpId: unknown, moreFlags = 0, more: Buffer = Buffer.alloc(0)) => {
    const head = Buffer.alloc(5);
    head[0] = flags | moreFlags;
    counter += 1;
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(Buffer.from(String(rpId))), head, more]);
  };
  const result = (response: Options) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    /** `navigator.credentials.create`. */
    create(options: Options) {
      const { id: rpId } = z.object({ id: z.string() }).parse(options['rp']);
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const coseKey = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = authenticatorData(rpId, 0x40, Buffer.concat([Buffer.alloc(16), length, id, coseKey]));
      const size = Buffer.alloc(2);
      size.writeUInt16BE(data.length);
      const attestation = Buffer.concat([
        // {"fmt": "none", "attStmt": {}, "authData": …}
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x59]),
        size,
        data,
      ]);
      return result({
        clientDataJSON: clientDataOf('webauthn.create', options['challenge']).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    /** `navigator.credentials.get`. */
    get(options: Options) {
      const clientData = clientDataOf('webauthn.get', options['challenge']);
      const data = authenticatorData(options['rpId']);
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey);
      return result({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
