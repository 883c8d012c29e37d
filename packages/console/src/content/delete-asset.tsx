import type { Asset } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { usesQuery } from './content-queries.ts';
import { useTexts } from './texts.ts';

/** Says what a deletion would change, and deletes only then. */
export function DeleteAsset({
  asset,
  onCancel,
  onDeleted,
}: {
  asset: Asset;
  onCancel: () => void;
  onDeleted: () => void;
}) {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const uses = useQuery({ ...usesQuery(asset.id), staleTime: 0 });
  const remove = useMutation({
    mutationFn: () => placard.content.delete(asset.id),
    onSuccess: async () => {
      onDeleted();
      queries.removeQueries({ queryKey: ['content', 'asset', asset.id] });
      await queries.invalidateQueries({ queryKey: ['content', 'list'] });
      await queries.invalidateQueries({ queryKey: ['playlists'] });
    },
  });
  const playlists = uses.data?.playlists ?? [];
  const emptied = playlists.filter(({ item_count }) => item_count === 1);
  const error = remove.error ?? uses.error;
  return (
    <div className="flex flex-col gap-3">
      {uses.isPending && <Skeleton className="h-16" />}
      {uses.data && <p>{playlists.length === 0 ? texts.deleteUnused : texts.deleteUsed}</p>}
      {playlists.length > 0 && (
        <ul className="list-disc ps-5">
          {playlists.map(({ id, name }) => (
            <li key={id} className="[overflow-wrap:anywhere]">
              {name}
            </li>
          ))}
        </ul>
      )}
      {emptied.length > 0 && (
        <p className="rounded-lg bg-warn-panel p-3 text-warn">
          ▲ {texts.mayPlaylistEnd}: {emptied.map(({ name }) => name).join(', ')}
        </p>
      )}
      {error && <ErrorMessage error={error} />}
      <div className="flex gap-2">
        <Button look="danger" disabled={!uses.data} isBusy={remove.isPending} onClick={() => remove.mutate()}>
          {texts.delete}
        </Button>
        <Button onClick={onCancel}>{messages.cancel}</Button>
      </div>
    </div>
  );
}
