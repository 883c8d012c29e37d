import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { placard } from '../api/placard.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { useTexts } from './texts.ts';
import { clearFinishedUploads, useUploads } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';

/** The files on their way, each with its step; and what can be done with those that have arrived. */
export function UploadPanel({ mayWrite, onOpen }: { mayWrite: boolean; onOpen: (id: string) => void }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const uploads = useUploads();
  const arrived = uploads.flatMap(({ asset, replaces }) => (asset && !replaces ? [asset] : []));
  const done = uploads.filter(({ state }) => state === 'ready').length;
  const isBusy = uploads.some(({ state }) => ['waiting', 'uploading', 'preparing'].includes(state));
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['content'] });
  }, [queries, done]);
  useEffect(() => {
    if (!isBusy) {
      return undefined;
    }
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isBusy]);
  const makePlaylist = useMutation({
    mutationFn: () =>
      placard.playlists.create({
        name: arrived[0]?.name.replace(/\.\w{2,4}$/, '') ?? '',
        mode: 'sequential',
        items: arrived.map(({ id }) => ({ content_id: id })),
      }),
    onSuccess: async ({ id }) => {
      clearFinishedUploads();
      await queries.invalidateQueries({ queryKey: ['playlists'] });
      await navigate({ to: '/playlists/$playlistId', params: { playlistId: id } });
    },
  });
  if (uploads.length === 0) {
    return null;
  }
  return (
    <div className="mb-4">
      <Panel
        title={texts.uploads}
        aside={
          !isBusy && (
            <Button look="quiet" onClick={clearFinishedUploads}>
              {texts.clearDone}
            </Button>
          )
        }
      >
        <ul aria-label={texts.uploads} className="flex max-h-80 flex-col gap-3 overflow-y-auto">
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} onOpen={onOpen} />
          ))}
        </ul>
        {uploads.some(({ state }) => state === 'paused' || state === 'failed') && (
          <p className="text-muted">{texts.resumeHint}</p>
        )}
        {makePlaylist.error && <ErrorMessage error={makePlaylist.error} />}
        {mayWrite && arrived.length > 0 && !isBusy && (
          <Button
            look="primary"
            className="self-start"
            isBusy={makePlaylist.isPending}
            onClick={() => makePlaylist.mutate()}
          >
            {texts.makePlaylist}
          </Button>
        )}
      </Panel>
    </div>
  );
}
