import { ChildProcess } from 'node:child_process';

/** Loaded before every unit test: starting a process fails, because the tier must stay fast. */
Object.assign(ChildProcess.prototype, {
  spawn() {
    throw new Error('Unit tests start no process; name the file *.integration.test.ts.');
  },
});
