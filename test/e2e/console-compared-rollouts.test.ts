import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertDevice } from '../../packages/cloud/test/support/insert-device.ts';
import { createManualClock } from '../../packages/cloud/test/support/manual-clock.ts';
import { writeRollout } from '../../packages/cloud/test/support/write-rollout.ts';
import type { DailyHealth, WrittenRollout } from '../../packages/cloud/test/support/write-rollout.ts';
import { kindFields } from '../../packages/cloud/src/domain/rollout-kind.ts';
import { openDatabase } from '../../packages/cloud/src/database/open-database.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';
import { rings, screenList, state } from './console-rollout-parts.ts';

const DAY_MS = 86_400_000;
const CHROMIUM = 'Raspberry Pi 4 Model B with chromium';
const ELECTRON = 'OptiPlex with electron';

// Rollouts that were compared for a day are written into the database.

const clock = createManualClock(Date.now());
let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig({ clock });
  await insertDevices(written({}));
}, TIMEOUT_MS);
afterAll(() => rig.close());

const HEALTHY: DailyHealth = { restarts: 0.14, faults: 0.25, dropped: 0.004, startMs: 5200 };

/** A rollout that was compared for a day: six screens of each board are updated, twelve are not. */
const written = (more: Partial<WrittenRollout>, after: Readonly<Record<string, DailyHealth>> = {}) => {
  const nowMs = clock.nowMs();
  const devices = [CHROMIUM, ELECTRON].flatMap((kind, place) =>
    Array.from({ length: 18 }, (_each, index) => ({
      id: `dev_${String(place * 18 + index).padStart(26, '0')}`,
      kind,
      ring: index < 6 ? 1 : 2,
      status: index < 6 ? ('updated' as const) : ('waiting' as const),
      health: { before: HEALTHY, after: (index < 6 && after[kind]) || HEALTHY },
    })),
  );
  return {
    id: 'rollout_00000000000000000000000001',
    name: null,
    version: '1.4.0',
    fromVersion: '1.3.0',
    rings: [33, 100],
    ring: 1,
    cause: null,
    status: 'stopped' as const,
    beganMs: nowMs - 2 * DAY_MS,
    observedFromMs: nowMs - DAY_MS,
    finishedMs: nowMs,
    devices,
    ...more,
  };
};

async function insertDevices({ devices, version, fromVersion }: WrittenRollout) {
  const db = await openDatabase(rig.dataDir);
  for (const { id, status } of devices) {
    await insertDevice(db, id, { player_version: status === 'updated' ? version : fromVersion });
  }
  await db.destroy();
}

test('one that found a board worse says the measure, before and after, and marks it in the table', async () => {
  const rollout = written(
    {
      name: 'Autumn',
      cause: {
        type: 'worse',
        measure: 'restarts',
        ...kindFields(CHROMIUM),
        updated: 6,
        before: 0.14,
        after: 12,
        others: 12,
        others_before: 0.14,
        others_after: 0.1,
      },
    },
    { [CHROMIUM]: { ...HEALTHY, restarts: 12 } },
  );
  await writeRollout(rig.dataDir, clock.nowMs(), rollout);
  const { page, complaints } = await rig.openAs('Viewer', '/devices/rollouts');
  await page.getByRole('link', { name: '1.4.0 · Autumn' }).click();
  await state(page, 'Stopped by itself: ring 1 of 2 (up to 33 %)').waitFor();
  await page
    .getByText(
      'Restarts per day (Raspberry Pi 4 Model B · chromium): 0.14 before the update, 12 after it (6 screens). Without the update: 0.14 before, 0.1 now (12 screens).',
    )
    .waitFor();
  await page.getByText('Block the version in your update feed.').waitFor();
  const table = page.getByRole('table');
  await table.getByText('Raspberry Pi 4 Model B · chromium').waitFor();
  await table.getByText('OptiPlex · electron').waitFor();
  const restarts = table.getByRole('row').filter({ hasText: 'Restarts per day' });
  expect(await restarts.count()).toBe(2);
  const worse = restarts.filter({ hasText: 'Stopped for this' });
  expect(await worse.textContent()).toContain('0.14 → 12');
  expect(await table.getByRole('row').filter({ hasText: 'Time of a start' }).first().textContent()).toContain(
    '5.2 sec → 5.2 sec',
  );
  expect(await page.getByRole('button', { name: /Stop|Continue|Delete|Start/ }).count(), 'a Viewer').toBe(0);
  expect(complaints).toEqual([]);
});

