import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runtimeOutput } from './runtime-output.ts';

test('writes the log of the runtime to a file where it has no output', () => {
  expect(runtimeOutput('win32', '/data')).toEqual({
    stdio: 'ignore',
    env: { PLACARD_LOG_FILE: join('/data', 'logs', 'runtime.log') },
  });
  expect(runtimeOutput('linux', '/data')).toEqual({ stdio: 'inherit', env: {} });
});
