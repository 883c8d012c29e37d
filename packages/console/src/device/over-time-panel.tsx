import { useQuery } from '@tanstack/react-query';
import { use, useMemo, useState } from 'react';
import { TimeZone, useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { deviceReadingsQuery } from './device-queries.ts';
import type { Reading } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

const average = (bucket: Reading, key: 'cpu_percent' | 'memory_percent' | 'temperature_celsius') =>
  bucket[key]?.avg ?? null;

/** What it measured in the last day or week. */
export function OverTimePanel({ deviceId }: { deviceId: string }) {
  const { messages, language } = useLanguage();
  const timeZone = use(TimeZone);
  const texts = useDeviceTexts();
  const format = useFormat();
  const [days, setDays] = useState<1 | 7>(1);
  const { data, error, refetch } = useQuery(deviceReadingsQuery(deviceId, days));
  const charts = useMemo(() => {
    const buckets = data ?? [];
    return {
      times: buckets.map(({ timestamp }) => Date.parse(timestamp)),
      load: [
        { name: messages.processor, values: buckets.map((bucket) => average(bucket, 'cpu_percent')) },
        { name: messages.memory, values: buckets.map((bucket) => average(bucket, 'memory_percent')) },
      ],
      heat: [
        {
          name: messages.temperature,
          values: buckets.map((bucket) => average(bucket, 'temperature_celsius')),
        },
      ],
    };
  }, [data, messages]);
  const highest = (values: readonly (number | null)[]) =>
    format.number(Math.round(Math.max(0, ...values.map((value) => value ?? 0))));
  return (
    <Panel
      title={texts.overTime}
      aside={
        <div role="group" aria-label={texts.overTime} className="flex">
          {([1, 7] as const).map((each) => (
            <Button
              key={each}
              aria-pressed={days === each}
              className={`first:rounded-e-none last:rounded-s-none last:border-s-0 ${days === each ? 'bg-selected!' : ''}`}
              onClick={() => setDays(each)}
            >
              {each === 1 ? texts.day : texts.sevenDays}
            </Button>
          ))}
        </div>
      }
    >
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-44" />}
      {data?.length === 0 && <p className="text-muted">{texts.noReadings}</p>}
      {data && data.length > 0 && (
        <>
          <p className="text-muted">{timeZone}</p>
          <p className="flex flex-wrap gap-4 text-muted">
            <span>
              <span aria-hidden className="text-accent">
                ━{' '}
              </span>
              {messages.processor}
            </span>
            <span>
              <span aria-hidden className="text-warn">
                ━{' '}
              </span>
              {messages.memory}
            </span>
          </p>
          <Chart
            label={charts.load.map(({ name, values }) => `${name} ≤ ${highest(values)} %`).join(', ')}
            times={charts.times}
            series={charts.load}
            unit=" %"
            language={language}
            timeZone={timeZone}
          />
          {charts.heat[0]?.values.some((value) => value !== null) && (
            <>
              <p className="text-muted">{messages.temperature}</p>
              <Chart
                label={`${messages.temperature} ≤ ${highest(charts.heat[0].values)} °C`}
                times={charts.times}
                series={charts.heat}
                unit=" °C"
                heightPx={120}
                language={language}
                timeZone={timeZone}
              />
            </>
          )}
        </>
      )}
    </Panel>
  );
}
