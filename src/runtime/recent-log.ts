export interface RecentLog {
  readonly keep: (line: string) => void;
  /** The kept lines, oldest first. */
  readonly text: () => string;
}

/** The newest lines of the log, for the technician who asks for them; older ones make room. */
export function createRecentLog(mostChars: number): RecentLog {
  let lines: string[] = [];
  let chars = 0;
  return {
    keep(line) {
      lines.push(line);
      chars += line.length;
      if (chars <= mostChars) return;
      // Half at a time, so that a line costs nothing on the whole.
      let dropped = 0;
      while (chars > mostChars / 2) chars -= lines[dropped++]?.length ?? chars;
      lines = lines.slice(dropped);
    },
    text: () => lines.join(''),
  };
}
