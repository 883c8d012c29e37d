/** The server did something that its documents do not allow. The message says what was sent and what came back. */
export class Breach extends Error {
  override readonly name = 'Breach';
}

/** Throws a `Breach` unless the documents are kept. `facts` go into the message. */
export function must(kept: unknown, sentence: string, facts?: unknown): asserts kept {
  if (!kept) throw new Breach(facts === undefined ? sentence : `${sentence}: ${short(facts)}`);
}

/** At most a page of anything. */
export function short(value: unknown, most = 3_000): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
