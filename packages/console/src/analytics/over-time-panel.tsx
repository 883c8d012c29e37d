import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useLanguage } from '../i18n/language.tsx';
import { Chart } from '../ui/chart.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { playsOverTimeQuery } from './analytics-queries.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { useTexts } from './texts.ts';

/** Plays of each hour or day, and how many of them failed. */
export function OverTimePanel({ search }: { search: AnalyticsSearch }) {
  const { language } = useLanguage();
  const texts = useTexts();
  const { data, error, refetch } = useQuery(playsOverTimeQuery(search));
  const chart = useMemo(() => {
    const rows = data?.rows ?? [];
    const total = (key: 'plays' | 'failed') => rows.reduce((sum, row) => sum + row[key], 0);
    return {
      times: rows.map(({ atMs }) => atMs),
      series: [
        { name: texts.plays, values: rows.map(({ plays }) => plays) },
        { name: texts.failed, values: rows.map(({ failed }) => failed) },
      ],
      plays: total('plays'),
      failed: total('failed'),
    };
  }, [data, texts]);
  return (
    <Panel
      title={texts.overTime}
      aside={
        <span className="flex gap-4">
          <Legend colour="text-accent" name={texts.plays} />
          {chart.failed > 0 && <Legend colour="text-warn" name={texts.failed} />}
        </span>
      }
    >
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-48" />}
      {data && chart.plays === 0 && (
        <div className="flex h-48 flex-col items-center justify-center gap-2 text-center">
          <p className="font-semibold">{texts.noPlays}</p>
          <p className="max-w-md text-muted">{texts.noPlaysHint}</p>
          <Link to="/playlists" className="py-2 text-accent underline">
            {texts.toPlaylists}
          </Link>
        </div>
      )}
      {data && chart.plays > 0 && (
        <Chart
          label={texts.chart(chart.plays, chart.failed)}
          times={chart.times}
          series={chart.series}
          look="bars"
          heightPx={192}
          language={language}
          timeZone="UTC"
        />
      )}
    </Panel>
  );
}

function Legend({ colour, name }: { colour: string; name: string }) {
  return (
    <span className="flex items-baseline gap-1.5">
      <span aria-hidden className={colour}>
        ■
      </span>
      {name}
    </span>
  );
}
