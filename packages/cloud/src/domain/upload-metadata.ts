import { name, reference, tags } from '@placard/protocol/api';
import { sha256 } from '@placard/protocol';
import type { Problem } from '@placard/protocol/api';
import { z } from 'zod';
import { splitTags, toDisplayName } from './display-name.ts';
import { validationMessage } from './validation-message.ts';

const KEY = /^[\u0021-\u002b\u002d-\u007e]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What becomes of an asset whose file is replaced; what is undefined stays. */
export interface AssetChange {
  name?: string | undefined;
  tags?: readonly string[] | undefined;
  folder_id?: string | undefined;
}

/** What the metadata of an upload say about its file. */
export interface UploadDescription {
  name: string;
  tags: string[];
  folderId: string | null;
  /** The hash that the file must have. */
  sha256: string | null;
  /** The asset whose file it replaces, with what else becomes of that; null for a new asset. */
  replaces: { id: string; change: AssetChange } | null;
}

const fields = z.object({
  name: name.optional(),
  tags: tags.optional(),
  folder_id: reference.optional(),
  replaces: reference.optional(),
  sha256: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(sha256)
    .optional(),
});

/**
 * Reads the header `Upload-Metadata` of tus: `key base64,key base64`. Keys that are not ours are passed over, because
 * clients add some of their own.
 */
export function parseUploadMetadata(
  header: string,
): { description: UploadDescription } | { problems: Problem[] } {
  const values = new Map<string, string>();
  for (const entry of header === '' ? [] : header.split(',')) {
    const [key = '', value = '', ...more] = entry.trim().split(' ');
    if (!KEY.test(key) || !BASE64.test(value) || more.length > 0 || values.has(key)) {
      const message =
        'must be different keys, each with a space and its value in Base64, separated by commas';
      return { problems: [{ path: 'upload-metadata', message }] };
    }
    values.set(key, decodeBase64(value));
  }
  const given = (key: string) => values.get(key) || undefined;
  const tagText = given('tags');
  const parsed = fields.safeParse(
    {
      name: given('name'),
      tags: tagText === undefined ? undefined : splitTags(tagText),
      folder_id: given('folder_id'),
      replaces: given('replaces'),
      sha256: given('sha256'),
    },
    { error: validationMessage },
  );
  if (!parsed.success) {
    return {
      problems: parsed.error.issues.map(({ path, message }) => ({
        path: ['upload-metadata', ...path].join('.'),
        message,
      })),
    };
  }
  const { sha256: hash = null, replaces, ...found } = parsed.data;
  return {
    description: {
      name: found.name ?? toDisplayName(given('filename')),
      tags: found.tags ?? [],
      folderId: found.folder_id ?? null,
      sha256: hash,
      replaces: replaces === undefined ? null : { id: replaces, change: found },
    },
  };
}

/** The metadata of an upload that was accepted. */
export function describeUpload(metadata: string): UploadDescription {
  const parsed = parseUploadMetadata(metadata);
  if ('problems' in parsed) {
    throw new TypeError('the metadata of an upload were not checked');
  }
  return parsed.description;
}

const decodeBase64 = (text: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
