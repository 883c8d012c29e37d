import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormat } from '../i18n/format.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { overviewQuery, playsOverTimeQuery } from './analytics-queries.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { useTexts } from './texts.ts';

/** A number that may not be there yet. */
const shown = (value: number | undefined, write: (known: number) => string) =>
  value === undefined ? '…' : write(value);

/** Sums of the period; those of all screens only for people who may see all of them. */
export function Totals({ search, isOfAll }: { search: AnalyticsSearch; isOfAll: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  const overview = useQuery({ ...overviewQuery(search), enabled: isOfAll });
  // With the filters, which the overview does not have; its error stands in its panel.
  const { data } = useQuery(playsOverTimeQuery(search));
  const sum = (key: 'plays' | 'play_seconds' | 'failed') =>
    data?.rows.reduce((total, row) => total + row[key], 0);
  const { data: all } = overview;
  return (
    <>
      {overview.error && <ErrorMessage error={overview.error} onRetry={() => void overview.refetch()} />}
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {isOfAll && (
          <>
            <Total name={texts.onlineNow}>
              {all ? texts.onlineOf(format.number(all.online), format.number(all.devices)) : '…'}
            </Total>
            <Total name={texts.uptime}>
              {all
                ? all.uptime_percent === null
                  ? '–'
                  : `${format.number(Math.floor(all.uptime_percent * 100) / 100)} %`
                : '…'}
            </Total>
          </>
        )}
        <Total name={texts.plays}>{shown(sum('plays'), format.number)}</Total>
        <Total name={texts.timeShown}>{shown(sum('play_seconds'), format.duration)}</Total>
        <Total name={texts.failed}>{shown(sum('failed'), format.number)}</Total>
      </dl>
    </>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1 rounded-xl border border-line bg-panel px-4 py-3">
      <dt className="text-muted">{name}</dt>
      <dd className="text-xl font-semibold">{children}</dd>
    </div>
  );
}
