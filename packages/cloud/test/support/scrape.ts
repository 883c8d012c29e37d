import type { TestCloud } from './test-cloud.ts';

/** The samples of a scrape: values by name with labels, as in the text. */
export type Samples = ReadonlyMap<string, number>;

/** Reads the metrics from their own port. */
export async function scrape({ cloud }: Pick<TestCloud, 'cloud'>): Promise<Samples> {
  const response = await fetch(cloud.metricsUrl ?? '');
  return parseSamples(await response.text());
}

export function parseSamples(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
