import type { Body } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount, useIsBound } from '../api/account.ts';
import { ORIENTATIONS, orientationOf } from '../api/orientations.ts';
import { placard } from '../api/placard.ts';
import { storesQuery } from '../api/stores.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';

/** Pairs the screen that shows a code. */
export function PairDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const messages = useMessages();
  const queries = useQueryClient();
  const pair = useMutation({
    mutationFn: (body: Body<'pairDevice'>) => placard.devices.pair(body),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['device-counts'] });
      await queries.invalidateQueries({ queryKey: ['devices'] });
    },
  });
  const close = () => {
    pair.reset();
    onClose();
  };
  const submit = (form: HTMLFormElement) => {
    const { code = '', name = '', store = '', orientation } = formTexts(form);
    pair.mutate({
      code,
      ...(name.trim() !== '' && { name }),
      ...(store !== '' && { store_id: store }),
      orientation: orientationOf(orientation),
    });
  };
  const errors = fieldErrors(pair.error);
  return (
    <Dialog isOpen={isOpen} onClose={close} title={messages.pairTitle}>
      {pair.data ? (
        <>
          <p role="status">{messages.pairDone(pair.data.name)}</p>
          <div className="flex gap-2">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: pair.data.id }}
              className="inline-flex h-9 items-center rounded-lg bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong"
            >
              {pair.data.name}
            </Link>
            <Button onClick={() => pair.reset()}>{messages.pairDevice}</Button>
          </div>
        </>
      ) : (
        <SendForm className="flex flex-col gap-4" isSending={pair.isPending} onSend={submit}>
          <TextField
            label={messages.pairCode}
            hint={messages.pairCodeHint}
            name="code"
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            required
            autoFocus
            maxLength={20}
            className="font-mono text-lg tracking-[0.3em] uppercase"
            error={errors['code']}
          />
          <TextField label={messages.pairName} name="name" maxLength={200} error={errors['name']} />
          <StoreField error={errors['store_id']} />
          <SelectField label={messages.orientation} name="orientation" error={errors['orientation']}>
            {ORIENTATIONS.map((each) => (
              <option key={each} value={each}>
                {messages.orientations[each]}
              </option>
            ))}
          </SelectField>
          {pair.error && <ErrorMessage error={pair.error} />}
          <Button look="primary" type="submit" isBusy={pair.isPending}>
            {messages.pairSubmit}
          </Button>
        </SendForm>
      )}
    </Dialog>
  );
}

/** The store that the screen is in: one of their own for a person who is bound to stores, otherwise any or none. */
function StoreField({ error }: { error: string | undefined }) {
  const messages = useMessages();
  const { stores: own } = useAccount();
  const isBound = useIsBound();
  const all = useQuery({ ...storesQuery, enabled: !isBound }).data;
  const choices = own?.map(({ id, name }) => [id, name] as const) ?? [...(all ?? [])];
  if (choices.length === 0) {
    return null;
  }
  return (
    <SelectField
      label={messages.store}
      name="store"
      required={isBound}
      defaultValue={isBound && choices.length === 1 ? choices[0]?.[0] : ''}
      error={error}
    >
      {!isBound && <option value="">{messages.noStore}</option>}
      {isBound && choices.length > 1 && (
        <option value="" disabled>
          {messages.choose}
        </option>
      )}
      {choices.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
