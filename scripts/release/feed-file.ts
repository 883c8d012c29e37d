import { sign, type KeyObject } from 'node:crypto';
import { readFeed, type FeedPayload } from '../../src/adapters/updater/signed-feed.ts';
import type { Channel } from '../../src/core/update/feed.ts';
import { manifestText, type ReleaseManifest } from '../../src/core/update/manifest.ts';
import { publicPem } from './release-key.ts';

export interface Offer {
  manifest: ReleaseManifest;
  url: string;
  channel: Channel;
  rolloutPercent: number;
}

/**
 * The text of a feed with these offers added, or changed in channel and rollout, and these versions blocked. `text`
 * is the feed so far, null for the first; it is not taken further when another key signed it. Throws sentences.
 */
export function signFeed(
  text: string | null,
  change: { offers: readonly Offer[]; block: readonly string[] },
  key: KeyObject,
  nowMs = Date.now(),
): string {
  const { payload, issuedAtMs } = text === null ? nothingYet() : read(text, key);
  for (const offer of change.offers) {
    const { manifest, url, channel, rolloutPercent } = offer;
    const same = payload.releases.findIndex((each) => isSame(each.manifest, manifest));
    const signedText = manifestText(manifest);
    const published = payload.releases[same];
    if (published && published.manifest !== signedText)
      throw new Error(
        `${manifest.package} ${manifest.version} ${manifest.arch} is published already, with other contents. ` +
          'A version is published once: give the new package a new version.',
      );
    payload.releases.splice(same < 0 ? payload.releases.length : same, same < 0 ? 0 : 1, {
      manifest: signedText,
      signature: signature(signedText, key),
      url,
      channel,
      rollout_percent: rolloutPercent,
    });
  }
  payload.blocked = [...new Set([...payload.blocked, ...change.block])];
  // Later than the one before, also by a clock that was set back: boxes take no older one.
  const issued_at = new Date(Math.max(nowMs, issuedAtMs + 1)).toISOString();
  const body = JSON.stringify({ ...payload, issued_at }, null, 1);
  return `${JSON.stringify({ payload: body, signature: signature(body, key) }, null, 1)}\n`;
}

type Draft = { payload: Omit<FeedPayload, 'issued_at'>; issuedAtMs: number };

const nothingYet = (): Draft => ({ payload: { format: 1, releases: [], blocked: [] }, issuedAtMs: 0 });

function read(text: string, key: KeyObject): Draft {
  const answer = readFeed(text, publicPem(key));
  if (answer.kind === 'refused')
    throw new Error(
      answer.code === 'bad_signature'
        ? 'The feed so far was signed by another key.'
        : 'The feed so far cannot be read.',
    );
  const { releases, blocked, issuedAtMs } = answer.feed;
  const payload: Draft['payload'] = {
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

const signature = (text: string, key: KeyObject): string =>
  sign(null, Buffer.from(text), key).toString('base64');
