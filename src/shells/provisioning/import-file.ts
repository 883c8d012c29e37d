import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { orientation } from '@placard/protocol';
import { z } from 'zod';
import { jsonErrorMessage } from '../../core/parse-json.ts';
import { writeDurablySync } from '../../adapters/files/durable-file.ts';
import { hashPin, pinVerifier } from '../../adapters/pin/pin.ts';
import { countAttempt, NO_ATTEMPTS, pinLockRemainingMs } from '../../core/menu/pin-attempts.ts';
import { openStoredPinAttempts } from '../../adapters/sqlite/stored-pin-attempts.ts';
import { isPaired, readPinHashes } from './stored-pins.ts';
import { sha256Hex, overwriteInPlace, readUntrustedFile } from './untrusted-file.ts';
import { importFolder, findProvisioningFiles, stickFolder } from './locations.ts';
import type { ProvisioningLocation } from './locations.ts';
import { saveProvisioningState, readProvisioningState } from './provisioning-state.ts';
import { httpUrl, serverUrl } from './url-settings.ts';

const pin = z.string().regex(/^\d{4,8}$/, 'must be four to eight digits in quotes');

/** A `placard.json`. `pin` is the PIN that is already set; a paired player requires it. */
const provisioningFile = z.strictObject({
  server: serverUrl.optional(),
  orientation: orientation.optional(),
  proxy: httpUrl.optional(),
  caFile: z.string().min(1).optional(),
  menuPin: pin.optional(),
  pin: pin.optional(),
});
type ProvisioningFile = z.infer<typeof provisioningFile>;

/** The result of the search for a `placard.json`; `path` is the file. */
export type ImportResult =
  | { kind: 'none' }
  | { kind: 'imported'; path: string; settings: string[]; wiped: boolean }
  | { kind: 'refused'; path: string; why: string };

interface ImportDeps extends ProvisioningLocation {
  /** Milliseconds since 1970 by the clock of this machine. */
  nowMs?: () => number;
}

/**
 * Imports the first valid `placard.json` that was not imported before, and erases the secrets in it. A paired
 * player accepts only one that names its PIN. Returns the first refusal when none is valid.
 */
export async function importProvisioning(deps: ImportDeps): Promise<ImportResult> {
  let firstRefusal: ImportResult = { kind: 'none' };
  const authorize = createImportAuthorizer(deps.dataDir, deps.nowMs ?? Date.now);
  for (const path of findProvisioningFiles(deps)) {
    const text = readUntrustedFile(path);
    if (text === null || readProvisioningState(deps.dataDir).seen.includes(sha256Hex(text))) {
      continue;
    }
    const result = await importProvisioningFile(path, text, { ...deps, authorize });
    if (result.kind === 'imported') {
      return result;
    }
    // Only a copy: the file itself is on the stick.
    if (dirname(path) === stickFolder(deps.dataDir)) {
      rmSync(path, { force: true });
    }
    if (firstRefusal.kind === 'none') {
      firstRefusal = result;
    }
  }
  return firstRefusal;
}

async function importProvisioningFile(
  path: string,
  text: string,
  { dataDir, authorize }: { dataDir: string; authorize: AuthorizeImport },
): Promise<ImportResult> {
  const refuse = (why: string): ImportResult => ({ kind: 'refused', path, why });
  const parsed = parseProvisioningFile(text);
  if (typeof parsed === 'string') {
    return refuse(parsed);
  }
  const denial = await authorize(parsed.pin, sha256Hex(text));
  if (denial !== null) {
    return refuse(denial);
  }
  const caFile = parsed.caFile === undefined ? undefined : importCertificate(path, parsed.caFile, dataDir);
  if (caFile === null) {
    return refuse(`"caFile" (${parsed.caFile}) is not a certificate in PEM format`);
  }

  const { server, orientation: newOrientation, proxy, menuPin } = parsed;
  const previous = readProvisioningState(dataDir);
  const redactedText = padToLength(redactSecrets(parsed), text);
  saveProvisioningState(dataDir, {
    settings: {
      ...previous.settings,
      ...(server === undefined ? {} : { server }),
      ...(newOrientation === undefined ? {} : { orientation: newOrientation }),
      ...(proxy === undefined ? {} : { proxy }),
      ...(caFile === undefined ? {} : { caFile }),
    },
    menuPinHash: menuPin === undefined ? previous.menuPinHash : await hashPin(menuPin),
    seen: [...previous.seen, sha256Hex(text), sha256Hex(redactedText)],
    wrong: previous.wrong,
  });
  const wiped = eraseSecrets(path, parsed, redactedText, dataDir);
  return { kind: 'imported', path, settings: Object.keys(parsed).filter((name) => name !== 'pin'), wiped };
}

