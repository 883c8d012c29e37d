import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { MEMORY_ENV, NODE_FLAGS } from './trials/support/cloud-process.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('the sample unit is valid for systemd and sandboxes the service', ({ skip }) => {
  const unit = /```ini\n# \S+\n([^`]+)```/.exec(read('docs/run-a-cloud.md'))?.[1] ?? '';
  // The user and programs of the sample unit do not exist on this machine.
  const here = unit.replace('User=placard-cloud', 'User=daemon').replace('/usr/bin/npx', '/bin/true');
  const file = join(tempFolder(), 'placard-cloud.service');
  writeFileSync(file, here.replace('WorkingDirectory=/opt/placard', 'WorkingDirectory=/'));
  const { status, stdout, stderr, error } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', '--no-pager', file],
    { encoding: 'utf8' },
  );
  if (error) {
    skip('this machine has no systemd-analyze');
  }
  expect(stderr).toBe('');
  expect([status, /exposure level .*/.exec(stdout)?.[0]]).toEqual([0, expect.stringMatching(/: 1\.\d /)]);
  expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr).toBe('');
});

function tempFolder(): string {
  const folder = tempDir();
  return folder;
}

test('the trials and npm run cloud start the cloud as documented', () => {
  const page = read('docs/run-a-cloud.md');
  const environment = Object.entries(MEMORY_ENV).map(([name, value]) => `${name}=${value}`);
  expect(page).toContain(`\nEnvironment=${environment.join(' ')}\n`);
  expect(page).toContain(` node ${NODE_FLAGS.join(' ')} packages/cloud/dist/program/main.js\n`);
  expect(read('package.json')).toContain(`node ${NODE_FLAGS.join(' ')} packages/cloud/dist/program/main.js"`);
});
