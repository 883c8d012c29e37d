/**
 * Preloaded before the built Electron program, under plain Node: replaces `electron` by the fake beside this file.
 * Modules that `PLACARD_TEST_BREAK` names fail to load.
 */
import { registerHooks } from 'node:module';

const fakeModule = new URL('electron-module.ts', import.meta.url).href;
const broken = process.env['PLACARD_TEST_BREAK'];
// A packaged app has no script among its arguments.
if (process.env['PLACARD_TEST_PACKAGED']) {
  process.argv.splice(1, 1);
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron') {
      return { url: fakeModule, shortCircuit: true };
    }
    if (broken !== undefined && specifier.includes(broken)) {
      throw new Error(`${specifier} is damaged`);
    }
    return next(specifier, context);
  },
});
