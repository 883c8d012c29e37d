import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFleetFile } from './fleet/fleet-file.ts';
import { createLedgerFile } from './ledger/ledger-file.ts';
import { readLedger } from './ledger/read-ledger.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a fleet is kept, also when its last line was cut off, and only its owner can read it', () => {
  const device = { number: 1, id: 'dev_1', token: 'pld_1' };
  const first = openFleetFile(folder);
  first.addStarted(1, { pairingId: 'pair_1', pollToken: 'p' });
  first.addStarted(2, { pairingId: 'pair_2', pollToken: 'q' });
  first.add(device);
  first.add({ number: 3, id: 'dev_3', token: 'pld_3' });
  first.remove(3);
  first.close();
  const path = join(folder, 'fleet.jsonl');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, '{"number":7,"id":"dev');

  const second = openFleetFile(folder);
  expect([...second.devices.values()]).toEqual([device]);
  expect([...second.started]).toEqual([[2, { pairingId: 'pair_2', pollToken: 'q' }]]);
  second.add({ ...device, number: 4 });
  second.close();
  expect([...openFleetFile(folder).devices.keys()]).toEqual([1, 4]);
});

test('a ledger is read from all its files, also when a last line was cut off', async () => {
  for (const [name, at] of [
    ['a', 100],
    ['b', 200],
  ] as const) {
    const file = createLedgerFile(folder, name);
    file.write(['device', 0, 'dev_0']);
    file.write(['sending', 0, [at, at + 1]]);
    file.write(['samples', 0, [at]]);
    file.write(['plays', 0, [`play_${name}`]]);
    file.write(['command', 'cmd_1', 'dev_0']);
    file.write(['report', 0, 'cmd_1', name === 'a' ? 'succeeded' : 'acknowledged']);
    file.close();
  }
  appendFileSync(join(folder, 'a.ledger.jsonl'), '["samples",0,[1');
  const { devices, commands } = await readLedger(folder);
  expect(devices.get('dev_0')).toEqual({
    sent: new Set([100, 101, 200, 201]),
    acknowledged: new Set([100, 200]),
    plays: new Set(['play_a', 'play_b']),
    isUnpaired: false,
  });
  expect(commands.get('cmd_1')).toEqual({ deviceId: 'dev_0', reported: 'succeeded' });
});

test('a line that is damaged in the middle of a file is an error that names it', async () => {
  writeFileSync(join(folder, 'a.ledger.jsonl'), '["device",0,"dev_0"]\n["samples",0\n["samples",0,[1]]\n');
  await expect(readLedger(folder)).rejects.toThrow('a.ledger.jsonl, line 2');
  writeFileSync(join(folder, 'fleet.jsonl'), 'x\n');
  expect(() => openFleetFile(folder)).toThrow('fleet.jsonl, line 1');
  expect(readdirSync(folder)).toHaveLength(2);
});