test('what a newer cloud says is shown by its name', async () => {
  const { page, complaints } = await rig.openAs('Viewer', '/stores');
  await page.route(/\/v1\/rollouts/, async (route) => {
    const response = await route.fetch();
    const newer = [
      ['"filter":{}', '"filter":{"planet":"Mars"}'],
      ['"status":"stopped"', '"status":"paused"'],
      ['"type":"worse"', '"type":"sunspots"'],
      ['"waiting":', '"postponed":3,"waiting":'],
      ['"measure":"faults"', '"measure":"colours"'],
      ['"status":"updated"', '"status":"charmed"'],
      ['"code":null', '"code":"moonlight"'],
    ] as const;
    const body = newer.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), await response.text());
    await route.fulfill({ response, body });
  });
  await page.goto(`${rig.url}/devices/rollouts`);
  await page.getByRole('listitem').filter({ hasText: '1.4.0 · Autumn' }).getByText('paused').waitFor();
  await page.getByRole('link', { name: '1.4.0 · Autumn' }).click();
  await state(page, 'paused').waitFor();
  await page.getByText(/^Restarts on Raspberry Pi 4 Model B with chromium went from/).waitFor();
  await page.getByText('planet: Mars').waitFor();
  await rings(page).first().getByText('paused').waitFor();
  await rings(page)
    .first()
    .getByText(/12 of 12 screens · .*postponed: 3/)
    .waitFor();
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'colours' }).count()).toBe(2);
  await screenList(page).first().getByText('charmed').waitFor();
  await screenList(page).first().getByText('moonlight').waitFor();
  expect(complaints).toEqual([]);
});

test('one that a newer cloud has stopped for another cause is said to be stopped, with the name of the cause', async () => {
  const { page, complaints } = await rig.openAs('Viewer', '/stores');
  await page.route(/\/v1\/rollouts/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll('"type":"worse"', '"type":"sunspots"'),
    });
  });
  await page.goto(`${rig.url}/devices/rollouts`);
  const words = 'Stopped: ring 1 of 2 (up to 33 %) · sunspots';
  await page.getByRole('listitem').filter({ hasText: '1.4.0 · Autumn' }).getByText(words).waitFor();
  await page.getByRole('link', { name: '1.4.0 · Autumn' }).click();
  await state(page, words).waitFor();
  await page.getByText(/^Restarts on Raspberry Pi 4 Model B with chromium went from/).waitFor();
  // What is asked once more may still be on its way.
  await page.unrouteAll({ behavior: 'wait' });
  expect(complaints).toEqual([]);
});

test('one that is held waits for a person, who continues it', async () => {
  const rollout = written({
    id: 'rollout_00000000000000000000000002',
    version: '1.5.0',
    status: 'held',
    cause: { type: 'nothing_compared' },
    beganMs: clock.nowMs(),
    observedFromMs: clock.nowMs(),
    finishedMs: null,
  });
  await writeRollout(rig.dataDir, clock.nowMs(), rollout);
  const { page, complaints } = await rig.openAs('Editor', '/devices');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('The rollout of version 1.5.0 waits for a decision').waitFor();
  await attention.getByRole('listitem').filter({ hasText: '1.5.0' }).getByRole('link').click();
  await page.waitForURL(`${rig.url}/devices/rollouts/${rollout.id}`);
  await state(page, 'Waits for a decision: ring 1 of 2 (up to 33 %)').waitFor();
  await page.getByText('Nothing could be compared: too few screens have reported enough.').waitFor();
  await page.getByRole('button', { name: 'Continue with the next ring' }).click();
  await page
    .getByRole('dialog', { name: 'Tell 24 more screens to update?' })
    .getByRole('button', { name: 'Continue with the next ring' })
    .click();
  await state(page, 'Running: ring 2 of 2 (up to 100 %)').waitFor();
  await rings(page).first().getByText('Done').waitFor();
  await page.getByText('It finishes when all screens have answered').waitFor();
  await page.getByText('The last ring has no other screens to be compared with.').waitFor();
  await rig.admin.rollouts.stop(rollout.id);
  await state(page, 'Stopped by hand: ring 2 of 2 (up to 100 %)').waitFor();
  expect(complaints).toEqual([]);
});

test('the pages are accessible', async () => {
  const [newest] = await rig.admin.rollouts.list().toArray();
  const { page } = await rig.openAs('Admin', '/devices/rollouts?page=9');
  await page.getByRole('link', { name: newest!.version }).waitFor();
  for (const look of looks(3)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/stores`);
    await page.locator('h1').waitFor();
    const stopped = '/devices/rollouts/rollout_00000000000000000000000001';
    for (const path of ['/devices/rollouts', stopped, '/devices/rollouts?create=yes']) {
      await moveTo(page, path, path.includes('create') ? '[role=dialog] form' : 'h1');
      expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
    }
  }
});
