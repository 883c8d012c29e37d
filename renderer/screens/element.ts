/** A `tag` element with a class and children; strings become text, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  if (className) {
    created.className = className;
  }
  created.append(...children);
  return created;
}

/** Sets text only when it differs, so that a ticking screen does not trigger layout every second. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
