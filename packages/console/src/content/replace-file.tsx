import type { Asset } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { screensQuery, usesQuery } from './content-queries.ts';
import { UploadButton } from './file-drop.tsx';
import { useTexts } from './texts.ts';
import { enqueueReplacement, useUploads } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';

/** Says which playlists and how many screens will show another file, and takes it. */
export function ReplaceFile({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const texts = useTexts();
  const messages = useMessages();
  const uses = useQuery({ ...usesQuery(asset.id), staleTime: 0 });
  const { playlists, total } = uses.data ?? { playlists: [], total: 0 };
  const ids = playlists.map(({ id }) => id);
  const screens = useQuery({ ...screensQuery(asset.id, ids), enabled: ids.length > 0 });
  const error = uses.error ?? screens.error;
  const replace = ([file]: readonly File[]) => {
    if (file) {
      enqueueReplacement(file, asset);
      onClose();
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <p>{texts.replaceHint}</p>
      {uses.isPending && <Skeleton className="h-16" />}
      {uses.data && (
        <section className="flex flex-col gap-1">
          <h3 className="font-medium">{playlists.length === 0 ? texts.unused : texts.usedIn}</h3>
          <ul className="list-disc ps-5">
            {playlists.map(({ id, name }) => {
              const count = screens.data?.get(id);
              return (
                <li key={id} className="[overflow-wrap:anywhere]">
                  {name}
                  {count !== undefined && <span className="text-muted"> · {texts.screens(count)}</span>}
                </li>
              );
            })}
            {total > playlists.length && <li className="text-muted">+ {total - playlists.length}</li>}
          </ul>
        </section>
      )}
      {error && <ErrorMessage error={error} />}
      <div className="flex flex-wrap gap-2">
        <UploadButton label={texts.chooseFile} isSingle onFiles={replace} />
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </div>
  );
}

/** The file that is on its way to replace that of an asset, or has just done so. */
export function Replacement({ id }: { id: string }) {
  const texts = useTexts();
  const upload = useUploads().findLast(({ replaces }) => replaces?.id === id);
  return (
    upload && (
      <ul aria-label={texts.replace}>
        <UploadRow upload={upload} />
      </ul>
    )
  );
}
