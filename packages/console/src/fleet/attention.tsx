import type { Rollout } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsBound } from '../api/account.ts';
import { newestRolloutQuery } from '../api/newest-rollout.ts';
import { useOpenAlerts } from '../api/open-alerts.ts';
import { useFaultTexts } from '../i18n/fault-texts.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { countQuery, countsQuery } from './device-list.ts';
import { olderVersions } from './older-versions.ts';
import type { FleetSearch } from './fleet-search.ts';
import { useFleetTexts } from './texts.ts';

const SHOW =
  'inline-flex h-9 items-center rounded-lg border border-line px-3 font-medium hover:bg-raised pointer-coarse:h-11';

/** What is said of a rollout that waits for somebody; null of others. */
function rolloutWordsOf({ status, holds_updates: isHolding }: Rollout) {
  if (status === 'held') {
    return 'rolloutHeld';
  }
  if (status === 'stopped') {
    return 'rolloutStopped';
  }
  return status === 'finished' && isHolding ? 'rolloutForSome' : null;
}

/** What needs somebody, by its cause, with what to do; nothing when all is well. */
export function Attention() {
  const messages = useMessages();
  const texts = useFleetTexts();
  const format = useFormat();
  const advice = useFaultTexts();
  const offline = useQuery(countQuery('offline')).data ?? 0;
  const counts = useQuery(countsQuery).data;
  const faults = counts?.faults ?? [];
  const behind = counts?.behind ?? 0;
  const alerts = useOpenAlerts();
  const rollout = useQuery({ ...newestRolloutQuery, enabled: !useIsBound() }).data;
  // Looking for updates would pass over a rollout, and over its stop.
  const versions = rollout?.holds_updates === true ? [] : olderVersions(counts?.player_versions ?? []);
  const rolloutWords = rollout ? rolloutWordsOf(rollout) : null;
  if (
    alerts.count === 0 &&
    offline === 0 &&
    faults.length === 0 &&
    behind === 0 &&
    versions.length === 0 &&
    rolloutWords === null
  ) {
    return null;
  }
  return (
    <section aria-label={texts.attention} className="mb-4 rounded-xl border border-line bg-panel">
      <ul>
        {alerts.count > 0 && (
          <Cause
            mark={<StatusMark kind="bad" label={messages.openAlerts(alerts.count)} />}
            advice={alerts.newest
              .map(({ subject, rule_name: rule }) =>
                subject.name === null ? rule : `${subject.name}: ${rule}`,
              )
              .join(' · ')}
          >
            <Link to="/alerts" className={SHOW}>
              {texts.showThem}
            </Link>
          </Cause>
        )}
        {rollout && rolloutWords && (
          <Cause
            mark={
              <StatusMark
                kind={rolloutWords === 'rolloutForSome' ? 'idle' : 'warn'}
                label={texts[rolloutWords](rollout.version)}
              />
            }
            advice={rolloutWords === 'rolloutHeld' ? texts.rolloutHeldAdvice : texts.rolloutHoldsAdvice}
          >
            <Link to="/devices/rollouts/$rolloutId" params={{ rolloutId: rollout.id }} className={SHOW}>
              {texts.showThem}
            </Link>
          </Cause>
        )}
        {offline > 0 && (
          <Cause
            mark={<StatusMark kind="bad" label={texts.offlineDevices(format.number(offline))} />}
            advice={texts.offlineAdvice}
            search={{ status: 'offline' }}
          />
        )}
        {faults.map(({ code, devices }) => (
          <Cause
            key={code}
            mark={<StatusMark kind="warn" label={`${format.number(devices)} · ${code}`} />}
            advice={advice.get(code) ?? texts.unknownFault}
            search={{ fault: code }}
          />
        ))}
        {behind > 0 && (
          <Cause
            mark={<StatusMark kind="warn" label={texts.behindDevices(behind)} />}
            advice={texts.behindAdvice}
            search={{ status: 'online', revision: 'behind' }}
          />
        )}
        {versions.map(({ player_version: version, devices, newest }) => (
          <Cause
            key={version}
            mark={<StatusMark kind="idle" label={texts.oldVersion(devices, version)} />}
            advice={texts.oldVersionAdvice(newest)}
            search={{ version }}
          />
        ))}
      </ul>
    </section>
  );
}

function Cause({
  mark,
  advice,
  search = {},
  children,
}: {
  mark: ReactNode;
  advice: string;
  /** Which devices it is about. */
  search?: FleetSearch;
  /** A link to what it is about, if that is not devices. */
  children?: ReactNode;
}) {
  const texts = useFleetTexts();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0">
      <strong className="font-medium max-sm:flex-1">{mark}</strong>
      <span className="min-w-0 flex-1 basis-72 text-muted max-sm:order-1">{advice}</span>
      {children ?? (
        <Link to="/devices" search={search} className={SHOW}>
          {texts.showThem}
        </Link>
      )}
    </li>
  );
}
