import type { Data } from '@placard/client';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { useTexts } from './texts.ts';

export type TriedChange = Data<'updateSchedule'>;
type DryRun = NonNullable<TriedChange['dry_run']>;

/** What saving would change on the screens, then saving. */
export function SaveBar({
  tried,
  triedDay,
  error,
  isSaving,
  timeZone,
  onSave,
  onUndo,
  onDiscard,
}: {
  /** Undefined while it is not known. */
  tried: TriedChange | undefined;
  /** The first of the seven days that it is about; null: from now on. */
  triedDay: string | null;
  error: unknown;
  isSaving: boolean;
  timeZone: string;
  onSave: () => void;
  /** Null: there is nothing to take back. */
  onUndo: (() => void) | null;
  onDiscard: () => void;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const effect = tried?.dry_run;
  return (
    <section
      aria-label={messages.save}
      className="sticky bottom-[var(--bottom-bar)] z-[5] flex flex-col gap-2 rounded-xl border border-line bg-panel p-3 shadow-lg"
    >
      {error ? <ErrorMessage error={error} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <div role="status" className="min-w-0 flex-1 basis-72">
          {!error &&
            (effect ? <Effect effect={effect} day={triedDay} timeZone={timeZone} /> : texts.checking)}
        </div>
        {onUndo && (
          <Button look="quiet" onClick={onUndo}>
            {texts.undo}
          </Button>
        )}
        <Button onClick={onDiscard}>{texts.discard}</Button>
        <Button look="primary" isBusy={isSaving} onClick={onSave}>
          {messages.save}
        </Button>
      </div>
    </section>
  );
}

function Effect({ effect, day, timeZone }: { effect: DryRun; day: string | null; timeZone: string }) {
  const texts = useTexts();
  const format = useFormat();
  const span = day === null ? texts.nextDays : texts.daysFrom(format.day(day));
  if (effect.device_count === 0) {
    return (
      <p>
        {texts.noChange(span)}{' '}
        {effect.unexamined_device_count > 0 && texts.unexamined(effect.unexamined_device_count)}
      </p>
    );
  }
  return (
    <details>
      <summary className="cursor-pointer font-medium">
        {texts.changes(effect.device_count, span)}
        {effect.first_change !== null &&
          `, ${texts.firstChange(format.clock(effect.first_change, timeZone))}`}
      </summary>
      <ul
        aria-label={texts.details}
        className="flex max-h-48 flex-col gap-2 overflow-y-auto pt-2"
        tabIndex={0}
      >
        {effect.groups.map((group) => (
          <li key={group.devices[0]?.id} className="border-t border-line pt-2 first:border-0">
            <p className="font-medium [overflow-wrap:anywhere]">
              {group.devices
                .slice(0, 5)
                .map(({ name }) => name)
                .join(', ')}
              {group.device_count > 5 && ` +${format.number(group.device_count - 5)}`}
            </p>
            <ul>
              {group.changes.slice(0, 5).map((change) => (
                <li key={change.start} className="text-muted [overflow-wrap:anywhere]">
                  {format.clock(change.start, timeZone)}–{format.clock(change.end, timeZone)}:{' '}
                  {texts.shownInstead(
                    change.before.playlist?.name ?? texts.nothing,
                    change.after.playlist?.name ?? texts.nothing,
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {effect.unexamined_device_count > 0 && <p>{texts.unexamined(effect.unexamined_device_count)}</p>}
    </details>
  );
}
