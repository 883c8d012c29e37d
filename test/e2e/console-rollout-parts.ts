import type { Locator, Page } from 'playwright';

// What the page of a rollout consists of.

export const state = (page: Page, words: string): Locator =>
  page.getByRole('status').filter({ hasText: words });
export const rings = (page: Page): Locator => page.getByRole('list', { name: 'Rings' }).getByRole('listitem');
export const screenList = (page: Page): Locator =>
  page.getByRole('list', { name: 'Screens' }).getByRole('listitem');
