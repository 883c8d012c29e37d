import type { MenuRequest } from '../../src/stage-link/messages.ts';
import { element } from '../screens/element.ts';
import type { Reply } from './conversation.ts';
import { button, whyNot, type MenuContext, type MenuPage } from './page.ts';

interface Act {
  title: string;
  ask: string;
  yes: string;
  request: MenuRequest;
  /** What is lost is lost: "cancel" is the answer that is given by accident. */
  grave: boolean;
  /** What to say once it is done; null when this was no success. */
  done(reply: Reply): string[] | null;
}

/** Asks once more, does it, and says what came of it. */
function actPage(context: MenuContext, act: Act): MenuPage {
  const { menu } = context.words.strings;
  const asked = element('p', 'menu-ask', act.ask);
  const outcome = element('div', 'menu-outcome');
  outcome.setAttribute('role', 'status');
  const cancel = button(menu.cancel, 'menu-button', () => context.back());
  const yes = button(act.yes, act.grave ? 'menu-button grave' : 'menu-button', () => void begin());
  (act.grave ? cancel : yes).dataset['first'] = '';
  const actions = element('div', 'menu-actions', cancel, yes);

  async function begin(): Promise<void> {
    yes.disabled = true;
    outcome.replaceChildren(element('p', 'menu-note', menu.oneMoment));
    const reply = await context.ask(act.request);
    const done = act.done(reply);
    yes.disabled = false;
    outcome.replaceChildren(
      ...(done ?? [whyNot(context, reply)]).map((text) =>
        element('p', done ? 'menu-note well' : 'problem', text),
      ),
    );
    asked.hidden = done !== null;
    actions.hidden = done !== null;
    context.refocus();
  }

  return {
    title: act.title,
    root: element('div', 'menu-page', element('div', 'menu-body', asked, outcome), actions),
  };
}

const whenDone = (text: string) => (reply: Reply) => (reply.kind === 'done' ? [text] : null);

export function logsPage(context: MenuContext): MenuPage {
  const { logs } = context.words.strings.menu;
  return actPage(context, {
    ...logs,
    request: { kind: 'save_logs' },
    grave: false,
    done: (reply) => (reply.kind === 'logs_saved' ? [logs.saved, ...reply.places] : null),
  });
}

export function clearCachePage(context: MenuContext): MenuPage {
  const { clearCache } = context.words.strings.menu;
  const done = whenDone(clearCache.done);
  return actPage(context, { ...clearCache, request: { kind: 'clear_cache' }, grave: true, done });
}

export function rePairPage(context: MenuContext): MenuPage {
  const { rePair } = context.words.strings.menu;
  return actPage(context, {
    ...rePair,
    request: { kind: 're_pair' },
    grave: true,
    done(reply) {
      // The new code must not stand behind the menu.
      if (reply.kind === 'done') context.close();
      return reply.kind === 'done' ? [rePair.done] : null;
    },
  });
}

export function restartPage(context: MenuContext): MenuPage {
  const { restart } = context.words.strings.menu;
  const done = whenDone(restart.done);
  return actPage(context, { ...restart, request: { kind: 'restart' }, grave: true, done });
}

export function rebootPage(context: MenuContext): MenuPage {
  const { reboot } = context.words.strings.menu;
  const done = whenDone(reboot.done);
  return actPage(context, { ...reboot, request: { kind: 'reboot' }, grave: true, done });
}
