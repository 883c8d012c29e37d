import type { AlertRule } from '@placard/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { FilterFields } from '../device-filter/filter-fields.tsx';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { filterOf } from '../device-filter/filter.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { openOfRuleQuery, ruleQuery } from './alert-queries.ts';
import { ConditionFields } from './condition-fields.tsx';
import { HoursFields } from './hours-fields.tsx';
import { MailFields } from './mail-fields.tsx';
import { bodyOf, draftOf, isOtherwise, newDraft } from './rule-draft.ts';
import type { RuleDraft } from './rule-draft.ts';
import { useTexts } from './texts.ts';
import { useConditionWords } from './words.ts';

/** A form for a new rule, or for the one with this id. */
export function RuleDialog({
  id,
  onOpen,
  onClose,
}: {
  id: string | null;
  /** Opens the rule that was made, when it was edited further meanwhile. */
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const texts = useTexts();
  const found = useQuery({ ...ruleQuery(id ?? ''), enabled: id !== null });
  return (
    <Dialog isOpen onClose={onClose} title={id === null ? texts.newRule : texts.editRule}>
      {id !== null && found.isPending && <Skeleton className="h-96" />}
      {found.error && !found.data && <ErrorMessage error={found.error} />}
      {(id === null || found.data) && (
        <RuleForm
          rule={found.data?.rule ?? null}
          etag={found.data?.etag ?? null}
          onOpen={onOpen}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function RuleForm({
  rule,
  etag,
  onOpen,
  onClose,
}: {
  rule: AlertRule | null;
  etag: string | null;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const { messages, language } = useLanguage();
  const texts = useTexts();
  const queries = useQueryClient();
  const conditionWords = useConditionWords();
  const filterWords = useFilterWords();
  const editor = useEditor<RuleDraft, AlertRule>({
    kind: 'alert rule',
    id: rule?.id ?? null,
    etag,
    stored: rule === null ? newDraft(language) : draftOf(rule),
    valuesOf: draftOf,
    save: (values, condition) => {
      const body = bodyOf(values, conditionWords(values.condition));
      return rule === null
        ? placard.request('POST /v1/alert-rules', { body })
        : placard.request('PATCH /v1/alert-rules/{id}', { path: { id: rule.id }, body, ...condition });
    },
    readAgain: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const { values: draft, edit: change, hasConflict } = editor;
  const words = conditionWords(draft.condition);
  const close = () => {
    editor.discard();
    onClose();
  };
  const errors = fieldErrors(editor.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save(({ id }, isAll) => (isAll ? onClose() : onOpen(id)));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
      {hasConflict && rule && (
        <ConflictNote
          theirs={[
            rule.name,
            conditionWords(rule.condition),
            filterWords(rule.filter),
            rule.opening_hours === null ? '' : texts.inOpeningHours,
            [...rule.recipients, ...rule.escalations.flatMap((step) => step.recipients)].join(', '),
          ]}
          onKeepMine={editor.keepMine}
          onTakeTheirs={editor.discard}
        />
      )}
      <ConditionFields
        value={draft.condition}
        onChange={(condition) => change({ condition })}
        errors={errors}
      />
      <FilterFields
        value={draft.filter}
        onChange={(filter) => change({ filter })}
        errors={errors}
        countWords={texts.watches}
      />
      <HoursFields
        value={draft.openingHours}
        onChange={(openingHours) => change({ openingHours })}
        errors={errors}
      />
      <MailFields draft={draft} onChange={change} errors={errors} />
      <TextField
        label={messages.name}
        value={draft.name}
        placeholder={words}
        maxLength={200}
        onChange={({ target }) => change({ name: target.value })}
        error={errors['name']}
      />
      <p className="rounded-lg bg-selected p-3 [overflow-wrap:anywhere]">
        {words} · {filterWords(filterOf(draft.filter))}
      </p>
      {rule && isOtherwise(rule, draft) && <EndsOpenNote ruleId={rule.id} />}
      {editor.error && !hasConflict && <ErrorMessage error={editor.error} />}
      <div className="flex gap-2">
        <Button look="primary" type="submit" isBusy={editor.isSaving} disabled={hasConflict}>
          {messages.save}
        </Button>
        <Button onClick={close}>{messages.cancel}</Button>
      </div>
    </form>
  );
}

/** Says what becomes of the open alerts of a rule when it is another one. */
function EndsOpenNote({ ruleId }: { ruleId: string }) {
  const texts = useTexts();
  const count = useQuery(openOfRuleQuery(ruleId)).data ?? 0;
  return (
    count > 0 && (
      <p role="status" className="rounded-lg bg-warn-panel p-3 text-warn">
        {texts.endsOpen(count)}
      </p>
    )
  );
}
