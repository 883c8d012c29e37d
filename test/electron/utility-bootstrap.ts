/** What Electron does in a utility process before the program: provides the channel as `process.parentPort`. */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';

const port = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
process.on('message', (data) => port.emit('message', { data }));
// Electron's utility processes end with their parent.
process.on('disconnect', () => process.exit(0));
Object.defineProperty(process, 'parentPort', { value: port });
await import(pathToFileURL(process.argv[2] ?? '').href);
