import type { Plugin } from 'vite';

const BUILT_IN_IMPORT = /^import ([\w$]+|\* as [\w$]+|\{[^}]*\}) from "(node:[\w/]+)";$/gm;

/**
 * Gets the modules of Node without `import`, which reads every export of each: of `node:http` also Node's fetch, of
 * `node:util` and `node:buffer` the text decoders. That is 20 to 40 ms of every start on a PC, and many times that on a
 * small device.
 */
export const builtInModulesWithoutImport: Plugin = {
  name: 'built-in-modules-without-import',
  renderChunk: (code) =>
    code.replaceAll(BUILT_IN_IMPORT, (_, names: string, module: string) => {
      const target = names.startsWith('{') ? names.replaceAll(' as ', ': ') : names.replace('* as ', '');
      return `const ${target} = process.getBuiltinModule("${module}");`;
    }),
};

/** The bundled code stays readable, and so do its stack traces. */
export const NODE_BUILD = { ssr: true, emptyOutDir: false, target: 'node24', minify: false } as const;
