import { brand } from './brand.ts';
import { element, setText } from './element.ts';
import { headerClock } from './player-info.ts';
import type { View, ViewContext } from './view.ts';

/** Shown at start, until the runtime has sent a screen. */
export function startingView({ locale: { strings } }: ViewContext): HTMLElement {
  return element(
    'section',
    'screen centered starting',
    element('div', 'drift', brand(), element('p', '', strings.starting)),
  );
}

/** Names have up to 200 characters, and all of them must fit. */
const LONG_NAME_CHARS = 60;

function showName(target: HTMLElement, name: string): void {
  setText(target, name);
  target.classList.toggle('long', name.length > LONG_NAME_CHARS);
}

/** Just paired: shows the device name as confirmation. */
export function pairedView({ locale: { strings } }: ViewContext): View<'paired'> {
  const name = element('h1', '');
  name.dir = 'auto';
  const root = element(
    'section',
    'screen centered paired',
    element(
      'div',
      'drift',
      element('div', 'tick'),
      element('p', 'paired-title', strings.paired.title),
      name,
      element('p', '', strings.paired.ready),
    ),
  );
  return { root, show: ({ device_name }) => showName(name, device_name), tick() {} };
}

/** Nothing is scheduled: a branded screen that moves slowly against burn-in. */
export function idleView(context: ViewContext): View<'idle'> {
  const clock = headerClock(context);
  const name = element('p', 'idle-name');
  name.dir = 'auto';
  const screenshots = element('p', 'idle-screenshots');
  const { idle } = context.locale.strings;
  const root = element(
    'section',
    'screen centered idle',
    element('div', 'drift', brand(), clock.root, name, element('p', 'idle-note', idle.nothing), screenshots),
  );
  return {
    root,
    show(screen) {
      clock.show(screen.info);
      showName(name, screen.device_name);
      setText(screenshots, screen.allows_screenshots ? idle.screenshotsAllowed : idle.screenshotsForbidden);
      clock.tick();
    },
    tick: () => clock.tick(),
  };
}
