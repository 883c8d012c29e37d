import { READ_ONLY_REQUESTS } from '@placard/protocol/stage';
import type { MenuResponse, MenuRequest } from '@placard/protocol/stage';
import { element } from '../screens/element.ts';
import { logsPage, rePairPage, simpleActionPage } from './actions.ts';
import { orientationPage } from './orientation-page.ts';
import { button } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';
import { patternPage } from './pattern-page.ts';
import { cachePage, faultsPage, networkPage, playingPage } from './status-pages.ts';

interface MenuEntry {
  title: string;
  /** The request that the page will send; null: none. */
  requestKind: MenuRequest['kind'] | null;
  page: () => MenuPage;
  isDestructive?: boolean;
}

/** Lists all pages and actions; those that are not allowed are disabled. */
export function homePage(context: MenuContext, opened: Extract<MenuResponse, { kind: 'opened' }>): MenuPage {
  const { menu } = context.locale.strings;
  const orientationSetting = { orientation: opened.local_orientation };
  const simpleAction = (
    kind: Parameters<typeof simpleActionPage>[1],
    labels: typeof menu.restart,
  ): MenuEntry => ({
    title: labels.title,
    requestKind: kind,
    page: () => simpleActionPage(context, kind, labels),
  });
  const entries: MenuEntry[] = [
    { title: menu.network.title, requestKind: 'network_test', page: () => networkPage(context) },
    { title: menu.playing.title, requestKind: 'now_playing', page: () => playingPage(context) },
    { title: menu.pattern.title, requestKind: null, page: () => patternPage(context) },
    { title: menu.cache.title, requestKind: 'cache', page: () => cachePage(context) },
    { title: menu.faults.title, requestKind: 'faults', page: () => faultsPage(context) },
    {
      title: menu.orientation.title,
      requestKind: 'set_orientation',
      page: () => orientationPage(context, orientationSetting),
    },
    { title: menu.logs.title, requestKind: 'save_logs', page: () => logsPage(context) },
    simpleAction('clear_cache', menu.clearCache),
    simpleAction('restart', menu.restart),
    { ...simpleAction('reboot', menu.reboot), isDestructive: true },
    {
      title: menu.rePair.title,
      requestKind: 're_pair',
      page: () => rePairPage(context),
      isDestructive: true,
    },
  ];
  const readOnly = opened.access === 'read_only';
  const tiles: HTMLButtonElement[] = entries.map(({ title, requestKind, page, isDestructive }) => {
    const tile = button(title, isDestructive ? 'menu-tile destructive' : 'menu-tile', () => {
      for (const other of tiles) {
        delete other.dataset['first'];
      }
      tile.dataset['first'] = '';
      context.open(page());
    });
    tile.disabled = readOnly && requestKind !== null && !READ_ONLY_REQUESTS.has(requestKind);
    return tile;
  });
  const name = element('p', 'menu-device', opened.device_name ?? '');
  name.dir = 'auto';
  name.hidden = opened.device_name === null;
  const note = element('p', 'menu-note', menu.readOnly);
  note.hidden = !readOnly;
  return {
    title: menu.title,
    root: element('div', 'menu-page', name, element('div', 'menu-tiles', ...tiles), note),
  };
}
