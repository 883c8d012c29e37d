import type { Session } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { useTexts } from './settings-texts.ts';

/** The person's own sessions, which they can end; this one by signing out. */
export function OwnSessionsPanel() {
  const texts = useTexts();
  return (
    <SessionsPanel
      name="own"
      hint={texts.endedHere}
      read={(signal) => placard.ownAccount.listSessions({ signal })}
      end={(id) => placard.ownAccount.endSession(id)}
    />
  );
}

/** Where another person is signed in. */
export function UserSessionsPanel({ userId }: { userId: string }) {
  return (
    <SessionsPanel
      name={userId}
      read={(signal) => placard.people.listUserSessions(userId, { signal })}
      end={(id) => placard.people.endUserSession(userId, id)}
      endAll={() => placard.people.endUserSessions(userId)}
    />
  );
}

function SessionsPanel({
  name,
  hint,
  read,
  end,
  endAll,
}: {
  /** Whose they are, for the cache. */
  name: string;
  hint?: string;
  read: (signal: AbortSignal) => Promise<readonly Session[]>;
  end: (id: string) => Promise<unknown>;
  endAll?: () => Promise<unknown>;
}) {
  const texts = useTexts();
  const messages = useMessages();
  const format = useFormat();
  const queries = useQueryClient();
  const queryKey = ['sessions', name];
  const sessions = useQuery({ queryKey, queryFn: ({ signal }) => read(signal) });
  const ending = useMutation({
    mutationFn: (id: string | null) => (id === null && endAll ? endAll() : end(id ?? '')),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Panel title={texts.sessions} aside={hint}>
      {sessions.isPending && <Skeleton className="h-16" />}
      {sessions.error && <ErrorMessage error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {ending.error && <ErrorMessage error={ending.error} />}
      {sessions.data?.length === 0 && <p className="text-muted">{texts.noSessions}</p>}
      {sessions.data && sessions.data.length > 0 && (
        <RowList label={texts.sessions}>
          {sessions.data.map((session) => (
            <RowItem
              key={session.id}
              title={browserName(session.user_agent)}
              facts={[
                session.is_current && texts.thisSession,
                session.address,
                texts.lastUsed(format.ago(session.last_used_at)),
              ]}
            >
              {session.is_current ? undefined : (
                <Button
                  aria-label={`${texts.endSession}: ${browserName(session.user_agent)} ${session.address ?? messages.none}`}
                  isBusy={ending.isPending && ending.variables === session.id}
                  onClick={() => ending.mutate(session.id)}
                >
                  {texts.endSession}
                </Button>
              )}
            </RowItem>
          ))}
        </RowList>
      )}
      {endAll && sessions.data && sessions.data.length > 0 && (
        <div>
          <Button isBusy={ending.isPending && ending.variables === null} onClick={() => ending.mutate(null)}>
            {texts.endAllSessions}
          </Button>
        </div>
      )}
    </Panel>
  );
}

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** For example “Firefox, Windows”; what is not known, as the browser calls itself. */
function browserName(userAgent: string | null): string {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1];
  const known = [find(BROWSERS), find(SYSTEMS)].filter((each) => each !== undefined);
  return known.join(', ') || userAgent?.slice(0, 80) || '–';
}
