const MOST = 3;

/**
 * The names that somebody may have meant, nearest first, at most three: those that differ in at most a third of the letters of
 * `text`, and those that contain it. Upper and lower case are the same.
 */
export function nearNames(text: string, names: Iterable<string>): string[] {
  const wanted = text.toLowerCase();
  const most = Math.ceil(wanted.length / 3);
  return [...new Set(names)]
    .map((name) => ({ name, edits: countEdits(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= most || name.toLowerCase().includes(wanted))
    .toSorted((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Thirds of `text`, of which a near name has at least one, for a service that finds names by a part of them. */
export function partsOf(text: string): string[] {
  const length = Math.ceil(text.length / 3);
  return [0, 1, 2]
    .map((part) => text.slice(part * length, (part + 1) * length).trim())
    .filter((part, index, parts) => part !== '' && parts.indexOf(part) === index);
}

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const edits = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        edits.push((beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(Math.min(...edits));
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
