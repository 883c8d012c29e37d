import { alertOperations } from './alerts.ts';
import { analyticsOperations } from './analytics.ts';
import { auditOperations } from './audit.ts';
import { bulkOperations } from './bulk-operations.ts';
import { commandOperations } from './commands.ts';
import { contentOperations } from './content.ts';
import { deploymentOperations } from './deployments.ts';
import { deviceStatusOperations } from './device-status.ts';
import { deviceOperations } from './devices.ts';
import { eventOperations } from './events.ts';
import { ownAccountOperations } from './own-account.ts';
import { organizationOperations } from './organization.ts';
import { peopleOperations } from './people.ts';
import { playerOperations } from './player.ts';
import { playlistOperations } from './playlists.ts';
import { rolloutOperations } from './rollouts.ts';
import { scheduleOperations } from './schedules.ts';
import { deviceLogsOperations } from './device-logs.ts';
import { renditionOperations } from './renditions.ts';
import { screenshotOperations } from './screenshots.ts';
import { signInOperations } from './sign-in.ts';
import { storeOperations } from './stores.ts';
import { timelineOperations } from './timeline.ts';
import { tagOperations } from './tags.ts';
import { uploadOperations } from './uploads.ts';
import { webhookOperations } from './webhooks.ts';

export * from './alert-mutes.ts';
export * from './alert-rules.ts';
export * from './alerts.ts';
export * from './analytics.ts';
export * from './audit.ts';
export * from './bulk-operations.ts';
export * from './commands.ts';
export * from './content.ts';
export * from './deployments.ts';
export * from './device-status.ts';
export * from './devices.ts';
export * from './dry-run.ts';
export * from './errors.ts';
export * from './event-schemas.ts';
export * from './event-types.ts';
export * from './events.ts';
export * from './fields.ts';
export * from './lists.ts';
export * from './notifications.ts';
export * from './operation.ts';
export * from './organization.ts';
export * from './own-account.ts';
export * from './people.ts';
export * from './player.ts';
export * from './playlists.ts';
export * from './renditions.ts';
export * from './rollout-cause.ts';
export * from './rollouts.ts';
export * from './schedules.ts';
export * from './device-logs.ts';
export * from './device-requests.ts';
export * from './screenshots.ts';
export * from './sign-in.ts';
export * from './stores.ts';
export * from './timeline.ts';
export * from './tags.ts';
export * from './uploads.ts';
export * from './video-warnings.ts';
export * from './webhooks.ts';

export const operations = {
  ...organizationOperations,
  ...deviceOperations,
  ...deviceStatusOperations,
  ...screenshotOperations,
  ...deviceLogsOperations,
  ...contentOperations,
  ...renditionOperations,
  ...uploadOperations,
  ...playlistOperations,
  ...deploymentOperations,
  ...scheduleOperations,
  ...timelineOperations,
  ...storeOperations,
  ...tagOperations,
  ...commandOperations,
  ...bulkOperations,
  ...rolloutOperations,
  ...analyticsOperations,
  ...eventOperations,
  ...alertOperations,
  ...webhookOperations,
  ...auditOperations,
  ...signInOperations,
  ...ownAccountOperations,
  ...peopleOperations,
  ...playerOperations,
};
