/**
 * What somebody has edited since `sent` was sent to be saved, the other fields as they are stored now; null if that is nothing. Values are
 * compared as JSON.
 */
export function editedSince<T extends object>(edited: T, sent: T, stored: T): T | null {
  const newer = Object.entries(edited).filter(
    ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(sent, name)),
  );
  return newer.length === 0 ? null : { ...stored, ...Object.fromEntries(newer) };
}
