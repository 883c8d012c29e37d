import { FAULTS, Fault } from '@placard/protocol';
import type { PairingStartRequest } from '@placard/protocol';
import { nextPairingTickMonoMs, initialPairingState, stepPairing } from '../../core/pairing/pairing.ts';
import type { PairingEffect, PairingEvent } from '../../core/pairing/pairing.ts';
import type { Identity } from '../../core/pairing/pairing-session.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

type PairingLoopDeps = Pick<
  ServiceDeps,
  | 'clock'
  | 'random'
  | 'database'
  | 'cloud'
  | 'telemetry'
  | 'machine'
  | 'playerVersion'
  | 'playerState'
  | 'log'
>;

const SECRET_BYTES = 32;

/** Shows a pairing code and waits until it is claimed; null when the signal aborts first. */
export async function pair(deps: PairingLoopDeps, signal: AbortSignal): Promise<Identity | null> {
  const { clock, database, cloud, playerState, log } = deps;
  const diskFaults = playerState.createFaultSource();
  const time = () => ({ monoMs: clock.monoMs(), wallMs: clock.wallMs() });
  const now = () => ({ ...time(), random: deps.random.next() });
  let state = initialPairingState(database.readPairing(), now());
  let request: PairingStartRequest | null = null;
  playerState.set({ pairing: state });

  async function performEffect(effect: PairingEffect): Promise<PairingEvent | null> {
    switch (effect.kind) {
      case 'request_code': {
        request ??= await buildPairingRequest(deps);
        const response = await cloud.startPairing(request, signal);
        log.info(
          { pairing_id: response.pairing_id, expires_at: response.expires_at },
          'pairing.code_received',
        );
        return { kind: 'code_received', response };
      }
      case 'poll': {
        const result = await cloud.pollPairing(effect.session, signal);
        return { kind: 'poll_result', pairingId: effect.session.pairingId, result };
      }
      case 'save_session':
        database.savePairing(effect.session);
        diskFaults.clear();
        return null;
      case 'save_identity':
        database.saveIdentity(effect.identity);
        diskFaults.clear();
        log.info({ device_id: effect.identity.deviceId }, 'device.paired');
        return null;
    }
    return effect satisfies never;
  }

  while (!signal.aborted && state.kind !== 'paired') {
    await clock.sleep(Math.max(0, nextPairingTickMonoMs(state, time()) - clock.monoMs()), signal);
    const events: PairingEvent[] = [{ kind: 'tick' }];
    for (let event = events.shift(); event && !signal.aborted; event = events.shift()) {
      const [step, effects] = stepPairing(state, event, now());
      let next = step;
      for (const effect of effects) {
        try {
          const followUp = await performEffect(effect);
          if (followUp) {
            events.push(followUp);
            playerState.cloud.onOnline();
          }
        } catch (error) {
          if (!(error instanceof Fault)) {
            throw error;
          }
          if (signal.aborted) {
            return null;
          }
          log.warn({ code: error.code, help: FAULTS[error.code], ...error.details }, 'pairing.failed');
          if (effect.kind === 'request_code' || effect.kind === 'poll') {
            playerState.cloud.onFailure(error);
          } else {
            diskFaults.raise(error.code, error.details);
          }
          const afterMs = typeof error.retry === 'object' ? error.retry.afterMs : null;
          const reason = typeof error.details.reason === 'string' ? error.details.reason : null;
          const failedRequest = effect.kind === 'request_code' ? 'request_code' : 'poll';
          events.push({ kind: 'request_failed', request: failedRequest, code: error.code, reason, afterMs });
          if (effect.kind !== 'save_identity') {
            continue;
          }
          // A pairing that is not saved would be lost with this process; the cloud returns it again at the next poll.
          next = state;
          break;
        }
      }
      state = next;
      playerState.set({ pairing: state });
    }
  }
  diskFaults.clear();
  return state.kind === 'paired' ? state.identity : null;
}

/** Created at the first start and kept: the serial number alone must not give access to this screen's pairing. */
function screenSecret({ database, random, log }: PairingLoopDeps): string {
  const stored = database.readScreenSecret();
  if (stored !== null) {
    return stored;
  }
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  try {
    database.saveScreenSecret(secret);
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error;
    }
    // Used until this process ends; the next one creates a new secret and gets a new code.
    log.warn({ code: error.code, ...error.details }, 'pairing.secret_save_failed');
  }
  return secret;
}

async function buildPairingRequest(deps: PairingLoopDeps): Promise<PairingStartRequest> {
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
