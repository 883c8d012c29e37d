/** `Audit log` becomes `auditLog`. */
export const namespaceOf = (tag: string): string => toCamelCase(tag.toLowerCase().split(/[^a-z0-9]+/));

/**
 * The name of a method: the operation without the words of its namespace. `listDevices` in `devices` is `list`,
 * `addPlaylistItem` in `playlists` is `addItem`.
 */
export function methodNameOf(operationId: string, namespace: string): string {
  const words = wordsOf(operationId);
  const stems = new Set(wordsOf(namespace).map((word) => singular(word)));
  const kept = words.filter((word, index) => index === 0 || !stems.has(singular(word)));
  return toCamelCase(kept);
}

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .split(' ');

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');

const toCamelCase = (words: string[]): string =>
  words.map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1))).join('');
