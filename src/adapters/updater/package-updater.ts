import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { chooseRelease } from '../../core/update/feed.ts';
import type { UpdateFeed, InstalledPlayer, Release } from '../../core/update/feed.ts';
import { createNoUpdateReport, FAILURE_DETAILS } from '../../core/update/update-report.ts';
import type { UpdateFailure, UpdateReport } from '../../core/update/update-report.ts';
import { NEVER_UPDATED } from '../../core/update/helper-state.ts';
import type { HelperState } from '../../core/update/helper-state.ts';
import type { Clock, Log, PackageUpdater } from '../../core/ports.ts';
import { writeDurably } from '../files/durable-file.ts';
import { fetchPackage } from './fetch-package.ts';
import { parseHelperState } from './helper-state.ts';
import { readFeed } from './signed-feed.ts';
import type { FeedResult } from './signed-feed.ts';

export interface UpdaterDeps {
  /** Address of the feed; null when this player is not updated over the network. */
  feedUrl: string | null;
  releaseKeyPem: string | null;
  /** Folder of the update helper: `/var/lib/placard-update`. */
  folder: string;
  /** The installed player, without the blocked versions, which the helper knows. Called at each check. */
  installed(): Omit<InstalledPlayer, 'blocked'>;
  dispatcher: Dispatcher;
  clock: Pick<Clock, 'sleep'>;
  log: Log;
}

/** Proven and ready to be handed over, or why there is nothing to hand over. */
type FetchResult = { partPath: string; release: Release } | UpdateReport;

const MAX_FEED_BYTES = 4 * 1024 * 1024;
/** How often the helper's state is read, and how long it may leave a package untouched. */
const POLL_INTERVAL_MS = 2_000;
const HELPER_TIMEOUT_MS = 15 * 60_000;
/** For the package, the helper's copy, and the unpacked files. */
const DISK_SPACE_FACTOR = 3;

