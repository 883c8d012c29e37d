import type {
  DisplaySettings,
  Manifest,
  ManifestAsset,
  ManifestPlaylist,
  ManifestSchedule,
  Orientation,
  ZoneTable,
} from '@placard/protocol';
import { targetKey, targetKeys } from './reach.ts';

/** Everything that devices can be told to show. */
export interface World {
  timezone: string;
  /** The clocks of the zones used. */
  timezones: ZoneTable;
  /** Where the files lie: hosts, with a port that is not the usual one. */
  mediaHosts: readonly string[];
  /** Active schedules, ordered by id. */
  schedules: readonly ManifestSchedule[];
  /** The other ones, by id: no device gets them, but somebody may ask why they do not show. */
  switchedOff: readonly ManifestSchedule[];
  playlists: ReadonlyMap<string, ManifestPlaylist>;
  assets: ReadonlyMap<string, ManifestAsset>;
  /** The deployment that holds each target, by `targetKey`. */
  deployed: ReadonlyMap<string, { playlistId: string; deploymentId: string; createdAtMs: number }>;
}

/** What decides which part of the world a device shows. */
export interface Member {
  id: string;
  name: string;
  orientation: Orientation;
  display: DisplaySettings;
  /** Hash of the PIN of the technician menu, or null. */
  menuPinHash: string | null;
  storeId: string | null;
  tags: readonly string[];
}

export type Hash = (text: string) => string;

export interface Manifests {
  world: World;
  /** The playlist deployed to the device, or null. */
  basePlaylistOf(member: Member): string | null;
  /** Equal content, equal revision. */
  revisionOf(member: Member): string;
  /**
   * Those of many devices: what some of them have in common is hashed and held for these at a time. `pause` lets others
   * have their turn in between.
   */
  revisionsOf(members: readonly Member[], pause: () => Promise<void>): Promise<Map<Member, string>>;
  manifestOf(member: Member): Manifest;
  /**
   * The same as JSON text in UTF-8, in parts. Devices that show the same ask at the same moment, when it has changed:
   * the large part is the same memory for all of them.
   */
  manifestJsonOf(member: Member): { revision: string; json: Buffer[] };
}

/** So many parts that devices have in common are kept, as they are hashed and as they are sent. */
const MOST_SHARED = 16;

/** What is the same for every device that the same targets reach and that has the same base playlist. */
interface Common {
  /** The JSON that a revision is the hash of, from behind what is of the device alone. */
  revised: string;
  /** The JSON of a manifest, from behind the same; null until it is asked for. */
  sent: Buffer | null;
}

/**
 * Derives manifests from the world. The revision is a hash over the hashes of the parts, so that ten
 * thousand devices cost ten thousand short hashes and not ten thousand manifests.
 */
