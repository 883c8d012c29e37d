import { buildCloudPages } from './build-cloud-pages.ts';
import { buildCloudProgram } from './build-cloud-program.ts';
import { buildConsole } from './build-console.ts';

/** Builds what of the cloud has changed: its pages, the console and its program. */
export async function buildCloud(): Promise<void> {
  await buildCloudPages();
  await buildConsole();
  await buildCloudProgram();
}

/** For vitest, as a global set-up. */
export { buildCloud as setup };

if (import.meta.main) {
  await buildCloud();
}
