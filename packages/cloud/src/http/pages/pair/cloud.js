// @ts-check
/* What the pairing page asks of the cloud, and how it tells the answer in the language of the browser. */
import { LETTERS, WORDS } from './words.js';

const PATIENCE_MS = 15_000;

/** The first language of the browser that there is, else English. */
export const language =
  navigator.languages
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => Object.hasOwn(WORDS, tag)) ?? 'en';
export const words = WORDS[language];

/** One request. Answers with its data, or with what to tell the person: never throws. */
export async function call(key, method, path, more = {}) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(more.body ? { 'content-type': 'application/json' } : {}),
        ...more.headers,
      },
      ...(more.body ? { body: more.body } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer = await response.json();
  } catch {
    return { ok: false, code: 'NO_NETWORK', message: words.noNetwork };
  }
  if (answer?.success) return { ok: true, data: answer.data, meta: answer.meta };
  // Whoever answered was not the cloud, but something on the way to it.
  if (!answer?.error) return { ok: false, code: 'NO_NETWORK', message: words.noNetwork };
  const { code, message, details } = answer.error;
  const time = timeOf(Number(response.headers.get('retry-after')) || 60);
  return {
    ok: false,
    code,
    message: tell(code, details?.reason, time) ?? fill(words.refused, { why: message }),
  };
}

/** What went wrong, and what to do about it. */
function tell(code, reason, time) {
  switch (code) {
    case 'UNAUTHORIZED':
      return words.keyUnknown;
    case 'INSUFFICIENT_SCOPE':
      return words.keyReadOnly;
    case 'PAIRING_CODE_NOT_FOUND':
      if (reason === 'expired') return words.codeExpired;
      return reason === 'used' ? words.codeUsed : words.codeWrong;
    case 'STORE_NOT_FOUND':
      return words.storeGone;
    case 'RATE_LIMITED':
      return fill(reason === 'pairing_locked' ? words.locked : words.tooMany, { time });
    case 'INTERNAL_ERROR':
    case 'UNAVAILABLE':
      return words.trouble;
    default:
      return null;
  }
}

function timeOf(seconds) {
  const unit = seconds <= 90 ? 'second' : 'minute';
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    unit === 'second' ? seconds : Math.ceil(seconds / 60),
  );
}

const fill = (text, facts) => text.replaceAll(/\{(\w+)\}/g, (_, name) => facts[name]);

/** `bcdfgh` as `BCD-FGH`; full-width letters as a Japanese keyboard writes them, too. */
export function formatted(typed) {
  const signs = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 6);
  return signs.length > 3 ? `${signs.slice(0, 3)}-${signs.slice(3)}` : signs;
}

/** Why this can be no code, so that the cloud need not count it as a guess; null: it can. */
export function notACode(code) {
  const strange = [...new Set(code.replace('-', ''))].filter((sign) => !LETTERS.includes(sign));
  if (strange.length > 0) return fill(words.codeStrange, { signs: strange.join(' ') });
  return code.length === 7 ? null : words.codeShort;
}
