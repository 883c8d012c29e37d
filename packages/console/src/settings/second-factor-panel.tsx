import { useMutation, useQueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { PasswordForm } from './password-panel.tsx';
import { QrCode } from './qr-code.tsx';
import { useTexts } from './settings-texts.ts';

/** Codes of an authenticator app: set up with a QR code and a first code, or switched off again. */
export function SecondFactorPanel({ isOn }: { isOn: boolean }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const readAccount = () => queries.invalidateQueries({ queryKey: accountQuery.queryKey });
  const start = useMutation({
    mutationFn: (password: string) => placard.ownAccount.startSecondFactor({ password }),
  });
  const confirm = useMutation({
    mutationFn: (code: string) => placard.ownAccount.confirmSecondFactor({ code }),
    onSuccess: async () => {
      await readAccount();
      start.reset();
    },
  });
  const stop = useMutation({
    mutationFn: (password: string) => placard.ownAccount.stopSecondFactor({ password }),
    onSuccess: readAccount,
  });
  const submit = (form: HTMLFormElement) => confirm.mutate(formTexts(form)['code'] ?? '');
  return (
    <Panel title={texts.secondFactor}>
      <StatusMark kind={isOn ? 'good' : 'idle'} label={isOn ? texts.secondFactorOn : texts.secondFactorOff} />
      {isOn && <PasswordForm label={texts.switchOff} action={stop} />}
      {!isOn && !start.data && <PasswordForm label={texts.setUp} action={start} />}
      {!isOn && start.data && (
        <SendForm className="flex flex-col gap-4" isSending={confirm.isPending} onSend={submit}>
          <p>{texts.scanCode}</p>
          <QrCode text={start.data.uri} label={texts.qrCode} />
          <p className="[overflow-wrap:anywhere]">
            {texts.keyForApp}:{' '}
            <code className="font-mono">{new URL(start.data.uri).searchParams.get('secret')}</code>
          </p>
          <div className="flex flex-col gap-2 rounded-lg bg-selected p-3">
            <p>{texts.backupCodes}</p>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-1 font-mono">
              {start.data.backup_codes.map((code) => (
                <li key={code}>{code}</li>
              ))}
            </ul>
          </div>
          <div className="max-w-md">
            <TextField
              label={texts.firstCode}
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              minLength={6}
              maxLength={10}
              required
            />
          </div>
          {confirm.error && <ErrorMessage error={confirm.error} />}
          <div>
            <Button look="primary" type="submit" isBusy={confirm.isPending}>
              {texts.switchOn}
            </Button>
          </div>
        </SendForm>
      )}
    </Panel>
  );
}
