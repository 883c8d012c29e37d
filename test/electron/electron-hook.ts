/**
 * Loaded before the built Electron program, under plain Node: `electron` is the double beside this file from then on.
 * What `PLACARD_TEST_BREAK` names cannot be loaded.
 */
import { registerHooks } from 'node:module';

const double = new URL('electron-module.ts', import.meta.url).href;
const broken = process.env['PLACARD_TEST_BREAK'];
// A packaged app has no script among its arguments.
if (process.env['PLACARD_TEST_PACKAGED']) process.argv.splice(1, 1);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron') return { url: double, shortCircuit: true };
    if (broken !== undefined && specifier.includes(broken)) throw new Error(`${specifier} is damaged`);
    return next(specifier, context);
  },
});
