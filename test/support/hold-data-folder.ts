import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';

/**
 * Run as a separate process: acquires the lock of the data folder and holds it until it is killed. The garbage
 * collection proves that the lock does not depend on a reference to the returned object.
 */
acquireDataFolder(process.argv[2] ?? '');
setFlagsFromString('--expose-gc');
setImmediate(() => {
  runInNewContext('gc')();
  setImmediate(() => process.send?.('taken'));
});
setInterval(() => {}, 60_000);
