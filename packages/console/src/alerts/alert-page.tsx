import type { Alert, AlertDevice, AlertMail } from '@placard/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useIsBound, useMayInAllStores } from '../api/account.ts';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { textOf } from '../i18n/text-of.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { PageFrame } from '../ui/page-frame.tsx';
import { Facts, Panel, Skeleton } from '../ui/panel.tsx';
import { Pages } from '../ui/pages.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { alertDevicesQuery, alertMailsQuery, alertQuery } from './alert-queries.ts';
import { MuteButton } from './mute-dialog.tsx';
import type { MuteChoice, MuteChoices } from './mute-dialog.tsx';
import { ScreensLink, useSubjectName } from './subject.tsx';
import { useTexts } from './texts.ts';
import { useConditionAdvice, useConditionWords, useReasonWords } from './words.ts';

const route = getRouteApi('/signed-in/alerts/$alertId');

/** One alert: what it is about, its screens, and the mails that told of it. */
export function AlertPage() {
  const { alertId } = route.useParams();
  const messages = useMessages();
  const filterWords = useFilterWords();
  const subjectName = useSubjectName();
  const isBound = useIsBound();
  const query = useQuery(alertQuery(alertId));
  const alert = query.data;
  return (
    <PageFrame
      title={alert ? subjectName(alert) : messages.alerts}
      back={
        <Link to="/alerts" className="text-muted hover:text-text">
          ← {messages.alerts}
        </Link>
      }
      aside={
        alert?.status === 'open' && (
          <div className="ms-auto">
            <MuteButton choices={muteChoices(alert, subjectName(alert), filterWords)} />
          </div>
        )
      }
    >
      {query.error && !alert && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-96" />}
      {alert && (
        <>
          <FactsPanel alert={alert} />
          <DevicesPanel alertId={alertId} isOpen={alert.status === 'open'} />
          {!isBound && <MailsPanel alertId={alertId} isOpen={alert.status === 'open'} />}
        </>
      )}
    </PageFrame>
  );
}

/** The screen or store that the alert is about, and all screens. */
function muteChoices(
  { subject: { type, id } }: Alert,
  name: string,
  filterWords: ReturnType<typeof useFilterWords>,
): MuteChoices {
  const all: MuteChoice = { target: { type: 'all' }, words: filterWords({}) };
  if (id === null || (type !== 'device' && type !== 'store')) {
    return [all];
  }
  return [{ target: { type, id }, words: type === 'store' ? filterWords({ store_id: id }) : name }, all];
}

function FactsPanel({ alert }: { alert: Alert }) {
  const texts = useTexts();
  const format = useFormat();
  const words = useConditionWords();
  const reasonWords = useReasonWords();
  const advice = useConditionAdvice();
  const mayChangeRules = useMayInAllStores('Write');
  const isOpen = alert.status === 'open';
  return (
    <Panel title={words(alert.condition)}>
      <StatusMark
        kind={isOpen ? 'bad' : 'idle'}
        label={alert.resolved_because === null ? texts.open : reasonWords(alert.resolved_because)}
      />
      {isOpen && <p className="max-w-prose">{advice(alert.condition)}</p>}
      <Facts
        facts={[
          [
            texts.rule,
            mayChangeRules ? (
              <Link
                to="/alerts/rules"
                search={{ edit: alert.rule_id }}
                className="text-accent hover:underline"
              >
                {alert.rule_name}
              </Link>
            ) : (
              alert.rule_name
            ),
          ],
          [texts.from, format.instant(alert.opened_at)],
          ...(alert.resolved_at === null
            ? [[texts.concernedNow, <ScreensLink alert={alert} />] as const]
            : [[texts.until, format.instant(alert.resolved_at)] as const]),
          [texts.concernedSoFar, texts.screens(alert.devices)],
        ]}
      />
    </Panel>
  );
}

function DevicesPanel({ alertId, isOpen }: { alertId: string; isOpen: boolean }) {
  const texts = useTexts();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...alertDevicesQuery(alertId, page), placeholderData: keepPreviousData });
  return (
    <Panel title={texts.screensTitle}>
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-20" />}
      {list.data && (
        <RowList label={texts.screensTitle}>
          {list.data.rows.map((device) => (
            <DeviceRow key={device.device_id} device={device} isOpen={isOpen} />
          ))}
        </RowList>
      )}
      <Pages
        page={list.data?.page ?? page}
        pages={list.data?.pages ?? 0}
        onChoose={(to) => void navigate({ search: { page: to } })}
      />
    </Panel>
  );
}

/** `isOpen`: the alert. */
function DeviceRow({ device, isOpen }: { device: AlertDevice; isOpen: boolean }) {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const isConcerned = isOpen && device.over_at === null;
  const endedAs = device.over_at === null ? texts.notKnownOver : texts.resolved;
  return (
    <RowItem
      title={
        <span className="flex items-baseline gap-2">
          <StatusMark kind={isConcerned ? 'bad' : 'idle'} label={isConcerned ? texts.open : endedAs} isBare />
          {device.device_name === null ? (
            texts.removedScreen
          ) : (
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: device.device_id }}
              className="text-accent hover:underline"
            >
              {device.device_name}
            </Link>
          )}
        </span>
      }
      facts={[
        messages.showsSince(format.instant(device.joined_at)),
        device.over_at !== null && texts.overSince(format.instant(device.over_at)),
        device.over_at === null && !isOpen && texts.notKnownOver,
      ]}
    />
  );
}

const MAIL_KINDS = { pending: 'warn', sent: 'good', failed: 'bad' } as const;

function MailsPanel({ alertId, isOpen }: { alertId: string; isOpen: boolean }) {
  const texts = useTexts();
  const { data, error, refetch, isPending } = useQuery(alertMailsQuery(alertId, isOpen));
  return (
    <Panel title={texts.mails}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-12" />}
      {data?.length === 0 && <p className="text-muted">{texts.noMails}</p>}
      {data && data.length > 0 && (
        <RowList label={texts.mails}>
          {data.map((mail) => (
            <MailRow key={`${mail.step} ${mail.recipient}`} mail={mail} />
          ))}
        </RowList>
      )}
    </Panel>
  );
}

function MailRow({ mail }: { mail: AlertMail }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <RowItem
      title={
        <span className="flex flex-wrap gap-x-3">
          <StatusMark
            kind={MAIL_KINDS[mail.status] ?? 'idle'}
            label={textOf(texts.mailStatus, mail.status)}
          />
          <span className="min-w-0">{mail.recipient}</span>
        </span>
      }
      facts={[
        textOf(texts.mailStep, mail.step),
        mail.finished_at !== null && format.instant(mail.finished_at),
        mail.attempts > 1 && texts.attempts(format.number(mail.attempts)),
        mail.next_attempt_at !== null &&
          mail.attempts > 0 &&
          texts.nextAttempt(format.instant(mail.next_attempt_at)),
        mail.error,
      ]}
    />
  );
}
