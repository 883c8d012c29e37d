import type { MenuResponse, MenuRequest } from '@placard/protocol/stage';
import { element } from '../screens/element.ts';
import { button, failureText } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';

export type ResponseOf<Kind extends MenuResponse['kind']> = Extract<MenuResponse, { kind: Kind }>;

/** A page that sends one request to the runtime, shows the response, and repeats the request on demand. */
export function responsePage<Kind extends MenuResponse['kind']>(
  context: MenuContext,
  options: {
    title: string;
    request: MenuRequest;
    kind: Kind;
    render(response: ResponseOf<Kind>): HTMLElement[];
  },
): MenuPage {
  const { menu } = context.locale.strings;
  const body = element('div', 'menu-body');
  body.dataset['scrolls'] = '';
  const refreshButton = button(menu.refresh, 'menu-button', () => void refresh());
  const isExpectedKind = (result: { kind: string }): result is ResponseOf<Kind> =>
    result.kind === options.kind;
  let isClosed = false;

  async function refresh(): Promise<void> {
    refreshButton.disabled = true;
    body.replaceChildren(element('p', 'menu-note', menu.loading));
    const result = await context.request(options.request);
    if (isClosed) {
      return;
    }
    refreshButton.disabled = false;
    body.replaceChildren(
      ...(isExpectedKind(result)
        ? options.render(result)
        : [element('p', 'menu-note', failureText(context, result))]),
    );
    body.tabIndex = body.scrollHeight > body.clientHeight ? 0 : -1;
    context.refocus();
  }

  return {
    title: options.title,
    root: element('div', 'menu-page', body, element('div', 'menu-actions', refreshButton)),
    onOpened: () => void refresh(),
    onClosed: () => {
      isClosed = true;
    },
  };
}
