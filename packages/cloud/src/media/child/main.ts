/**
 * The process in which files of strangers are looked at, one after the other. It may hang, crash or run out of memory:
 * the cloud ends it and starts another one. It has no secrets, and writes no files.
 */
import sharp from 'sharp';
import { messageOf } from '../../domain/error-facts.ts';
import { order } from '../messages.ts';
import type { Report } from '../messages.ts';
import { readableCodecs } from './decoder.ts';
import { inspectFile } from './inspect.ts';

// libvips keeps decoded pictures and worker threads otherwise.
sharp.cache(false);
sharp.concurrency(1);

const send = (report: Report) => process.send?.(report);

// mediabunny awaits not all that its decoders do: such an error of one file would end the process under the next one.
process.on('unhandledRejection', () => {});
process.on('message', (message) => void carryOut(message));
// The cloud is gone.
process.on('disconnect', () => process.exit(0));
send({ type: 'ready' });

async function carryOut(message: unknown): Promise<void> {
  const wanted = order.parse(message);
  if (wanted.type === 'codecs') {
    send({ type: 'codecs', ...(await readableCodecs()) });
    return;
  }
  try {
    send(await inspectFile(wanted.path, (facts) => send({ type: 'facts', facts })));
  } catch (error) {
    send({
      type: 'refused',
      reason: 'undecodable',
      message: `The file cannot be read: ${messageOf(error)}`.slice(0, 2000),
    });
  }
}
