import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MEMORY_ENV, NODE_FLAGS } from './trials/support/cloud-process.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('the trials start the cloud as the page about running it says, and npm run cloud does too', () => {
  const page = read('docs/run-a-cloud.md');
  const environment = Object.entries(MEMORY_ENV).map(([name, value]) => `${name}=${value}`);
  expect(page).toContain(`\nEnvironment=${environment.join(' ')}\n`);
  expect(page).toContain(` node ${NODE_FLAGS.join(' ')} packages/cloud/src/main.ts\n`);
  expect(read('package.json')).toContain(`"node ${NODE_FLAGS.join(' ')} packages/cloud/src/main.ts"`);
});
