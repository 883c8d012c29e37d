/** The base name of a file for display; never used as a path. */
export function toDisplayName(fileName: string | undefined): string {
  const last = (fileName ?? '').split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  let truncated = '';
  // Cut between code points: half of a surrogate pair is not valid text.
  for (const character of plain) {
    if (truncated.length + character.length > 200) {
      break;
    }
    truncated += character;
  }
  return truncated.trim() || 'Untitled';
}

/** Tags separated by commas. */
export const splitTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
