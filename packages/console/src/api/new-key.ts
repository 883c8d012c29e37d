/** Tells something new from all others while it has no id. `crypto.randomUUID` exists only on pages that came over https. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
