import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { schedulesOfStoreQuery, storeQuery } from './store-queries.ts';
import { useTexts } from './texts.ts';

/** Says what uses a store before it is deleted: that cannot be undone. */
export function DeleteStoreDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const found = useQuery(storeQuery(id));
  const schedules = useQuery(schedulesOfStoreQuery(id));
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
  const error = found.error ?? schedules.error ?? remove.error;
  return (
    <Dialog isOpen onClose={onClose} title={texts.deleteTitle(store?.name ?? '…')}>
      {(!store || !schedules.data) && !error && <Skeleton className="h-16" />}
      {store && schedules.data && (
        <>
          {store.device_count > 0 && <p>{texts.deleteScreens(store.device_count)}</p>}
          {schedules.data.length > 0 && (
            <>
              <p>{texts.deleteSchedules}</p>
              <ul className="list-disc ps-5">
                {schedules.data.map((schedule) => (
                  <li key={schedule.id} className="[overflow-wrap:anywhere]">
                    {schedule.name}
                  </li>
                ))}
              </ul>
            </>
          )}
          {store.device_count === 0 && schedules.data.length === 0 && (
            <p className="text-muted">{texts.deleteUnused}</p>
          )}
        </>
      )}
      {error && <ErrorMessage error={error} />}
      <div className="flex gap-2">
        <Button
          look="danger"
          disabled={!store || !schedules.data}
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
