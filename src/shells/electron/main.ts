import { join } from 'node:path';
import { app } from 'electron';
import { exitOnFatalErrors } from './fatal-errors.ts';

// Before anything else is loaded: what fails while it loads must not open a dialog either.
const fatal = exitOnFatalErrors({
  process,
  exit: (code) => app.exit(code),
  kill: () => process.kill(process.pid, 'SIGKILL'),
});
// Electron is ready only once this module has been evaluated: what is awaited here comes before that.
const { startPlayer } = await import('./electron-player.ts');
// `dist`, packaged or not: the part that is loaded here lies elsewhere in it.
await startPlayer(fatal, join(import.meta.dirname, '../..'));
