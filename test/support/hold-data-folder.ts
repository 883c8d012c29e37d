import { takeDataFolder } from '../../src/adapters/data-folder/data-folder.ts';

/** Run as a process of its own: takes the folder and holds it until it is killed. */
takeDataFolder(process.argv[2] ?? '');
process.send?.('taken');
setInterval(() => {}, 60_000);
