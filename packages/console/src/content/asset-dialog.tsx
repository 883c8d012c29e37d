import type { Asset } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useMayInAllStores } from '../api/account.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Facts, Skeleton } from '../ui/panel.tsx';
import { Warnings } from '../ui/warnings.tsx';
import { AssetForm } from './asset-form.tsx';
import { assetQuery, usesQuery, warningsQuery } from './content-queries.ts';
import type { Folders } from './content-queries.ts';
import { DeleteAsset } from './delete-asset.tsx';
import { Renditions } from './renditions.tsx';
import { ReplaceFile, Replacement } from './replace-file.tsx';
import { useTexts } from './texts.ts';

/** One file: how it looks, what it is, where it is used; and its name, tags and folder to change. */
export function AssetDialog({
  id,
  folders,
  onMoved,
  onClose,
}: {
  id: string;
  folders: Folders;
  onMoved: (asset: Asset, from: string | null, text: string) => void;
  onClose: () => void;
}) {
  const texts = useTexts();
  const messages = useMessages();
  const isEditor = useMay('Write');
  const mayWrite = useMayInAllStores('Write');
  const mayDelete = useMay('Admin');
  const query = useQuery(assetQuery(id));
  const [step, setStep] = useState<'look' | 'delete' | 'replace'>('look');
  const asset = query.data?.asset;
  const titles = { look: (name: string) => name, delete: texts.deleteTitle, replace: texts.replaceTitle };
  return (
    <Dialog isOpen onClose={onClose} title={asset ? titles[step](asset.name) : texts.details}>
      {query.error && !asset && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-80" />}
      {asset && step === 'delete' && (
        <DeleteAsset asset={asset} onCancel={() => setStep('look')} onDeleted={onClose} />
      )}
      {asset && step === 'replace' && <ReplaceFile asset={asset} onClose={() => setStep('look')} />}
      {asset && step === 'look' && (
        <>
          <Preview asset={asset} />
          <AssetFacts asset={asset} />
          <Uses id={asset.id} />
          {asset.type === 'video' && <Unplayable asset={asset} />}
          <Renditions id={asset.id} mayWrite={mayWrite} />
          <Replacement id={asset.id} />
          {mayWrite && (
            <Button className="self-start" onClick={() => setStep('replace')}>
              {texts.replace}
            </Button>
          )}
          {isEditor && !mayWrite && <p className="text-muted">{messages.boundNote}</p>}
          <AssetForm
            asset={asset}
            etag={query.data?.etag ?? null}
            folders={folders}
            mayWrite={mayWrite}
            onMoved={onMoved}
          />
          {mayDelete && (
            <Button look="danger" className="self-start" onClick={() => setStep('delete')}>
              {texts.delete}
            </Button>
          )}
        </>
      )}
    </Dialog>
  );
}

function Preview({ asset }: { asset: Asset }) {
  const look = 'max-h-72 w-full shrink-0 rounded-lg bg-black object-contain';
  return asset.type === 'video' ? (
    // What screens show has no sound track that could be written down.
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    <video
      className={look}
      src={asset.url}
      controls
      playsInline
      preload="metadata"
      {...(asset.thumbnail_url !== null && { poster: asset.thumbnail_url })}
    />
  ) : (
    <img className={look} src={asset.url} alt={asset.name} />
  );
}

function AssetFacts({ asset }: { asset: Asset }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <Facts
      facts={[
        [texts.format, asset.format.toUpperCase()],
        [texts.dimensions, `${asset.width} × ${asset.height}`],
        [texts.size, format.bytes(asset.size)],
        ...(asset.duration === null
          ? []
          : [[texts.length, texts.seconds(format.number(asset.duration))] as const]),
        [texts.added, format.instant(asset.created_at)],
      ]}
    />
  );
}

/** The screens that show it and cannot play it. */
function Unplayable({ asset }: { asset: Asset }) {
  const query = useQuery(warningsQuery(asset));
  if (query.error) {
    return <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
  }
  return query.data && <Warnings warnings={query.data} />;
}

/** The playlists that have it, each with a link. */
export function Uses({ id }: { id: string }) {
  const texts = useTexts();
  const uses = useQuery(usesQuery(id));
  if (uses.error) {
    return <ErrorMessage error={uses.error} onRetry={() => void uses.refetch()} />;
  }
  if (!uses.data) {
    return <Skeleton className="h-10" />;
  }
  const { playlists, total } = uses.data;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium">{texts.usedIn}</h3>
      {playlists.length === 0 ? (
        <p className="text-muted">{texts.unused}</p>
      ) : (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {playlists.map((playlist) => (
            <li key={playlist.id}>
              <Link
                to="/playlists/$playlistId"
                params={{ playlistId: playlist.id }}
                className="text-accent underline"
              >
                {playlist.name}
              </Link>
            </li>
          ))}
          {total > playlists.length && <li className="text-muted">+ {total - playlists.length}</li>}
        </ul>
      )}
    </section>
  );
}
