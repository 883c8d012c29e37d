import { renewsAtMs, sessionShown } from '../../core/pairing/pairing.ts';
import { wayToCloud } from '../../core/pairing/way-to-cloud.ts';
import type { Clock, Log, Machine, NetworkInterface, Telemetry } from '../../core/ports.ts';
import type { Screen, ScreenFacts, ToStage } from '../../stage-link/messages.ts';
import type { Bell } from '../bell.ts';
import type { Board, BoardFacts } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface ScreenLoopDeps {
  clock: Clock;
  board: Board;
  telemetry: Telemetry;
  machine: Machine;
  bell: Bell;
  stage: { send(message: ToStage): void };
  server: string;
  playerVersion: string;
  /** IANA zone of the device or its organization. */
  timezone(): string;
  log: Log;
}

export interface ScreenLoop extends Service {
  /** A new page knows nothing yet. */
  pageArrived(): void;
}

/** Addresses change rarely, and asking for them starts children. */
const INTERFACES_MS = 60_000;
/** A screen tells minutes: what corrects the clock by less is not worth a message. */
const STEP_MS = 10_000;

/** Decides what lies over the stage: pairing code, confirmation, idle screen, or nothing. */
export function createScreenLoop(deps: ScreenLoopDeps): ScreenLoop {
  const { clock, board, bell, stage } = deps;
  let interfaces: NetworkInterface[] | null = null;
  let interfacesAtMono = Number.NEGATIVE_INFINITY;
  let shown = '';
  let configured = '';

  const facts = (): ScreenFacts => ({
    server: deps.server,
    player_version: deps.playerVersion,
    serial: deps.machine.serial,
    interfaces: interfaces ?? [],
    timezone: deps.timezone(),
    now_ms: clock.wall(),
  });

  function screenNow(): Screen {
    const known = board.facts;
    if (known.confirm && clock.mono() < known.confirm.untilMono) {
      return { kind: 'paired', device_name: known.confirm.deviceName };
    }
    if (known.pairing) return pairingScreen(known, facts(), interfaces);
    if (known.onStage) return { kind: 'stage' };
    // Just paired: the code stays up until the name to confirm it with has come.
    if (known.heldRevision === null && known.deviceName === '' && shown.includes('"pairing"'))
      return lastScreen;
    return { kind: 'idle', device_name: known.deviceName, facts: facts() };
  }

  let lastScreen: Screen = { kind: 'stage' };

  function show(): void {
    const screen = screenNow();
    // The clock in it moves by itself on the page, which is told anew when this one was corrected.
    const step = Math.round((clock.wall() - clock.mono()) / STEP_MS);
    const key = JSON.stringify(screen, (name, value: unknown) => (name === 'now_ms' ? step : value));
    if (key !== shown) {
      shown = key;
      lastScreen = screen;
      stage.send({ type: 'screen', screen });
    }
    const { localOrientation, orientation, display } = board.facts;
    const configuration = { ...display, orientation: localOrientation ?? orientation };
    if (JSON.stringify(configuration) === configured) return;
    configured = JSON.stringify(configuration);
    stage.send({ type: 'configure', ...configuration });
  }

  return {
    name: 'screen',
    pageArrived() {
      shown = '';
      configured = '';
      show();
    },
    async run(signal) {
      while (!signal.aborted) {
        show();
        const { confirm, onStage } = board.facts;
        if (!onStage && clock.mono() - interfacesAtMono >= INTERFACES_MS) {
          interfacesAtMono = clock.mono();
          interfaces = await deps.telemetry.interfaces();
          continue;
        }
        const confirmMs = confirm ? confirm.untilMono - clock.mono() : 0;
        await bell.wait(confirmMs > 0 ? confirmMs : INTERFACES_MS, signal);
      }
    },
  };
}

function pairingScreen(
  known: Readonly<BoardFacts>,
  facts: ScreenFacts,
  interfaces: NetworkInterface[] | null,
): Screen {
  const { pairing } = known;
  const session = sessionShown(pairing);
  const problem = pairing?.kind === 'showing' || pairing?.kind === 'asking' ? pairing.problem : null;
  return {
    kind: 'pairing',
    code: session?.code ?? null,
    verification_url: session?.verificationUrl ?? null,
    verification_url_complete: session?.verificationUrlComplete ?? null,
    // The page counts down to the next code; this one is good a little longer.
    expires_at_ms: session && renewsAtMs(session),
    problem: problem?.code ?? null,
    steps: wayToCloud(problem ? { ok: false, problem } : pairing?.kind === 'showing' ? { ok: true } : null, {
      server: facts.server,
      interfaces,
      wallMs: facts.now_ms,
    }),
    facts,
  };
}
