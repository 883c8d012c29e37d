/** The columns of a table: heading and what is in it. */
export type Columns<T> = Readonly<Record<string, (row: T) => unknown>>;

/** Rows below each other, columns as wide as what is in them. */
export function formatTable<T>(rows: readonly T[], columns: Columns<T>): string {
  const headings = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((read) => textOf(read(row))));
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((each) => each[index]?.length ?? 0)),
  );
  return [headings, ...cells]
    .map((each) =>
      each
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names and values below each other. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`.trimEnd())
    .join('\n');
}

/** What a terminal shows of a value. What a device reports could contain codes that a terminal obeys. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '–';
  }
  const text = Array.isArray(value)
    ? value.map((each) => textOf(each)).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, '·');
}
