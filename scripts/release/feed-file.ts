import { sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFeed } from '../../src/adapters/updater/signed-feed.ts';
import type { FeedPayload } from '../../src/adapters/updater/signed-feed.ts';
import type { Channel } from '../../src/core/update/feed.ts';
import { formatReleaseManifest } from '../../src/core/update/release-manifest.ts';
import type { ReleaseManifest } from '../../src/core/update/release-manifest.ts';
import { publicPem } from './release-key.ts';

export interface FeedEntry {
  manifest: ReleaseManifest;
  url: string;
  channel: Channel;
  rolloutPercent: number;
}

/**
 * Returns the text of a signed feed with these entries added, or updated in channel and rollout, and these versions
 * blocked. `text` is the previous feed, null for the first; throws when it has another key's signature.
 */
export function signFeed(
  text: string | null,
  change: { entries: readonly FeedEntry[]; block: readonly string[] },
  key: KeyObject,
  nowMs = Date.now(),
): string {
  const { payload, issuedAtMs } = text === null ? emptyFeed() : readExistingFeed(text, key);
  for (const entry of change.entries) {
    const { manifest, url, channel, rolloutPercent } = entry;
    const existingIndex = payload.releases.findIndex((each) => isSame(each.manifest, manifest));
    const signedText = formatReleaseManifest(manifest);
    const published = payload.releases[existingIndex];
    if (published && published.manifest !== signedText) {
      throw new Error(
        `${manifest.package} ${manifest.version} ${manifest.arch} is already published with different contents. ` +
          'Give the new package a new version.',
      );
    }
    payload.releases[published ? existingIndex : payload.releases.length] = {
      manifest: signedText,
      signature: signText(signedText, key),
      url,
      channel,
      rollout_percent: rolloutPercent,
    };
  }
  payload.blocked = [...new Set([...payload.blocked, ...change.block])];
  // Later than the previous one even when the clock was set back: players refuse an older feed.
  const issued_at = new Date(Math.max(nowMs, issuedAtMs + 1)).toISOString();
  const body = JSON.stringify({ ...payload, issued_at }, null, 1);
  return `${JSON.stringify({ payload: body, signature: signText(body, key) }, null, 1)}\n`;
}

type FeedDraft = { payload: Omit<FeedPayload, 'issued_at'>; issuedAtMs: number };

const emptyFeed = (): FeedDraft => ({ payload: { format: 1, releases: [], blocked: [] }, issuedAtMs: 0 });

function readExistingFeed(text: string, key: KeyObject): FeedDraft {
  const result = readFeed(text, publicPem(key));
  if (result.kind === 'refused') {
    throw new Error(
      result.code === 'bad_signature'
        ? 'The existing feed was signed with another key.'
        : 'The existing feed cannot be read.',
    );
  }
  const { releases, blocked, issuedAtMs } = result.feed;
  const payload: FeedDraft['payload'] = {
    format: 1,
    releases: releases.map((each) => ({
      manifest: each.manifestText,
      signature: each.signature,
      url: each.url,
      channel: each.channel,
      rollout_percent: each.rolloutPercent,
    })),
    blocked: [...blocked],
  };
  return { payload, issuedAtMs };
}

const isSame = (text: string, { package: name, version, arch }: ReleaseManifest): boolean =>
  text.includes(`\npackage=${name}\nversion=${version}\narch=${arch}\n`);

const signText = (text: string, key: KeyObject): string =>
  sign(null, Buffer.from(text), key).toString('base64');
