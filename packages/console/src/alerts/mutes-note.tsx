import type { AlertMute } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { deviceNameQuery, mutesQuery } from './alert-queries.ts';
import { useTexts } from './texts.ts';

/** For which screens no alert is opened now; nothing when there are none. */
export function MutesNote() {
  const texts = useTexts();
  const mutes = useQuery(mutesQuery).data ?? [];
  return (
    mutes.length > 0 && (
      <ul aria-label={texts.mutes} className="flex flex-col gap-1">
        {mutes.map((mute) => (
          <MuteRow key={mute.id} mute={mute} />
        ))}
      </ul>
    )
  );
}

function MuteRow({ mute }: { mute: AlertMute }) {
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const mayWrite = useMay('Write');
  const end = useMutation({
    mutationFn: () => placard.alerts.deleteMute(mute.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const until = texts.mutedUntil(format.instant(mute.until));
  return (
    <li className="flex flex-wrap items-center gap-x-3">
      <StatusMark kind="idle" label={until} />
      <MutedTarget target={mute.target} />
      {mute.reason !== null && (
        <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{mute.reason}</span>
      )}
      {mayWrite && (
        <Button isBusy={end.isPending} aria-label={`${texts.endMute}: ${until}`} onClick={() => end.mutate()}>
          {texts.endMute}
        </Button>
      )}
      {end.error && <ErrorMessage error={end.error} />}
    </li>
  );
}

function MutedTarget({ target }: { target: AlertMute['target'] }) {
  const texts = useTexts();
  const filterWords = useFilterWords();
  const deviceName = useQuery({
    ...deviceNameQuery(target.type === 'device' ? target.id : ''),
    enabled: target.type === 'device',
  }).data;
  if (target.type === 'device') {
    return (
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: target.id }}
        className="min-w-0 text-accent underline [overflow-wrap:anywhere]"
      >
        {deviceName ?? texts.screens(1)}
      </Link>
    );
  }
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {filterWords(target.type === 'store' ? { store_id: target.id } : {})}
    </span>
  );
}
