import { resolve } from 'node:path';
import scalarPlugin from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import type { Plugin } from 'vite';
import { REPOSITORY } from './repository.ts';
import { compressBuild, newestMs } from './web-build.ts';

const DOCS = resolve(REPOSITORY, 'packages/cloud/pages/docs');
const BUILD = resolve(REPOSITORY, 'packages/cloud/dist/docs');
const SOURCES = ['packages/cloud/pages/docs/**/*.*', 'package-lock.json', 'scripts/build-cloud-pages.ts'];

/** The module `scalar`: the address of the script that the plugin serves, which is the whole viewer. */
const viewer: Plugin = {
  name: 'viewer',
  resolveId: (id) => (id === 'scalar' ? id : null),
  async load(id) {
    if (id !== 'scalar') {
      return null;
    }
    const app = fastify();
    await app.register(scalarPlugin, { routePrefix: '/viewer', configuration: { url: '/openapi.json' } });
    const { statusCode, body } = await app.inject('/viewer/js/scalar.js');
    await app.close();
    if (statusCode !== 200) {
      throw new Error(`@scalar/fastify-api-reference has no script: its plugin answers ${statusCode}.`);
    }
    // As it is: parts of it that are never used import modules that nobody has.
    const file = this.emitFile({ type: 'asset', name: 'viewer.js', source: body });
    return `export default import.meta.ROLLUP_FILE_URL_${file};`;
  },
};

/** Builds the docs page for the cloud that serves it, unless its build is newer than its sources. */
export async function buildCloudPages(): Promise<void> {
  if (newestMs(['index.html.br'], BUILD) > newestMs(SOURCES, REPOSITORY)) {
    return;
  }
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: DOCS,
    base: '/docs/',
    logLevel: 'warn',
    plugins: [viewer],
    build: {
      outDir: BUILD,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 5000,
    },
  });
  compressBuild(BUILD);
}
