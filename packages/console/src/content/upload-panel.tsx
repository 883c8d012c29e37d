import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, sentenceOf } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { useTexts } from './texts.ts';
import { cancelUpload, clearFinishedUploads, pauseUpload, resumeUpload, useUploads } from './upload-queue.ts';
import type { QueuedUpload } from './upload-queue.ts';

const KINDS = {
  waiting: 'idle',
  uploading: 'idle',
  preparing: 'warn',
  ready: 'good',
  failed: 'bad',
  paused: 'warn',
} as const;

/** The files on their way, each with its step; and what can be done with those that have arrived. */
export function UploadPanel({ mayWrite, onOpen }: { mayWrite: boolean; onOpen: (id: string) => void }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const uploads = useUploads();
  const arrived = uploads.flatMap(({ asset }) => (asset ? [asset] : []));
  const isBusy = uploads.some(({ state }) => ['waiting', 'uploading', 'preparing'].includes(state));
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['content', 'list'] });
  }, [queries, arrived.length]);
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

function UploadRow({ upload, onOpen }: { upload: QueuedUpload; onOpen: (id: string) => void }) {
  const texts = useTexts();
  const format = useFormat();
  const { key, file, state, sent, asset, error } = upload;
  const percent = file.size === 0 ? 0 : (sent / file.size) * 100;
  const label = {
    waiting: texts.waiting,
    uploading: texts.uploading(format.percent(percent)),
    preparing: texts.preparing,
    ready: texts.ready,
    failed: texts.failed,
    paused: texts.paused,
  }[state];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1">
      <div className="flex min-w-0 flex-wrap gap-x-4">
        {asset ? (
          <button type="button" className="truncate text-accent underline" onClick={() => onOpen(asset.id)}>
            {asset.name}
          </button>
        ) : (
          <span className="truncate">{file.name}</span>
        )}
        <StatusMark kind={KINDS[state]} label={label} />
      </div>
      <div className="flex">
        {(state === 'uploading' || state === 'waiting') && (
          <Button look="quiet" aria-label={texts.pause(file.name)} onClick={() => pauseUpload(key)}>
            ‖
          </Button>
        )}
        {(state === 'paused' || state === 'failed') && (
          <Button look="quiet" aria-label={texts.resume(file.name)} onClick={() => resumeUpload(key)}>
            ↻
          </Button>
        )}
        {state !== 'ready' && (
          <Button look="quiet" aria-label={texts.cancelUpload(file.name)} onClick={() => cancelUpload(key)}>
            ✕
          </Button>
        )}
      </div>
      {state !== 'ready' && state !== 'failed' && (
        <ProgressBar label={file.name} className="col-span-2" value={sent} max={file.size} />
      )}
      {state === 'failed' && (
        <p className="col-span-2 text-bad [overflow-wrap:anywhere]">{sentenceOf(error)}</p>
      )}
    </li>
  );
}
