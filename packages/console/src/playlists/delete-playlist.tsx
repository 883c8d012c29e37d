import type { Playlist } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { TrialResult } from './trial-result.tsx';
import { useTexts } from './texts.ts';

/** Says which screens a deletion would change, or what prevents it, and deletes only then. */
export function DeletePlaylist({ playlist, onClose }: { playlist: Playlist; onClose: () => void }) {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const trial = useQuery({
    queryKey: ['playlists', 'delete-trial', playlist.id],
    queryFn: async ({ signal }) =>
      (await placard.playlists.delete(playlist.id, { query: { dry_run: true }, signal })).dry_run,
    staleTime: 0,
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => placard.playlists.delete(playlist.id),
    onSuccess: async () => {
      await navigate({ to: '/playlists' });
      await queries.invalidateQueries({ queryKey: ['playlists', 'list'] });
    },
  });
  const error = remove.error ?? trial.error;
  return (
    <Dialog isOpen onClose={onClose} title={texts.deleteTitle(playlist.name)}>
      {trial.isPending && <Skeleton className="h-16" />}
      {trial.data && <TrialResult dryRun={trial.data} />}
      {error ? <ErrorMessage error={error} /> : <p>{texts.cannotUndo}</p>}
      <div className="flex gap-2">
        <Button
          look="danger"
          disabled={!trial.data}
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {texts.delete}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </Dialog>
  );
}
