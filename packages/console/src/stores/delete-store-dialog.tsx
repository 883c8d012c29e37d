import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { alertRulesOfStoreQuery, schedulesOfStoreQuery, storeQuery } from './store-queries.ts';
import { useTexts } from './texts.ts';

/** Says what uses a store before it is deleted: that cannot be undone. Rules for alerts must name other screens first. */
export function DeleteStoreDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const found = useQuery(storeQuery(id));
  const schedules = useQuery(schedulesOfStoreQuery(id));
  const rules = useQuery(alertRulesOfStoreQuery(id));
  const remove = useMutation({
    mutationFn: () => placard.stores.delete(id),
    onSuccess: () => {
      onClose();
      for (const queryKey of [['stores'], ['devices'], ['schedules'], ['timeline']]) {
        void queries.invalidateQueries({ queryKey });
      }
    },
  });
  const store = found.data?.store;
  const uses = store && schedules.data && rules.data && { schedules: schedules.data, rules: rules.data };
  const error = found.error ?? schedules.error ?? rules.error ?? remove.error;
  return (
    <Dialog isOpen onClose={onClose} title={texts.deleteTitle(store?.name ?? '…')}>
      {!uses && !error && <Skeleton className="h-16" />}
      {store && uses && (
        <>
          {store.device_count > 0 && <p>{texts.deleteScreens(store.device_count)}</p>}
          <Users text={texts.deleteSchedules} users={uses.schedules} />
          <Users text={texts.deleteRules} users={uses.rules} />
          {store.device_count + uses.schedules.length + uses.rules.length === 0 && (
            <p className="text-muted">{texts.deleteUnused}</p>
          )}
        </>
      )}
      {error && <ErrorMessage error={error} />}
      <div className="flex gap-2">
        <Button
          look="danger"
          disabled={uses?.rules.length !== 0}
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {texts.deleteStore}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** What uses the store, by name; nothing when there is none. */
function Users({ text, users }: { text: string; users: readonly { id: string; name: string }[] }) {
  return (
    users.length > 0 && (
      <>
        <p>{text}</p>
        <ul className="list-disc ps-5">
          {users.map(({ id, name }) => (
            <li key={id} className="[overflow-wrap:anywhere]">
              {name}
            </li>
          ))}
        </ul>
      </>
    )
  );
}
