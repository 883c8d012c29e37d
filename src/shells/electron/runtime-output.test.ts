import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runtimeOutput } from './runtime-output.ts';

it('keeps the log of the runtime in a file where nobody has its output', () => {
  expect(runtimeOutput('win32', '/data')).toEqual({
    stdio: 'ignore',
    env: { PLACARD_LOG_FILE: join('/data', 'logs', 'runtime.log') },
  });
  expect(runtimeOutput('linux', '/data')).toEqual({ stdio: 'inherit', env: {} });
});
