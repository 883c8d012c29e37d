import { invalid, refusal } from '../domain/refusal.ts';
import { messageOf } from '../domain/error-facts.ts';

const DEEPEST = 32;
/** Fields of all objects and entries of all lists of a body together; the largest request that is of use has some 15,000. */
const MOST_ENTRIES = 20_000;

/**
 * Reads JSON that came from outside, such as a body. An empty one is no body: many clients name the type and send
 * nothing.
 */
export function readJson(bytes: Buffer, mostEntries = MOST_ENTRIES): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal('MALFORMED_JSON', 'The body is not UTF-8 text.');
  }
  const { depth, entries } = shapeOf(text);
  if (depth > DEEPEST)
    throw refusal('MALFORMED_JSON', `The body is nested more than ${DEEPEST} levels deep.`);
  if (entries > mostEntries)
    throw invalid([{ path: '', message: `must have at most ${mostEntries} fields and list entries` }]);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refusal('MALFORMED_JSON', `The body is not JSON: ${messageOf(cause)}`, { cause });
  }
}

/** JSON text that is the same for equal values, in whatever order the keys of their objects came. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) =>
    typeof held === 'object' && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}

/**
 * How deep brackets nest, and how many fields and list entries there are at most: one begins at each bracket and after
 * each comma. Seen before anything is built from them.
 */
function shapeOf(text: string): { depth: number; entries: number } {
  let depth = 0;
  let deepest = 0;
  let entries = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === ',') entries++;
    else if (char === '{' || char === '[') {
      entries++;
      deepest = Math.max(deepest, ++depth);
    } else if (char === '}' || char === ']') depth--;
  }
  return { depth: deepest, entries };
}
