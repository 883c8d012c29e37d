import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../core/parse-json.ts';
import type { UpdateFeed, Release } from '../../core/update/feed.ts';
import { parseReleaseManifest } from '../../core/update/release-manifest.ts';

/**
 * The feed on the update server: `payload` is the text of a `feedPayload`, `signature` is Ed25519 over its bytes in
 * base64. One file, so that text and signature always match.
 */
export const signedFeed = z.object({ payload: z.string().max(1024 * 1024), signature: z.base64() });

/** The available releases. Unknown fields are ignored, and so are releases whose manifest has a newer format. */
export const feedPayload = z.object({
  format: z.literal(1),
  /** When it was signed; a player accepts none older than the newest that it has received. */
  issued_at: z.iso.datetime(),
  releases: z.array(
    z.object({
      /** The signed text, see `release-manifest.ts`. */
      manifest: z.string(),
      /** Ed25519 over the manifest, base64; the privileged helper checks it. */
      signature: z.base64(),
      url: z.string().min(1),
      channel: z.enum(['stable', 'beta']),
      rollout_percent: z.number().min(0).max(100),
    }),
  ),
  blocked: z.array(z.string()),
});

export type FeedPayload = z.infer<typeof feedPayload>;

export type FeedResult =
  { kind: 'feed'; feed: UpdateFeed } | { kind: 'refused'; code: 'bad_signature' | 'bad_feed' };

/** Parses a feed and verifies the signatures of the feed and of every release in it. */
export function readFeed(text: string, releaseKeyPem: string): FeedResult {
  const envelope = signedFeed.safeParse(parseJson(text));
  if (!envelope.success) {
    return { kind: 'refused', code: 'bad_feed' };
  }
  const key = createPublicKey(releaseKeyPem);
  const isSigned = (what: string, signature: string) =>
    verify(null, Buffer.from(what), key, Buffer.from(signature, 'base64'));
  const { payload, signature } = envelope.data;
  if (!isSigned(payload, signature)) {
    return { kind: 'refused', code: 'bad_signature' };
  }
  const parsed = feedPayload.safeParse(parseJson(payload));
  if (!parsed.success) {
    return { kind: 'refused', code: 'bad_feed' };
  }
  const releases: Release[] = [];
  for (const each of parsed.data.releases) {
    const manifest = parseReleaseManifest(each.manifest);
    if (!manifest || !isSigned(each.manifest, each.signature)) {
      continue;
    }
    releases.push({
      manifest,
      manifestText: each.manifest,
      signature: each.signature,
      url: each.url,
      channel: each.channel,
      rolloutPercent: each.rollout_percent,
    });
  }
  return {
    kind: 'feed',
    feed: { issuedAtMs: Date.parse(parsed.data.issued_at), releases, blocked: parsed.data.blocked },
  };
}
