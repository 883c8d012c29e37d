/** The server violated its documentation. The message contains request and response. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
}

/** Throws a `ContractViolation` unless the documents are kept. `details` go into the message. */
export function assert(condition: unknown, message: string, details?: unknown): asserts condition {
  if (!condition) {
    throw new ContractViolation(details === undefined ? message : `${message}: ${truncate(details)}`);
  }
}

/** Formats any value, truncated to `maxLength`. */
export function truncate(value: unknown, maxLength = 3_000): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}
