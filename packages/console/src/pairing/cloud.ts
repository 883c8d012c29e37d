/* Requests of the pairing page, and their errors in the language of the browser. */
import { PAIRING_ALPHABET } from '@placard/protocol';
import type { ErrorCode, ErrorEnvelope, Meta } from '@placard/protocol/api';
import { TRANSLATIONS } from './translations.ts';
import type { Translation } from './translations.ts';

const TIMEOUT_MS = 15_000;

/** The first browser language that is available, else English. */
export const language: keyof typeof TRANSLATIONS =
  navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]).find(isTranslated) ?? 'en';
export const texts: Translation = TRANSLATIONS[language];

function isTranslated(tag: string | undefined): tag is keyof typeof TRANSLATIONS {
  return tag !== undefined && Object.hasOwn(TRANSLATIONS, tag);
}

/** What went wrong, and the text to show. */
export interface Failure {
  ok: false;
  code: ErrorCode | 'NO_NETWORK';
  message: string;
}
export type Result<T> = { ok: true; data: T; meta?: Meta | undefined } | Failure;

/** A response of the cloud; anything else may answer as well, such as a proxy. */
interface Envelope<T> {
  success?: boolean;
  data: T;
  meta?: Meta;
  error?: Pick<ErrorEnvelope['error'], 'code' | 'message'> & { details?: { reason?: unknown } };
}

const noNetwork: Failure = { ok: false, code: 'NO_NETWORK', message: texts.noNetwork };

/** One request, with the key or, when that is empty, the session of this browser; network errors are results, too. The caller names the type of the data. */
export async function callApi<T>(
  key: string,
  method: 'GET' | 'POST',
  path: string,
  more: { body?: string; headers?: Record<string, string> } = {},
): Promise<Result<T>> {
  let response: Response;
  let body: Envelope<T> | null;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(more.body ? { 'content-type': 'application/json' } : {}),
        ...more.headers,
      },
      ...(more.body ? { body: more.body } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body = await response.json();
  } catch {
    return noNetwork;
  }
  if (body?.success) {
    return { ok: true, data: body.data, meta: body.meta };
  }
  // Not from the cloud: from a proxy or a log-in page of the network.
  if (!body?.error) {
    return noNetwork;
  }
  const { code, message, details } = body.error;
  const time = formatWait(Number(response.headers.get('retry-after')) || 60);
  return {
    ok: false,
    code,
    message: describeError(code, details?.reason, time) ?? fillTemplate(texts.refused, { why: message }),
  };
}

/** What to do about the error; null when the message of the cloud says more. */
function describeError(code: string, reason: unknown, time: string): string | null {
  switch (code) {
    case 'UNAUTHORIZED':
      return texts.keyUnknown;
    case 'INSUFFICIENT_SCOPE':
      return texts.keyReadOnly;
    case 'PAIRING_CODE_NOT_FOUND':
      if (reason === 'expired') {
        return texts.codeExpired;
      }
      return reason === 'used' ? texts.codeUsed : texts.codeWrong;
    case 'STORE_NOT_FOUND':
      return texts.storeGone;
    case 'RATE_LIMITED':
      return fillTemplate(reason === 'pairing_locked' ? texts.locked : texts.tooMany, { time });
    case 'INTERNAL_ERROR':
    case 'UNAVAILABLE':
      return texts.trouble;
    default:
      return null;
  }
}

function formatWait(seconds: number): string {
  const unit = seconds <= 90 ? 'second' : 'minute';
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    unit === 'second' ? seconds : Math.ceil(seconds / 60),
  );
}

const fillTemplate = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/** `bcdfgh` as `BCD-FGH`; full-width letters as a Japanese keyboard writes them, too. */
export function formatCode(typed: string): string {
  const characters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 6);
  return characters.length > 3 ? `${characters.slice(0, 3)}-${characters.slice(3)}` : characters;
}

/** Why this cannot be a code; checked here, because the cloud would count it as a guess. Null when it can be one. */
export function findCodeProblem(code: string): string | null {
  const invalidCharacters = [...new Set(code.replace('-', ''))].filter(
    (character) => !PAIRING_ALPHABET.includes(character),
  );
  if (invalidCharacters.length > 0) {
    return fillTemplate(texts.codeStrange, { signs: invalidCharacters.join(' ') });
  }
  return code.length === 7 ? null : texts.codeShort;
}
