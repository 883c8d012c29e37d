import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay, useMayInAllStores } from '../api/account.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Pages } from '../ui/pages.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { DeleteStoreDialog } from './delete-store-dialog.tsx';
import { StoreDialog } from './store-dialog.tsx';
import { PAGE_SIZE, storeListQuery } from './store-queries.ts';
import type { Store } from './store-queries.ts';
import { TagPanel } from './tag-panel.tsx';
import { useTexts } from './texts.ts';

const route = getRouteApi('/signed-in/stores');

/** The places with screens, and the tags. */
export function StoresPage() {
  const messages = useMessages();
  const texts = useTexts();
  const { search = '', page = 1, edit, remove } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('Write');
  const mayAdd = useMayInAllStores('Write');
  const mayDelete = useMay('Admin');
  const list = useQuery({ ...storeListQuery(search, page), placeholderData: keepPreviousData });
  const total = list.data?.total ?? 0;
  const open = (id: string) => void navigate({ search: (old) => ({ ...old, edit: id }), replace: true });
  const close = () =>
    void navigate({ search: (old) => ({ ...old, edit: undefined, remove: undefined }), replace: true });
  return (
    <div className="flex flex-col gap-4">
      <title>{`${messages.stores} · Placard`}</title>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{messages.stores}</h1>
        <search>
          <input
            type="search"
            aria-label={texts.searchStores}
            placeholder={texts.searchStores}
            defaultValue={search}
            onChange={(event) => {
              const typed = event.target.value.trim();
              void navigate({ search: typed === '' ? {} : { search: typed }, replace: true });
            }}
            className="h-9 rounded-lg border border-line bg-panel px-3 text-text placeholder:text-muted pointer-coarse:h-11"
          />
        </search>
        {mayAdd && (
          <Button
            look="primary"
            className="ms-auto"
            onClick={() => void navigate({ search: (before) => ({ ...before, edit: 'new' }) })}
          >
            {texts.addStore}
          </Button>
        )}
      </header>
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-60" />}
      {list.data && total === 0 && (
        <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-12 text-center">
          {search === '' ? (
            <>
              <h2 className="text-lg font-semibold">{texts.noStores}</h2>
              <p className="text-muted">{texts.noStoresHint}</p>
            </>
          ) : (
            <p className="text-muted">{texts.nothingFound}</p>
          )}
        </div>
      )}
      {list.data && total > 0 && (
        <ul className="flex flex-col rounded-xl border border-line bg-panel">
          {list.data.stores.map((store) => (
            <StoreRow
              key={store.id}
              store={store}
              onEdit={
                mayWrite ? () => void navigate({ search: (old) => ({ ...old, edit: store.id }) }) : null
              }
              onDelete={
                mayDelete ? () => void navigate({ search: (old) => ({ ...old, remove: store.id }) }) : null
              }
            />
          ))}
        </ul>
      )}
      <Pages
        page={page}
        pages={Math.ceil(total / PAGE_SIZE)}
        onChoose={(to) => void navigate({ search: (old) => ({ ...old, page: to }) })}
      />
      <TagPanel />
      {(edit === 'new' ? mayAdd : mayWrite) && edit !== undefined && (
        <StoreDialog id={edit === 'new' ? null : edit} onOpen={open} onClose={close} />
      )}
      {mayDelete && remove !== undefined && <DeleteStoreDialog id={remove} onClose={close} />}
    </div>
  );
}

function StoreRow({
  store,
  onEdit,
  onDelete,
}: {
  store: Store;
  onEdit: (() => void) | null;
  onDelete: (() => void) | null;
}) {
  const texts = useTexts();
  const place = [store.address, store.city, store.region, store.country].filter((part) => part !== null);
  return (
    <li className="grid items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-0 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(0,2fr)_auto_auto]">
      {onEdit ? (
        <button
          type="button"
          onClick={onEdit}
          className="min-w-0 py-1 text-start font-semibold [overflow-wrap:anywhere] hover:underline"
        >
          {store.name}
        </button>
      ) : (
        <span className="min-w-0 py-1 font-semibold [overflow-wrap:anywhere]">{store.name}</span>
      )}
      <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{place.join(', ')}</span>
      <span className="text-muted">{store.timezone ?? texts.organizationZone}</span>
      <Link
        to="/devices"
        search={{ store: store.id }}
        className="justify-self-start py-1 text-accent underline"
      >
        {texts.screens(store.device_count)}
      </Link>
      {onDelete && (
        <Button
          look="quiet"
          className="justify-self-start"
          onClick={onDelete}
          aria-label={texts.deleteTitle(store.name)}
        >
          {texts.deleteStore}
        </Button>
      )}
    </li>
  );
}
