import type { FiguresData } from './report/figures.ts';
import type { SimulationOptions } from './options.ts';

/** To a process that simulates devices, once. */
export interface WorkerTask {
  options: SimulationOptions;
  /** Of the processes, from 0. */
  index: number;
}

/** From a process, every second and at its end. */
export interface WorkerReport {
  /** Null: the figures follow. */
  unpaired: number | null;
  /** Since the last report. */
  figures: FiguresData;
  devices: number;
  connected: number;
  /** Resident memory in bytes, and what it was without devices. */
  rssBytes: number;
  emptyRssBytes: number;
  /** Processor time so far. */
  cpuMs: number;
}
