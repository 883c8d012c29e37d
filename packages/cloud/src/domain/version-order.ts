const ORDER = new Intl.Collator('en', { numeric: true });

/** Whether the first version is older, as people sort versions: 1.9 is older than 1.10. */
export const isOlderVersion = (version: string, than: string): boolean => ORDER.compare(version, than) < 0;
