import { X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { orientation } from '@placard/protocol';
import { z } from 'zod';
import { hashPin, pinCheck } from '../../adapters/pin/pin.ts';
import { countAttempt, NO_ATTEMPTS, pinLockedMs } from '../../core/menu/pin-attempts.ts';
import { openAttempts } from './kept-attempts.ts';
import { isPaired, keptPinHashes } from './kept-pins.ts';
import { hashOf, overwrite, readSmall } from './foreign-file.ts';
import { importFolder, provisioningFiles, stickFolder } from './places.ts';
import { keepProvisioned, readProvisioned } from './provisioned.ts';

const pin = z.string().regex(/^\d{4,8}$/, 'must be four to eight digits in quotes');

/** A `placard.json`. `pin` is the PIN that is set already; a paired player wants it. */
const file = z.strictObject({
  server: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  orientation: orientation.optional(),
  proxy: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  caFile: z.string().min(1).optional(),
  menuPin: pin.optional(),
  pin: pin.optional(),
});
type ProvisioningFile = z.infer<typeof file>;

/** What came of looking for a `placard.json`; `path` is the file. */
export type ImportAnswer =
  | { kind: 'none' }
  | { kind: 'imported'; path: string; settings: string[]; wiped: boolean }
  | { kind: 'refused'; path: string; why: string };

interface ImportDeps {
  dataDir: string;
  platform: string;
  root?: string;
  /** Milliseconds since 1970, as this machine has them. */
  nowMs?: () => number;
}

/**
 * Takes over the first `placard.json` that was not dealt with before and is right, and takes the secrets out of it. A
 * player that belongs to somebody takes only one that names its PIN. Answers with the first that is not right when
 * none is.
 */
export async function importProvisioning(deps: ImportDeps): Promise<ImportAnswer> {
  let refused: ImportAnswer = { kind: 'none' };
  const gate = createGate(deps.dataDir, deps.nowMs ?? Date.now);
  for (const path of provisioningFiles(deps)) {
    const text = readSmall(path);
    if (text === null || readProvisioned(deps.dataDir).seen.includes(hashOf(text))) continue;
    const answer = await importFile(path, text, { ...deps, gate });
    if (answer.kind === 'imported') return answer;
    // A copy: the stick has the file itself.
    if (dirname(path) === stickFolder(deps.dataDir)) remove(path);
    if (refused.kind === 'none') refused = answer;
  }
  return refused;
}

async function importFile(
  path: string,
  text: string,
  { dataDir, gate }: { dataDir: string; gate: Gate },
): Promise<ImportAnswer> {
  const refuse = (why: string): ImportAnswer => ({ kind: 'refused', path, why });
  const parsed = parse(text);
  if (typeof parsed === 'string') return refuse(parsed);
  const closed = await gate(parsed.pin, hashOf(text));
  if (closed !== null) return refuse(closed);
  const caFile = parsed.caFile === undefined ? undefined : takeCertificate(path, parsed.caFile, dataDir);
  if (caFile === null) return refuse(`"caFile" (${parsed.caFile}) is no certificate in PEM form`);

  const { server, orientation: turned, proxy, menuPin } = parsed;
  const kept = readProvisioned(dataDir);
  const left = padded(withoutSecrets(parsed), text);
  keepProvisioned(dataDir, {
    settings: {
      ...kept.settings,
      ...(server === undefined ? {} : { server }),
      ...(turned === undefined ? {} : { orientation: turned }),
      ...(proxy === undefined ? {} : { proxy }),
      ...(caFile === undefined ? {} : { caFile }),
    },
    menuPinHash: menuPin === undefined ? kept.menuPinHash : await hashPin(menuPin),
    seen: [...kept.seen, hashOf(text), hashOf(left)],
    wrong: kept.wrong,
  });
  const wiped = wipe(path, parsed, left, dataDir);
  return { kind: 'imported', path, settings: Object.keys(parsed).filter((name) => name !== 'pin'), wiped };
}

/** The file, or the sentence that says what is wrong with it. */
function parse(text: string): ProvisioningFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is not valid JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  const parsed = file.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues
    .map((issue) =>
      issue.code === 'unrecognized_keys'
        ? `"${issue.keys.join('", "')}" is not known; known are ${Object.keys(file.shape).join(', ')}`
        : `"${issue.path.join('.')}" ${issue.message}`,
    )
    .join('; ');
}

