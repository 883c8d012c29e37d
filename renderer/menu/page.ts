import type { MenuRequest } from '../../src/stage-link/messages.ts';
import { element } from '../screens/element.ts';
import type { Words } from '../strings/strings.ts';
import type { Reply } from './conversation.ts';

/** One page of the menu; it is made when it is opened. */
export interface MenuPage {
  title: string;
  root: HTMLElement;
  /** It fills the panel and needs no frame. */
  bare?: boolean;
  /** Milliseconds without a key or a tap until the menu closes; the menu's own time when not given. */
  patienceMs?: number;
  /** It has been put on the screen. */
  opened?(): void;
  closed?(): void;
  /** Keys that mean something of their own here; true: this was one. */
  key?(event: KeyboardEvent): boolean;
}

/** What every page may do. */
export interface MenuContext {
  words: Words;
  ask: (request: MenuRequest) => Promise<Reply>;
  /** Opens a page over this one. */
  open(page: MenuPage): void;
  /** Goes back by one page; from the first one, closes. */
  back(): void;
  close(): void;
  /** The runtime wants the PIN again. */
  locked: () => void;
  /** Puts the focus where it belongs after a page has changed what is on it. */
  refocus(): void;
}

export function button(label: string, className: string, onPress: () => void): HTMLButtonElement {
  const made = element('button', className, label);
  made.type = 'button';
  made.addEventListener('click', onPress);
  return made;
}

/** Names and values, one below the other; a value may have several lines. */
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

/** Why there is nothing to show, in a sentence; the PIN is asked for by the menu. */
export function whyNot({ words, locked }: Pick<MenuContext, 'words' | 'locked'>, reply: Reply): string {
  const { menu } = words.strings;
  if (reply.kind !== 'refused') return menu.noAnswer;
  switch (reply.reason) {
    case 'pin_needed':
    case 'pin_wrong':
    case 'locked':
      locked();
      return '';
    case 'read_only':
      return menu.readOnly;
    case 'cloud_away':
      return menu.cloudAway;
    case 'not_possible':
      return menu.notPossible(reply.message);
  }
  return reply.reason satisfies never;
}
