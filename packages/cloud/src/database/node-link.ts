import { liveWanted, wireCommand } from '@placard/protocol';
import type { Target } from '@placard/schedule';
import { targetKey } from '@placard/schedule';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CloudEvent } from '../domain/events.ts';
import type { Db } from './db.ts';
import type { ManifestChanges } from './manifest-changes.ts';
import type { Manifests } from './manifests.ts';
import { nodeMessageRepository } from './node-messages.ts';
import { organizationRepository } from './organization.ts';

/** Events of one node that concern the sockets or the work of others. What is unknown here comes from a newer version. */
const sharedEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), deviceId: z.string(), command: wireCommand }),
  z.object({ type: z.literal('unpaired'), deviceId: z.string() }),
  z.object({ type: z.enum(['live_requested', 'live_sent']), deviceId: z.string(), wanted: liveWanted }),
  z.object({
    type: z.literal('live_answered'),
    deviceId: z.string(),
    wanted: liveWanted,
    // It is in `live_answers`.
    result: z.null(),
  }),
  z.object({ type: z.literal('sockets_opened'), deviceIds: z.array(z.string()) }),
  z.object({ type: z.literal('pairing_codes_expired'), codes: z.array(z.string()) }),
  z.object({ type: z.literal('webhook_deliveries_pending') }),
  z.object({ type: z.literal('operations_pending') }),
]);

const sharedChange = z.object({
  /** What was touched of the content of manifests, and its number. */
  content: z
    .object({
      epoch: z.number(),
      settings: z.boolean(),
      playlists: z.array(z.string()),
      /** These two are missing in messages of older versions. */
      assets: z.array(z.string()).default([]),
      stores: z.array(z.string()).default([]),
      schedules: z.array(z.string()),
      targets: z.array(
        z.custom<Target>((value) => z.looseObject({ type: z.string() }).safeParse(value).success),
      ),
    })
    .nullable(),
  devices: z.array(z.string()),
  events: z.array(z.unknown()),
  /** Of the edit; missing without one, and in messages of older versions. */
  traces: z.array(z.string()).optional(),
});
type SharedChange = z.output<typeof sharedChange>;

export interface NodeLinkDeps {
  db: Db;
  /** Differs between all nodes, and between two runs of one. */
  nodeId: string;
  nowMs: () => number;
  manifests: Pick<Manifests, 'refresh' | 'drop'>;
  /** Events of other nodes. */
  publish: (events: readonly CloudEvent[]) => void;
  log: Pick<Logger, 'warn'>;
}

/**
 * Keeps what this node has in memory the same as what all nodes have stored. Each transaction leaves a message of what it
 * has changed; all nodes, its own included, read what they hold of it again, in the order of the messages.
 */
export interface NodeLink {
  /** Within a transaction, at its end. */
  leave(
    trx: Db,
    changes: ManifestChanges,
    events: readonly CloudEvent[],
    traces?: readonly string[],
  ): Promise<void>;
  /** Reads all messages of transactions that were committed before the call. */
  receive(): Promise<void>;
}

export function createNodeLink({ db, nodeId, nowMs, manifests, publish, log }: NodeLinkDeps): NodeLink {
  const messages = nodeMessageRepository(db);
  /** Null before the first time, when nothing is in memory yet. */
  let lastSeq: number | null = null;
  let receiving: Promise<void> = Promise.resolve();
  /** The next time, which all share that ask before it begins. */
  let queued: Promise<void> | null = null;

  const reportedTypes = new Set<string>();
  /** Logs each unknown type once. */
  const parseEvent = (value: unknown): CloudEvent[] => {
    const { data } = sharedEvent.safeParse(value);
    if (data) {
      return [data];
    }
    const type = z.looseObject({ type: z.string() }).safeParse(value).data?.type ?? 'none';
    if (!reportedTypes.has(type)) {
      reportedTypes.add(type);
      log.warn(
        {
          type,
          message: 'another node, probably of a newer version, sends events that this one cannot read',
        },
        'cluster.unknown_event',
      );
    }
    return [];
  };

  const readEverythingAgain = async (): Promise<void> => {
    lastSeq = await messages.lastSeq();
    manifests.drop();
    publish([{ type: 'manifests_changed', deviceIds: null }, { type: 'webhook_deliveries_pending' }]);
  };

  const receiveNow = async (): Promise<void> => {
    for (;;) {
      const read = lastSeq === null ? null : await messages.readAfter(lastSeq);
      const last = read?.at(-1);
      if (!read) {
        return readEverythingAgain();
      }
      if (!last) {
        return;
      }
      const changes = read.map(({ node, body }) => ({ node, change: parseChange(body) }));
      if (changes.some(({ change }) => change === null)) {
        return readEverythingAgain();
      }
      await apply(changes.map(({ node, change }) => ({ isOwn: node === nodeId, ...change! })));
      lastSeq = last.seq;
    }
  };

  const apply = async (changes: readonly (SharedChange & { isOwn: boolean })[]): Promise<void> => {
    const contents = changes.flatMap(({ content }) => content ?? []);
    const [first] = contents;
    await manifests.refresh({
      content: first
        ? {
            afterEpoch: first.epoch - 1,
            epoch: contents.at(-1)!.epoch,
            touched: {
              hasNewSettings: contents.some(({ settings }) => settings),
              playlistIds: new Set(contents.flatMap(({ playlists }) => playlists)),
              assetIds: new Set(contents.flatMap(({ assets }) => assets)),
              scheduleIds: new Set(contents.flatMap(({ schedules }) => schedules)),
              storeIds: new Set(contents.flatMap(({ stores }) => stores)),
              deployedTargets: new Map(
                contents.flatMap(({ targets }) => targets.map((target) => [targetKey(target), target])),
              ),
            },
          }
        : null,
      deviceIds: changes.flatMap(({ devices }) => devices),
    });
    const others = changes.filter(({ isOwn }) => !isOwn);
    const deviceIds = others.some(({ content }) => content) ? null : others.flatMap(({ devices }) => devices);
    const traces = others.flatMap((each) => each.traces ?? []);
    publish([
      ...others.flatMap(({ events }) => events.flatMap(parseEvent)),
      ...(deviceIds?.length === 0 ? [] : [{ type: 'manifests_changed' as const, deviceIds, traces }]),
    ]);
  };

  return {
    async leave(trx, changes, events, traces = []) {
      const shared = events.filter(({ type }) => type !== 'manifests_changed');
      const deviceIds = changes.deviceIds();
      if (!changes.hasContent() && deviceIds.length === 0 && shared.length === 0) {
        return;
      }
      const { hasNewSettings, playlistIds, assetIds, scheduleIds, storeIds, deployedTargets } =
        changes.content();
      const change: SharedChange = {
        content: changes.hasContent()
          ? {
              epoch: await organizationRepository(trx).incrementEpoch(),
              settings: hasNewSettings,
              playlists: [...playlistIds],
              assets: [...assetIds],
              schedules: [...scheduleIds],
              stores: [...storeIds],
              targets: [...deployedTargets.values()],
            }
          : null,
        devices: [...deviceIds],
        events: [...shared],
        ...(traces.length > 0 ? { traces: [...traces] } : {}),
      };
      await nodeMessageRepository(trx).add(nodeId, JSON.stringify(change), nowMs());
    },
    receive() {
      queued ??= receiving.then(() => {
        queued = null;
        const running = receiveNow();
        receiving = running.catch(() => {});
        return running;
      });
      return queued;
    },
  };
}

function parseChange(body: string): SharedChange | null {
  try {
    return sharedChange.parse(JSON.parse(body));
  } catch {
    return null;
  }
}
