/**
 * The process that makes one rendition of an untrusted file and ends. It may hang, crash or run out of memory; the cloud then
 * ends it. It has no secrets, and writes to the folder of this rendition only.
 */
import sharp from 'sharp';
import { errorCode, errorMessage } from '../../domain/error-details.ts';
import { renditionOrder } from '../rendition-messages.ts';
import type { RenditionMessage, RenditionReport } from '../rendition-messages.ts';
import { makeStill } from './still.ts';
import { makeVideo } from './video.ts';

sharp.cache(false);
sharp.concurrency(1);

const order = renditionOrder.parse(JSON.parse(process.argv[2] ?? ''));

const finish = (report: RenditionReport): void => {
  process.send?.(report, () => process.exit(0));
};
/** Failures to write, of Node.js and of libvips. They are not those of the file. */
const NOT_WRITTEN =
  /ENOSPC|EDQUOT|EROFS|EIO\b|EACCES|No space left|[Qq]uota exceeded|unable to write|write error/;
const fail = (error: unknown): void => {
  const message = errorMessage(error);
  finish({
    type: 'failed',
    reason: NOT_WRITTEN.test(`${errorCode(error)} ${message}`) ? 'not_written' : 'undecodable',
    message: `The file cannot be converted: ${message}`.slice(0, 2000),
  });
};

// mediabunny does not await everything in its decoders; after such an error it might wait forever.
process.on('unhandledRejection', fail);
// The cloud has ended.
process.on('disconnect', () => process.exit(0));
// A service that stops sends them to all its processes. The cloud, which would take the end for a failure of the file, ends this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {});
}
const tellPart = (): void => void process.send?.({ type: 'part' } satisfies RenditionMessage);
(order.kind === 'still_3840' ? makeStill(order) : makeVideo(order, tellPart)).then(finish, fail);
