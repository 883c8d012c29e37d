import { renewalDueAtMs, visibleSession } from '../../core/pairing/pairing.ts';
import { checkConnectivity } from '../../core/connectivity-check.ts';
import type { NetworkInterface } from '../../core/ports.ts';
import type { Screen, ScreenInfo } from '@placard/protocol/stage';
import type { PlayerStateFields } from '../base/player-state.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

type ScreenLoopDeps = Pick<
  ServiceDeps,
  | 'clock'
  | 'playerState'
  | 'telemetry'
  | 'machine'
  | 'wakeup'
  | 'stage'
  | 'server'
  | 'playerVersion'
  | 'timezone'
>;

/** Addresses change rarely, and reading them spawns child processes. */
const INTERFACES_MS = 60_000;
/** The screen shows minutes: smaller clock corrections are not sent. */
const STEP_MS = 10_000;

/** Decides what covers the stage: pairing code, confirmation, idle screen, or nothing. */
export function createScreenLoop(deps: ScreenLoopDeps) {
  const { clock, playerState, wakeup, stage } = deps;
  let interfaces: NetworkInterface[] | null = null;
  let interfacesReadAtMonoMs = Number.NEGATIVE_INFINITY;
  let shown = '';
  let configured = '';

  const screenInfo = (): ScreenInfo => ({
    server: deps.server,
    player_version: deps.playerVersion,
    serial: deps.machine.serial,
    interfaces: interfaces ?? [],
    timezone: deps.timezone(),
    now_ms: clock.wallMs(),
  });

  function screenNow(): Screen {
    const fields = playerState.fields;
    if (fields.confirmation && clock.monoMs() < fields.confirmation.untilMonoMs) {
      return { kind: 'paired', device_name: fields.confirmation.deviceName };
    }
    if (fields.pairing) {
      return pairingScreen(fields, screenInfo(), interfaces);
    }
    if (fields.hasSomethingToShow) {
      return { kind: 'stage' };
    }
    // Just paired: the code stays until the device name for the confirmation has arrived.
    if (fields.heldRevision === null && fields.deviceName === '' && shown.includes('"pairing"')) {
      return lastScreen;
    }
    return {
      kind: 'idle',
      device_name: fields.deviceName,
      allows_screenshots: fields.allowsScreenshots,
      info: screenInfo(),
    };
  }

  let lastScreen: Screen = { kind: 'stage' };

  function show(): void {
    const screen = screenNow();
    // The page's clock runs by itself; it gets a new time only after a correction of this one.
    const step = Math.round((clock.wallMs() - clock.monoMs()) / STEP_MS);
    const key = JSON.stringify(screen, (name, value: unknown) => (name === 'now_ms' ? step : value));
    if (key !== shown) {
      shown = key;
      lastScreen = screen;
      stage.send({ type: 'screen', screen });
    }
    const { localOrientation, orientation, display } = playerState.fields;
    const configuration = { ...display, orientation: localOrientation ?? orientation };
    if (JSON.stringify(configuration) === configured) {
      return;
    }
    configured = JSON.stringify(configuration);
    stage.send({ type: 'configure', ...configuration });
  }

  return {
    name: 'screen',
    /** Sends the complete state to a new page. */
    onPageConnected() {
      shown = '';
      configured = '';
      show();
    },
    async run(signal: AbortSignal) {
      while (!signal.aborted) {
        show();
        const { confirmation, hasSomethingToShow } = playerState.fields;
        if (!hasSomethingToShow && clock.monoMs() - interfacesReadAtMonoMs >= INTERFACES_MS) {
          interfacesReadAtMonoMs = clock.monoMs();
          interfaces = await deps.telemetry.interfaces();
          continue;
        }
        const confirmationMs = confirmation ? confirmation.untilMonoMs - clock.monoMs() : 0;
        await wakeup.wait(confirmationMs > 0 ? confirmationMs : INTERFACES_MS, signal);
      }
    },
  };
}

function pairingScreen(
  fields: Readonly<PlayerStateFields>,
  info: ScreenInfo,
  interfaces: NetworkInterface[] | null,
): Screen {
  const { pairing } = fields;
  const session = visibleSession(pairing);
  const problem =
    pairing?.kind === 'showing_code' || pairing?.kind === 'requesting_code' ? pairing.problem : null;
  return {
    kind: 'pairing',
    code: session?.code ?? null,
    verification_url: session?.verificationUrl ?? null,
    verification_url_complete: session?.verificationUrlComplete ?? null,
    // The page counts down to the next code; the current one stays valid a little longer.
    expires_at_ms: session && renewalDueAtMs(session),
    problem: problem?.code ?? null,
    steps: checkConnectivity(
      problem ? { ok: false, problem } : pairing?.kind === 'showing_code' ? { ok: true } : null,
      {
        server: info.server,
        interfaces,
        wallMs: info.now_ms,
      },
    ),
    info,
  };
}
