import { alertMuteRoutes } from './alerts/alert-mutes.ts';
import { alertRoutes } from './alerts/alerts.ts';
import { analyticsRoutes } from './analytics/analytics.ts';
import { auditRoutes } from './audit/audit-log.ts';
import type { Route } from '../http-server/operation-route.ts';
import { commandRoutes } from './commands/commands.ts';
import { contentRoutes } from './content/content.ts';
import { folderRoutes } from './content/folders.ts';
import { importRoutes } from './content/import.ts';
import { renditionRoutes } from './content/renditions.ts';
import { uploadRoutes } from './content/upload.ts';
import type { HttpDeps } from './deps.ts';
import { eventRoutes } from './events/events.ts';
import { deviceRoutes } from './devices/devices.ts';
import { pairRoutes } from './devices/pair.ts';
import { deviceStatusRoutes } from './devices/device-status.ts';
import { companyRoutes } from './people/company.ts';
import { invitationRoutes } from './people/invitations.ts';
import { linkRoutes } from './people/links.ts';
import { ownAccountRoutes } from './people/own-account.ts';
import { signInRoutes } from './people/sign-in.ts';
import { userRoutes } from './people/users.ts';
import { operationRoutes } from './operations/operations.ts';
import { organizationRoutes } from './organization/organization.ts';
import { deployRoutes } from './playlists/deploy.ts';
import { playlistRoutes } from './playlists/playlists.ts';
import { rolloutRoutes } from './rollouts/rollouts.ts';
import { scheduleRoutes } from './schedules/schedules.ts';
import { deviceLogsRoutes } from './device-logs/device-logs.ts';
import { liveRoutes } from './live/live.ts';
import { screenshotRoutes } from './screenshots/screenshots.ts';
import { storeRoutes } from './stores/stores.ts';
import { timelineRoutes } from './timeline/timeline.ts';
import { tagRoutes } from './tags/tags.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** Every operation that an API key or a person can call, and those that people sign in with. */
export function resourceRoutes(deps: HttpDeps): Route[] {
  return [
    ...organizationRoutes(deps),
    ...deviceRoutes(deps),
    ...pairRoutes(deps),
    ...deviceStatusRoutes(deps),
    ...screenshotRoutes(deps),
    ...liveRoutes(deps),
    ...deviceLogsRoutes(deps),
    ...commandRoutes(deps),
    ...operationRoutes(deps),
    ...rolloutRoutes(deps),
    ...folderRoutes(deps),
    ...uploadRoutes(deps),
    ...importRoutes(deps),
    ...contentRoutes(deps),
    ...renditionRoutes(deps),
    ...playlistRoutes(deps),
    ...deployRoutes(deps),
    ...scheduleRoutes(deps),
    ...timelineRoutes(deps),
    ...storeRoutes(deps),
    ...tagRoutes(deps),
    ...analyticsRoutes(deps),
    ...eventRoutes(deps),
    ...alertRoutes(deps),
    ...alertMuteRoutes(deps),
    ...webhookRoutes(deps),
    ...auditRoutes(deps),
    ...signInRoutes(deps),
    ...companyRoutes(deps),
    ...linkRoutes(deps),
    ...ownAccountRoutes(deps),
    ...userRoutes(deps),
    ...invitationRoutes(deps),
  ];
}
