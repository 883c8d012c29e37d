import { ORIENTATIONS } from '@placard/protocol';
import type { Orientation } from '@placard/protocol';
import { element } from '../screens/element.ts';
import { button, failureText } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';

/** Null: follow the cloud. */
const CHOICES: readonly (Orientation | null)[] = [null, ...ORIENTATIONS];

/** Sets the orientation of this device; the menu rotates too, so that a wrong choice can be undone. */
export function orientationPage(
  context: MenuContext,
  /** The local setting; null: the cloud's orientation applies. */
  setting: { orientation: Orientation | null },
): MenuPage {
  const { menu } = context.locale.strings;
  const { orientation: labels } = menu;
  const problem = element('p', 'problem');
  problem.hidden = true;
  const choices = CHOICES.map((choice) => ({
    choice,
    choiceButton: button(
      choice === null ? labels.cloud : labels.kinds[choice],
      'menu-choice',
      () => void choose(choice),
    ),
  }));

  function mark(): void {
    for (const { choice, choiceButton } of choices) {
      const chosen = choice === setting.orientation;
      choiceButton.setAttribute('aria-pressed', String(chosen));
      if (chosen) {
        choiceButton.dataset['first'] = '';
      } else {
        delete choiceButton.dataset['first'];
      }
    }
  }

  async function choose(choice: Orientation | null): Promise<void> {
    const result = await context.request({ kind: 'set_orientation', orientation: choice });
    if (result.kind === 'done') {
      setting.orientation = choice;
    }
    problem.hidden = result.kind === 'done';
    problem.textContent = result.kind === 'done' ? '' : failureText(context, result);
    mark();
  }

  mark();
  return {
    title: labels.title,
    root: element(
      'div',
      'menu-page',
      element(
        'div',
        'menu-body',
        element('p', 'menu-note', labels.note),
        element('div', 'menu-choices', ...choices.map(({ choiceButton }) => choiceButton)),
        problem,
      ),
    ),
  };
}
