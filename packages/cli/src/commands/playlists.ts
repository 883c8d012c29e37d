import type { Playlist } from '@placard/client';
import type { Command } from 'commander';
import { findAsset, findPlaylist } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import { noteWarnings } from '../output/warnings.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';

type Row = Pick<Playlist, 'id' | 'name' | 'mode' | 'item_count' | 'total_duration' | 'updated_at'>;
const COLUMNS: Columns<Row> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  MODE: ({ mode }) => mode,
  ITEMS: ({ item_count: count }) => count,
  SECONDS: ({ total_duration: seconds }) => seconds,
  CHANGED: ({ updated_at: changed }) => changed,
};
const MODES = ['sequential', 'shuffle', 'weighted'] as const;

interface NewPlaylist {
  mode: string;
  duration?: string;
}

export function addPlaylistCommands(program: Command, open: OpenSession): void {
  const playlists = program.command('playlist').description('playlists: content in an order');
  playlists
    .command('list', { isDefault: true })
    .description('all playlists')
    .option('--search <text>', 'part of the name')
    .action(async ({ search }: { search?: string }) => {
      const { placard, out, signal } = await open();
      out.list(await placard.playlists.list({ search }, { signal }).toArray(), COLUMNS);
    });
  playlists
    .command('show <playlist>')
    .description('one playlist with its items')
    .action(async (text: string) => {
      const { placard, out, signal } = await open();
      const playlist = await placard.playlists.get(await findPlaylist(placard, text), { signal });
      if (out.json) {
        return out.one(playlist);
      }
      out.one({
        id: playlist.id,
        name: playlist.name,
        mode: playlist.mode,
        seconds: playlist.total_duration,
      });
      out.list(playlist.items, {
        ITEM: ({ id }) => id,
        CONTENT: ({ content }) => content.name,
        TYPE: ({ content }) => content.type,
        SECONDS: ({ duration }) => duration,
        WEIGHT: ({ weight }) => weight,
      });
    });
  playlists
    .command('create <name> [content...]')
    .description('create a playlist of content, called by name or id')
    .option('--mode <mode>', MODES.join(', '), 'sequential')
    .option('--duration <seconds>', 'how long each item is shown; default: 10 for pictures, all of a video')
    .action(async (name: string, content: string[], { mode: text, duration }: NewPlaylist) => {
      const { placard, out, signal } = await open();
      const mode = MODES.find((each) => each === text);
      if (!mode) {
        throw new UsageError(`A mode is ${MODES.join(', ')}.`);
      }
      const items = await Promise.all(
        content.map(async (each) => ({
          content_id: await findAsset(placard, each),
          ...(duration !== undefined && { duration: Number(duration) }),
          ...(mode === 'weighted' && { weight: 1 }),
        })),
      );
      const playlist = await placard.playlists.create({ name, mode, items }, { signal });
      out.done(`Created ${playlist.name} (${playlist.id}) with ${playlist.item_count} items.`, playlist);
    });
  playlists
    .command('add <playlist> <content...>')
    .description('add content to the end of a playlist')
    .option('--duration <seconds>', 'how long each is shown')
    .action(async (text: string, content: string[], { duration }: { duration?: string }) => {
      const { placard, out, signal } = await open();
      const id = await findPlaylist(placard, text);
      let warnings: readonly { message: string }[] | undefined;
      for (const each of content) {
        const item = {
          content_id: await findAsset(placard, each),
          ...(duration !== undefined && { duration: Number(duration) }),
        };
        warnings = (await placard.playlists.addItem(id, item, { signal })).warnings;
      }
      noteWarnings(out, warnings);
      const playlist = await placard.playlists.get(id, { signal });
      out.done(`${playlist.name} has ${playlist.item_count} items.`, playlist);
    });
  playlists
    .command('remove <playlist>')
    .description('delete a playlist')
    .option('--yes', 'really')
    .action(async (text: string, { yes }: { yes?: true }) => {
      const { placard, out, signal } = await open();
      const id = await findPlaylist(placard, text);
      if (!yes) {
        throw new UsageError(`This deletes ${id}; add --yes.`);
      }
      out.done(`Deleted ${id}.`, await placard.playlists.delete(id, { signal }));
    });
}
