import type { Asset, Data } from '@placard/client';
import type { Command } from 'commander';
import { findAsset, findFolder } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';

export const CONTENT_COLUMNS: Columns<Asset> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  FORMAT: ({ format }) => format,
  SIZE: ({ width, height }) => `${width}×${height}`,
  BYTES: ({ size }) => size,
  TAGS: ({ tags }) => tags,
};

type Rendition = Data<'listRenditions'>[number];

const RENDITION_COLUMNS: Columns<Rendition> = {
  KIND: ({ kind }) => kind,
  STATE: ({ state }) => state,
  SIZE: ({ file }) => file && `${file.width}×${file.height}`,
  BYTES: ({ file }) => file && file.size,
  REASON: ({ failure }) => failure && failure.message,
};

interface Filter {
  type?: 'image' | 'video';
  tag?: string;
  folder?: string;
  search?: string;
}

export function addContentCommands(program: Command, open: OpenSession): void {
  const content = program.command('content').description('images and videos');
  content
    .command('list', { isDefault: true })
    .description('all content, or that of a filter')
    .option('--type <type>', 'image or video')
    .option('--tag <tag>', 'only with this tag')
    .option('--folder <name>', 'only in this folder')
    .option('--search <text>', 'part of the name')
    .action(async ({ folder, ...filter }: Filter) => {
      const { placard, out, signal } = await open();
      const id = folder === undefined ? undefined : await findFolder(placard, folder);
      out.list(
        await placard.content.list({ ...filter, folder_id: id }, { signal }).toArray(),
        CONTENT_COLUMNS,
      );
    });
  content
    .command('import <url>')
    .description('let the cloud fetch a file')
    .option('--name <name>', 'its name')
    .action(async (url: string, { name }: { name?: string }) => {
      const { placard, out, signal } = await open();
      const asset = await placard.content.import({ url, ...(name !== undefined && { name }) }, { signal });
      out.done(`Imported ${asset.name} (${asset.id}).`, asset);
    });
  content
    .command('renditions <content>')
    .description('copies of a file that play on more screens, and how far they are')
    .option('--make', 'make one')
    .action(async (text: string, { make }: { make?: true }) => {
      const { placard, out, signal } = await open();
      const id = await findAsset(placard, text);
      if (make) {
        const wanted = await placard.content.makeRendition(id, { signal });
        out.done(`The copy ${wanted.kind} of ${id} is ${wanted.state}.`, wanted);
        return;
      }
      out.list(await placard.content.listRenditions(id, { signal }), RENDITION_COLUMNS);
    });
  content
    .command('remove <content>')
    .description('delete content, and take it out of the playlists that use it')
    .option('--yes', 'really')
    .action(async (text: string, { yes }: { yes?: true }) => {
      const { placard, out, signal } = await open();
      const id = await findAsset(placard, text);
      if (!yes) {
        throw new UsageError(`This deletes ${id}; add --yes.`);
      }
      const deleted = await placard.content.delete(id, { signal });
      out.done(`Deleted ${id}; it was in ${deleted.playlists.length} playlists.`, deleted);
    });
}
