import type { Page } from 'playwright';
import type { Seeded } from './organization.ts';

/** A state of the console to take a screenshot of. */
export interface ConsoleScene {
  name: string;
  who: 'nobody' | 'Admin' | 'Viewer';
  path: (seeded: Seeded) => string;
  /** What is there once the page is; its heading by default. */
  ready?: string;
  /** What somebody does first, independent of the language. */
  act?: (page: Page) => Promise<void>;
  /** In the organization that has nothing yet. */
  isEmpty?: boolean;
}

const DIALOG = '[role=dialog]';

const page = (name: string, path: ConsoleScene['path'], more: Partial<ConsoleScene> = {}): ConsoleScene => ({
  name,
  who: 'Admin',
  path,
  ...more,
});

const open =
  (selector: string, shown = DIALOG) =>
  async (at: Page) => {
    await at.locator(selector).first().click();
    await at.locator(shown).first().waitFor();
  };

const SETTINGS = ['account', 'people', 'api-keys', 'webhooks', 'audit-log', 'organization', 'about'] as const;
const EMPTY = [
  'devices',
  'devices/rollouts',
  'content',
  'playlists',
  'schedules',
  'stores',
  'alerts',
  'alerts/rules',
  'analytics',
  'settings/webhooks',
] as const;

export const CONSOLE_SCENES: readonly ConsoleScene[] = [
  page('sign-in', () => '/sign-in', { who: 'nobody' }),
  page('sign-in-refused', () => '/sign-in', {
    who: 'nobody',
    act: async (at) => {
      await at.locator('input[type=email]').fill('nobody@example.com');
      await at.locator('input[type=password]').fill('a wrong password');
      await at.locator('button[type=submit]').first().click();
      await at.locator('[role=alert]').waitFor();
    },
  }),
  page('invitation', ({ invitation }) => invitation.slice(new URL(invitation).origin.length), {
    who: 'nobody',
  }),
  page('invitation-used', () => '/invitation#nobody-has-this-link', { who: 'nobody', ready: '[role=alert]' }),
  page('sign-in-link-used', () => '/sign-in-link#nobody-has-this-link', {
    who: 'nobody',
    ready: '[role=alert]',
  }),
  page('reset-password', () => '/reset-password#unknown', { who: 'nobody' }),
  page('pair', ({ pairingCode }) => `/pair?code=${pairingCode.replace('-', '')}`, { ready: '#code' }),
  page('pair-signed-out', () => '/pair', { who: 'nobody', ready: '#key' }),
  page('not-found', () => '/devices/nowhere', { ready: '[role=alert]' }),
  page('devices', () => '/devices', { ready: '[data-index="5"]' }),
  page('devices-viewer', () => '/devices?status=offline', { who: 'Viewer', ready: '[data-index="1"]' }),
  page('devices-tiles', () => '/devices?view=tiles', { ready: 'main img' }),
  page('devices-selected', () => '/devices?search=Kasse', {
    ready: '[data-index="1"]',
    act: async (at) => {
      await at.locator('[data-index] input[type=checkbox]').first().check();
      await at.locator('.bg-selected button').first().click();
      await at.locator(DIALOG).waitFor();
    },
  }),
  page('devices-nothing-found', () => '/devices?search=nirgendwo'),
  page('devices-pair', () => '/devices?pair=yes', { ready: DIALOG }),
  page('device', ({ deviceId }) => `/devices/${deviceId}`),
  page('device-logs', ({ deviceId }) => `/devices/${deviceId}`, {
    act: async (at) => {
      await at.locator('button[aria-expanded]', { hasText: 'runtime.log' }).click();
      await at.locator('pre').waitFor();
    },
  }),
  page('device-reboot', ({ deviceId }) => `/devices/${deviceId}`, { act: open('button.text-bad') }),
  page('device-quiet', ({ quietDeviceId }) => `/devices/${quietDeviceId}`),
  page('rollouts', () => '/devices/rollouts', { ready: 'main ul li' }),
  page('rollouts-viewer', () => '/devices/rollouts', { who: 'Viewer', ready: 'main ul li' }),
  page('rollout-running', ({ runningRolloutId }) => `/devices/rollouts/${runningRolloutId}`, {
    ready: 'main ul li',
  }),
  page('rollout-stop', ({ runningRolloutId }) => `/devices/rollouts/${runningRolloutId}`, {
    ready: 'main ul li',
    act: open('button.text-bad'),
  }),
  page('rollout-stopped', ({ stoppedRolloutId }) => `/devices/rollouts/${stoppedRolloutId}`, {
    ready: 'main table',
  }),
  page('rollout-start', () => '/devices/rollouts?create=yes', {
    isEmpty: true,
    ready: `${DIALOG} form`,
    act: open(`${DIALOG} summary`, `${DIALOG} details[open] input`),
  }),
  page('content', () => '/content', { ready: 'main img' }),
  page('content-list', () => '/content?view=list', { ready: 'main img' }),
  page('content-folder', ({ folderId }) => `/content?folder=${folderId}`),
  page('content-file', ({ assetId }) => `/content?file=${assetId}`, { ready: `${DIALOG} img` }),
  page('content-delete', ({ assetId }) => `/content?file=${assetId}`, {
    ready: `${DIALOG} img`,
    act: open(`${DIALOG} button.text-bad`, `${DIALOG} ul.list-disc`),
  }),
  page('content-replace', ({ assetId }) => `/content?file=${assetId}`, {
    ready: `${DIALOG} img`,
    act: open(`${DIALOG} button.self-start`, `${DIALOG} ul.list-disc`),
  }),
  page('playlists', () => '/playlists', { ready: '#content ul a' }),
  page('playlist', ({ playlistId }) => `/playlists/${playlistId}`, { ready: '#content ol li' }),
  page('playlist-changed', ({ playlistId }) => `/playlists/${playlistId}`, {
    ready: '#content ol li',
    act: async (at) => {
      await at.locator('#content ol li input[type=number]').first().fill('90');
      await at.locator('.sticky button.bg-accent').waitFor();
    },
  }),
  page('playlist-restored', ({ playlistId }) => `/playlists/${playlistId}`, {
    ready: '#content ol li',
    act: async (at) => {
      await at.locator('#content ol li input[type=number]').first().fill('90');
      await at.reload();
      await at.locator('.sticky button.bg-accent').waitFor();
    },
  }),
  page('playlist-deploy', ({ playlistId }) => `/playlists/${playlistId}`, {
    ready: '#content ol li',
    act: async (at) => {
      await at.locator('header:has(h1) button').last().click();
      await at.locator(`${DIALOG} [role=status]`).waitFor();
    },
  }),
  page('schedules', () => '/schedules', { ready: '#content ul li' }),
  page('schedule-new', () => '/schedules', { ready: '#content ul li', act: open('header:has(h1) button') }),
  page('schedule', ({ scheduleId }) => `/schedules/${scheduleId}?week=2026-11-23`),
  page('schedule-rule', ({ scheduleId }) => `/schedules/${scheduleId}?week=2026-11-23`, {
    act: open('#content ol li:nth-child(4) button'),
  }),
  page('schedule-changed', ({ scheduleId }) => `/schedules/${scheduleId}?week=2026-11-23`, {
    act: async (at) => {
      await at.locator('input[role=switch]').first().uncheck();
      await at.locator('.sticky button.bg-accent').waitFor();
    },
  }),
  page('schedule-conflict', ({ scheduleId }) => `/schedules/${scheduleId}?week=2026-11-23`, {
    act: async (at) => {
      const name = at.locator('fieldset input').first();
      await name.fill(`${await name.inputValue()} (2)`);
      // Somebody else is faster.
      const theirs = (await at.locator('h1').textContent())?.includes('allen')
        ? 'Woche in den Filialen'
        : 'Woche in allen Filialen';
      await at.evaluate(`fetch('/v1' + location.pathname, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: ${JSON.stringify(theirs)} }),
      }).then(() => null)`);
      await at.locator('.sticky button.bg-accent').click();
      await at.locator('[role=alert]').waitFor();
    },
  }),
  page('stores', () => '/stores'),
  page('store-edit', ({ storeId }) => `/stores?edit=${storeId}`, { ready: DIALOG }),
  page('store-remove', ({ storeId }) => `/stores?remove=${storeId}`, { ready: DIALOG }),
  page('alerts', () => '/alerts', { ready: 'main ul li' }),
  page('alerts-mute', () => '/alerts', {
    ready: 'main ul li',
    act: async (at) => {
      await at.locator('main button[aria-haspopup=dialog]').first().click();
      await at.locator(`${DIALOG} form`).waitFor();
    },
  }),
  page('alert', ({ alertId }) => `/alerts/${alertId}`, { ready: 'main ul li' }),
  page('alert-rules', () => '/alerts/rules', { ready: 'main ul li' }),
  page('alert-rules-viewer', () => '/alerts/rules', { who: 'Viewer', ready: 'main ul li' }),
  page('alert-rule-new', () => '/alerts/rules?edit=new', { ready: `${DIALOG} fieldset` }),
  page('alert-rule', ({ alertRuleId }) => `/alerts/rules?edit=${alertRuleId}`, {
    ready: `${DIALOG} fieldset`,
    act: async (at) => {
      await at.locator(`${DIALOG} input[type=number]`).first().fill('90');
      await at.locator(`${DIALOG} p.bg-warn-panel`).waitFor();
    },
  }),
  page('analytics', () => '/analytics'),
  ...SETTINGS.map((name) => page(`settings-${name}`, () => `/settings/${name}`, { ready: 'h2' })),
  page('settings-viewer', () => '/settings/people', { who: 'Viewer' }),
  page('settings-invite', () => '/settings/people?invite=yes', { ready: DIALOG }),
  page('settings-person', ({ userId }) => `/settings/people/${userId}`, { ready: 'h2' }),
  page('settings-key', () => '/settings/api-keys?create=yes', { ready: DIALOG }),
  page('settings-webhook', ({ webhookId }) => `/settings/webhooks/${webhookId}`, { ready: 'h2' }),
  page('settings-webhook-new', () => '/settings/webhooks?create=yes', { ready: DIALOG }),
  page('more-menu', () => '/schedules', {
    act: async (at) => {
      const menu = at.locator('nav button').last();
      if (await menu.isVisible()) {
        await menu.click();
        await at.locator('[role=menuitem]').first().waitFor();
      }
    },
  }),
  page('account-menu', () => '/stores', { act: open('header button[aria-haspopup=menu]', '[role=menu]') }),
  page('palette', () => '/stores', {
    act: async (at) => {
      await at.keyboard.press('Control+k');
      await at.locator(DIALOG).waitFor();
    },
  }),
  ...EMPTY.map((name) =>
    page(`empty-${name.replace('/', '-')}`, () => `/${name}`, { isEmpty: true, ready: 'h1, h2' }),
  ),
];
