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
): string {
  const payload = text === null ? { format: 1 as const, releases: [], blocked: [] } : read(text, key);
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
  const body = JSON.stringify(payload, null, 1);
  return `${JSON.stringify({ payload: body, signature: signature(body, key) }, null, 1)}\n`;
}

function read(text: string, key: KeyObject): FeedPayload {
  const answer = readFeed(text, publicPem(key));
  if (answer.kind === 'refused')
    throw new Error(
      answer.code === 'bad_signature'
        ? 'The feed so far was signed by another key.'
        : 'The feed so far cannot be read.',
    );
  return {
    format: 1,
    releases: answer.feed.releases.map((each) => ({
      manifest: each.manifestText,
      signature: each.signature,
      url: each.url,
      channel: each.channel,
      rollout_percent: each.rolloutPercent,
    })),
    blocked: [...answer.feed.blocked],
  };
}

const isSame = (text: string, { package: name, version, arch }: ReleaseManifest): boolean =>
  text.includes(`\npackage=${name}\nversion=${version}\narch=${arch}\n`);

const signature = (text: string, key: KeyObject): string =>
  sign(null, Buffer.from(text), key).toString('base64');
