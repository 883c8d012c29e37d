import { useEffect, useRef } from 'react';

export interface ChartSeries {
  name: string;
  /** One for each instant; null where there is none. */
  values: readonly (number | null)[];
}

const COLOURS = ['--accent', '--warn', '--good', '--bad'];

/** Lines over time. The code that draws is loaded with the first chart; screen readers get the label. */
export function Chart({
  label,
  times,
  series,
  unit = '',
  heightPx = 180,
  language,
}: {
  /** What the chart says, in words. */
  label: string;
  /** Instants in milliseconds since 1970, rising. */
  times: readonly number[];
  series: readonly ChartSeries[];
  unit?: string;
  heightPx?: number;
  language: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = box.current;
    const aborted = new AbortController();
    if (target) {
      void draw(target, { times, series, unit, heightPx, language }, aborted.signal);
    }
    return () => aborted.abort();
  }, [times, series, unit, heightPx, language]);
  return <div ref={box} role="img" aria-label={label} style={{ height: heightPx }} />;
}

interface Drawing {
  times: readonly number[];
  series: readonly ChartSeries[];
  unit: string;
  heightPx: number;
  language: string;
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

async function draw(
  target: HTMLElement,
  { times, series, unit, heightPx, language }: Drawing,
  signal: AbortSignal,
): Promise<void> {
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  if (signal.aborted) {
    return;
  }
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 36 * 3_600_000;
  const time = new Intl.DateTimeFormat(
    language,
    isLong ? { day: 'numeric', month: 'numeric' } : { hour: '2-digit', minute: '2-digit' },
  );
  const plot = new Plot(
    {
      width: target.clientWidth,
      height: heightPx,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      axes: [
        { ...axis, values: (_plot, ticks) => ticks.map((seconds) => time.format(seconds * 1000)) },
        {
          ...axis,
          size: 64,
          values: (_plot, ticks) => ticks.map((value) => `${number.format(value)}${unit}`),
        },
      ],
      series: [
        {},
        ...series.map(({ name }, index) => ({
          label: name,
          stroke: colour(COLOURS[index % COLOURS.length]!),
          width: 1.5,
          points: { show: times.length < 3 },
        })),
      ],
    },
    [times.map((ms) => ms / 1000), ...series.map(({ values }) => [...values])],
    target,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: heightPx }));
  observer.observe(target);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    plot.destroy();
  });
}
