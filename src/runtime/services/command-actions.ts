import { MAX_LOGS_BYTES } from '@placard/protocol';
import type { DeviceLink, Machine, SupportBundle, Updater } from '../../core/ports.ts';
import type { WindowScreenshots } from '../base/window-screenshots.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { ActionResult, CommandActions } from './command-loop.ts';

interface CommandActionsDeps extends Pick<
  ServiceDeps,
  'clock' | 'link' | 'onUnpaired' | 'reloadPage' | 'restartPlayer'
> {
  machine: Pick<Machine, 'reboot'>;
  updater: Updater;
  takeScreenshot: WindowScreenshots['take'];
  supportBundle: Pick<SupportBundle, 'pack'>;
  /** What `status.json` has. */
  status(): object;
  /** Fetches the manifest, verifies the cached files of the held one, and returns how many were found damaged. */
  refresh(signal: AbortSignal): Promise<Record<string, unknown>>;
}

type SendResponse = Awaited<ReturnType<DeviceLink['sendScreenshot' | 'sendLogs']>>;

/** If this process is still running after these timeouts, the restart or reboot command has failed. */
const RESTART_TIMEOUT_MS = 60_000;
const REBOOT_TIMEOUT_MS = 5 * 60_000;

/** Executes the commands of this version; each resolves with its result, or throws the reason of its failure. */
export function createCommandActions(deps: CommandActionsDeps): CommandActions {
  /** Waits for the requested restart or reboot to end this process; throws when it has not happened in time. */
  async function failIfStillRunning(ms: number, reason: string, signal: AbortSignal): Promise<never> {
    await deps.clock.sleep(ms, signal);
    throw new Error(reason);
  }
  /** Of sending what the cloud has asked for. */
  function toResult(response: SendResponse): ActionResult {
    if (response.kind === 'unpaired') {
      deps.onUnpaired();
    }
    if (response.kind === 'ok') {
      return { stage: 'succeeded', result: {} };
    }
    const isLate = response.kind === 'refused' && response.code === 'COMMAND_NOT_FOUND';
    const reason = isLate
      ? 'the cloud does not wait for it any more'
      : `the cloud did not take it (${response.kind === 'refused' ? response.code : response.kind})`;
    return { stage: 'failed', result: { reason } };
  }
  return {
    async REFRESH(signal) {
      const result = await deps.refresh(signal);
      deps.reloadPage();
      return { stage: 'succeeded', result };
    },
    async APP_RESTART(signal) {
      deps.restartPlayer();
      return failIfStillRunning(RESTART_TIMEOUT_MS, 'the shell did not restart the player', signal);
    },
    async REBOOT(signal) {
      await deps.machine.reboot();
      return failIfStillRunning(REBOOT_TIMEOUT_MS, 'the operating system did not reboot', signal);
    },
    async UPDATE_CHECK(signal, { previousProgress, reportProgress }) {
      const report = await deps.updater.update(
        { previousProgress, reportProgress: (now) => reportProgress({ ...now }) },
        signal,
      );
      const failed = report.outcome === 'failed' || report.outcome === 'rolled_back';
      return { stage: failed ? 'failed' : 'succeeded', result: { ...report } };
    },
    async SCREENSHOT(signal, { id }) {
      const picture = await deps.takeScreenshot(signal);
      return toResult(await deps.link.sendScreenshot({ command_id: id, ...picture }, signal));
    },
    async LOGS(signal, { id }) {
      const takenMs = deps.clock.wallMs();
      const bundle = await deps.supportBundle.pack(deps.status(), MAX_LOGS_BYTES);
      const body = {
        command_id: id,
        taken_at: new Date(takenMs).toISOString(),
        bundle: bundle.toString('base64'),
      };
      return toResult(await deps.link.sendLogs(body, signal));
    },
  };
}
