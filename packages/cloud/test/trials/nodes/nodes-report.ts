import type { NodesTrialReport } from './nodes-trial.ts';
import type { TrafficWindow } from './traffic.ts';

const MAX_BACK_MS = 60_000;
const MAX_REQUEST_MS = 1_000;

const slowestMs = ({ slowest }: TrafficWindow): number => slowest?.ms ?? 0;
const seconds = (ms: number | null): string => (ms === null ? 'never' : (ms / 1_000).toFixed(1));

/** Which wanted figures were missed; empty: none. */
export function missedFigures({ kills, outages, audit, problems }: NodesTrialReport): string[] {
  const findings = Object.entries(audit['findings'] ?? {}).map(
    ([kind, count]) => `${kind}: ${String(count)}`,
  );
  const missed = [...problems, ...findings];
  for (const [index, { backMs, others }] of kills.entries()) {
    if (backMs === null || backMs > MAX_BACK_MS) {
      missed.push(`kill ${index + 1}: 99 % of the screens were back after ${seconds(backMs)} s`);
    }
    if (slowestMs(others) > MAX_REQUEST_MS) {
      missed.push(`kill ${index + 1}: a request to another node took ${seconds(slowestMs(others))} s`);
    }
    if (others.slowestUploadMs > MAX_REQUEST_MS) {
      missed.push(`kill ${index + 1}: an upload to another node took ${seconds(others.slowestUploadMs)} s`);
    }
    missed.push(...Object.keys(others.failures).map((failure) => `kill ${index + 1}: ${failure}`));
  }
  for (const [index, { failures, unavailable, readyAfterMs, endedNodes }] of outages.entries()) {
    const which = `outage ${index + 1}`;
    missed.push(...Object.entries(failures).map(([failure, count]) => `${which}: ${count} × ${failure}`));
    if (unavailable === 0) {
      missed.push(`${which}: no request was answered with 503`);
    }
    if (readyAfterMs === null || endedNodes > 0) {
      missed.push(`${which}: the nodes did not recover`);
    }
  }
  return missed;
}

/** The readable report: a row for each kill and outage, and what was compared. */
export function formatNodesReport(report: NodesTrialReport): string {
  const { kills, outages, undisturbed, figures, audit } = report;
  const undisturbedMs = Math.max(0, ...undisturbed.map(slowestMs));
  const undisturbedUploadMs = Math.max(0, ...undisturbed.map(({ slowestUploadMs }) => slowestUploadMs));
  const missed = missedFigures(report);
  return [
    `seed ${report.seed}, ${report.devices} devices`,
    ...kills.map(
      ({ node, screens, backMs, others }, index) =>
        `kill ${index + 1}: node ${node}, ${screens} screens, 99 % back after ${seconds(backMs)} s; ` +
        `${others.requests} requests to the others, the slowest ${seconds(slowestMs(others))} s ` +
        `(${others.slowest?.method ?? ''} ${others.slowest?.path ?? ''}), of uploads ${seconds(others.slowestUploadMs)} s`,
    ),
    ...outages.map(
      ({ kind, unavailable, answered, slowestAnswerMs, sockets, readyAfterMs }, index) =>
        `outage ${index + 1}, ${kind}: ${unavailable} × 503, ${answered} × 200, the slowest after ` +
        `${seconds(slowestAnswerMs)} s; ${sockets.join(' → ')} sockets; ready ${seconds(readyAfterMs)} s after it`,
    ),
    `slowest request while nothing was away: ${seconds(undisturbedMs)} s, of uploads ${seconds(undisturbedUploadMs)} s`,
    `devices: ${JSON.stringify(figures)}`,
    `audit: ${JSON.stringify(audit)}`,
    `${report.uploads} uploads (${report.uploadRetries} requests repeated), ${report.webhookEvents} webhook events ` +
      `(${report.repeatedDeliveries} deliveries repeated)`,
    missed.length === 0 ? 'All wanted figures were reached.' : `MISSED:\n  ${missed.join('\n  ')}`,
  ].join('\n');
}
