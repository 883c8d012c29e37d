import type { Figure } from './figures.ts';
import type { Settings } from './settings.ts';

type Measure = (settings: Settings) => Promise<Figure[]>;

/** The rows of the bench, in the order of the table. Each is loaded when it runs. */
export const ROWS: Readonly<Record<string, () => Promise<Measure>>> = {
  heartbeats: async () => (await import('./cloud/heartbeats.ts')).measureHeartbeats,
  'socket-heartbeats': async () => (await import('./cloud/socket-heartbeats.ts')).measureSocketHeartbeats,
  plays: async () => (await import('./cloud/plays.ts')).measurePlays,
  reads: async () => (await import('./cloud/reads.ts')).measureReads,
  readings: async () => (await import('./cloud/readings.ts')).measureReadings,
  edit: async () => (await import('./cloud/edit.ts')).measureEdit,
  'dry-run': async () => (await import('./cloud/dry-run.ts')).measureDryRun,
  sockets: async () => (await import('./cloud/sockets.ts')).measureSockets,
  streams: async () => (await import('./cloud/streams.ts')).measureStreams,
  upload: async () => (await import('./cloud/upload.ts')).measureUpload,
  download: async () => (await import('./cloud/download.ts')).measureDownload,
  renditions: async () => (await import('./cloud/renditions.ts')).measureRenditions,
  mix: async () => (await import('./cloud/mix.ts')).measureMix,
  console: async () => (await import('./console.ts')).measureConsole,
  'cloud-start': async () => (await import('./cloud/cloud-start.ts')).measureCloudStart,
  'scale-heartbeats': async () => (await import('./scale/heartbeats.ts')).measureScaleHeartbeats,
  'scale-plays': async () => (await import('./scale/plays.ts')).measureScalePlays,
  'scale-edit': async () => (await import('./scale/edit.ts')).measureScaleEdit,
  'scale-mix': async () => (await import('./scale/mix.ts')).measureScaleMix,
  schedule: async () => (await import('./schedule.ts')).measureSchedule,
  start: async () => (await import('./start.ts')).measureStart,
  rest: async () => (await import('./rest.ts')).measureRest,
  screenshots: async () => (await import('./screenshots.ts')).measureScreenshots,
  gap: async () => (await import('./gap.ts')).measureGap,
  soak: async () => (await import('./soak.ts')).measureSoak,
};
