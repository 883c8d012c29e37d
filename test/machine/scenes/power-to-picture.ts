import { bareImage } from '../bare-system.ts';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { eventually } from '../trial.ts';
import { BOOT_WITHIN_MS, pair, playColours, recordBoot } from './power-on.ts';

const ROUNDS = 3;
const LARGEST_RATIO = 1.5;

/** As a recorded boot is looked at: each look holds the emulation up. */
const LOOK_EVERY_MS = 500;

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
    async () => {
      const atMs = machine.sincePowerOn();
      return matches(await machine.look(label)) ? atMs : null;
    },
    LOOK_EVERY_MS,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const powerToPictureScene: Scene = {
  name: 'power-to-picture',
  title: 'Power to picture, beside the same system with the same browser on a still page',
  async run(trial) {
    const bare = await trial.machine('bare', { image: bareImage(trial.system) });
    const bareFirst = await powerToPicture(bare, 'bare-first', isColour('green'));
    await bare.powerCut();
    const machine = await trial.machine('player');
    await machine.powerOn();
    const { pictureAtMs: ourFirst } = await recordBoot(machine, 'player-first');
    await playColours(trial, machine, await pair(trial, machine, 'player'));
    await machine.powerCut();
    const ours: number[] = [];
    const theirs: number[] = [];
    // In turn, so that a machine that others use weighs on both.
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await powerToPicture(machine, `player-${round}`, isColour('red', 'green', 'yellow')));
      await machine.powerCut();
      theirs.push(await powerToPicture(bare, `bare-${round}`, isColour('green')));
      await bare.powerCut();
    }
    for (const [when, our, their] of [
      ['first boot', ourFirst, bareFirst],
      [`later, median of ${ROUNDS}`, median(ours), median(theirs)],
    ] as const)
      trial.note(
        `${when}: player ${seconds(our)}, bare ${seconds(their)}, ratio ${(our / their).toFixed(2)}`,
      );
    const ratio = Math.max(ourFirst / bareFirst, median(ours) / median(theirs));
    if (ratio > LARGEST_RATIO) throw new Error(`the player takes ${ratio.toFixed(2)} times as long`);
  },
};
