import { READING, type MenuAnswer, type MenuRequest } from '../../src/stage-link/messages.ts';
import { element } from '../screens/element.ts';
import { clearCachePage, logsPage, rebootPage, rePairPage, restartPage } from './acts.ts';
import { orientationPage } from './orientation-page.ts';
import { button, type MenuContext, type MenuPage } from './page.ts';
import { patternPage } from './pattern-page.ts';
import { cachePage, faultsPage, networkPage, playingPage } from './readings.ts';

interface Entry {
  title: string;
  /** What the page will ask for; null when it needs nothing of the runtime. */
  needs: MenuRequest['kind'] | null;
  page: () => MenuPage;
  grave?: boolean;
}

/** What there is to do; what is not allowed stands there, too, but cannot be pressed. */
export function homePage(context: MenuContext, opened: Extract<MenuAnswer, { kind: 'opened' }>): MenuPage {
  const { menu } = context.words.strings;
  const local = { orientation: opened.local_orientation };
  const entries: Entry[] = [
    { title: menu.network.title, needs: 'network_test', page: () => networkPage(context) },
    { title: menu.playing.title, needs: 'now_playing', page: () => playingPage(context) },
    { title: menu.pattern.title, needs: null, page: () => patternPage(context) },
    { title: menu.cache.title, needs: 'cache', page: () => cachePage(context) },
    { title: menu.faults.title, needs: 'faults', page: () => faultsPage(context) },
    { title: menu.orientation.title, needs: 'set_orientation', page: () => orientationPage(context, local) },
    { title: menu.logs.title, needs: 'save_logs', page: () => logsPage(context) },
    { title: menu.clearCache.title, needs: 'clear_cache', page: () => clearCachePage(context) },
    { title: menu.restart.title, needs: 'restart', page: () => restartPage(context) },
    { title: menu.reboot.title, needs: 'reboot', page: () => rebootPage(context), grave: true },
    { title: menu.rePair.title, needs: 're_pair', page: () => rePairPage(context), grave: true },
  ];
  const readOnly = opened.access === 'read_only';
  const tiles: HTMLButtonElement[] = entries.map(({ title, needs, page, grave }) => {
    const tile = button(title, grave ? 'menu-tile grave' : 'menu-tile', () => {
      for (const other of tiles) delete other.dataset['first'];
      tile.dataset['first'] = '';
      context.open(page());
    });
    tile.disabled = readOnly && needs !== null && !READING.has(needs);
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
