import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { deviceAlertsQuery } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

/** The open alerts that concern a device; nothing when there are none. */
export function OpenAlerts({ deviceId }: { deviceId: string }) {
  const messages = useMessages();
  const texts = useDeviceTexts();
  const format = useFormat();
  const alerts = useQuery(deviceAlertsQuery(deviceId)).data ?? [];
  return (
    alerts.length > 0 && (
      <ul
        aria-label={messages.alerts}
        className="mb-4 flex flex-col divide-y divide-line rounded-xl border border-line bg-panel px-4"
      >
        {alerts.map((alert) => (
          <li key={alert.id} className="flex flex-wrap items-baseline gap-x-4 py-2">
            <StatusMark kind="bad" label={texts.openAlert} />
            <Link
              to="/alerts/$alertId"
              params={{ alertId: alert.id }}
              className="min-w-0 py-1 text-accent underline [overflow-wrap:anywhere]"
            >
              {alert.rule_name}
            </Link>
            <span className="text-muted">{messages.showsSince(format.instant(alert.opened_at))}</span>
          </li>
        ))}
      </ul>
    )
  );
}
