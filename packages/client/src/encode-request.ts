/** `/v1/devices/{id}` with its parameters; throws when one is missing or would lead to another path. */
export const buildPath = (path: string, values: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
      throw new TypeError(`${path} needs ${name}; it is ${JSON.stringify(value)}`);
    }
    return encodeURIComponent(value);
  });

/** `?page=2`, or nothing; lists are separated by commas, what is undefined is left out. */
export function buildQuery(query: Readonly<Record<string, unknown>> | undefined): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) {
      fields.set(name, textOf(value));
    }
  }
  const text = fields.toString();
  return text === '' ? '' : `?${text}`;
}

const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(',') : String(value);

/** Files come last, so that the cloud knows the other fields when it receives them. */
export function buildForm(body: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined && value !== null && !(value instanceof Blob)) {
      form.set(name, textOf(value));
    }
  }
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) {
      form.set(name, value, fileName(value, body['name']));
    }
  }
  return form;
}

const fileName = (file: Blob, name: unknown): string =>
  'name' in file && typeof file.name === 'string' ? file.name : typeof name === 'string' ? name : 'file';
