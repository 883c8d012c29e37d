import { Option } from 'commander';
import type { Command } from 'commander';
import { readSecretFile } from './secret-file.ts';
import { wholeNumber } from './whole-number.ts';
import { StartupError } from '../domain/startup-error.ts';

/** Where Prometheus reads the metrics: on a port of its own, or on that of the API with a token. */
export interface MetricsSettings {
  /** 0 lets the operating system choose; without it there is no port of its own. */
  port?: number;
  host?: string;
  /** Of `Authorization: Bearer`; without it the port of the API has no `/metrics`. */
  token?: string;
}

export interface MetricsStartOptions {
  metricsPort?: number;
  metricsHost?: string;
  metricsTokenFile?: string;
}

export const DEFAULT_METRICS_HOST = '127.0.0.1';

/** Metrics, with flags, environment variables and help texts in one place. */
export const addMetricsOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--metrics-port <number>', 'serve metrics for Prometheus on this port, at /metrics')
        .env('PLACARD_METRICS_PORT')
        .argParser(wholeNumber(0, 65_535, 'Give a number from 0 to 65535.')),
    )
    .addOption(
      new Option(
        '--metrics-host <address>',
        `address of that port; ${DEFAULT_METRICS_HOST} by default. Whoever reaches it can read the metrics`,
      ).env('PLACARD_METRICS_HOST'),
    )
    .addOption(
      new Option(
        '--metrics-token-file <file>',
        'serve metrics on the port of the API, at /metrics, to those who send the token in this file',
      ).env('PLACARD_METRICS_TOKEN_FILE'),
    );

/** Undefined without metrics. Throws a `StartupError` if the options contradict each other. */
export function toMetricsSettings({
  metricsPort: port,
  metricsHost: host,
  metricsTokenFile,
}: MetricsStartOptions): MetricsSettings | undefined {
  if (host !== undefined && port === undefined) {
    throw new StartupError('--metrics-host needs a port: add --metrics-port.');
  }
  if (port === undefined && metricsTokenFile === undefined) {
    return undefined;
  }
  return {
    ...(port === undefined ? {} : { port, host: host ?? DEFAULT_METRICS_HOST }),
    ...(metricsTokenFile === undefined
      ? {}
      : { token: readSecretFile(metricsTokenFile, '--metrics-token-file') }),
  };
}
