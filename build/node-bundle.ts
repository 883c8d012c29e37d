import type { Plugin } from 'vite';

const BUILT_IN_IMPORT = /^import ([\w$]+|\* as [\w$]+|\{[^}]*\}) from "(node:[\w/]+)";$/gm;

/**
 * Gets the modules of Node without `import`, which reads every export of each: of `node:http` also Node's fetch, of
 * `node:util` and `node:buffer` the text decoders. That is 20 to 40 ms of every start on a PC, and many times that on a
 * small device.
 */
const builtInModulesWithoutImport: Plugin = {
  name: 'built-in-modules-without-import',
  renderChunk: (code) =>
    code.replaceAll(BUILT_IN_IMPORT, (_, names: string, module: string) => {
      const target = names.startsWith('{') ? names.replaceAll(' as ', ': ') : names.replace('* as ', '');
      return `const ${target} = process.getBuiltinModule("${module}");`;
    }),
};

/**
 * Writes characters beyond ASCII as escapes: with a single one of them V8 keeps two bytes for each character of the program,
 * which takes twice the memory and a tenth of the start of the cloud. Texts of `String.raw` must be ASCII.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  // After all that prints code anew, with the characters themselves.
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') {
        file.code = file.code.replaceAll(
          /[^\0-\x7f]/g,
          (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    }
  },
};

/** For every program that Node runs. */
export const NODE_PLUGINS = [builtInModulesWithoutImport, asciiOnly];

/** The bundled code stays readable, and so do its stack traces. */
export const NODE_BUILD = { ssr: true, emptyOutDir: false, target: 'node24', minify: false } as const;
