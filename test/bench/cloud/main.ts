/** All figures of the cloud in one table. `npm run bench:cloud -- --seconds 4 --json FILE`. */
import { printFigures } from './figures.ts';
import { measureEdit } from './edit.ts';
import { measureHeartbeats } from './heartbeats.ts';
import { measurePlays } from './plays.ts';
import { measureReads } from './reads.ts';
import { measureSockets } from './sockets.ts';
import { measureStart } from './start.ts';

const figures = [];
for (const measure of [
  measureHeartbeats,
  measurePlays,
  measureReads,
  measureEdit,
  measureSockets,
  measureStart,
]) {
  figures.push(...(await measure()));
}
printFigures(figures);
