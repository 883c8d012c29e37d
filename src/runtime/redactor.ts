/** What is secret wherever it appears, and what stands for it. None of these matches over the end of a JSON string. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // User name and password in an address.
  [/\/\/[^\s/?#"'\\]*@/g, '//…@'],
  [/(authorization\\*["']?\s*[:=]\s*\\*["']?)(?:\w+ )?[^\s"'\\,}\]]+/gi, '$1…'],
  [/\bbearer\s+[\w.~+/=-]+/gi, 'Bearer …'],
  [/\bscrypt\$[\w$-]+/g, '[hash of a PIN]'],
  // One-time addresses of the page.
  [/\/enter\/[\w-]+/g, '/enter/…'],
];

/** A shorter text is no useful secret, and may be a part of ordinary words. */
const MIN_SECRET_CHARS = 6;

/** Addresses of proxies often have none. */
const HAS_SCHEME = /^[a-z]+:\/\//i;

/**
 * Replaces secrets in what is logged or sent to support: a second line of defence, because no code should log one in the
 * first place.
 */
export function createRedactor() {
  const spellingsByName = new Map<string, readonly string[]>();

  /** `[name]` stands for this value from now on, and no longer for the value that the name had before. */
  function hide(name: string, value: string): void {
    const spellings = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
    spellingsByName.set(name, value.length < MIN_SECRET_CHARS ? [] : [...new Set(spellings)]);
  }

  function redact(text: string): string {
    let redacted = text;
    for (const [name, spellings] of spellingsByName) {
      for (const spelling of spellings) {
        redacted = redacted.replaceAll(spelling, `[${name}]`);
      }
    }
    for (const [pattern, replacement] of PATTERNS) {
      redacted = redacted.replace(pattern, replacement);
    }
    return redacted;
  }

  return {
    hide,
    /** Hides the password of this address, alone and as a header carries it with the user name. */
    hideLogin(name: string, address: string | null | undefined): void {
      const url = address ? URL.parse(HAS_SCHEME.test(address) ? address : `http://${address}`) : null;
      if (!url?.password) {
        return;
      }
      const [user, password] = [decode(url.username), decode(url.password)];
      hide(`password of ${name}`, password);
      hide(`login of ${name}`, Buffer.from(`${user}:${password}`).toString('base64'));
    },
    redact,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
