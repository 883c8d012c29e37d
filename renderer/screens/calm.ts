import { brand } from './brand.ts';
import { element, setText } from './element.ts';
import { clockCorner } from './fact-rows.ts';
import type { View, ViewContext } from './view.ts';

/** The first seconds, before the runtime has said what to show. */
export function startingView({ words: { strings } }: ViewContext): HTMLElement {
  return element(
    'section',
    'screen calm starting',
    element('div', 'drift', brand(), element('p', '', strings.starting)),
  );
}

/** Names have up to 200 letters, and all of them fit. */
const LONG_NAME = 60;

function showName(target: HTMLElement, name: string): void {
  setText(target, name);
  target.classList.toggle('long', name.length > LONG_NAME);
}

/** Just paired: the name that the operator gave. */
export function pairedView({ words: { strings } }: ViewContext): View<'paired'> {
  const name = element('h1', '');
  name.dir = 'auto';
  const root = element(
    'section',
    'screen calm paired',
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

/** Nothing is scheduled: branded, quiet, and moving a little so that nothing burns in. */
export function idleView(context: ViewContext): View<'idle'> {
  const clock = clockCorner(context);
  const name = element('p', 'idle-name');
  name.dir = 'auto';
  const root = element(
    'section',
    'screen calm idle',
    element(
      'div',
      'drift',
      brand(),
      clock.root,
      name,
      element('p', 'idle-note', context.words.strings.idle.nothing),
    ),
  );
  return {
    root,
    show(screen) {
      clock.show(screen.facts);
      showName(name, screen.device_name);
      clock.tick();
    },
    tick: () => clock.tick(),
  };
}
