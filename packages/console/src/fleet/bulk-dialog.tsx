import type { Body } from '@placard/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ORIENTATIONS } from '../api/orientations.ts';
import { placard } from '../api/placard.ts';
import { storesQuery } from '../api/stores.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';
import { Warnings } from '../ui/warnings.tsx';
import { BulkProgress } from './bulk-progress.tsx';
import { bulkTrialQuery, playlistNamesQuery } from './device-list.ts';
import type { BulkDevices } from './device-list.ts';
import { useFleetTexts } from './texts.ts';

type Order = Body<'createOperation'>;

/** No id of a store. */
const NO_STORE = 'none';

/** What was chosen in the form; null when that is not complete. */
function actionOf(kind: string, value: string): Order['action'] | null {
  const tags = value
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const orientation = ORIENTATIONS.find((each) => each === value);
  switch (kind) {
    case 'REFRESH':
    case 'APP_RESTART':
    case 'REBOOT':
    case 'UPDATE_CHECK':
      return { type: 'command', command: kind, expires_in: 600 };
    case 'add_tags':
    case 'remove_tags':
      return { type: kind, tags };
    case 'set_store':
      return { type: kind, store_id: value === NO_STORE ? null : value };
    case 'set_orientation':
      return orientation ? { type: kind, orientation } : null;
    case 'deploy':
      return { type: kind, playlist_id: value };
    default:
      return null;
  }
}

/** Does the same to many devices, and follows it. */
export function BulkDialog({
  devices,
  count,
  onClose,
}: {
  /** Null while the dialog is closed. */
  devices: BulkDevices | null;
  count: number;
  onClose: () => void;
}) {
  const messages = useMessages();
  const texts = useFleetTexts();
  const [kind, setKind] = useState('REFRESH');
  const [playlist, setPlaylist] = useState('');
  const deployed = kind === 'deploy' && devices && playlist !== '' ? playlist : null;
  const trial = useQuery(bulkTrialQuery(devices, deployed));
  const start = useMutation({ mutationFn: (order: Order) => placard.operations.create(order) });
  const close = () => {
    start.reset();
    setPlaylist('');
    onClose();
  };
  const submit = (form: HTMLFormElement) => {
    const action = actionOf(kind, formTexts(form)['value'] ?? '');
    if (action && devices) {
      start.mutate({ devices, action });
    }
  };
  const error = start.error ?? trial.error;
  return (
    <Dialog isOpen={devices !== null} onClose={close} title={texts.bulkTitle(count)}>
      {start.data ? (
        <BulkProgress first={start.data} />
      ) : (
        <SendForm className="flex flex-col gap-4" isSending={start.isPending} onSend={submit}>
          <SelectField
            label={texts.action}
            value={kind}
            onChange={(event) => {
              setKind(event.target.value);
              setPlaylist('');
            }}
          >
            <option value="REFRESH">{messages.commandRefresh}</option>
            <option value="APP_RESTART">{messages.commandAppRestart}</option>
            <option value="REBOOT">{messages.commandReboot}</option>
            <option value="UPDATE_CHECK">{messages.commandUpdateCheck}</option>
            <option value="deploy">{texts.deploy}</option>
            <option value="add_tags">{texts.addTags}</option>
            <option value="remove_tags">{texts.removeTags}</option>
            <option value="set_store">{texts.setStore}</option>
            <option value="set_orientation">{texts.setOrientation}</option>
          </SelectField>
          <ValueField kind={kind} onPlaylist={setPlaylist} />
          {trial.isFetching && <p className="text-muted">{texts.checking}</p>}
          {deployed && trial.data && <Warnings warnings={trial.data} />}
          {error && <ErrorMessage error={error} />}
          <Button look="primary" type="submit" disabled={trial.isFetching} isBusy={start.isPending}>
            {texts.start}
          </Button>
        </SendForm>
      )}
    </Dialog>
  );
}

/** What the action needs to know, as the field `value`. */
function ValueField({ kind, onPlaylist }: { kind: string; onPlaylist: (id: string) => void }) {
  const messages = useMessages();
  const texts = useFleetTexts();
  const stores = useQuery({ ...storesQuery, enabled: kind === 'set_store' });
  const playlists = useQuery({ ...playlistNamesQuery, enabled: kind === 'deploy' });
  switch (kind) {
    case 'add_tags':
    case 'remove_tags':
      return <TextField label={messages.tags} hint={texts.tagsHint} name="value" required />;
    case 'set_store':
      return (
        <SelectField label={messages.store} name="value" required defaultValue="">
          <option value="" disabled>
            {messages.choose}
          </option>
          <option value={NO_STORE}>{messages.noStore}</option>
          {[...(stores.data ?? [])].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      );
    case 'set_orientation':
      return (
        <SelectField label={messages.orientation} name="value">
          {ORIENTATIONS.map((each) => (
            <option key={each} value={each}>
              {messages.orientations[each]}
            </option>
          ))}
        </SelectField>
      );
    case 'deploy':
      return (
        <SelectField
          label={texts.playlist}
          name="value"
          required
          defaultValue=""
          onChange={(event) => onPlaylist(event.target.value)}
        >
          <option value="" disabled>
            {messages.choose}
          </option>
          {(playlists.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      );
    default:
      return null;
  }
}
