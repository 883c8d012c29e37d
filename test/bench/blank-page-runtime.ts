import type { AddressInfo } from 'node:net';
import process from 'node:process';

/**
 * The blank page of `start.ts`: replaces the player's runtime, so that the same shell opens the same window, with a page
 * that only reports its first frame.
 */
const PAGE = `<!doctype html><body style="background:#246"><script>
requestAnimationFrame(() => requestAnimationFrame(() => fetch('/shown')));
</script>`;

// As in the packaged runtime.
const server = process.getBuiltinModule('node:http').createServer((request, response) => {
  if (request.url === '/shown') {
    process.stdout.write('shown\n');
  }
  response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
});

process.on('message', (message: { type: string }) => {
  if (message.type === 'stop') {
    process.exit(0);
  }
  if (message.type === 'start') {
    server.listen(0, '127.0.0.1', () => process.send?.({ type: 'ready', port: port() }));
  }
  if (message.type === 'page_wanted') {
    process.send?.({ type: 'page', url: `http://127.0.0.1:${port()}/` });
  }
});
process.on('disconnect', () => process.exit(0));

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
const port = () => (server.address() as AddressInfo).port;
