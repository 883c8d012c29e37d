import module from 'node:module';
import { resolve } from 'node:path';

/**
 * The compiled code of the bundle is kept beside it: whoever can write there could change the program as well. Where that
 * is not allowed, the program starts without; `NODE_COMPILE_CACHE` names another folder. Before all other code, because it
 * is only about what is loaded after it.
 */
if (import.meta.filename.endsWith('.js')) {
  module.enableCompileCache?.(resolve(import.meta.dirname, '../compile-cache'));
}

await import('./command-line.ts');
