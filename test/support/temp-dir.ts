import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A temporary folder for the running test, removed after it. Concurrent tests pass their own `onFinished`. */
export function tempDir(onFinished: (remove: () => void) => void = onTestFinished): string {
  const dir = mkdtempSync(join(tmpdir(), 'placard-'));
  onFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}
