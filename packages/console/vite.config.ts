import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** Static files with hashes in their names, which the cloud serves; `npm run dev:console` forwards the API to a cloud. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwind()],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Files inside the page would need exceptions of the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // "use client" of libraries that can also render on a server means nothing here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
  server: { proxy: { '/v1': process.env['PLACARD_SERVER'] ?? 'http://127.0.0.1:8787' } },
});
