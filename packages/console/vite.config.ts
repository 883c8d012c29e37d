import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { TRANSLATIONS } from './src/pairing/translations.ts';

/** Without its script the pairing page cannot choose a language, so these texts are shown in all languages. */
const textsInAllLanguages: Plugin = {
  name: 'texts-in-all-languages',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replaceAll(/<!-- (noScript|notLoaded) -->/g, (_, name: 'noScript' | 'notLoaded') =>
        Object.entries(TRANSLATIONS)
          .map(([language, texts]) => `<p class="alert" lang="${language}">${texts[name]}</p>`)
          .join(''),
      ),
  },
};

/** What the pages have in common: the framework, the client of the API, and the parts of which they are made. */
const COMMON =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|react-store|store|react-query|query-core))\/|console\/src\/(api\/(account|placard|query-client|live-updates|event-effects)|i18n\/(language|format|plural|area-texts)|ui\/(button|panel|error-message|status-mark|form-texts|field))\.tsx?$/;

/** Static files with hashes in their names, which the cloud serves; `npm run dev:console` forwards the API to a cloud. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwind(), textsInAllLanguages],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Files inside the page would need exceptions of the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // What every page of the console needs is one file: two dozen small ones took a tenth of a second longer to load.
        codeSplitting: {
          groups: [{ name: 'common', test: COMMON }],
        },
      },
      // "use client" of libraries that can also render on a server means nothing here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
  server: { proxy: { '/v1': process.env['PLACARD_SERVER'] ?? 'http://127.0.0.1:8787' } },
});
