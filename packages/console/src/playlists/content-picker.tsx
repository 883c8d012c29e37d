import type { Asset } from '@placard/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { choicesQuery } from './playlist-queries.ts';
import { useTexts } from './texts.ts';

/** Chooses content, in the order in which it is clicked. */
export function ContentPicker({
  onAdd,
  onClose,
}: {
  onAdd: (assets: readonly Asset[]) => void;
  onClose: () => void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<readonly Asset[]>([]);
  const query = useQuery({
    ...choicesQuery(useDeferredValue(search.trim())),
    placeholderData: keepPreviousData,
  });
  const toggle = (asset: Asset) =>
    setChosen((before) =>
      before.some(({ id }) => id === asset.id)
        ? before.filter(({ id }) => id !== asset.id)
        : [...before, asset],
    );
  return (
    <Dialog isOpen onClose={onClose} title={texts.addContent}>
      <p className="text-muted">{texts.addHint}</p>
      <TextField
        label={texts.searchContent}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-60" />}
      {query.data?.length === 0 && (
        <div className="flex flex-col items-center gap-3 py-6 text-muted">
          <p>{texts.noContent}</p>
          <Link to="/content" className="text-accent underline">
            {texts.toContent}
          </Link>
        </div>
      )}
      <ul className="grid max-h-96 grid-cols-3 gap-2 overflow-y-auto p-1">
        {query.data?.map((asset) => {
          const place = chosen.findIndex(({ id }) => id === asset.id);
          return (
            <li key={asset.id} className="min-w-0">
              <button
                type="button"
                aria-pressed={place >= 0}
                onClick={() => toggle(asset)}
                className={`relative flex w-full flex-col overflow-hidden rounded-lg border text-start ${place >= 0 ? 'border-accent bg-selected' : 'border-line'}`}
              >
                <ItemPicture content={asset} className="aspect-video w-full" />
                <span title={asset.name} className="w-full truncate px-2 py-1">
                  {asset.name}
                </span>
                {place >= 0 && (
                  <span className="absolute end-1 top-1 grid size-6 place-items-center rounded-full bg-accent text-on-accent">
                    {format.number(place + 1)}
                  </span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
      <Button look="primary" disabled={chosen.length === 0} onClick={() => onAdd(chosen)}>
        {texts.add(format.number(chosen.length))}
      </Button>
    </Dialog>
  );
}

/** The small picture of an item. */
export function ItemPicture({
  content,
  className,
}: {
  content: Pick<Asset, 'thumbnail_url' | 'type'>;
  className: string;
}) {
  return content.thumbnail_url === null ? (
    <span aria-hidden className={`grid place-items-center bg-raised text-muted ${className}`}>
      {content.type === 'video' ? '▶' : '▨'}
    </span>
  ) : (
    <img
      src={content.thumbnail_url}
      alt=""
      loading="lazy"
      className={`bg-raised object-contain ${className}`}
    />
  );
}