/** The file, or a sentence that says what is wrong with it. */
function parseProvisioningFile(text: string): ProvisioningFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is not valid JSON (${jsonErrorMessage(error)})`;
  }
  const parsed = provisioningFile.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  return parsed.error.issues
    .map((issue) =>
      issue.code === 'unrecognized_keys'
        ? `"${issue.keys.join('", "')}" is not known; known settings are ${Object.keys(provisioningFile.shape).join(', ')}`
        : `"${issue.path.join('.')}" ${issue.message}`,
    )
    .join('; ');
}

/** Null when the file may change this player; otherwise the reason against it. */
type AuthorizeImport = (pin: string | undefined, fileHash: string) => Promise<string | null>;

const PIN_REQUIRED = 'this player is paired: the file must contain its menu PIN as "pin"';
/** So that a stick that stays plugged in counts as one attempt; a longer list is useless. */
const MAX_WRONG_ATTEMPTS = 50;

/**
 * Allows everything before the pairing, and then requires the PIN: one attempt per start, because a stick can hold
 * many files. Attempts are counted together with those in the technician menu, with the same delays.
 */
function createImportAuthorizer(dataDir: string, nowMs: () => number): AuthorizeImport {
  let attempted = false;
  return async (pin, fileHash) => {
    if (!isPaired(dataDir)) {
      return null;
    }
    const hashes = readPinHashes(dataDir);
    if (pin === undefined || attempted || hashes.length === 0) {
      return PIN_REQUIRED;
    }
    const attemptHash = sha256Hex([fileHash, ...hashes].join(' '));
    if (readProvisioningState(dataDir).wrong.includes(attemptHash)) {
      return PIN_REQUIRED;
    }
    attempted = true;
    const attempts = openStoredPinAttempts(dataDir);
    if (!attempts) {
      return 'PIN attempts cannot be counted at this start';
    }
    try {
      // A clock without a battery starts in the past.
      const wallMs = Math.max(nowMs(), attempts.lastGoodTimeMs());
      const lockedMs = pinLockRemainingMs(attempts.read(), wallMs);
      if (lockedMs > 0) {
        return `a wrong PIN was given too often: restart the player with the file in ${Math.ceil(lockedMs / 60_000)} minutes`;
      }
      if (!attempts.save(countAttempt(attempts.read(), wallMs))) {
        return 'PIN attempts cannot be counted: the disk is not writable';
      }
      for (const hash of hashes) {
        if (await pinVerifier.verify(pin, hash)) {
          attempts.save(NO_ATTEMPTS);
          return null;
        }
      }
    } finally {
      attempts.close();
    }
    const current = readProvisioningState(dataDir);
    saveProvisioningState(dataDir, {
      ...current,
      wrong: [...current.wrong, attemptHash].slice(-MAX_WRONG_ATTEMPTS),
    });
    return PIN_REQUIRED;
  };
}

/** Copies the certificates beside the file; null when they are invalid. */
function importCertificate(path: string, certificateFile: string, dataDir: string): string | null {
  const pem = readUntrustedFile(resolve(dirname(path), certificateFile));
  const target = join(dataDir, 'ca.pem');
  try {
    void new X509Certificate(pem ?? '');
    writeDurablySync(target, pem ?? '');
    return target;
  } catch {
    return null;
  }
}

function redactSecrets({ menuPin: _menuPin, pin: _pin, ...rest }: ProvisioningFile): ProvisioningFile {
  if (rest.proxy === undefined) {
    return rest;
  }
  const proxy = new URL(rest.proxy);
  proxy.username = proxy.password = '';
  return { ...rest, proxy: proxy.href };
}

/** Pads to the old length, so that the old bytes are overwritten completely. */
const padToLength = (redacted: ProvisioningFile, text: string): string =>
  `${JSON.stringify(redacted, null, 2)}\n`.padEnd(Buffer.byteLength(text), ' ');

/** Returns whether no secret is left at the place that the file came from. */
function eraseSecrets(
  path: string,
  parsed: ProvisioningFile,
  redactedText: string,
  dataDir: string,
): boolean {
  switch (dirname(path)) {
    case importFolder(dataDir):
      rmSync(path, { force: true });
      return true;
    case stickFolder(dataDir):
      // Only a copy: the file itself is on the stick.
      rmSync(path, { force: true });
      return JSON.stringify(redactSecrets(parsed)) === JSON.stringify(parsed);
    default:
      return overwriteInPlace(path, redactedText);
  }
}
