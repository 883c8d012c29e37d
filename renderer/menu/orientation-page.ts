import type { Orientation } from '@placard/protocol';
import { element } from '../screens/element.ts';
import { button, whyNot, type MenuContext, type MenuPage } from './page.ts';

const CHOICES: readonly (Orientation | null)[] = [
  null,
  'landscape',
  'portrait',
  'landscape-flipped',
  'portrait-flipped',
];

/** Turns the picture of this box; the menu turns with it, so a wrong choice can be taken back. */
export function orientationPage(
  context: MenuContext,
  /** Chosen on this box before; null: it follows the cloud. */
  local: { orientation: Orientation | null },
): MenuPage {
  const { menu } = context.words.strings;
  const { orientation: words } = menu;
  const problem = element('p', 'problem');
  problem.hidden = true;
  const choices = CHOICES.map((choice) => ({
    choice,
    press: button(
      choice === null ? words.cloud : words.kinds[choice],
      'menu-choice',
      () => void choose(choice),
    ),
  }));

  function mark(): void {
    for (const { choice, press } of choices) {
      const chosen = choice === local.orientation;
      press.setAttribute('aria-pressed', String(chosen));
      if (chosen) press.dataset['first'] = '';
      else delete press.dataset['first'];
    }
  }

  async function choose(choice: Orientation | null): Promise<void> {
    const reply = await context.ask({ kind: 'set_orientation', orientation: choice });
    if (reply.kind === 'done') local.orientation = choice;
    problem.hidden = reply.kind === 'done';
    problem.textContent = reply.kind === 'done' ? '' : whyNot(context, reply);
    mark();
  }

  mark();
  return {
    title: words.title,
    root: element(
      'div',
      'menu-page',
      element(
        'div',
        'menu-body',
        element('p', 'menu-note', words.note),
        element('div', 'menu-choices', ...choices.map(({ press }) => press)),
        problem,
      ),
    ),
  };
}
