import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createApiClient } from './support/client.ts';
import { killableProgram } from './support/killable-program.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { startMailServer } from './support/smtp-server.ts';
import type { TestMailServer } from './support/smtp-server.ts';

// Each start of the program looks at the rules after 15 seconds.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 120_000 });

const ADMIN_KEY = 'key-of-the-alerts-000001';
const DEVICES = 8;
const KILLS = 3;
const data = join(tempDir(afterAll), 'data');
let server: TestMailServer;
const program = killableProgram(data, () => ({
  PLACARD_ADMIN_KEY: ADMIN_KEY,
  PLACARD_MAIL_SERVER: `smtp://127.0.0.1:${server.port}`,
  PLACARD_MAIL_FROM: 'placard@example.com',
}));

const clientFor = (secret: string | null) =>
  createApiClient({ url: program.url, secret, beforeRequest: () => {} });
const admin = clientFor(ADMIN_KEY);
const screens: PairedDevice[] = [];

beforeAll(async () => {
  server = await startMailServer();
  await program.start();
  for (let n = 0; n < DEVICES; n++) {
    screens.push(await pairDevice({ admin, clientFor }));
  }
});
afterAll(async () => {
  await program.kill();
  await server.close();
});

/** All devices report these faults. */
async function report(codes: readonly string[]): Promise<void> {
  const since = new Date().toISOString();
  const faults = codes.map((code) => ({ code, since, facts: {} }));
  for (const { client } of screens) {
    const { status } = await client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({ faults }),
    });
    expect(status).toBe(200);
  }
}

test('over kills of the cloud each alert is opened once, and each of its mails arrives', async () => {
  const codes = Array.from({ length: KILLS + 1 }, (_, n) => `kill.${n}`);
  for (const code of codes) {
    const rule = {
      name: code,
      condition: { type: 'fault', code, minutes: 0 },
      recipients: [`${code}@example.com`],
    };
    expect((await admin.post('/v1/alert-rules', rule)).status).toBe(201);
  }
  const file = new Sqlite(join(data, 'cloud.sqlite'), { readonly: true });
  // Read from the file: the API has a rate limit.
  const count = (query: string) => file.prepare<[], number>(query).pluck().get() ?? 0;
  for (const [n] of codes.entries()) {
    await report(codes.slice(0, n + 1));
    await waitUntil(
      'the next alerts',
      () => count('select count(*) from alerts') === (n + 1) * DEVICES,
      60_000,
    );
    if (n < KILLS) {
      // While their mails are on the way.
      await waitUntil('a mail', () => server.received.length > n * DEVICES);
      await program.kill();
      await program.start();
    }
  }
  const all = codes.length * DEVICES;
  await waitUntil(
    'all mails',
    () => count("select count(*) from alert_mails where status = 'sent'") === all,
    60_000,
  );
  expect(count('select count(*) from alerts')).toBe(all);
  expect(count('select count(distinct kind || ref || rule_id) from alerts')).toBe(all);
  expect(count("select count(*) from events where type = 'alert.opened'")).toBe(all);
  expect(count('select count(*) from alert_mails')).toBe(all);
  const ids = server.received.map(({ text }) => /^message-id:\s*(\S+)/im.exec(text)?.[1] ?? '');
  expect(new Set(ids).size).toBe(all);
  // At most the mail that was on its way at a kill comes twice.
  expect(ids.length - all).toBeLessThanOrEqual(KILLS);
  file.close();
});
