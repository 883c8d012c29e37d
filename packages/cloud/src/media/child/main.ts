/**
 * The process that inspects untrusted files, one after another. It may hang, crash or run out of memory; the cloud
 * then replaces it. It has no secrets and writes no files.
 */
import sharp from 'sharp';
import { errorMessage } from '../../domain/error-details.ts';
import { inspectionRequest } from '../inspection-messages.ts';
import type { InspectionReport } from '../inspection-messages.ts';
import { listThumbnailCodecs } from './decoder.ts';
import { inspectFile } from './inspect.ts';
import { measurePicture } from './measure.ts';

// By default libvips caches decoded images and keeps worker threads.
sharp.cache(false);
sharp.concurrency(1);

const send = (report: InspectionReport) => process.send?.(report);

// mediabunny does not await everything in its decoders: such an error of one file would end the process during the
// next one.
process.on('unhandledRejection', () => {});
process.on('message', (message) => void handleRequest(message));
// The cloud has ended.
process.on('disconnect', () => process.exit(0));
send({ type: 'ready' });

async function handleRequest(message: unknown): Promise<void> {
  const request = inspectionRequest.parse(message);
  if (request.type === 'codecs') {
    send({ type: 'codecs', ...(await listThumbnailCodecs()) });
    return;
  }
  try {
    send(
      request.type === 'measure'
        ? { type: 'measured', ...(await measurePicture(request.path)) }
        : await inspectFile(request.path, (mediaInfo) => send({ type: 'info', info: mediaInfo })),
    );
  } catch (error) {
    send({
      type: 'refused',
      reason: 'undecodable',
      message: `The file cannot be read: ${errorMessage(error)}`.slice(0, 2000),
    });
  }
}
