import { join } from 'node:path';
import { app } from 'electron';
import { exitOnFatalErrors } from './fatal-errors.ts';

// Before any other module is loaded: an error while loading must not open a dialog either.
const fatalErrors = exitOnFatalErrors({
  process,
  exit: (code) => app.exit(code),
  kill: () => process.kill(process.pid, 'SIGKILL'),
});
// Electron is ready only after this module has been evaluated, so everything awaited here happens before.
const { startPlayer } = await import('./electron-player.ts');
// `dist`, packaged or not; this file is in a subfolder of it.
await startPlayer(fatalErrors, join(import.meta.dirname, '../..'));
