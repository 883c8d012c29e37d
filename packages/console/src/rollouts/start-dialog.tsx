import type { Rollout } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { useEdited } from '../api/edited.ts';
import { inUseQuery } from '../api/in-use.ts';
import { newestRolloutQuery } from '../api/newest-rollout.ts';
import { placard } from '../api/placard.ts';
import { FilterFields } from '../device-filter/filter-fields.tsx';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { isForAll, isUnfinished } from './rollout-queries.ts';
import { bodyOf, firstDraft, HOLDS, releasedVersions, RINGS } from './start-draft.ts';
import type { StartDraft } from './start-draft.ts';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';
import { titleOf } from './words.ts';

/** A form for a new rollout. */
export function StartDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const inUse = useQuery(inUseQuery);
  const newest = useQuery(newestRolloutQuery);
  return (
    <Dialog isOpen onClose={onClose} title={texts.start}>
      {inUse.isPending || newest.isPending ? (
        <Skeleton className="h-96" />
      ) : (
        <StartForm
          versions={inUse.data?.player_versions ?? []}
          newest={newest.data ?? null}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function StartForm({
  versions,
  newest,
  onClose,
}: {
  versions: Parameters<typeof firstDraft>[0];
  newest: Rollout | null;
  onClose: () => void;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const values = useValues();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const versionsId = useId();
  const editor = useEdited<StartDraft>('rollout new', null);
  const draft = editor.edited ?? firstDraft(versions, newest);
  const change = (changed: Partial<StartDraft>) => editor.edit({ ...draft, ...changed });
  const start = useMutation({
    mutationFn: () => placard.rollouts.create(bodyOf(draft)),
    onSuccess: async (rollout) => {
      editor.discard();
      queries.setQueryData(newestRolloutQuery.queryKey, rollout);
      await navigate({ to: '/devices/rollouts/$rolloutId', params: { rolloutId: rollout.id } });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['rollouts'] }),
  });
  const errors = fieldErrors(start.error);
  /** Somebody else was faster: one may be unfinished. */
  const other = start.isIdle || start.isError ? newest : null;
  const isTooLate = other !== null && isUnfinished(other);
  const [firstRing = '', ...nextRings] = draft.rings.split(', ').map((each) => values.share(Number(each)));
  const close = () => {
    editor.discard();
    onClose();
  };
  const submit = () => start.mutate();
  return (
    <SendForm className="flex flex-col gap-3" isSending={start.isPending} onSend={submit}>
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
      <TextField
        label={texts.version}
        autoFocus
        required
        list={versionsId}
        placeholder="1.4.0"
        autoComplete="off"
        maxLength={50}
        value={draft.version}
        hint={texts.versionHint}
        error={errors['version']}
        onChange={({ target }) => change({ version: target.value })}
      />
      <datalist id={versionsId}>
        {releasedVersions(versions).map((version) => (
          <option key={version} value={version} />
        ))}
      </datalist>
      <FilterFields
        value={draft.filter}
        onChange={(filter) => change({ filter })}
        errors={errors}
        countWords={texts.matches}
      />
      <details>
        <summary className="cursor-pointer py-1 text-muted hover:text-text">{texts.more}</summary>
        <div className="flex flex-col gap-3 pt-2">
          <TextField
            label={messages.name}
            value={draft.name}
            maxLength={200}
            hint={texts.nameHint}
            error={errors['name']}
            onChange={({ target }) => change({ name: target.value })}
          />
          <SelectField
            label={texts.rings}
            value={draft.rings}
            hint={texts.ringsHint}
            error={errors['rings']}
            onChange={({ target }) => change({ rings: target.value })}
          >
            {RINGS.map((rings) => (
              <option key={rings} value={rings}>
                {rings
                  .split(', ')
                  .map((percent) => values.share(Number(percent)))
                  .join(' → ')}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={texts.heldFor}
            value={draft.holdHours}
            hint={texts.holdHint}
            error={errors['hold_hours']}
            onChange={({ target }) => change({ holdHours: target.value })}
          >
            {HOLDS.map((hours) => (
              <option key={hours} value={hours}>
                {values.hours(hours)}
              </option>
            ))}
          </SelectField>
        </div>
      </details>
      <p className="rounded-lg bg-warn-panel p-3">
        {nextRings.length === 0
          ? texts.planAll
          : texts.plan(firstRing, nextRings.join(', '), values.hours(Number(draft.holdHours)))}{' '}
        {texts.startNote} {isForAll(bodyOf(draft)) ? texts.holdsUpdates : texts.holdsUntilAll}
      </p>
      {isTooLate && (
        <p role="alert" className="flex flex-wrap gap-x-3 rounded-lg bg-bad-panel p-3">
          {texts.otherBegan}
          <Link
            to="/devices/rollouts/$rolloutId"
            params={{ rolloutId: other.id }}
            className="text-accent underline"
          >
            {titleOf(other)}
          </Link>
        </p>
      )}
      {start.error && <ErrorMessage error={start.error} />}
      <div className="flex gap-2">
        <Button look="primary" type="submit" isBusy={start.isPending} disabled={isTooLate}>
          {texts.start}
        </Button>
        <Button onClick={close}>{messages.cancel}</Button>
      </div>
    </SendForm>
  );
}
