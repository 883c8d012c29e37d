import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';

/** Run as a separate process: acquires the lock of the data folder and holds it until it is killed. */
acquireDataFolder(process.argv[2] ?? '');
process.send?.('taken');
setInterval(() => {}, 60_000);
