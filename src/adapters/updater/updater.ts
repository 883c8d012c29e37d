import { access, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { chooseRelease, type Feed, type Installed, type Release } from '../../core/update/feed.ts';
import { reportChoice, type UpdateFailure, type UpdateReport } from '../../core/update/report.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { keep } from './durable-file.ts';
import { fetchPackage } from './fetch-package.ts';
import { NEVER_UPDATED, parseHelperState, type HelperState } from './helper-state.ts';
import { readFeed, type FeedAnswer } from './signed-feed.ts';

export interface UpdaterDeps {
  /** Address of the feed; null when this player is not updated over the network. */
  feedUrl: string | null;
  releaseKeyPem: string | null;
  /** Folder of the privileged helper: `/var/lib/placard-update`. */
  folder: string;
  /** What runs here, but for what has failed here: the helper knows that. Asked at each check. */
  installed(): Omit<Installed, 'blocked'>;
  dispatcher: Dispatcher;
  clock: Pick<Clock, 'sleep'>;
  log: Log;
}

/** Proven and ready to be handed over, or why there is nothing to hand over. */
type Fetched = { part: string; release: Release } | UpdateReport;

export interface PackageUpdater {
  /**
   * Looks for a newer version and fetches it: `staged`. With `install` it is handed to the privileged helper as well:
   * `installing`. One at a time, however many ask.
   */
  check(
    how: { install: boolean; tell?: (report: UpdateReport) => void },
    signal: AbortSignal,
  ): Promise<UpdateReport>;
  /**
   * Follows what was handed over until the helper has done with it: `confirmed`, `rolled_back` or `failed`. Goes on
   * where an earlier run of the player ended.
   */
  follow(to: string, signal: AbortSignal): Promise<UpdateReport>;
  /** Whether the helper has something in hand, or is about to. */
  atWork(): Promise<boolean>;
  /** What the privileged helper says about the last update; it outlives restarts. */
  last(): Promise<HelperState>;
  /** Tells the helper that this version works, once `isHealthy`; without it a version on trial is taken back. */
  reportHealthy(): Promise<void>;
}

const MAX_FEED_BYTES = 4 * 1024 * 1024;
/** How often the helper's word is looked at, and how long it may leave a package lying. */
const LOOK_MS = 2_000;
const HELPER_PATIENCE_MS = 15 * 60_000;
/** For the package, its copy that is judged, and what it unpacks to. */
const ROOM = 3;

/** Updates through the helper of the operating system; this side has no privilege and is not trusted by it. */
export function createPackageUpdater(deps: UpdaterDeps): PackageUpdater {
  const inbox = join(deps.folder, 'inbox');
  let fetching: Promise<Fetched> | null = null;
  let handing: Promise<void> | null = null;

  const fail = (code: UpdateFailure, to: string | null = null): UpdateReport => {
    const from = deps.installed().version;
    deps.log.warn({ code, from, to }, 'update.failed');
    return { outcome: 'failed', from, to, code, detail: DETAILS[code] };
  };

  async function fetch(tell: (report: UpdateReport) => void, signal: AbortSignal): Promise<Fetched> {
    const box = { ...deps.installed(), blocked: await readBlocked(deps.folder) };
    const from = box.version;
    if (!deps.feedUrl || !deps.releaseKeyPem) return fail('not_configured');
    if (!(await exists(inbox))) return fail('no_helper');
    if (await atWork()) return fail('busy');

    const text = await fetchText(deps.feedUrl, deps.dispatcher, signal);
    if (text === null) return fail('download_failed');
    const answer: FeedAnswer = readFeed(text, deps.releaseKeyPem);
    if (answer.kind === 'refused') return fail(answer.code);
    if (!(await isNewest(answer.feed))) return fail('old_feed');
    const choice = chooseRelease(answer.feed, box);
    if (choice.kind !== 'update') return reportChoice(choice, from);

    const { release } = choice;
    const to = release.manifest.version;
    const disk = await statfs(inbox);
    if (disk.bavail * disk.bsize < release.manifest.size * ROOM) return fail('no_space', to);
    deps.log.info({ from, to, size: release.manifest.size }, 'update.downloading');
    tell({ outcome: 'downloading', from, to, code: null, detail: `${to} is being fetched.` });
    const part = await partFor(to);
    const fetched = await fetchPackage({
      url: new URL(release.url, deps.feedUrl).href,
      manifest: release.manifest,
      part,
      dispatcher: deps.dispatcher,
      signal,
    });
    if (fetched !== 'complete') return fail(fetched, to);
    deps.log.info({ from, to }, 'update.staged');
    return { part, release };
  }

  async function check(
    { install, tell = () => {} }: Parameters<PackageUpdater['check']>[0],
    signal: AbortSignal,
  ): Promise<UpdateReport> {
    fetching ??= fetch(tell, signal).finally(() => (fetching = null));
    const fetched = await fetching;
    if (!('part' in fetched)) return fetched;
    const from = deps.installed().version;
    const to = fetched.release.manifest.version;
    const staged: UpdateReport = {
      outcome: 'staged',
      from,
      to,
      code: null,
      detail: `${to} is downloaded; it is installed in the maintenance window, or by UPDATE_CHECK.`,
    };
    if (!install) return staged;
    tell({ ...staged, detail: `${to} is downloaded.` });
    handing ??= hand(fetched.part, fetched.release).finally(() => (handing = null));
    await handing;
    deps.log.info({ from, to }, 'update.handed_over');
    return { ...staged, outcome: 'installing', detail: `${to} is being installed.` };
  }

  async function follow(to: string, signal: AbortSignal): Promise<UpdateReport> {
    let waitedMs = 0;
    while (!signal.aborted) {
      // Asked in this order: the helper takes the request away only after it has written what it does.
      const waiting = await exists(join(inbox, 'request'));
      const state = await last();
      if (!waiting && state.phase === 'idle') return reportOf(state, to);
      if (waiting && state.phase === 'idle' && waitedMs >= HELPER_PATIENCE_MS)
        return fail('helper_silent', to);
      if (state.phase === 'idle') waitedMs += LOOK_MS;
      await deps.clock.sleep(LOOK_MS, signal);
    }
    return fail('busy', to);
  }

  /** Remembers the newest feed that was seen here, over restarts: an older one would bring back what was withdrawn. */
  async function isNewest({ issuedAtMs }: Feed): Promise<boolean> {
    const path = join(inbox, 'feed-issued-at');
    const seenMs = Number(await readFile(path, 'utf8').catch(() => 0)) || 0;
    // A full disk is told further on.
    if (issuedAtMs > seenMs) await keep(path, String(issuedAtMs)).catch(() => {});
    return issuedAtMs >= seenMs;
  }

  /** The unfinished file of this version; those of other versions are thrown away. */
  async function partFor(version: string): Promise<string> {
    const name = `${version}.part`;
    for (const file of await readdir(inbox))
      if (file.endsWith('.part') && file !== name) await rm(join(inbox, file), { force: true });
    return join(inbox, name);
  }

  /** `request` comes last: it is what the helper waits for. */
  async function hand(part: string, release: Release): Promise<void> {
    await rename(part, join(inbox, 'package'));
    await keep(join(inbox, 'manifest'), release.manifestText);
    await keep(join(inbox, 'manifest.sig'), Buffer.from(release.signature, 'base64'));
    await keep(join(inbox, 'request'), '');
  }

  const atWork = async () => (await exists(join(inbox, 'request'))) || (await last()).phase !== 'idle';

  async function last(): Promise<HelperState> {
    const text = await readFile(join(deps.folder, 'state'), 'utf8').catch(() => null);
    return (text === null ? null : parseHelperState(text)) ?? NEVER_UPDATED;
  }

  return {
    check,
    follow,
    atWork,
    last,
    async reportHealthy() {
      if ((await last()).phase === 'trial')
        await keep(join(inbox, 'healthy'), `${deps.installed().version}\n`);
    },
  };
}

const DETAILS: Record<UpdateFailure, string> = {
  not_configured: 'This player is not updated over the network: no feed or no release key is set.',
  download_failed:
    'The update server cannot be reached or broke off; the next check goes on where this one ended.',
  bad_signature: 'The list of releases is not signed by the release key; nothing was installed.',
  bad_feed: 'The list of releases cannot be read; check the address of the feed.',
  old_feed: 'The list of releases is older than one that this player has seen; nothing was installed.',
  wrong_hash: 'The package is not the one that was signed; it was thrown away.',
  no_space: 'The disk has no room for the update; free three times the size of the package.',
  no_helper: 'This player was not installed from a package, so it cannot install updates.',
  busy: 'An update is being installed or on trial; check again later.',
  helper_silent: 'The update helper does not take the package; see "systemctl status placard-update".',
};

/** The helper's last word on an update, as a report. */
function reportOf({ outcome, code, from, to }: HelperState, wanted: string): UpdateReport {
  if (outcome === 'confirmed' && to === wanted)
    return { outcome, from, to, code: null, detail: `${to} is installed and well.` };
  if (outcome === 'rolled_back' && to === wanted) {
    const why = code === 'no_space' ? 'found no room on the disk' : 'did not get well';
    return { outcome, from, to, code, detail: `${to} ${why}; ${from} runs again.` };
  }
  const why = outcome === 'failed' && code !== '' ? code : 'unknown';
  return { outcome: 'failed', from, to: wanted, code: why, detail: `${wanted} was not installed.` };
}

async function readBlocked(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'blocked'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Null when it cannot be had. */
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
      if (size > MAX_FEED_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
