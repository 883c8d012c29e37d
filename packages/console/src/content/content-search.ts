/** The address of the content. */
export interface ContentSearch {
  folder?: string;
  search?: string;
  type?: 'image' | 'video';
  sort?: 'name' | '-size';
  view?: 'list';
  /** The file whose form is open. */
  file?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the parameters of an address; what is unknown or empty is left out. */
export function toContentSearch(search: Readonly<Record<string, unknown>>): ContentSearch {
  const { type, sort, view } = search;
  return Object.fromEntries(
    Object.entries({
      folder: text(search['folder']),
      search: text(search['search']),
      type: type === 'image' || type === 'video' ? type : undefined,
      sort: sort === 'name' || sort === '-size' ? sort : undefined,
      view: view === 'list' ? view : undefined,
      file: text(search['file']),
    }).filter(([, value]) => value !== undefined),
  );
}
