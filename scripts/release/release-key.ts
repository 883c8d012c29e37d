import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { REPOSITORY } from '../repository.ts';

/** Reads the private key; throws an error for the operator when it is inside the repository or readable by others. */
export function readReleaseKey(path: string, repository = REPOSITORY): KeyObject {
  assertOutsideRepository(path, repository);
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(
      `${path} can be read by others (mode ${mode.toString(8)}). Run chmod 600, and check who may have copied it.`,
    );
  }
  const key = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new Error(`${path} is not an Ed25519 key.`);
  }
  return key;
}

/** Creates a new private key at `path`, which must not exist, and returns the public key as PEM. */
export function makeReleaseKey(path: string, repository = REPOSITORY): string {
  assertOutsideRepository(path, repository);
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  return publicPem(privateKey);
}

export const publicPem = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

/** Writes the public key into the sources of the player and of the update helper. */
export function embedPublicKey(pem: string, repository = REPOSITORY): string[] {
  const source = join(repository, 'src/adapters/updater/release-key.ts');
  const text = readFileSync(source, 'utf8').replace(
    /RELEASE_KEY_PEM: string \| null =[^;]*;/,
    () => `RELEASE_KEY_PEM: string | null = ${templateLiteral(pem)};`,
  );
  writeFileSync(source, text);
  const helperKeyFile = join(repository, 'build/linux/update-key.pem');
  writeFileSync(helperKeyFile, pem);
  return [source, helperKeyFile].map((file) => relative(repository, file));
}

const templateLiteral = (pem: string): string => `\`${pem}\``;

function assertOutsideRepository(path: string, repository: string): void {
  const real = join(realParent(resolve(path)), basename(path));
  if (real === repository || real.startsWith(repository + sep)) {
    throw new Error(
      `${path} is inside the repository. Keep the private key outside, where it cannot be committed.`,
    );
  }
}

/** The folder of a file that may not exist yet, with all links resolved. */
function realParent(path: string): string {
  const parent = dirname(path);
  try {
    return realpathSync(parent);
  } catch {
    return parent === path ? parent : join(realParent(parent), basename(parent));
  }
}
