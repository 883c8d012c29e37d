import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import type { Schedule } from './schedule-draft.ts';
import { useTexts } from './texts.ts';

/** Asks whether a schedule is to be deleted, and deletes it. */
export function DeleteDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => placard.schedules.delete(schedule.id),
    onSuccess: async () => {
      await navigate({ to: '/schedules' });
      await queries.invalidateQueries({ queryKey: ['schedules'] });
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={texts.deleteTitle(schedule.name)}>
      <p>{texts.deleteHint}</p>
      {remove.error && <ErrorMessage error={remove.error} />}
      <div className="flex gap-2">
        <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          {texts.deleteSchedule}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </Dialog>
  );
}
