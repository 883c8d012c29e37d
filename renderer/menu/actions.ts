import type { MenuRequest } from '@placard/protocol/stage';
import { element } from '../screens/element.ts';
import type { Strings } from '../strings/strings.ts';
import type { MenuResult } from './menu-client.ts';
import { button, failureText } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';

interface MenuAction {
  title: string;
  question: string;
  confirm: string;
  request: MenuRequest;
  /** The action cannot be undone, so "cancel" has the focus. */
  isDestructive: boolean;
  /** Success message; null when the result is a failure. */
  successMessages(result: MenuResult): string[] | null;
}

/** Asks for confirmation, performs the action and shows the result. */
function actionPage(context: MenuContext, action: MenuAction): MenuPage {
  const { menu } = context.locale.strings;
  const questionElement = element('p', 'menu-question', action.question);
  const outcome = element('div', 'menu-outcome');
  outcome.setAttribute('role', 'status');
  const cancelButton = button(menu.cancel, 'menu-button', () => context.back());
  const confirmButton = button(
    action.confirm,
    action.isDestructive ? 'menu-button destructive' : 'menu-button',
    () => void runAction(),
  );
  (action.isDestructive ? cancelButton : confirmButton).dataset['first'] = '';
  const buttons = element('div', 'menu-actions', cancelButton, confirmButton);

  async function runAction(): Promise<void> {
    confirmButton.disabled = true;
    outcome.replaceChildren(element('p', 'menu-note', menu.loading));
    const result = await context.request(action.request);
    const successMessages = action.successMessages(result);
    confirmButton.disabled = false;
    outcome.replaceChildren(
      ...(successMessages ?? [failureText(context, result)]).map((text) =>
        element('p', successMessages ? 'menu-note success' : 'problem', text),
      ),
    );
    questionElement.hidden = successMessages !== null;
    buttons.hidden = successMessages !== null;
    context.refocus();
  }

  return {
    title: action.title,
    root: element('div', 'menu-page', element('div', 'menu-body', questionElement, outcome), buttons),
  };
}

export function logsPage(context: MenuContext): MenuPage {
  const { logs } = context.locale.strings.menu;
  return actionPage(context, {
    ...logs,
    request: { kind: 'save_logs' },
    isDestructive: false,
    successMessages: (result) => (result.kind === 'logs_saved' ? [logs.saved, ...result.places] : null),
  });
}

export function rePairPage(context: MenuContext): MenuPage {
  const { rePair } = context.locale.strings.menu;
  return actionPage(context, {
    ...rePair,
    request: { kind: 're_pair' },
    isDestructive: true,
    successMessages(result) {
      // The menu must not cover the new pairing code.
      if (result.kind === 'done') {
        context.close();
      }
      return result.kind === 'done' ? [rePair.done] : null;
    },
  });
}

/** An action of which the runtime only says that it is done. */
export function simpleActionPage(
  context: MenuContext,
  kind: 'clear_cache' | 'restart' | 'reboot',
  labels: Strings['menu']['restart'],
): MenuPage {
  return actionPage(context, {
    ...labels,
    request: { kind },
    isDestructive: true,
    successMessages: (result) => (result.kind === 'done' ? [labels.done] : null),
  });
}
