import type { AlertRule, AlertRuleWarning } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import { isAboutPictures } from '../../domain/picture-series.ts';

/** Says of how many of the devices that a rule watches it never hears what it is about. */
export async function findRuleWarnings(
  { organization, watchedDevices }: Pick<Repositories, 'organization' | 'watchedDevices'>,
  { condition, filter }: Pick<AlertRule, 'condition' | 'filter'>,
): Promise<AlertRuleWarning[]> {
  if (!isAboutPictures(condition)) {
    return [];
  }
  const count = await watchedDevices.countWithoutPictures(filter, await organization.get());
  return count === 0
    ? []
    : [{ code: 'SCREENS_SEND_NO_PICTURES', message: messageFor(count), device_count: count }];
}

const messageFor = (count: number): string =>
  `${count === 1 ? '1 screen that the rule watches sends' : `${count} screens that the rule watches send`} no pictures of ` +
  'their own accord: the rule opens no alert for them. Allow screenshots, and set `screenshot_interval_minutes` of the ' +
  'organization or of these devices.';
