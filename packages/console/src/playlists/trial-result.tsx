import type { DryRun } from '@placard/client';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { useTexts } from './texts.ts';

const MOST_NAMES = 8;

/** Which screens would show something else, and when first. */
export function TrialResult({ dryRun }: { dryRun: DryRun }) {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const { device_count: count, first_change: first, groups, unexamined_device_count: unexamined } = dryRun;
  const names = groups.flatMap(({ devices }) => devices).slice(0, MOST_NAMES);
  return (
    <div role="status" className="flex flex-col gap-1 rounded-lg bg-raised p-3">
      <StatusMark
        kind={count > 0 ? 'warn' : 'idle'}
        label={count > 0 ? texts.wouldChange(format.number(count)) : texts.wouldChangeNone}
      />
      {first !== null && <p className="text-muted">{texts.firstChange(format.instant(first))}</p>}
      {names.length > 0 && (
        <p className="text-muted [overflow-wrap:anywhere]">
          {names.map(({ name }) => name).join(', ')}
          {count > names.length && ` ${messages.moreScreens(count - names.length)}`}
        </p>
      )}
      {unexamined > 0 && <p className="text-warn">{texts.unexamined(unexamined)}</p>}
    </div>
  );
}
