/**
 * A thread that reads at a rate, for as many milliseconds as each message says, and answers with the times. In the thread of
 * the heartbeats a reader would also wait for their answers, which arrive dozens at once.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Agent } from 'undici';
import { createReads, READER_CONNECTIONS } from './everyday-calls.ts';
import { createPace } from './pace.ts';
import type { PacedReads } from './paced-reader.ts';

const port = parentPort!;
const { perSecond, maxWaiting, ...reads }: PacedReads = workerData;
const agent = new Agent({ connections: READER_CONNECTIONS });
const pace = createPace(perSecond, createReads(reads, agent), { maxWaiting });

port.on('message', (ms: number) => {
  // A read that is refused ends the thread.
  void pace.run(ms).then((result) => port.postMessage(result));
});
