import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';

/** Where traces are sent. */
export interface TracingSettings {
  /** URL of a receiver of OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Further headers of the requests to it; secret. */
  headers?: Readonly<Record<string, string>>;
}

export interface TracingStartOptions {
  otlpEndpoint?: string;
}

function parseEndpoint(text: string): string {
  if (text === '') {
    return text;
  }
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError(
      'Give a URL such as http://127.0.0.1:4318, without user and password; headers come from OTEL_EXPORTER_OTLP_HEADERS.',
    );
  }
  return text;
}

/** Traces, with flag, environment variable and help text. */
export const addTracingOptions = (command: Command): Command =>
  command.addOption(
    new Option(
      '--otlp-endpoint <url>',
      'send a trace of each edit to this receiver of OpenTelemetry (OTLP over HTTP)',
    )
      .env('OTEL_EXPORTER_OTLP_ENDPOINT')
      .argParser(parseEndpoint),
  );

/** Undefined without traces. `variables`: of the environment, of which the standard of OpenTelemetry names one for headers. */
export function toTracingSettings(
  { otlpEndpoint: endpoint }: TracingStartOptions,
  variables: Readonly<Record<string, string | undefined>>,
): TracingSettings | undefined {
  if (endpoint === undefined || endpoint === '') {
    return undefined;
  }
  const entries = (variables['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').split(',').flatMap((entry) => {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    return name === '' ? [] : [[name, decodeURIComponent(value)]];
  });
  return { endpoint, headers: Object.fromEntries(entries) };
}
