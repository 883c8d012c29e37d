/**
 * Ring buffer of the newest log lines for support; the oldest ones are dropped. `run` names this run of the process, whose lines
 * are numbered from 0.
 */
export function createRecentLog(maxChars: number, run = '') {
  let lines: string[] = [];
  let chars = 0;
  /** The number of the first line that is kept. */
  let first = 0;
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
      first += dropped;
    },
    /** The kept lines, oldest first. */
    read: () => lines.join(''),
    /** The newest lines without their line ends, as many as have at most so many characters together, and lines. */
    newest({ maxChars: most, maxLines }: { maxChars: number; maxLines: number }) {
      let from = lines.length;
      for (let left = most; from > 0 && lines.length - from < maxLines; from--) {
        left -= lines[from - 1]?.length ?? 0;
        if (left < 0) {
          break;
        }
      }
      return { run, first: first + from, lines: lines.slice(from).map((line) => line.trimEnd()) };
    },
  };
}
