import type { MenuRequest } from '@placard/protocol/stage';
import { element } from '../screens/element.ts';
import type { Locale } from '../strings/strings.ts';
import type { MenuResult } from './menu-client.ts';

/** One page of the menu, created when it is opened. */
export interface MenuPage {
  title: string;
  root: HTMLElement;
  /** The page fills the panel, without the menu's frame. */
  isFullScreen?: boolean;
  /** Milliseconds without input until the menu closes; default: the menu's own timeout. */
  idleTimeoutMs?: number;
  /** Called after the page was added to the document. */
  onOpened?(): void;
  onClosed?(): void;
  /** Handles page-specific keys; returns true if it handled this one. */
  onKey?(event: KeyboardEvent): boolean;
}

/** What a page gets from the menu. */
export interface MenuContext {
  locale: Locale;
  request: (request: MenuRequest) => Promise<MenuResult>;
  /** Opens a page on top of this one. */
  open(page: MenuPage): void;
  /** Goes back one page; closes the menu on the first one. */
  back(): void;
  close(): void;
  /** The runtime requires the PIN again. */
  onPinRequired: () => void;
  /** Restores the focus after a page has changed its content. */
  refocus(): void;
}

export function button(label: string, className: string, onPress: () => void): HTMLButtonElement {
  const made = element('button', className, label);
  made.type = 'button';
  made.addEventListener('click', onPress);
  return made;
}

/** A list of names and values; a value may have several lines. */
export function valueList(rows: readonly (readonly [name: string, ...values: string[]])[]): HTMLElement {
  return element(
    'dl',
    'menu-values',
    ...rows.map(([name, ...values]) =>
      element(
        'div',
        '',
        element('dt', '', name),
        ...values.map((text) => element('dd', '', element('bdi', '', text))),
      ),
    ),
  );
}

/** Why a request failed, as a sentence; the menu itself handles a missing PIN. */
export function failureText(
  { locale, onPinRequired }: Pick<MenuContext, 'locale' | 'onPinRequired'>,
  result: MenuResult,
): string {
  const { menu } = locale.strings;
  if (result.kind !== 'refused') {
    return menu.noResponse;
  }
  switch (result.reason) {
    case 'pin_needed':
    case 'pin_wrong':
    case 'locked':
      onPinRequired();
      return '';
    case 'read_only':
      return menu.readOnly;
    case 'cloud_unreachable':
      return menu.cloudUnreachable;
    case 'not_possible':
      return menu.notPossible(result.message);
  }
  return result.reason satisfies never;
}
