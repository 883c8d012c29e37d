import type { Output } from './output.ts';

/** Prints warnings of an answer beside its result; clouds of earlier versions send none. */
export function noteWarnings(out: Output, warnings: readonly { message: string }[] = []): void {
  for (const { message } of warnings) {
    out.note(`Warning: ${message}`);
  }
}