export function createManifests(world: World, hash: Hash): Manifests {
  const playlistHashes = memo((id: string) => {
    const playlist = world.playlists.get(id);
    const assets = playlist?.items.map((item) => world.assets.get(item.content_id) ?? null);
    return hash(JSON.stringify([playlist ?? null, assets]));
  });
  const scheduleHashes = new Map(
    world.schedules.map((schedule) => [schedule.id, hash(JSON.stringify({ ...schedule, targets: null }))]),
  );

  const basePlaylistOf = (member: Member): string | null => {
    let best: { playlistId: string; deploymentId: string; createdAtMs: number } | undefined;
    for (const key of targetKeys(member)) {
      const found = world.deployed.get(key);
      if (!found) continue;
      const newer =
        !best ||
        found.createdAtMs > best.createdAtMs ||
        (found.createdAtMs === best.createdAtMs && found.deploymentId > best.deploymentId);
      if (newer) best = found;
    }
    return best?.playlistId ?? null;
  };

  /** Which target of which schedule, by `targetKey`: a device looks up its own keys, not all targets. */
  const aimedAt = new Map<string, { schedule: number; target: number }[]>();
  for (const [schedule, { targets }] of world.schedules.entries())
    for (const [target, aim] of targets.entries()) {
      const key = targetKey(aim);
      const held = aimedAt.get(key);
      if (held) held.push({ schedule, target });
      else aimedAt.set(key, [{ schedule, target }]);
    }

  /** The schedules that reach a device, in their order, with the targets that do. */
  const schedulesFor = (member: Member): ManifestSchedule[] => {
    const found = new Map<number, number[]>();
    for (const key of new Set(targetKeys(member)))
      for (const { schedule, target } of aimedAt.get(key) ?? [])
        found.set(schedule, [...(found.get(schedule) ?? []), target]);
    return [...found]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, targets]) => {
        const schedule = world.schedules[index];
        const ordered = targets.toSorted((a, b) => a - b).flatMap((at) => schedule?.targets[at] ?? []);
        return schedule ? [{ ...schedule, targets: ordered }] : [];
      });
  };

  const parts = (member: Member) => {
    const schedules = schedulesFor(member);
    const base = basePlaylistOf(member);
    const wanted = new Set(schedules.flatMap((schedule) => schedule.rules.map((rule) => rule.playlist_id)));
    if (base !== null) wanted.add(base);
    return { schedules, base, playlistIds: [...wanted].toSorted() };
  };

  /** Members with equal keys have equal parts. */
  const commonKey = (member: Member): string =>
    JSON.stringify([
      basePlaylistOf(member),
      targetKeys(member)
        .filter((key) => aimedAt.has(key))
        .toSorted(),
    ]);
  const common = new Map<string, Common>();
  const commonOf = (member: Member, its?: ReturnType<typeof parts>): Common => {
    const key = commonKey(member);
    const found = common.get(key) ?? { revised: revisedBy(its ?? parts(member)), sent: null };
    common.delete(key);
    common.set(key, found);
    for (const [oldest] of common) {
      if (common.size <= MOST_SHARED) break;
      common.delete(oldest);
    }
    return found;
  };

  const revisedBy = ({ schedules, base, playlistIds }: ReturnType<typeof parts>): string =>
    JSON.stringify([
      base,
      schedules.map((schedule) => [scheduleHashes.get(schedule.id), schedule.targets]),
      playlistIds.map(playlistHashes),
    ]).slice(1);
  const shared = JSON.stringify(hash(JSON.stringify([world.timezone, world.timezones, world.mediaHosts])));
  const revisionOf = (member: Member): string =>
    hash(`[${shared},${JSON.stringify(deviceOf(member))},${commonOf(member).revised}`);

  /** All that a manifest holds but what is of the device alone. */
  const shownBy = ({ schedules, base, playlistIds }: ReturnType<typeof parts>) => {
    const playlists = playlistIds.flatMap((id) => world.playlists.get(id) ?? []);
    const assetIds = new Set(playlists.flatMap((playlist) => playlist.items.map((item) => item.content_id)));
    return {
      organization: { timezone: world.timezone },
      base_playlist_id: base,
      schedules,
      playlists,
      assets: [...assetIds].toSorted().flatMap((id) => world.assets.get(id) ?? []),
      timezones: world.timezones,
      media_hosts: [...world.mediaHosts],
    };
  };

  return {
    world,
    basePlaylistOf,
    revisionOf,
    async revisionsOf(members, pause) {
      const revisions = new Map<Member, string>();
      const hashed = new Set<string>();
      // One group after the other: however many there are, no common part is made twice.
      for (const group of Map.groupBy(members, commonKey).values()) {
        const [first] = group;
        if (!first) continue;
        const its = parts(first);
        for (const id of its.playlistIds) {
          if (hashed.has(id)) continue;
          hashed.add(id);
          playlistHashes(id);
          await pause();
        }
        commonOf(first, its);
        for (const member of group) {
          revisions.set(member, revisionOf(member));
          await pause();
        }
      }
      return revisions;
    },
    manifestOf: (member) => ({
      revision: revisionOf(member),
      device: deviceOf(member),
      ...shownBy(parts(member)),
    }),
    manifestJsonOf(member) {
      const revision = revisionOf(member);
      const found = commonOf(member);
      found.sent ??= Buffer.from(JSON.stringify(shownBy(parts(member))).slice(1));
      const own = JSON.stringify({ revision, device: deviceOf(member) });
      return {
        revision,
        json: [Buffer.from(`${own.slice(0, -1)},`), found.sent],
      };
    },
  };
}

function memo<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const held = known.get(key);
    if (held !== undefined) return held;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}

const deviceOf = (member: Member): Manifest['device'] => ({
  id: member.id,
  name: member.name,
  orientation: member.orientation,
  display: member.display,
  menu_pin_hash: member.menuPinHash,
});
