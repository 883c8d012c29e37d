import type { Migration } from 'kysely';
import { first } from './0001-first.ts';
import { pairingAddress } from './0003-pairing-address.ts';
import { playDays } from './0004-play-days.ts';
import { deviceDisplay } from './0005-device-display.ts';
import { pairingPace } from './0006-pairing-pace.ts';
import { toldStatus } from './0007-told-status.ts';
import { deviceFrames } from './0008-device-frames.ts';
import { pairingSecret } from './0009-pairing-secret.ts';
import { auditLog } from './0010-audit-log.ts';
import { thumbnailFault } from './0011-thumbnail-fault.ts';
import { deviceTimeZoneData } from './0012-device-time-zone-data.ts';
import { commandsAndDeployments } from './0013-commands-and-deployments.ts';
import { deliveryBudget } from './0014-delivery-budget.ts';
import { deviceLive } from './0015-device-live.ts';
import { changeCounters } from './0016-change-counters.ts';
import { nodes } from './0017-nodes.ts';
import { devicesByStatus } from './0018-devices-by-status.ts';
import { liveStateInPlace } from './0020-live-state-in-place.ts';
import { partitions } from './0021-partitions.ts';
import { keyEndings } from './0022-key-endings.ts';
import { events } from './0023-events.ts';
import { scheduleSpans } from './0024-schedule-spans.ts';
import { lists } from './0025-lists.ts';
import { people } from './0026-people.ts';
import { uploads } from './0027-uploads.ts';
import { bulkOperations } from './0028-operations.ts';
import { screenshots } from './0029-screenshots.ts';
import { deviceLogs } from './0031-device-logs.ts';
import { liveAnswers } from './0041-live-answers.ts';
import { alertEscalations } from './0039-alert-escalations.ts';
import { alertGenerations } from './0048-alert-generations.ts';
import { alertHours } from './0038-alert-hours.ts';
import { alertMails } from './0037-alert-mails.ts';
import { alerts } from './0034-alerts.ts';
import { alertsBySubject } from './0046-alerts-by-subject.ts';
import { rolloutCounts } from './0047-rollout-counts.ts';
import { screenshotsAllowed } from './0030-screenshots-allowed.ts';
import { screenshotInterval } from './0032-screenshot-interval.ts';
import { faultScreenshots } from './0033-fault-screenshots.ts';
import { mediaOwner } from './0036-media-owner.ts';
import { videoDecoders } from './0042-video-decoders.ts';
import { screenshotMeasures } from './0043-screenshot-measures.ts';
import { renditions } from './0045-renditions.ts';
import { rollouts } from './0044-rollouts.ts';
import { notNotifiedDevices } from './0049-not-notified-devices.ts';
import { recentSamples } from './0050-recent-samples.ts';
import { lastSeenIndexed } from './0051-last-seen-indexed.ts';
import { rotationAndObservation } from './0002-rotation-and-observation.ts';

/** All migrations, ordered by name. Released ones are never edited. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-rotation-and-observation': rotationAndObservation,
  '0003-pairing-address': pairingAddress,
  '0004-play-days': playDays,
  '0005-device-display': deviceDisplay,
  '0006-pairing-pace': pairingPace,
  '0007-told-status': toldStatus,
  '0008-device-frames': deviceFrames,
  '0009-pairing-secret': pairingSecret,
  '0010-audit-log': auditLog,
  '0011-thumbnail-fault': thumbnailFault,
  '0012-device-time-zone-data': deviceTimeZoneData,
  '0013-commands-and-deployments': commandsAndDeployments,
  '0014-delivery-budget': deliveryBudget,
  '0015-device-live': deviceLive,
  '0016-change-counters': changeCounters,
  '0017-nodes': nodes,
  '0018-devices-by-status': devicesByStatus,
  '0020-expand-live-state-in-place': liveStateInPlace,
  '0021-partitions': partitions,
  '0022-expand-key-endings': keyEndings,
  '0023-expand-events': events,
  '0024-expand-schedule-spans': scheduleSpans,
  '0025-expand-lists': lists,
  '0026-expand-people': people,
  '0027-expand-uploads': uploads,
  '0028-expand-operations': bulkOperations,
  '0029-expand-screenshots': screenshots,
  '0030-expand-screenshots-allowed': screenshotsAllowed,
  '0031-expand-device-logs': deviceLogs,
  '0032-expand-screenshot-interval': screenshotInterval,
  '0033-expand-fault-screenshots': faultScreenshots,
  '0034-expand-alerts': alerts,
  '0036-expand-media-owner': mediaOwner,
  '0037-expand-alert-mails': alertMails,
  '0038-expand-alert-hours': alertHours,
  '0039-expand-alert-escalations': alertEscalations,
  '0041-expand-live-answers': liveAnswers,
  '0042-expand-video-decoders': videoDecoders,
  '0043-expand-screenshot-measures': screenshotMeasures,
  '0044-expand-rollouts': rollouts,
  '0045-expand-renditions': renditions,
  '0046-expand-alerts-by-subject': alertsBySubject,
  '0047-expand-rollout-counts': rolloutCounts,
  '0048-expand-alert-generations': alertGenerations,
  '0049-expand-not-notified-devices': notNotifiedDevices,
  '0050-sqlite-recent-samples': recentSamples,
  '0051-sqlite-last-seen-indexed': lastSeenIndexed,
};
