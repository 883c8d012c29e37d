import { globSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

const SOURCES = resolve(import.meta.dirname, '../packages/cloud/pages');
const BUILD = resolve(SOURCES, '../dist/pages');

/** When the newest (`Math.max`) or oldest (`Math.min`) of the files was written; that of no files is infinite. */
const writtenMs = (folder: string, pattern: string, choose: (...times: number[]) => number) =>
  choose(...globSync(pattern, { cwd: folder }).map((file) => statSync(resolve(folder, file)).mtimeMs));

/** Builds the pages of the cloud, unless their build is newer than their sources. */
export async function buildCloudPages(): Promise<void> {
  const builtMs = writtenMs(BUILD, '*/*.*', Math.min);
  if (Number.isFinite(builtMs) && builtMs > writtenMs(SOURCES, '**/*.*', Math.max)) {
    return;
  }
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: SOURCES,
    logLevel: 'warn',
    build: {
      outDir: BUILD,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: { docs: resolve(SOURCES, 'docs/index.html') },
        output: { entryFileNames: '[name]/script.js', assetFileNames: '[name]/style.css' },
      },
    },
  });
}
