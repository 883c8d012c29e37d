const WIDTH = 24;

/** Shows how far a long work is: a bar on a terminal, nothing elsewhere. */
export interface Progress {
  update(done: number, total: number): void;
  /** Removes the bar. */
  end(): void;
}

export function createProgress(label: string, json: boolean, stream = process.stderr): Progress {
  if (json || !stream.isTTY) {
    return { update: () => {}, end: () => {} };
  }
  return {
    update(done, total) {
      stream.write(`\r\u001B[K${formatBar(label, done, total, stream.columns || 80)}`);
    },
    end() {
      stream.write('\r\u001B[K');
    },
  };
}

/** `menu.mp4 [####    ]  50 %`, not wider than the terminal. */
export function formatBar(label: string, done: number, total: number, columns: number): string {
  const part = total <= 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(part * WIDTH);
  const bar = ` [${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${String(Math.floor(part * 100)).padStart(3)} %`;
  return label.slice(0, Math.max(0, columns - bar.length - 1)) + bar;
}
