/** Ring buffer of the newest log lines for support bundles; the oldest ones are dropped. */
export function createRecentLog(maxChars: number) {
  let lines: string[] = [];
  let chars = 0;
  return {
    append(line: string) {
      lines.push(line);
      chars += line.length;
      if (chars <= maxChars) {
        return;
      }
      // Drops half at a time, so that appending takes amortized constant time.
      let dropped = 0;
      while (chars > maxChars / 2) {
        chars -= lines[dropped++]?.length ?? chars;
      }
      lines = lines.slice(dropped);
    },
    /** The kept lines, oldest first. */
    read: () => lines.join(''),
  };
}
