import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

export type ScreenState = 'waiting' | 'offline' | 'applied' | 'showing';

/** How far a deployment is, as the screens themselves have said. */
export interface Progress {
  /** Screens that it reaches. */
  readonly total: number;
  /** Those of them that show the revision that they should. */
  readonly applied: number;
  /** Those of them that show this playlist now; null when they are too many to ask each. */
  readonly showing: number | null;
  /** The screens, or the first of those that are behind when they are too many. */
  readonly screens: readonly { id: string; name: string; state: ScreenState }[];
}

/** Each is one request every few seconds, and a session has 600 a minute. */
const MOST_ASKED_ONE_BY_ONE = 20;
/** Pages of 100 that are read of those that are behind. */
const MOST_PAGES = 20;
const AGAIN_MS = 3000;

export const progressQuery = (deploymentId: string, playlistId: string) =>
  queryOptions({
    queryKey: ['devices', 'progress', deploymentId],
    queryFn: ({ signal }) => readProgress(deploymentId, playlistId, signal),
    // What a screen shows is no event.
    refetchInterval: ({ state }) => (isDone(state.data) ? false : AGAIN_MS),
  });

const isDone = (progress: Progress | undefined): boolean =>
  progress !== undefined && (progress.showing ?? progress.applied) === progress.total;

async function readProgress(
  deploymentId: string,
  playlistId: string,
  signal: AbortSignal,
): Promise<Progress> {
  const deployment = await placard.playlists.getDeployment(
    deploymentId,
    { limit: MOST_ASKED_ONE_BY_ONE },
    { signal },
  );
  const { device_count: total } = deployment;
  if (total <= MOST_ASKED_ONE_BY_ONE) {
    const ids = Object.keys(deployment.manifest_revisions);
    const screens = await Promise.all(ids.map((id) => readScreen(id, playlistId, signal)));
    const isApplied = ({ state }: { state: ScreenState }) => state === 'applied' || state === 'showing';
    const showing = screens.filter(({ state }) => state === 'showing').length;
    return { total, applied: screens.filter(isApplied).length, showing, screens };
  }
  const behind = new Map<string, { id: string; name: string; state: ScreenState }>();
  for (const target of deployment.targets) {
    let pages = 0;
    for await (const page of placard.devices
      .list({ revision: 'behind', limit: 100, ...filterOf(target) }, { signal })
      .pages()) {
      for (const { id, name, status } of page.data) {
        behind.set(id, { id, name, state: status === 'offline' ? 'offline' : 'waiting' });
      }
      if (++pages >= MOST_PAGES) {
        break;
      }
    }
  }
  return {
    total,
    applied: Math.max(0, total - behind.size),
    showing: null,
    screens: [...behind.values()].slice(0, MOST_ASKED_ONE_BY_ONE),
  };
}

function filterOf(target: { type: string; id?: string; value?: string }) {
  return {
    ...(target.type === 'store' && target.id !== undefined && { store_id: target.id }),
    ...(target.type === 'tag' && target.value !== undefined && { tag: target.value }),
  };
}

async function readScreen(id: string, playlistId: string, signal: AbortSignal) {
  const device = await placard.devices.get(id, { signal });
  const { manifest_revision: wanted, applied_manifest_revision: applied } = device.configuration;
  const state: ScreenState =
    wanted !== applied
      ? device.status === 'offline'
        ? 'offline'
        : 'waiting'
      : device.status === 'online' && device.current_playlist?.id === playlistId
        ? 'showing'
        : 'applied';
  return { id, name: device.name, state };
}
