import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { deviceCommandsQuery } from './device-queries.ts';
import type { CommandName, CommandStatus } from './device-queries.ts';

const KINDS: Record<CommandStatus, 'good' | 'bad' | 'idle'> = {
  queued: 'idle',
  delivered: 'idle',
  acknowledged: 'idle',
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
};

/** Sends commands, and says how far the newest ones are. */
export function CommandPanel({ deviceId, mayWrite }: { deviceId: string; mayWrite: boolean }) {
  const messages = useMessages();
  const format = useFormat();
  const queries = useQueryClient();
  const commands = useQuery(deviceCommandsQuery(deviceId));
  const send = useMutation({
    mutationFn: (command: CommandName) => placard.devices.sendCommand(deviceId, { command }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['device', deviceId, 'commands'] }),
  });
  const choices: readonly (readonly [CommandName, string])[] = [
    ['REFRESH', messages.commandRefresh],
    ['APP_RESTART', messages.commandAppRestart],
    ['REBOOT', messages.commandReboot],
    ['UPDATE_CHECK', messages.commandUpdateCheck],
  ];
  // A newer cloud may have commands that this page does not know.
  const names: ReadonlyMap<string, string> = new Map(choices);
  return (
    <Panel title={messages.commands}>
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          {choices.map(([command, name]) =>
            command === 'REBOOT' ? (
              <ConfirmButton
                key={command}
                label={name}
                question={messages.rebootQuestion}
                hint={messages.rebootHint}
                onConfirm={() => send.mutateAsync(command)}
              />
            ) : (
              <Button
                key={command}
                isBusy={send.isPending && send.variables === command}
                onClick={() => send.mutate(command)}
              >
                {name}
              </Button>
            ),
          )}
        </div>
      )}
      {send.error && <ErrorMessage error={send.error} />}
      {commands.error && <ErrorMessage error={commands.error} onRetry={() => void commands.refetch()} />}
      {commands.data?.length === 0 && <p className="text-muted">{messages.noCommands}</p>}
      <ul className="flex flex-col" aria-live="polite">
        {commands.data?.map((command) => (
          <li
            key={command.id}
            className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2 first:border-0"
          >
            <span>{names.get(command.command) ?? command.command}</span>
            <span className="flex gap-4 text-muted">
              <StatusMark
                kind={KINDS[command.status] ?? 'idle'}
                label={messages.commandStatus[command.status] ?? command.status}
              />
              <time dateTime={command.created_at}>{format.ago(command.created_at)}</time>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
