import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../api/account.ts';
import { useNewName } from '../api/new-name.ts';
import { placard } from '../api/placard.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { NameDialog } from '../ui/name-dialog.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { useSearchText } from '../ui/search-text.ts';
import { clockOf } from './playlist-draft.ts';
import { playlistsQuery } from './playlist-queries.ts';
import { useTexts } from './texts.ts';

const route = getRouteApi('/signed-in/playlists');

/** All playlists. */
export function PlaylistsPage() {
  const texts = useTexts();
  const { search, create } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('Write');
  const [typed, setTyped] = useSearchText(
    search ?? '',
    (text) => void navigate({ search: { search: text === '' ? undefined : text }, replace: true }),
  );
  const query = useInfiniteQuery({ ...playlistsQuery(search), placeholderData: keepPreviousData });
  const playlists = query.data?.pages.flatMap((page) => page.playlists) ?? [];
  const total = query.data?.pages[0]?.total;
  const isEmpty = total === 0 && search === undefined;
  const newButton = mayWrite && (
    <Button look="primary" onClick={() => void navigate({ search: (old) => ({ ...old, create: 'yes' }) })}>
      {texts.newPlaylist}
    </Button>
  );
  return (
    <>
      <title>{`${texts.playlists} · Placard`}</title>
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{texts.playlists}</h1>
        <p className="text-muted" role="status">
          {total !== undefined && texts.count(total)}
        </p>
        {!isEmpty && <div className="ms-auto">{newButton}</div>}
      </header>
      {!isEmpty && (
        <search className="mb-3 flex">
          <input
            type="search"
            aria-label={texts.search}
            placeholder={texts.search}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="h-9 min-w-48 flex-1 rounded-lg border border-line bg-panel px-3 text-text placeholder:text-muted sm:max-w-80 pointer-coarse:h-11"
          />
        </search>
      )}
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-96" />}
      {isEmpty && (
        <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-16 text-center">
          <h2 className="text-lg font-semibold">{texts.empty}</h2>
          <p className="text-muted">{texts.emptyHint}</p>
          {newButton}
        </div>
      )}
      {total === 0 && !isEmpty && <p className="py-16 text-center text-muted">{texts.nothingFound}</p>}
      {playlists.length > 0 && (
        <ul className="rounded-xl border border-line bg-panel">
          {playlists.map((playlist) => (
            <li key={playlist.id} className="border-b border-line last:border-0">
              <Link
                to="/playlists/$playlistId"
                params={{ playlistId: playlist.id }}
                className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 hover:bg-raised sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_6rem_5rem]"
              >
                <span
                  title={playlist.name}
                  className="line-clamp-2 [overflow-wrap:anywhere] sm:line-clamp-1 font-medium"
                >
                  {playlist.name}
                </span>
                <span className="truncate text-muted max-sm:hidden">{texts.modes[playlist.mode]}</span>
                <span className="text-end text-muted max-sm:hidden">
                  {texts.itemCount(playlist.item_count)}
                </span>
                <span className="text-end text-muted">{clockOf(playlist.total_duration)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          className="mx-auto mt-4"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {texts.more}
        </Button>
      )}
      {create !== undefined && mayWrite && (
        <CreateDialog onClose={() => void navigate({ search: { search }, replace: true })} />
      )}
    </>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const typed = useNewName('playlist new', async (name) => {
    const { id } = await placard.playlists.create({ name, mode: 'sequential', items: [] });
    await queries.invalidateQueries({ queryKey: ['playlists'] });
    await navigate({ to: '/playlists/$playlistId', params: { playlistId: id } });
  });
  return <NameDialog title={texts.newPlaylist} action={texts.create} typed={typed} onClose={onClose} />;
}
