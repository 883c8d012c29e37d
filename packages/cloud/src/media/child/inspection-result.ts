import type { MediaInfo, RejectionReason, InspectionReport } from '../inspection-messages.ts';

/** The final result for a file. */
export type InspectionResult = Extract<InspectionReport, { type: 'done' | 'refused' }>;
/** Reports the metadata of a supported file before its thumbnail is made. */
export type ReportInfo = (info: MediaInfo) => void;

/** Libraries include bytes of the file in their messages, so they are truncated. */
const MAX_MESSAGE_CHARACTERS = 2000;

export const rejectFile = (reason: RejectionReason, message: string): InspectionResult => ({
  type: 'refused',
  reason,
  message: message.slice(0, MAX_MESSAGE_CHARACTERS),
});
