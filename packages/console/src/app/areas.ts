import { useOpenAlerts } from '../api/open-alerts.ts';
import { useMessages } from '../i18n/language.tsx';

/** In the order of the navigation: address and the name of its text. */
const AREAS = [
  ['/devices', 'devices'],
  ['/content', 'content'],
  ['/playlists', 'playlists'],
  ['/schedules', 'schedules'],
  ['/stores', 'stores'],
  ['/alerts', 'alerts'],
  ['/analytics', 'analytics'],
  ['/settings', 'settings'],
] as const;

export interface Area {
  address: (typeof AREAS)[number][0];
  name: string;
  /** Alerts that are open, in the area that has them. */
  openAlerts: number;
}

/** The areas, in their order. */
export function useAreas(): readonly Area[] {
  const messages = useMessages();
  const { count } = useOpenAlerts();
  return AREAS.map(([address, name]) => ({
    address,
    name: messages[name],
    openAlerts: address === '/alerts' ? count : 0,
  }));
}
