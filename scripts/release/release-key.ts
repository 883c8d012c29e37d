import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

const REPOSITORY = realpathSync(resolve(import.meta.dirname, '../..'));

/** Reads the private key; throws a sentence for the operator when it lies where it must not, or is open to others. */
export function readReleaseKey(path: string, repository = REPOSITORY): KeyObject {
  refuseInside(path, repository);
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Error(
      `${path} can be read by others (mode ${mode.toString(8)}). Run chmod 600, and think of who may have a copy.`,
    );
  const key = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key.`);
  return key;
}

/** Makes a new private key at `path`, which must not exist, and returns its public half as PEM. */
export function makeReleaseKey(path: string, repository = REPOSITORY): string {
  refuseInside(path, repository);
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  return publicPem(privateKey);
}

export const publicPem = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

/** Writes the public half where the player and its privileged helper have it built in. */
export function buildIn(pem: string, repository = REPOSITORY): string[] {
  const source = join(repository, 'src/adapters/updater/release-key.ts');
  const text = readFileSync(source, 'utf8').replace(
    /RELEASE_KEY_PEM: string \| null =[^;]*;/,
    () => `RELEASE_KEY_PEM: string | null = ${quoted(pem)};`,
  );
  writeFileSync(source, text);
  const forHelper = join(repository, 'build/linux/update-key.pem');
  writeFileSync(forHelper, pem);
  return [source, forHelper].map((file) => relative(repository, file));
}

const quoted = (pem: string): string => `\`${pem}\``;

function refuseInside(path: string, repository: string): void {
  const real = join(realParent(resolve(path)), basename(path));
  if (real === repository || real.startsWith(repository + sep))
    throw new Error(`${path} is inside the repository. Keep the private key where nobody can commit it.`);
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
