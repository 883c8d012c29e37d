import type { AlertMute } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { storesQuery } from '../api/stores.ts';
import { useFormat } from '../i18n/format.ts';
import { StatusMark } from '../ui/status-mark.tsx';
import { mutesQuery } from './alert-queries.ts';
import { useTexts } from './texts.ts';

/** For which screens no alert is opened now; nothing when there are none. */
export function MutesNote() {
  const texts = useTexts();
  const format = useFormat();
  const mutes = useQuery(mutesQuery).data ?? [];
  return (
    mutes.length > 0 && (
      <ul aria-label={texts.mutes} className="flex flex-col gap-1">
        {mutes.map((mute) => (
          <li key={mute.id} className="flex flex-wrap gap-x-3">
            <StatusMark kind="idle" label={texts.mutedUntil(format.instant(mute.until))} />
            <MutedTarget target={mute.target} />
            {mute.reason !== null && (
              <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{mute.reason}</span>
            )}
          </li>
        ))}
      </ul>
    )
  );
}

function MutedTarget({ target }: { target: AlertMute['target'] }) {
  const texts = useTexts();
  const stores = useQuery(storesQuery).data;
  if (target.type === 'device') {
    return (
      <Link to="/devices/$deviceId" params={{ deviceId: target.id }} className="text-accent underline">
        {texts.screens(1)}
      </Link>
    );
  }
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {target.type === 'store'
        ? texts.filter.store_id(stores?.get(target.id) ?? target.id)
        : texts.allScreens}
    </span>
  );
}
