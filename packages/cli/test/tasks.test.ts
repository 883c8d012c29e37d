import { mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlacardClient } from '@placard/client';
import { uploadFile } from '@placard/client/uploads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { clientOf } from '../../client/test/support/start-client.ts';
import { startLine } from '../../client/test/support/line.ts';
import type { Line } from '../../client/test/support/line.ts';
import { png, sampleMedia } from '../../cloud/test/support/media.ts';
import { buildPlay, pairDevice, startPairing } from '../../cloud/test/support/paired-device.ts';
import { startRecordingServer } from '../../cloud/test/support/recording-server.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { runPlacard, startPlacard } from './support/run-placard.ts';

/** What integrators do, each with the client and with the command line. */
let cloud: TestCloud;
let placard: PlacardClient;
beforeAll(async () => {
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
  placard = clientOf(cloud);
  // A log of events that is not empty.
  await placard.stores.create({ name: 'Head office' });
});
afterAll(() => cloud.close());

/** Runs the command line; it must succeed. Returns what it printed as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- each command prints something else
async function cli(...args: string[]): Promise<any> {
  const finished = await runPlacard(cloud, [...args, '--json']);
  expect([finished.code, finished.stderr]).toEqual([0, '']);
  return finished.json;
}

const WAYS = ['client', 'command line'] as const;
type Way = (typeof WAYS)[number];
let names = 0;
/** A name that no other test uses. */
const fresh = (text: string) => `${text} ${++names}`;

const newPlaylist = (name: string) => placard.playlists.create({ name, mode: 'sequential', items: [] });
const newDevice = async (fields: Record<string, unknown>) => (await pairDevice(cloud, fields)).deviceId;
const latest = async () =>
  (await placard.events.list({ cursor: 'latest', limit: 1 }).page()).meta.next_cursor ?? undefined;

const waitForOperation = (id: string) =>
  eventually(async () => expect((await placard.operations.get(id)).status).toBe('finished'));

async function uploadWithClient(path: string, line: Line): Promise<{ size: number }> {
  let cuts = 0;
  const file = await openAsBlob(path);
  return uploadFile(clientOf(cloud, { server: line.url }), file, {
    chunkBytes: Math.ceil(file.size / 5),
    onProgress: ({ sent }) => {
      if (sent > 0 && cuts < 2) {
        cuts++;
        line.cut();
      }
    },
  });
}

async function uploadWithCommand(path: string, line: Line): Promise<{ size: number }> {
  const running = startPlacard(cloud, ['upload', path, '--json'], { env: { PLACARD_SERVER: line.url } });
  await eventually(() => expect(line.connections).toBeGreaterThan(0));
  line.cut();
  return (await running.finished).json[0];
}

