import { expect, test } from 'vitest';
import { runtimeOutput } from './runtime-output.ts';

test('prints nothing where the runtime has no output', () => {
  expect(runtimeOutput('win32')).toEqual({ stdio: 'ignore', env: { PLACARD_LOG_OUTPUT: 'none' } });
  expect(runtimeOutput('linux')).toEqual({ stdio: 'inherit', env: {} });
});
