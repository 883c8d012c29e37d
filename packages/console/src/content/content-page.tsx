import type { Asset } from '@placard/client';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { UndoNote } from '../ui/undo-note.tsx';
import { AssetDialog } from './asset-dialog.tsx';
import { AssetGrid, AssetList } from './asset-views.tsx';
import { ContentFilterBar } from './content-filter-bar.tsx';
import { contentQuery, foldersQuery } from './content-queries.ts';
import type { ContentFilters } from './content-queries.ts';
import { FolderBar } from './folder-bar.tsx';
import { useTexts } from './texts.ts';
import { FileDrop, UploadButton } from './file-drop.tsx';
import { enqueueUploads } from './upload-queue.ts';
import { UploadPanel } from './upload-panel.tsx';

const route = getRouteApi('/signed-in/content');

/** All files: folders, search, uploads, and each file in a dialog with its own address. */
export function ContentPage() {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const { file, view, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('Write');
  const folders = useQuery(foldersQuery);
  const query = useInfiniteQuery({ ...contentQuery(filters), placeholderData: keepPreviousData });
  const [moved, setMoved] = useState<{ asset: Asset; from: string | null; text: string } | null>(null);
  const assets = query.data?.pages.flatMap((page) => page.assets) ?? [];
  const total = query.data?.pages[0]?.total;
  const isFiltered = filters.search !== undefined || filters.type !== undefined;
  const hasFolders = [...(folders.data?.values() ?? [])].some(
    ({ parent_id }) => (parent_id ?? undefined) === filters.folder,
  );

  const upload = (files: readonly File[]) => enqueueUploads(files, { folderId: filters.folder });
  const open = (id: string) => void navigate({ search: (before) => ({ ...before, file: id }) });
  const undoMove = async () => {
    if (moved) {
      setMoved(null);
      await placard.content.update(moved.asset.id, { folder_id: moved.from });
      await queries.invalidateQueries({ queryKey: ['content'] });
    }
  };

  return (
    <FileDrop isOn={mayWrite} onFiles={upload} label={texts.dropNow}>
      <title>{`${texts.content} · Placard`}</title>
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{texts.content}</h1>
        <p className="text-muted" role="status">
          {total !== undefined && texts.count(total)}
        </p>
        {mayWrite && (
          <div className="ms-auto">
            <UploadButton label={texts.upload} onFiles={upload} />
          </div>
        )}
      </header>
      <UploadPanel mayWrite={mayWrite} onOpen={open} />
      <FolderBar
        folders={folders.data ?? new Map()}
        current={filters.folder}
        onOpen={(folder) =>
          void navigate({
            search: {
              ...withoutPlace(filters),
              ...(view && { view }),
              ...(folder !== undefined && { folder }),
            },
          })
        }
      />
      {(isFiltered || total !== 0) && (
        <ContentFilterBar
          filters={filters}
          view={view}
          onChange={(next) => void navigate({ search: next, replace: true })}
        />
      )}
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-96" />}
      {total === 0 && isFiltered && (
        <div className="flex flex-col items-center gap-3 py-16 text-muted">
          <p>{texts.nothingFound}</p>
          <Button onClick={() => void navigate({ search: {} })}>{texts.clearFilters}</Button>
        </div>
      )}
      {total === 0 && !isFiltered && (
        <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-16 text-center">
          {filters.folder === undefined && !hasFolders ? (
            <>
              <h2 className="text-lg font-semibold">{texts.empty}</h2>
              <p className="text-muted">{texts.emptyHint}</p>
            </>
          ) : (
            <p className="text-muted">{texts.emptyFolder}</p>
          )}
          {mayWrite && <p className="text-muted max-sm:hidden">{texts.dropHint}</p>}
        </div>
      )}
      {assets.length > 0 &&
        (view === 'list' ? (
          <AssetList assets={assets} onOpen={open} />
        ) : (
          <AssetGrid assets={assets} onOpen={open} />
        ))}
      {query.hasNextPage && (
        <Button
          className="mx-auto mt-4"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {texts.more}
        </Button>
      )}
      {file !== undefined && (
        <AssetDialog
          key={file}
          id={file}
          folders={folders.data ?? new Map()}
          onMoved={(asset, from, text) => setMoved({ asset, from, text })}
          onClose={() => void navigate({ search: { ...filters, ...(view && { view }) }, replace: true })}
        />
      )}
      {moved && (
        <UndoNote
          text={moved.text}
          undoLabel={texts.undo}
          onUndo={() => void undoMove()}
          closeLabel={messages.close}
          onClose={() => setMoved(null)}
        />
      )}
    </FileDrop>
  );
}

/** In another folder a search begins anew. */
const withoutPlace = ({ type, sort }: ContentFilters) => ({ ...(type && { type }), ...(sort && { sort }) });
