/* The elements of the pairing page. */

/** The element with this id. Throws a `TypeError` when the page has none of this type. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new TypeError(`The page has no #${id}.`);
  }
  return found;
}
