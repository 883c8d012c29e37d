import { bareImage } from '../bare-system.ts';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { eventually } from '../trial.ts';
import { BOOT_WITHIN_MS, pairedMachine } from './power-on.ts';

const ROUNDS = 3;

/** Milliseconds from power to a picture that fills the screen. */
async function powerToPicture(
  machine: Machine,
  label: string,
  matches: ReturnType<typeof isColour>,
): Promise<number> {
  await machine.powerCut();
  await machine.powerOn();
  return eventually(
    `the picture of ${label}`,
    BOOT_WITHIN_MS,
    async () => (matches(await machine.look(label)) ? machine.sincePowerOn() : null),
    200,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const powerToPictureScene: Scene = {
  name: 'power-to-picture',
  title: 'Power to picture, beside the same system with the same browser on a still page',
  async run(trial) {
    const { machine } = await pairedMachine(trial, 'player');
    const bare = await trial.machine('bare', { image: bareImage(trial.system) });
    await machine.powerCut();
    const bareFirst = await powerToPicture(bare, 'bare-first', isColour('green'));
    await bare.powerCut();
    const ours: number[] = [];
    const theirs: number[] = [];
    // In turn, so that a machine that others use weighs on both.
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await powerToPicture(machine, `player-${round}`, isColour('red', 'green', 'yellow')));
      await machine.powerCut();
      theirs.push(await powerToPicture(bare, `bare-${round}`, isColour('green')));
      await bare.powerCut();
    }
    const ratio = median(ours) / median(theirs);
    trial.note(
      `bare system, first boot ${seconds(bareFirst)}; later, median of ${ROUNDS}: player ${seconds(median(ours))}, bare ${seconds(median(theirs))}, ratio ${ratio.toFixed(2)}`,
    );
  },
};
