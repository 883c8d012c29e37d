import { z } from 'zod';
import { sha256, timestamp } from '../primitives.ts';
import { exampleTimestamps, idParams } from './fields.ts';
import { operationsOf } from './operation.ts';

/** Kinds of copies of a file that play on more screens. */
export const RENDITION_KINDS = ['h264_1080p30', 'still_3840'] as const;
export const renditionKind = z.enum(RENDITION_KINDS);
export type RenditionKind = z.infer<typeof renditionKind>;

/** When this cloud makes renditions. */
export const renditionPolicy = z.enum(['off', 'on_demand', 'automatic']);
export type RenditionPolicy = z.infer<typeof renditionPolicy>;

const renditionState = z.enum(['possible', 'wanted', 'making', 'ready', 'failed']);

/** Why there is none. Reasons never change their meaning. */
export const RENDITION_FAILURES = [
  'undecodable',
  'high_dynamic_range',
  'too_long',
  'too_slow',
  'too_much_memory',
  'too_large',
  'crashed',
  'wrong_duration',
  'animated',
  'interrupted',
] as const;
export const renditionFailure = z.enum(RENDITION_FAILURES);
export type RenditionFailure = z.infer<typeof renditionFailure>;

const renditionFile = z
  .object({
    sha256,
    url: z.url(),
    format: z.string(),
    /** Bytes. */
    size: z.int(),
    width: z.int(),
    height: z.int(),
    codec: z.string().nullable().meta({ description: 'As RFC 6381 writes it; null for an image' }),
    frame_rate: z.number().nullable(),
    /** Seconds; null for an image. */
    duration: z.number().nullable(),
  })
  .meta({ id: 'RenditionFile' });

export const rendition = z
  .object({
    kind: renditionKind.meta({
      description:
        '`h264_1080p30`: H.264 with 8 bits, at most full HD and 30 frames a second; `still_3840`: a picture of at most 3,840 ' +
        'pixels',
    }),
    state: renditionState.meta({ description: '`possible`: nobody has asked for it' }),
    wanted_at: timestamp.nullable().meta({ description: 'Null while it is only `possible`' }),
    failure: z
      .object({ reason: renditionFailure, message: z.string() })
      .nullable()
      .meta({ description: 'Why none could be made; null in every other state than `failed`' }),
    file: renditionFile.nullable().meta({ description: 'Null until it is `ready`' }),
  })
  .meta({ id: 'Rendition' });
export type Rendition = z.infer<typeof rendition>;

const define = operationsOf('Content');

const exampleRendition = {
  kind: 'h264_1080p30',
  state: 'wanted',
  wanted_at: exampleTimestamps.created_at,
  failure: null,
  file: null,
} satisfies Rendition;
const sha = '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752';
const exampleReady = {
  ...exampleRendition,
  state: 'ready',
  file: {
    sha256: sha,
    url: `https://signage.example/cdn/${sha}.mp4`,
    format: 'mp4',
    size: 9_482_133,
    width: 1920,
    height: 1080,
    codec: 'avc1.640028',
    frame_rate: 30,
    duration: 12,
  },
} satisfies Rendition;

export const renditionOperations = {
  listRenditions: define('listRenditions', 'GET', '/v1/content/{id}/renditions', {
    summary: 'The copies of an asset that play on more screens, and how far they are',
    description:
      'A device gets the copy in place of the file when it has reported that it cannot play the file, and can play the copy; ' +
      'a picture of more than 3,840 pixels is replaced on every device. At most one of each kind; none when it would not help. While ' +
      'the organization wants none, those that there are stay, and no device gets them.',
    access: 'Read',
    params: idParams,
    data: z.array(rendition),
    errors: ['CONTENT_NOT_FOUND'],
    example: { data: [exampleReady] },
  }),
  makeRendition: define('makeRendition', 'POST', '/v1/content/{id}/renditions', {
    summary: 'Make a copy of an asset that plays on more screens',
    description:
      'The cloud makes it when it has time, one after the other; the file of the asset stays as it is. One that failed is ' +
      'tried again; of one that exists or is waited for nothing changes. 409 `CONFLICT` with `details.reason`: `switched_off` ' +
      '(in the organization), `no_encoder` (the package `@mediabunny/server` is not installed), or `not_needed` (the file ' +
      'already is what the copy would be, or its codec is not known). Replacing the file of the asset deletes its copies.',
    access: 'Write',
    params: idParams,
    status: 202,
    data: rendition,
    errors: ['CONTENT_NOT_FOUND', 'CONFLICT'],
    example: { data: exampleRendition },
  }),
};