/** Null when the file may change this player; otherwise why not. */
type Gate = (pin: string | undefined, fileHash: string) => Promise<string | null>;

const PIN_WANTED = 'this player is paired: the file has to name its menu PIN as "pin"';
/** Enough that a stick in the box is one try; a longer list serves nobody. */
const MOST_WRONG = 50;

/**
 * Lets everybody in before the pairing, then whoever knows the PIN: one try a start, for a stick holds many files.
 * Tries count with those in the technician menu, and are waited for in the same way.
 */
function createGate(dataDir: string, nowMs: () => number): Gate {
  let tried = false;
  return async (pin, fileHash) => {
    if (!isPaired(dataDir)) return null;
    const hashes = keptPinHashes(dataDir);
    if (pin === undefined || tried || hashes.length === 0) return PIN_WANTED;
    const trial = hashOf([fileHash, ...hashes].join(' '));
    if (readProvisioned(dataDir).wrong.includes(trial)) return PIN_WANTED;
    tried = true;
    const attempts = openAttempts(dataDir);
    if (!attempts) return 'the tries at its PIN cannot be counted at this start';
    try {
      // A clock without a battery starts in the past.
      const wallMs = Math.max(nowMs(), attempts.lastGoodTimeMs());
      const lockedMs = pinLockedMs(attempts.read(), wallMs);
      if (lockedMs > 0)
        return `a wrong PIN was given too often: start again with it in ${Math.ceil(lockedMs / 60_000)} minutes`;
      if (!attempts.keep(countAttempt(attempts.read(), wallMs)))
        return 'the tries at its PIN cannot be counted: the disk takes no writes';
      for (const hash of hashes)
        if (await pinCheck.matches(pin, hash)) {
          attempts.keep(NO_ATTEMPTS);
          return null;
        }
    } finally {
      attempts.close();
    }
    const kept = readProvisioned(dataDir);
    keepProvisioned(dataDir, { ...kept, wrong: [...kept.wrong, trial].slice(-MOST_WRONG) });
    return PIN_WANTED;
  };
}

/** Copies the certificates that lie beside the file; null when they are none. */
function takeCertificate(path: string, named: string, dataDir: string): string | null {
  const pem = readSmall(resolve(dirname(path), named));
  const place = join(dataDir, 'ca.pem');
  try {
    void new X509Certificate(pem ?? '');
    writeFileSync(place, pem ?? '');
    return place;
  } catch {
    return null;
  }
}

function withoutSecrets({ menuPin: _menuPin, pin: _pin, ...left }: ProvisioningFile): ProvisioningFile {
  if (left.proxy === undefined) return left;
  const proxy = new URL(left.proxy);
  proxy.username = proxy.password = '';
  return { ...left, proxy: proxy.href };
}

/** As long as before, so that it lies over the very bytes that it replaces. */
const padded = (left: ProvisioningFile, text: string): string =>
  `${JSON.stringify(left, null, 2)}\n`.padEnd(Buffer.byteLength(text), ' ');

/** Answers whether no secret is left in the place that the file came from. */
function wipe(path: string, parsed: ProvisioningFile, left: string, dataDir: string): boolean {
  switch (dirname(path)) {
    case importFolder(dataDir):
      return remove(path);
    case stickFolder(dataDir):
      // A copy: the stick has the file itself.
      remove(path);
      return JSON.stringify(withoutSecrets(parsed)) === JSON.stringify(parsed);
    default:
      return overwrite(path, left);
  }
}

function remove(path: string): boolean {
  rmSync(path, { force: true });
  return true;
}
