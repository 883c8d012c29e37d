import { operations } from '@placard/protocol/api';
import type { CloudApi } from '../cloud-api/api.ts';
import { Refusal } from '../cloud-api/api.ts';
import type { Ledger } from '../ledger/read-ledger.ts';
import { auditPlays } from './audit-plays.ts';
import { auditSamples } from './audit-samples.ts';
import { createFindings } from './findings.ts';
import type { AuditReport, Findings } from './findings.ts';

/** Compares the cloud with the ledger, through the public API: nothing acknowledged may be missing or count twice. */
export async function audit(deps: {
  api: CloudApi;
  ledger: Ledger;
  /** The samples of so many devices are compared; null: of all. */
  sampledDevices: number | null;
  onProgress: (what: string) => void;
}): Promise<AuditReport> {
  const findings = createFindings();
  deps.onProgress('plays');
  const plays = await auditPlays(deps.api, deps.ledger, findings);
  deps.onProgress('commands');
  await auditCommands(deps.api, deps.ledger, findings);
  const samples = await auditSamples(deps, findings);
  return {
    devices: deps.ledger.devices.size,
    plays,
    commands: deps.ledger.commands.size,
    ...samples,
    ...findings.report(),
  };
}

async function auditCommands(api: CloudApi, ledger: Ledger, findings: Findings): Promise<void> {
  for (const [id, { deviceId, reported }] of ledger.commands) {
    try {
      const { status } = await api.call(operations.getCommand, { params: { id } });
      const isKept =
        reported === null ||
        reported === status ||
        // What follows an acknowledgement may have been stored without its answer being received.
        (reported === 'acknowledged' && ['succeeded', 'failed', 'expired'].includes(status));
      if (!isKept) {
        findings.add('report_lost', `command ${id}: acknowledged as ${reported}, is ${status}`);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      if (ledger.devices.get(deviceId)?.isUnpaired !== true) {
        findings.add('command_lost', `command ${id} of device ${deviceId}`);
      }
    }
  }
}