describe.each(WAYS)('with the %s', (way: Way) => {
  const isClient = way === 'client';

  test('1. pair a screen', async () => {
    const { data: session } = await startPairing(cloud);
    const name = fresh('Paired');
    const device = isClient
      ? await placard.devices.pair({ code: session.code, name })
      : await cli('pair', session.code, '--name', name);
    expect(device).toMatchObject({ name, status: 'offline' });
  });

  test('2. list the screens that are offline', async () => {
    const id = await newDevice({ name: fresh('Offline') });
    const devices: { id: string; status: string }[] = isClient
      ? await placard.devices.list({ status: 'offline' }).toArray()
      : await cli('devices', 'list', '--status', 'offline');
    expect(devices.map((device) => device.id)).toContain(id);
  });

  test('3. rename a screen and tag it', async () => {
    const id = await newDevice({ name: fresh('Old'), tags: ['kept'] });
    const name = fresh('Renamed');
    if (isClient) {
      const { tags } = await placard.devices.get(id);
      await placard.devices.update(id, { name, tags: [...tags, 'lobby'] });
    } else {
      await cli('devices', 'set', id, '--name', name, '--add-tag', 'lobby');
    }
    expect(await placard.devices.get(id)).toMatchObject({ name, tags: ['kept', 'lobby'] });
  });

  test('4. move screens to a store', async () => {
    const ids = [await newDevice({ name: fresh('Mover') }), await newDevice({ name: fresh('Mover') })];
    const name = fresh('New store');
    if (isClient) {
      const { id: store_id } = await placard.stores.create({ name });
      const action = { type: 'set_store' as const, store_id };
      await waitForOperation((await placard.operations.create({ devices: { ids }, action })).id);
    } else {
      await cli('stores', 'create', name);
      await cli('devices', 'set', ...ids, '--store', name);
    }
    const stores = await placard.stores.list().toArray();
    expect(stores.find((store) => store.name === name)?.device_count).toBe(2);
  });

  test('5. upload a folder', async () => {
    const folder = join(tempDir(), fresh('folder'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.png'), await png(names));
    writeFileSync(join(folder, 'b.png'), await png(names + 100));
    const name = fresh('Uploaded');
    if (isClient) {
      const { id } = await placard.folders.create({ name });
      for (const file of ['a.png', 'b.png']) {
        await placard.content.upload({
          file: await openAsBlob(join(folder, file)),
          name: file,
          folder_id: id,
        });
      }
    } else {
      await runPlacard(cloud, ['upload', folder, '--into', name]);
    }
    const folders = await placard.folders.list().toArray();
    const created = folders.find((each) => each.name === name);
    const content = await placard.content.list({ folder_id: created?.id }).toArray();
    expect(content.map((each) => each.name).toSorted()).toEqual(['a.png', 'b.png']);
  });

  test('6. upload a video over a line that is cut, and see how far it is', async () => {
    const bytes = await sampleMedia(isClient ? 'sample-waves-1280x720.mp4' : 'sample-flowers-720x1280.mp4');
    const path = join(tempDir(), `${fresh('film')}.mp4`);
    writeFileSync(path, bytes);
    const line = await startLine(cloud.cloud.url);
    const asset = await (isClient ? uploadWithClient(path, line) : uploadWithCommand(path, line));
    expect(asset.size).toBe(bytes.length);
    expect(line.connections).toBeGreaterThan(1);
  });

  test('7. import a picture from an address', async () => {
    const bytes = await png(200 + names);
    const server = await startRecordingServer((_request, response) => response.end(bytes));
    const name = fresh('Imported');
    const asset = isClient
      ? await placard.content.import({ url: `${server.url}/x.png`, name })
      : await cli('content', 'import', `${server.url}/x.png`, '--name', name);
    await server.close();
    expect(asset).toMatchObject({ name, format: 'png' });
  });

  test('8. make a playlist of uploaded pictures', async () => {
    const name = fresh('Picture');
    const { id } = await placard.content.upload({
      file: new Blob([Uint8Array.from(await png(names))]),
      name,
    });
    const playlist = isClient
      ? await placard.playlists.create({
          name: fresh('Playlist'),
          mode: 'sequential',
          items: [{ content_id: id, duration: 15 }],
        })
      : await cli('playlist', 'create', fresh('Playlist'), name, '--duration', '15');
    expect(playlist).toMatchObject({ item_count: 1, total_duration: 15 });
  });

  test('9. deploy a playlist to all screens with a tag, after a look at what it would change', async () => {
    const tag = fresh('deploy');
    const device = await newDevice({ name: fresh('Deployed'), tags: [tag] });
    const { id } = await newPlaylist(fresh('Deployed'));
    const targets = [{ type: 'tag' as const, value: tag }];
    const tried = isClient
      ? await placard.playlists.deploy(id, { targets }, { query: { dry_run: true } })
      : await cli('deploy', id, '--to', `tag:${tag}`, '--dry-run');
    expect(tried.dry_run.device_count).toBe(1);
    expect((await placard.devices.getActiveSchedule(device)).source).toBe('none');
    const deployment = isClient
      ? await placard.playlists.deploy(id, { targets })
      : await cli('deploy', id, '--to', `tag:${tag}`);
    expect(deployment.device_count).toBe(1);
    expect((await placard.devices.getActiveSchedule(device)).playlist?.id).toBe(id);
  });

  test('10. make a weekly schedule with a holiday', async () => {
    const tag = fresh('weekly');
    const device = await newDevice({ name: fresh('Weekly'), tags: [tag] });
    const playlist = await newPlaylist(fresh('Weekly'));
    await (isClient
      ? placard.schedules.create({
          name: fresh('Weekly'),
          is_active: true,
          rules: [
            {
              playlist_id: playlist.id,
              start_time: '08:00',
              end_time: '18:00',
              days: ['MON', 'FRI'],
              except_dates: ['2026-12-25'],
            },
          ],
          targets: [{ type: 'tag', value: tag }],
        })
      : cli(
          'schedule',
          'create',
          fresh('Weekly'),
          `--playlist=${playlist.name}`,
          `--target=tag:${tag}`,
          '--from=08:00',
          '--to=18:00',
          '--days=mon,fri',
          '--except=2026-12-25',
        ));
    const shows = async (at: string) =>
      (await placard.devices.getActiveSchedule(device, { at })).playlist?.id;
    expect(await shows('2026-12-18T10:00:00Z')).toBe(playlist.id);
    expect(await shows('2026-12-25T10:00:00Z')).toBeUndefined();
  });

  test('11. find what shows on 24 December at 18:00 on all screens of Bavaria', async () => {
    const region = fresh('Bavaria');
    const tag = fresh('christmas');
    const playlist = await newPlaylist(fresh('Christmas'));
    for (const city of ['Munich', 'Passau']) {
      const store = await placard.stores.create({ name: fresh(city), region });
      await newDevice({ name: fresh(city), store_id: store.id, tags: [tag] });
    }
    await newDevice({ name: fresh('Elsewhere'), tags: [tag] });
    await placard.schedules.create({
      name: fresh('Christmas'),
      is_active: true,
      rules: [
        {
          playlist_id: playlist.id,
          start_time: '12:00',
          end_time: '20:00',
          rrule: 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24',
        },
      ],
      targets: [{ type: 'tag', value: tag }],
    });
    const at = '2026-12-24T18:00:00Z';
    const moments: { playlist: { id: string } | null }[] = isClient
      ? await placard.timeline.list({ at, region }).toArray()
      : await cli('timeline', '--at', at, '--region', region);
    expect(moments.map((moment) => moment.playlist?.id)).toEqual([playlist.id, playlist.id]);
  });

  test('12. see what a screen shows in the next week, and why', async () => {
    const device = await newDevice({ name: fresh('Planned') });
    const range = { from: '2026-12-01T00:00:00Z', to: '2026-12-08T00:00:00Z' };
    const timeline = isClient
      ? await placard.timeline.get(device, range)
      : await cli('timeline', device, '--from', range.from, '--to', range.to);
    expect(timeline.segments).toMatchObject([{ source: 'none', reason: expect.any(String) }]);
  });

  test('13. reboot all screens with a tag', async () => {
    const tag = fresh('reboot');
    const ids = [
      await newDevice({ name: fresh('Rebooting'), tags: [tag] }),
      await newDevice({ name: fresh('Rebooting'), tags: [tag] }),
    ];
    if (isClient) {
      const { id } = await placard.operations.create({
        devices: { filter: { tag } },
        action: { type: 'command', command: 'REBOOT' },
      });
      await waitForOperation(id);
    } else {
      await cli('command', 'reboot', '--tag', tag);
    }
    const commands = (await placard.commands.list().toArray()).filter((each) => ids.includes(each.device_id));
    expect(commands.map((each) => `${each.command} ${each.device_id}`).toSorted()).toEqual(
      ids.map((id) => `REBOOT ${id}`).toSorted(),
    );
  });

  test('14. see which commands have not finished', async () => {
    const device = await newDevice({ name: fresh('Busy') });
    const { id } = await placard.devices.sendCommand(device, { command: 'REFRESH' });
    const commands: { id: string }[] = isClient
      ? await placard.commands.list({ device_id: device, status: 'queued' }).toArray()
      : await cli('commands', '--device', device, '--status', 'queued');
    expect(commands.map((each) => each.id)).toEqual([id]);
  });

  test('15. read the events after the last one that was processed', async () => {
    const after = await latest();
    const { id } = await newPlaylist(fresh('Event'));
    const events: { resource: string }[] = isClient
      ? await placard.events.list({ cursor: after, types: 'playlist.created' }).toArray()
      : await cli('events', '--after', after ?? '', '--types', 'playlist.created');
    expect(events.map((event) => event.resource)).toEqual([id]);
  });

  test('16. replay the webhooks of a day that was missed', async () => {
    const since = new Date(cloud.clock.nowMs()).toISOString();
    const server = await startRecordingServer((_request, response) => response.end());
    const { id } = isClient
      ? await placard.webhooks.create({ url: server.url, events: ['playlist.created'] })
      : await cli('webhooks', 'create', server.url, '--events', 'playlist.created');
    await placard.webhooks.update(id, { is_active: false });
    const playlist = await newPlaylist(fresh('Missed'));
    cloud.clock.advance(24 * 3_600_000);
    await placard.webhooks.update(id, { is_active: true });
    const replay = isClient
      ? await placard.webhooks.replay(id, { query: { since } })
      : await cli('webhooks', 'replay', id, '--since', since);
    expect(replay.queued).toBeGreaterThan(0);
    await eventually(() => {
      cloud.clock.advance(1_000);
      expect(server.requests.map(({ body }) => JSON.parse(body).data.playlist.id)).toContain(playlist.id);
    });
    await server.close();
  });

  test('17. rotate a key: a new one, then the old one is refused', async () => {
    const old = await placard.apiKeys.create({ name: fresh('Key'), scope: 'Read' });
    const renewed = isClient
      ? await placard.apiKeys.create({ name: old.name, scope: 'Read' })
      : await cli('keys', 'create', old.name, '--scope', 'read');
    const { data } = await clientOf(cloud, { apiKey: renewed.key }).stores.list().page();
    expect(data.length).toBeGreaterThan(0);
    await (isClient ? placard.apiKeys.delete(old.id) : cli('keys', 'revoke', old.id));
    await expect(clientOf(cloud, { apiKey: old.key }).stores.list().page()).rejects.toMatchObject({
      status: 401,
    });
  });

  test('18. export what was shown', async () => {
    const { deviceId, client } = await pairDevice(cloud, { name: fresh('Playing') });
    const play = {
      ...buildPlay(10 + names, cloud.clock.nowMs() - 60_000, 10_000),
      id: `play_task0000000000${names}`,
    };
    await client.post('/v1/player/plays', { plays: [play] });
    const csv = isClient
      ? await (await placard.analytics.exportPlays({ device_id: deviceId })).text()
      : (await runPlacard(cloud, ['plays', '--device', deviceId])).stdout;
    expect(csv.trim().split('\n')).toHaveLength(2);
    expect(csv).toContain(deviceId);
  });

  test('19. find out who changed a playlist', async () => {
    const { id } = await newPlaylist(fresh('Changed'));
    const entries: { action: string; resource: { id: string } }[] = isClient
      ? await placard.auditLog.list({ resource_id: id }).toArray()
      : await cli('logs');
    expect(entries.filter((entry) => entry.resource.id === id).map((entry) => entry.action)).toEqual([
      'playlist.created',
    ]);
  });

  test('20. delete content, and see which playlists it was in', async () => {
    const file = new Blob([Uint8Array.from(await png(300 + names))]);
    const { id } = await placard.content.upload({ file, name: fresh('Deleted') });
    const playlist = await placard.playlists.create({
      name: fresh('Shorter'),
      mode: 'sequential',
      items: [{ content_id: id }],
    });
    const deleted = isClient ? await placard.content.delete(id) : await cli('content', 'remove', id, '--yes');
    expect(deleted.playlists).toEqual([{ id: playlist.id, name: playlist.name }]);
    expect((await placard.playlists.get(playlist.id)).items).toEqual([]);
  });
});
