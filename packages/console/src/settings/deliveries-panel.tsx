import type { Delivery } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { textOf } from '../i18n/text-of.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { useTexts } from './settings-texts.ts';

const KINDS = { pending: 'warn', succeeded: 'good', failed: 'bad' } as const;

/** What was sent to a webhook lately, with tests, further attempts, and events again. */
export function DeliveriesPanel({ webhookId }: { webhookId: string }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const queryKey = ['deliveries', webhookId];
  const deliveries = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await placard.webhooks.listDeliveries(webhookId, { limit: 50 }, { signal }).page()).data,
    refetchInterval: 10_000,
  });
  const readAgain = () => queries.invalidateQueries({ queryKey });
  const test = useMutation({ mutationFn: () => placard.webhooks.test(webhookId), onSuccess: readAgain });
  return (
    <Panel title={texts.deliveries}>
      <div>
        <Button isBusy={test.isPending} onClick={() => test.mutate()}>
          {texts.sendTest}
        </Button>
      </div>
      {test.error && <ErrorMessage error={test.error} />}
      <ReplayForm webhookId={webhookId} onDone={readAgain} />
      {deliveries.isPending && <Skeleton className="h-40" />}
      {deliveries.error && (
        <ErrorMessage error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      )}
      {deliveries.data?.length === 0 && <p className="text-muted">{texts.noDeliveries}</p>}
      {deliveries.data && deliveries.data.length > 0 && (
        <RowList label={texts.deliveries}>
          {deliveries.data.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} onRetried={readAgain} />
          ))}
        </RowList>
      )}
    </Panel>
  );
}

function DeliveryRow({ delivery, onRetried }: { delivery: Delivery; onRetried: () => Promise<void> }) {
  const texts = useTexts();
  const format = useFormat();
  const retry = useMutation({
    mutationFn: () => placard.webhooks.retryDelivery(delivery.webhook_id, delivery.id),
    onSuccess: onRetried,
  });
  return (
    <RowItem
      title={
        <span className="flex flex-wrap gap-x-3">
          <StatusMark
            kind={KINDS[delivery.status] ?? 'idle'}
            label={textOf(texts.deliveryStatus, delivery.status)}
          />
          {delivery.event}
        </span>
      }
      facts={[
        format.instant(delivery.created_at),
        texts.attempts(format.number(delivery.attempts)),
        delivery.response_status !== null && `HTTP ${delivery.response_status}`,
        delivery.error,
        retry.error !== null && retry.error.message,
      ]}
    >
      {delivery.status === 'succeeded' ? undefined : (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {texts.retry}
        </Button>
      )}
    </RowItem>
  );
}

/** Queues events since a time, or after a cursor, until there are no more or no more may wait. Returns how many. */
async function replay(id: string, query: { since: string } | { cursor: string }): Promise<number> {
  const { queued, has_more: hasMore, next_cursor: cursor } = await placard.webhooks.replay(id, { query });
  return hasMore && cursor !== null && queued > 0 ? queued + (await replay(id, { cursor })) : queued;
}

function ReplayForm({ webhookId, onDone }: { webhookId: string; onDone: () => Promise<void> }) {
  const texts = useTexts();
  const again = useMutation({
    mutationFn: (since: string) => replay(webhookId, { since }),
    onSettled: onDone,
  });
  const submit = (form: HTMLFormElement) =>
    again.mutate(new Date(formTexts(form)['since'] ?? '').toISOString());
  return (
    <SendForm className="flex flex-col gap-2" isSending={again.isPending} onSend={submit}>
      <div className="flex flex-wrap items-end gap-2">
        <TextField label={texts.replaySince} name="since" type="datetime-local" required />
        <Button type="submit" isBusy={again.isPending}>
          {texts.replay}
        </Button>
      </div>
      {again.error && <ErrorMessage error={again.error} />}
      <p role="status" className="text-muted">
        {again.data !== undefined && texts.replayed(again.data)}
      </p>
    </SendForm>
  );
}
