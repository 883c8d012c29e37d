import { FAULTS, Fault, type PairingStartRequest } from '@placard/protocol';
import {
  pairingWakeAt,
  startPairing,
  stepPairing,
  type PairingEffect,
  type PairingEvent,
} from '../../core/pairing/pairing.ts';
import type { Clock, CloudLink, Identity, Log, Machine, Random, Store, Telemetry } from '../../core/ports.ts';
import type { Board } from '../board.ts';

export interface PairingLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  cloud: CloudLink;
  telemetry: Telemetry;
  machine: Machine;
  playerVersion: string;
  board: Board;
  log: Log;
}

const SECRET_BYTES = 32;

/** Shows a code and waits until somebody has typed it in; null when the signal aborted before. */
export async function pair(deps: PairingLoopDeps, signal: AbortSignal): Promise<Identity | null> {
  const { clock, store, cloud, board, log } = deps;
  const ofDisk = board.voice();
  const time = () => ({ monoMs: clock.mono(), wallMs: clock.wall() });
  const now = () => ({ ...time(), chance: deps.random.next() });
  let state = startPairing(store.readPairing(), now());
  let request: PairingStartRequest | null = null;
  board.set({ pairing: state });

  async function act(effect: PairingEffect): Promise<PairingEvent | null> {
    switch (effect.kind) {
      case 'ask': {
        request ??= await describe(deps);
        const answer = await cloud.startPairing(request, signal);
        log.info({ pairing_id: answer.pairing_id, expires_at: answer.expires_at }, 'pairing.code');
        return { kind: 'code', answer };
      }
      case 'poll': {
        const answer = await cloud.pollPairing(effect.session, signal);
        return { kind: 'poll', pairingId: effect.session.pairingId, answer };
      }
      case 'keep':
        store.savePairing(effect.session);
        ofDisk.clear();
        return null;
      case 'save_identity':
        store.saveIdentity(effect.identity);
        ofDisk.clear();
        log.info({ device_id: effect.identity.deviceId }, 'pairing.paired');
        return null;
    }
    return effect satisfies never;
  }

  while (!signal.aborted && state.kind !== 'paired') {
    await clock.sleep(Math.max(0, pairingWakeAt(state, time()) - clock.mono()), signal);
    const events: PairingEvent[] = [{ kind: 'tick' }];
    for (let event = events.shift(); event && !signal.aborted; event = events.shift()) {
      const [step, effects] = stepPairing(state, event, now());
      let next = step;
      for (const effect of effects) {
        try {
          const more = await act(effect);
          if (more) events.push(more);
          if (more) board.cloud(null);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          if (signal.aborted) return null;
          log.warn({ code: error.code, help: FAULTS[error.code].help, ...error.facts }, 'pairing.failed');
          if (effect.kind === 'ask' || effect.kind === 'poll') board.cloud(error);
          else ofDisk.raise(error.code, error.facts);
          const afterMs = typeof error.retry === 'object' ? error.retry.afterMs : null;
          const reason = typeof error.facts.reason === 'string' ? error.facts.reason : null;
          const of = effect.kind === 'ask' ? 'ask' : 'poll';
          events.push({ kind: 'failed', of, code: error.code, reason, afterMs });
          if (effect.kind !== 'save_identity') continue;
          // Not written down it would not outlive this process; the cloud gives it again.
          next = state;
          break;
        }
      }
      state = next;
      board.set({ pairing: state, connection: 'problem' in state && state.problem ? 'offline' : 'online' });
    }
  }
  ofDisk.clear();
  return state.kind === 'paired' ? state.identity : null;
}

/** Made at the first start and kept: whoever knows the serial alone does not get into the session of this screen. */
function screenSecret({ store, random, log }: PairingLoopDeps): string {
  const kept = store.readScreenSecret();
  if (kept !== null) return kept;
  const made = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  try {
    store.saveScreenSecret(made);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // It lasts until this process ends; the next one makes another and shows another code.
    log.warn({ code: error.code, ...error.facts }, 'pairing.secret_not_kept');
  }
  return made;
}

async function describe(deps: PairingLoopDeps): Promise<PairingStartRequest> {
  const { machine } = deps;
  const hardware = { ...(await deps.telemetry.hardware()), serial: machine.serial };
  const model = hardware.model ?? null;
  return {
    serial: machine.serial,
    platform: machine.platform,
    player_version: deps.playerVersion,
    type: model !== null && /raspberry/i.test(model) ? 'pi' : 'pc',
    ...(model === null ? {} : { model }),
    hostname: machine.hostname,
    hardware,
    screen_secret: screenSecret(deps),
  };
}
