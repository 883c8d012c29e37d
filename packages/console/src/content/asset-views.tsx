import type { Asset } from '@placard/client';
import { useFormat } from '../i18n/format.ts';
import { useTexts } from './texts.ts';

interface Shown {
  assets: readonly Asset[];
  onOpen: (id: string) => void;
}

/** The picture of a file, or what kind it is where there is none. */
export function Thumbnail({ asset, className }: { asset: Asset; className: string }) {
  return asset.thumbnail_url === null ? (
    <span aria-hidden className={`grid place-items-center bg-raised text-xl text-muted ${className}`}>
      {asset.type === 'video' ? '▶' : '▨'}
    </span>
  ) : (
    <img
      src={asset.thumbnail_url}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      className={`bg-raised object-contain ${className}`}
    />
  );
}

export function AssetGrid({ assets, onOpen }: Shown) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(10rem,45%),1fr))] gap-3">
      {assets.map((asset) => (
        <li
          key={asset.id}
          className="flex min-w-0 flex-col overflow-hidden rounded-xl border border-line bg-panel pb-2 hover:border-accent"
        >
          <button
            type="button"
            aria-label={texts.open(asset.name)}
            onClick={() => onOpen(asset.id)}
            className="flex w-full flex-col text-start"
          >
            <Thumbnail asset={asset} className="aspect-video w-full" />
            <span title={asset.name} className="w-full px-2 pt-2 font-medium">
              <span className="line-clamp-2 [overflow-wrap:anywhere] sm:line-clamp-1">{asset.name}</span>
            </span>
          </button>
          <span className="truncate px-2 text-muted">
            {asset.duration === null
              ? `${asset.width} × ${asset.height}`
              : `▶ ${texts.seconds(format.number(asset.duration))}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function AssetList({ assets, onOpen }: Shown) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <div className="overflow-x-auto rounded-xl border border-line bg-panel">
      <table className="w-full border-collapse text-start">
        <thead>
          <tr className="border-b border-line text-muted">
            <th className="px-3 py-2 text-start font-medium">{texts.name}</th>
            <th className="px-3 py-2 text-start font-medium max-sm:hidden">{texts.tags}</th>
            <th className="px-3 py-2 text-start font-medium max-md:hidden">{texts.dimensions}</th>
            <th className="px-3 py-2 text-end font-medium">{texts.size}</th>
            <th className="px-3 py-2 text-start font-medium max-lg:hidden">{texts.added}</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset.id} className="border-b border-line last:border-0 hover:bg-raised">
              <td className="w-full max-w-0 px-3 py-1 sm:w-1/2">
                <button
                  type="button"
                  aria-label={texts.open(asset.name)}
                  onClick={() => onOpen(asset.id)}
                  className="flex h-8 w-full items-center gap-3 text-start"
                >
                  <Thumbnail asset={asset} className="h-8 w-12 shrink-0 rounded" />
                  <span title={asset.name} className="truncate">
                    {asset.name}
                  </span>
                </button>
              </td>
              <td
                title={asset.tags.join(', ')}
                className="max-w-0 truncate px-3 py-1 text-muted max-sm:hidden sm:w-1/6"
              >
                {asset.tags.join(', ')}
              </td>
              <td className="px-3 py-1 whitespace-nowrap text-muted max-md:hidden">{`${asset.width} × ${asset.height}`}</td>
              <td className="px-3 py-1 text-end whitespace-nowrap text-muted">{format.bytes(asset.size)}</td>
              <td className="px-3 py-1 whitespace-nowrap text-muted max-lg:hidden">
                {format.instant(asset.created_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