/** Updates through the update helper; this process is unprivileged, and the helper does not trust it. */
export function createPackageUpdater(deps: UpdaterDeps): PackageUpdater {
  const inbox = join(deps.folder, 'inbox');
  let currentFetch: Promise<FetchResult> | null = null;
  let currentHandover: Promise<void> | null = null;

  const fail = (code: UpdateFailure, to: string | null = null): UpdateReport => {
    const from = deps.installed().version;
    deps.log.warn({ code, from, to }, 'update.failed');
    return { outcome: 'failed', from, to, code, detail: FAILURE_DETAILS[code] };
  };

  async function fetch(
    onProgress: (report: UpdateReport) => void,
    signal: AbortSignal,
  ): Promise<FetchResult> {
    const installed = { ...deps.installed(), blocked: await readBlocked(deps.folder) };
    const from = installed.version;
    if (!deps.feedUrl || !deps.releaseKeyPem) {
      return fail('not_configured');
    }
    if (!existsSync(inbox)) {
      return fail('no_helper');
    }
    if (await isBusy()) {
      return fail('busy');
    }

    const text = await fetchText(deps.feedUrl, deps.dispatcher, signal);
    if (text === null) {
      return fail('download_failed');
    }
    const feedResult: FeedResult = readFeed(text, deps.releaseKeyPem);
    if (feedResult.kind === 'refused') {
      return fail(feedResult.code);
    }
    if (!(await isNewest(feedResult.feed))) {
      return fail('old_feed');
    }
    const choice = chooseRelease(feedResult.feed, installed);
    if (choice.kind !== 'update') {
      return createNoUpdateReport(choice, from);
    }

    const { release } = choice;
    const to = release.manifest.version;
    const disk = await statfs(inbox);
    if (disk.bavail * disk.bsize < release.manifest.size * DISK_SPACE_FACTOR) {
      return fail('no_space', to);
    }
    deps.log.info({ from, to, size: release.manifest.size }, 'update.download_started');
    onProgress({ outcome: 'downloading', from, to, code: null, detail: `${to} is being downloaded.` });
    const partPath = await partFor(to);
    const fetched = await fetchPackage({
      url: new URL(release.url, deps.feedUrl).href,
      manifest: release.manifest,
      partPath,
      dispatcher: deps.dispatcher,
      signal,
    });
    if (fetched !== 'complete') {
      return fail(fetched, to);
    }
    deps.log.info({ from, to }, 'update.staged');
    return { partPath, release };
  }

  async function check(
    { mayInstall, onProgress = () => {} }: Parameters<PackageUpdater['check']>[0],
    signal: AbortSignal,
  ): Promise<UpdateReport> {
    currentFetch ??= fetch(onProgress, signal).finally(() => (currentFetch = null));
    const fetched = await currentFetch;
    if (!('partPath' in fetched)) {
      return fetched;
    }
    const from = deps.installed().version;
    const to = fetched.release.manifest.version;
    const staged: UpdateReport = {
      outcome: 'staged',
      from,
      to,
      code: null,
      detail: `${to} is downloaded; it is installed in the maintenance window, or by UPDATE_CHECK.`,
    };
    if (!mayInstall()) {
      return staged;
    }
    onProgress({ ...staged, detail: `${to} is downloaded.` });
    currentHandover ??= handOver(fetched.partPath, fetched.release).finally(() => (currentHandover = null));
    await currentHandover;
    deps.log.info({ from, to }, 'update.handed_over');
    return { ...staged, outcome: 'installing', detail: `${to} is being installed.` };
  }

  async function follow(to: string, signal: AbortSignal): Promise<UpdateReport> {
    let waitedMs = 0;
    while (!signal.aborted) {
      // Read in this order: the helper removes the request only after it has written its state.
      const waiting = existsSync(join(inbox, 'request'));
      const state = await readHelperState();
      if (!waiting && state.phase === 'idle') {
        return toUpdateReport(state, to);
      }
      if (waiting && state.phase === 'idle' && waitedMs >= HELPER_TIMEOUT_MS) {
        return fail('helper_silent', to);
      }
      if (state.phase === 'idle') {
        waitedMs += POLL_INTERVAL_MS;
      }
      await deps.clock.sleep(POLL_INTERVAL_MS, signal);
    }
    return fail('busy', to);
  }

  /** Stores the date of the newest feed: an older one could bring back withdrawn releases. */
  async function isNewest({ issuedAtMs }: UpdateFeed): Promise<boolean> {
    const path = join(inbox, 'feed-issued-at');
    const seenMs = Number(await readFile(path, 'utf8').catch(() => 0)) || 0;
    // A full disk is reported later on.
    if (issuedAtMs > seenMs) {
      await writeDurably(path, String(issuedAtMs)).catch(() => {});
    }
    return issuedAtMs >= seenMs;
  }

  /** The unfinished file of this version; those of other versions are deleted. */
  async function partFor(version: string): Promise<string> {
    const name = `${version}.part`;
    for (const file of await readdir(inbox)) {
      if (file.endsWith('.part') && file !== name) {
        await rm(join(inbox, file), { force: true });
      }
    }
    return join(inbox, name);
  }

  /** `request` is written last: the helper waits for it. */
  async function handOver(part: string, release: Release): Promise<void> {
    await rename(part, join(inbox, 'package'));
    await writeDurably(join(inbox, 'manifest'), release.manifestText);
    await writeDurably(join(inbox, 'manifest.sig'), Buffer.from(release.signature, 'base64'));
    await writeDurably(join(inbox, 'request'), '');
  }

  const isBusy = async () => existsSync(join(inbox, 'request')) || (await readHelperState()).phase !== 'idle';

  async function readHelperState(): Promise<HelperState> {
    const text = await readFile(join(deps.folder, 'state'), 'utf8').catch(() => null);
    return (text === null ? null : parseHelperState(text)) ?? NEVER_UPDATED;
  }

  return {
    check,
    follow,
    isBusy,
    readHelperState,
    async reportHealthy() {
      if ((await readHelperState()).phase === 'trial') {
        await writeDurably(join(inbox, 'healthy'), `${deps.installed().version}\n`);
      }
    },
  };
}

/** Converts the helper's final state of an update into a report. */
function toUpdateReport({ outcome, code, from, to }: HelperState, targetVersion: string): UpdateReport {
  if (outcome === 'confirmed' && to === targetVersion) {
    return { outcome, from, to, code: null, detail: `${to} is installed and healthy.` };
  }
  if (outcome === 'rolled_back' && to === targetVersion) {
    const why = code === 'no_space' ? 'did not have enough disk space' : 'did not become healthy';
    return { outcome, from, to, code, detail: `${to} ${why}; ${from} runs again.` };
  }
  const why = outcome === 'failed' && code !== '' ? code : 'unknown';
  return {
    outcome: 'failed',
    from,
    to: targetVersion,
    code: why,
    detail: `${targetVersion} was not installed.`,
  };
}

async function readBlocked(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'blocked'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Null when the download fails. */
async function fetchText(url: string, dispatcher: Dispatcher, signal: AbortSignal): Promise<string | null> {
  try {
    const { request } = await import('undici');
    const { statusCode, body } = await request(url, { dispatcher, signal });
    if (statusCode !== 200) {
      await body.dump({ limit: 64 * 1024, signal });
      return null;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_FEED_BYTES) {
        return null;
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    return null;
  }
}
