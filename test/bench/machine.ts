import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where and when a bench ran. */
export interface MachineState {
  date: string;
  processor: string;
  cores: number;
  /** Mean numbers of runnable processes over 1, 5 and 15 minutes, before the first measurement. */
  load: number[];
  node: string;
}

/** Part of all processors that is used while the bench itself waits, 0–1, from which its figures suffer. */
export const BUSY = 0.15;

export function describeMachine(): MachineState {
  return {
    date: new Date().toISOString(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg().map((value) => Number(value.toFixed(2))),
    node: process.version,
  };
}

export const formatMachine = ({ date, processor, cores, load, node }: MachineState): string =>
  `${date.slice(0, 10)}, ${processor}, ${cores} cores, load ${load.join(' ')}, Node ${node}`;

function processorTimes(): { all: number; idle: number } {
  const times = cpus().map((cpu) => cpu.times);
  return {
    all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
  };
}

/** What other programs use of the processors during this time, 0–1. */
export async function measureUse(ms: number): Promise<number> {
  const before = processorTimes();
  await sleep(ms);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}
