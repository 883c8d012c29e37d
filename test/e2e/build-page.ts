import { resolve } from 'node:path';
import { build } from 'vite';

/** Builds the page once before the end-to-end tests, which serve the build as the player does. */
export async function setup(): Promise<void> {
  await build({
    configFile: resolve(import.meta.dirname, '../../renderer/vite.config.ts'),
    logLevel: 'warn',
  });
}
