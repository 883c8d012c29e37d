import type { MenuAnswer, MenuRequest } from '../../src/stage-link/messages.ts';
import { element } from '../screens/element.ts';
import { button, whyNot, type MenuContext, type MenuPage } from './page.ts';

export type AnswerOf<Kind extends MenuAnswer['kind']> = Extract<MenuAnswer, { kind: Kind }>;

/** A page that asks the runtime one thing, draws the answer, and asks once more when told to. */
export function answerPage<Kind extends MenuAnswer['kind']>(
  context: MenuContext,
  about: {
    title: string;
    request: MenuRequest;
    kind: Kind;
    draw(answer: AnswerOf<Kind>): HTMLElement[];
  },
): MenuPage {
  const { menu } = context.words.strings;
  const body = element('div', 'menu-body');
  body.dataset['scrolls'] = '';
  const again = button(menu.again, 'menu-button', () => void look());
  const isWanted = (reply: { kind: string }): reply is AnswerOf<Kind> => reply.kind === about.kind;
  let left = false;

  async function look(): Promise<void> {
    again.disabled = true;
    body.replaceChildren(element('p', 'menu-note', menu.oneMoment));
    const reply = await context.ask(about.request);
    if (left) return;
    again.disabled = false;
    body.replaceChildren(
      ...(isWanted(reply) ? about.draw(reply) : [element('p', 'menu-note', whyNot(context, reply))]),
    );
    body.tabIndex = body.scrollHeight > body.clientHeight ? 0 : -1;
    context.refocus();
  }

  return {
    title: about.title,
    root: element('div', 'menu-page', body, element('div', 'menu-actions', again)),
    opened: () => void look(),
    closed: () => {
      left = true;
    },
  };
}
