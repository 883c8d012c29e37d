import { useEffect, useRef } from 'react';

export interface ChartSeries {
  name: string;
  /** One for each instant; null where there is none. */
  values: readonly (number | null)[];
}

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const COLOURS = ['--accent', '--warn', '--good', '--bad'];

/** Lines over time. The code that draws is loaded with the first chart; screen readers get the label. */
export function Chart({
  label,
  times,
  series,
  unit = '',
  heightPx = 180,
  language,
  look = 'lines',
  timeZone,
}: {
  /** What the chart says, in words. */
  label: string;
  /** Instants in milliseconds since 1970, rising. */
  times: readonly number[];
  series: readonly ChartSeries[];
  unit?: string;
  heightPx?: number;
  language: string;
  /** Bars are for counts; each series stands before the one above it. */
  look?: 'lines' | 'bars';
  /** Zone of the times that are shown; absent: that of the browser. */
  timeZone?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = box.current;
    const aborted = new AbortController();
    if (target) {
      void draw(target, { times, series, unit, heightPx, language, look, timeZone }, aborted.signal);
    }
    return () => aborted.abort();
  }, [times, series, unit, heightPx, language, look, timeZone]);
  return <div ref={box} role="img" aria-label={label} style={{ height: heightPx }} />;
}

interface Drawing {
  times: readonly number[];
  series: readonly ChartSeries[];
  unit: string;
  heightPx: number;
  language: string;
  look: 'lines' | 'bars';
  timeZone: string | undefined;
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

async function draw(
  target: HTMLElement,
  { times, series, unit, heightPx, language, look, timeZone }: Drawing,
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
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 36 * HOUR_MS;
  const time = new Intl.DateTimeFormat(
    language,
    isLong
      ? { day: 'numeric', month: 'numeric', timeZone }
      : { hour: '2-digit', minute: '2-digit', timeZone },
  );
  const halfBar = look === 'bars' ? ((times[1] ?? HOUR_MS) - (times[0] ?? 0)) / 2000 : 0;
  const plot = new Plot(
    {
      width: target.clientWidth,
      height: heightPx,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      ...(timeZone !== undefined && {
        tzDate: (seconds: number) => Plot.tzDate(new Date(seconds * 1000), timeZone),
      }),
      // Room for the whole of the first and the last bar.
      ...(look === 'bars' && {
        scales: { x: { range: (_plot, min, max) => [min - halfBar, max + halfBar] as [number, number] } },
      }),
      axes: [
        {
          ...axis,
          // Pixels between two labels: "06:00 PM" and a gap.
          space: 80,
          // A day is written once.
          ...(isLong && { incrs: [1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY_SECONDS) }),
          values: (_plot, ticks) => ticks.map((seconds) => time.format(seconds * 1000)),
        },
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
          width: look === 'bars' ? 0 : 1.5,
          points: { show: look === 'lines' && times.length < 3 },
          ...(look === 'bars' && {
            fill: colour(COLOURS[index % COLOURS.length]!),
            paths: Plot.paths.bars!({ size: [0.7, 40] }),
          }),
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
