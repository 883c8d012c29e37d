import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Facts, Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { readHealth, readVersion } from './cloud-state.ts';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

/** The version of the cloud and how it is. */
export function AboutPage() {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const version = useQuery({ queryKey: ['version'], queryFn: ({ signal }) => readVersion(signal) });
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => readHealth(signal),
    refetchInterval: 30_000,
  });
  const state = health.data;
  return (
    <SettingsPage name="about">
      {() => (
        <>
          <Panel title="Placard">
            <Facts facts={[[texts.version, version.data ?? '–']]} />
            <p className="text-muted">
              {texts.license}{' '}
              <a className="text-accent underline" href="/docs" target="_blank" rel="noreferrer">
                {messages.apiDocs}
              </a>
            </p>
          </Panel>
          <Panel title={texts.health}>
            {health.error && <ErrorMessage error={health.error} onRetry={() => void health.refetch()} />}
            {health.isPending && <Skeleton className="h-24" />}
            {state && (
              <>
                <StatusMark
                  kind={state.status === 'ready' ? 'good' : 'bad'}
                  label={state.status === 'ready' ? texts.healthy : texts.unhealthy}
                />
                <Facts
                  facts={[
                    [texts.database, state.database],
                    ...(state.media_store === undefined
                      ? []
                      : [[texts.mediaStore, state.media_store.message] as const]),
                    [
                      texts.disk,
                      `${texts.diskFree(format.bytes(state.disk.free_bytes))} · ${state.disk.message}`,
                    ],
                    [texts.timeZoneData, state.time_zone_data],
                  ]}
                />
              </>
            )}
          </Panel>
        </>
      )}
    </SettingsPage>
  );
}
