import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { itemAt, VIDEO_MS } from './media.ts';
import type { MediaFile } from './media.ts';

/**
 * A simple implementation for comparison: one `<img>` and one `<video>`, shown and hidden in turn. It must show black
 * frames; a measurement that finds none here is broken.
 */
export async function startControlPage(files: readonly MediaFile[]) {
  const order = Array.from({ length: files.length }, (_, index) => itemAt(files, index));
  const page = `<!doctype html><style>body{margin:0;background:#000}img,video{position:fixed;width:100%;height:100%}</style>
<img hidden><video hidden muted></video><script>
const order = ${JSON.stringify(order.map(({ kind }, index) => ({ kind, url: `/${index}` })))};
const image = document.querySelector('img'), video = document.querySelector('video');
let at = 0;
function next() {
  const { kind, url } = order[at++ % order.length];
  const shown = kind === 'image' ? image : video;
  shown.src = url;
  image.hidden = shown !== image;
  video.hidden = shown !== video;
  if (shown === video) video.play().catch(() => {});
  else setTimeout(next, ${VIDEO_MS});
}
video.onended = next;
next();
</script>`;
  const server = createServer((request, response) => {
    const file = order[Number((request.url ?? '/').slice(1) || 'NaN')];
    if (file) {
      response.writeHead(200, { 'content-type': file.contentType });
      createReadStream(file.path).pipe(response);
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
