// @ts-check
/* What the pairing page asks of the cloud, and how it tells the answer in the language of the browser. */
import { ALPHABET, TRANSLATIONS } from './words.js';

const TIMEOUT_MS = 15_000;

/** The first browser language that is available, else English. */
export const language =
  navigator.languages
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => Object.hasOwn(TRANSLATIONS, tag)) ?? 'en';
export const texts = TRANSLATIONS[language];

/** One request. Answers with its data, or with what to tell the person: never throws. */
export async function callApi(key, method, path, more = {}) {
  let response;
  let body;
  try {
    response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(more.body ? { 'content-type': 'application/json' } : {}),
        ...more.headers,
      },
      ...(more.body ? { body: more.body } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body = await response.json();
  } catch {
    return { ok: false, code: 'NO_NETWORK', message: texts.noNetwork };
  }
  if (body?.success) {
    return { ok: true, data: body.data, meta: body.meta };
  }
  // Whoever answered was not the cloud, but something on the way to it.
  if (!body?.error) {
    return { ok: false, code: 'NO_NETWORK', message: texts.noNetwork };
  }
  const { code, message, details } = body.error;
  const time = formatWait(Number(response.headers.get('retry-after')) || 60);
  return {
    ok: false,
    code,
    message: describeError(code, details?.reason, time) ?? fillTemplate(texts.refused, { why: message }),
  };
}

/** What went wrong, and what to do about it. */
function describeError(code, reason, time) {
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

function formatWait(seconds) {
  const unit = seconds <= 90 ? 'second' : 'minute';
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    unit === 'second' ? seconds : Math.ceil(seconds / 60),
  );
}

const fillTemplate = (text, values) => text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);

/** `bcdfgh` as `BCD-FGH`; full-width letters as a Japanese keyboard writes them, too. */
export function formatCode(typed) {
  const characters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 6);
  return characters.length > 3 ? `${characters.slice(0, 3)}-${characters.slice(3)}` : characters;
}

/** Why this can be no code, so that the cloud need not count it as a guess; null: it can. */
export function findCodeProblem(code) {
  const invalidCharacters = [...new Set(code.replace('-', ''))].filter(
    (character) => !ALPHABET.includes(character),
  );
  if (invalidCharacters.length > 0) {
    return fillTemplate(texts.codeStrange, { signs: invalidCharacters.join(' ') });
  }
  return code.length === 7 ? null : texts.codeShort;
}
