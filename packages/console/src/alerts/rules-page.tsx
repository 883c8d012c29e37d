import type { AlertRule } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useIsBound, useMay, useMayInAllStores } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { PageFrame } from '../ui/page-frame.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { UndoNote } from '../ui/undo-note.tsx';
import { ruleListQuery } from './alert-queries.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { StarterRules } from './starter-rules.tsx';
import { useTexts } from './texts.ts';
import { useConditionWords } from './words.ts';

const route = getRouteApi('/signed-in/alerts/rules');

/** When there is an alert, and who is told. */
export function RulesPage() {
  const messages = useMessages();
  const texts = useTexts();
  const navigate = route.useNavigate();
  const isBound = useIsBound();
  const mayWrite = useMayInAllStores('Write');
  return (
    <PageFrame
      title={texts.rules}
      back={
        <Link to="/alerts" className="text-muted hover:text-text">
          ← {messages.alerts}
        </Link>
      }
      aside={
        mayWrite && (
          <Button
            look="primary"
            className="ms-auto"
            onClick={() => void navigate({ search: { edit: 'new' } })}
          >
            {texts.newRule}
          </Button>
        )
      }
    >
      {isBound ? (
        <p className="max-w-prose text-muted">{texts.rulesNotForBound}</p>
      ) : (
        <Rules mayWrite={mayWrite} />
      )}
    </PageFrame>
  );
}

function Rules({ mayWrite }: { mayWrite: boolean }) {
  const messages = useMessages();
  const texts = useTexts();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery(ruleListQuery);
  const [switched, setSwitched] = useState<Switched | null>(null);
  const undo = useSwitch(() => {});
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-60" />}
      {data?.length === 0 && <StarterRules />}
      {data && data.length > 0 && (
        <>
          <p className="max-w-prose text-muted">{texts.rulesHint}</p>
          <div className="rounded-xl border border-line bg-panel px-4 py-1">
            <RowList label={texts.rules}>
              {data.map((rule) => (
                <RuleRow key={rule.id} rule={rule} mayWrite={mayWrite} onSwitched={setSwitched} />
              ))}
            </RowList>
          </div>
        </>
      )}
      {undo.error && <ErrorMessage error={undo.error} />}
      {switched && (
        <UndoNote
          text={(switched.isActive ? texts.switchedOn : texts.switchedOff)(switched.rule.name)}
          undoLabel={texts.undo}
          onUndo={() => {
            setSwitched(null);
            undo.mutate({ ...switched, isActive: !switched.isActive });
          }}
          closeLabel={messages.close}
          onClose={() => setSwitched(null)}
        />
      )}
      {mayWrite && edit !== undefined && (
        <RuleDialog
          id={edit === 'new' ? null : edit}
          onOpen={(id) => void navigate({ search: { edit: id }, replace: true })}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </>
  );
}

/** A rule, and whether it was made active. */
interface Switched {
  rule: Pick<AlertRule, 'id' | 'name'>;
  isActive: boolean;
}

/** Switches rules on and off, at once. */
function useSwitch(onSwitched: (switched: Switched) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ rule: { id }, isActive }: Switched) =>
      placard.alerts.updateRule(id, { is_active: isActive }),
    onSuccess: (_, switched) => onSwitched(switched),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
}

function RuleRow({
  rule,
  mayWrite,
  onSwitched,
}: {
  rule: AlertRule;
  mayWrite: boolean;
  onSwitched: (switched: Switched) => void;
}) {
  const texts = useTexts();
  const queries = useQueryClient();
  const conditionWords = useConditionWords();
  const filterWords = useFilterWords();
  const isAdmin = useMay('Admin');
  const later = new Set(rule.escalations.flatMap(({ recipients }) => recipients)).size;
  const change = useSwitch(onSwitched);
  const isActive = change.isPending ? change.variables.isActive : rule.is_active;
  return (
    <RowItem
      title={
        mayWrite ? (
          <Link to="/alerts/rules" search={{ edit: rule.id }} className="text-accent hover:underline">
            {rule.name}
          </Link>
        ) : (
          rule.name
        )
      }
      facts={[
        conditionWords(rule.condition),
        filterWords(rule.filter),
        rule.opening_hours !== null && texts.inOpeningHours,
        rule.recipients.length > 0 && texts.mailTo(rule.recipients.length),
        later > 0 && texts.laterTo(later),
        rule.recipients.length + later === 0 && texts.noMail,
        change.error !== null && change.error.message,
      ]}
    >
      <label className="flex min-h-9 items-center gap-2 pe-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          role="switch"
          checked={isActive}
          disabled={!mayWrite}
          aria-label={texts.activeOf(rule.name)}
          onChange={(event) => change.mutate({ rule, isActive: event.target.checked })}
          className="size-5 accent-accent"
        />
        <span aria-hidden>{texts.active}</span>
      </label>
      {isAdmin && (
        <ConfirmButton
          label={texts.deleteRule}
          question={texts.deleteTitle(rule.name)}
          hint={texts.deleteHint}
          onConfirm={async () => {
            await placard.alerts.deleteRule(rule.id);
            await queries.invalidateQueries({ queryKey: ['alerts'] });
          }}
        />
      )}
    </RowItem>
  );
}
