import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keyOfChanges, useIsChanging } from '../api/changes.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { SendForm } from '../ui/send-form.tsx';
import type { DeviceDetail } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

/** Whether the menu on the screen asks for a PIN, and a new one. */
export function PinPanel({ device, mayWrite }: { device: DeviceDetail; mayWrite: boolean }) {
  const messages = useMessages();
  const texts = useDeviceTexts();
  const queries = useQueryClient();
  const isSet = device.configuration.menu_pin_set;
  const isChanging = useIsChanging('device', device.id);
  const change = useMutation({
    mutationKey: keyOfChanges('device', device.id),
    mutationFn: (pin: string | null) =>
      placard.devices.update(device.id, { configuration: { menu_pin: pin } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['device', device.id] }),
  });
  const submit = (form: HTMLFormElement) =>
    change.mutate(formTexts(form)['pin'] ?? '', { onSuccess: () => form.reset() });
  return (
    <Panel title={texts.pin}>
      <p role="status" className="text-muted">
        {isSet ? texts.pinSet : texts.pinNotSet}
      </p>
      {mayWrite && (
        <SendForm className="flex flex-col gap-3" isSending={change.isPending} onSend={submit}>
          <TextField
            label={texts.pinField}
            hint={texts.pinHint}
            name="pin"
            inputMode="numeric"
            autoComplete="off"
            pattern="[0-9]{4,8}"
            maxLength={8}
            required
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" isBusy={change.isPending} disabled={isChanging}>
              {messages.save}
            </Button>
            {isSet && (
              <Button look="quiet" disabled={isChanging} onClick={() => change.mutate(null)}>
                {texts.removePin}
              </Button>
            )}
          </div>
        </SendForm>
      )}
      {change.error && <ErrorMessage error={change.error} />}
    </Panel>
  );
}
