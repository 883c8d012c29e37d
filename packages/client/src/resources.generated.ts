// Generated from the OpenAPI description by `npm run generate:client`. Do not edit: change packages/protocol/src/api.

import type { Pages } from './pages.ts';
import type { Body, Data, Query, RequestOptions, WithQuery } from './types.ts';
import type { components } from './schema.generated.ts';

export type ActiveSchedule = components['schemas']['ActiveSchedule'];
export type Alert = components['schemas']['Alert'];
export type AlertCondition = components['schemas']['AlertCondition'];
export type AlertDevice = components['schemas']['AlertDevice'];
export type AlertEscalation = components['schemas']['AlertEscalation'];
export type AlertFilter = components['schemas']['AlertFilter'];
export type AlertMail = components['schemas']['AlertMail'];
export type AlertMute = components['schemas']['AlertMute'];
export type AlertMuteTarget = components['schemas']['AlertMuteTarget'];
export type AlertOpenedEvent = components['schemas']['AlertOpenedEvent'];
export type AlertResolvedEvent = components['schemas']['AlertResolvedEvent'];
export type AlertRule = components['schemas']['AlertRule'];
export type AlertRuleWarning = components['schemas']['AlertRuleWarning'];
export type AlertSubject = components['schemas']['AlertSubject'];
export type AnalyticsOverview = components['schemas']['AnalyticsOverview'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyWithSecret = components['schemas']['ApiKeyWithSecret'];
export type Asset = components['schemas']['Asset'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type BulkAction = components['schemas']['BulkAction'];
export type BulkActionInput = components['schemas']['BulkActionInput'];
export type BulkFilter = components['schemas']['BulkFilter'];
export type ChangeGroup = components['schemas']['ChangeGroup'];
export type ChangedAlertRule = components['schemas']['ChangedAlertRule'];
export type ChangedPlaylist = components['schemas']['ChangedPlaylist'];
export type ChangedSchedule = components['schemas']['ChangedSchedule'];
export type Command = components['schemas']['Command'];
export type CommandAcknowledgedEvent = components['schemas']['CommandAcknowledgedEvent'];
export type CommandCreatedEvent = components['schemas']['CommandCreatedEvent'];
export type CommandDeliveredEvent = components['schemas']['CommandDeliveredEvent'];
export type CommandFinishedEvent = components['schemas']['CommandFinishedEvent'];
export type ContentCreatedEvent = components['schemas']['ContentCreatedEvent'];
export type ContentDeletedEvent = components['schemas']['ContentDeletedEvent'];
export type ContentUpdatedEvent = components['schemas']['ContentUpdatedEvent'];
export type Cursor = components['schemas']['Cursor'];
export type Deletion = components['schemas']['Deletion'];
export type Delivery = components['schemas']['Delivery'];
export type DeploymentDetail = components['schemas']['DeploymentDetail'];
export type DeploymentWarning = components['schemas']['DeploymentWarning'];
export type Device = components['schemas']['Device'];
export type DeviceAlertEvent = components['schemas']['DeviceAlertEvent'];
export type DeviceConfigurationChange = components['schemas']['DeviceConfigurationChange'];
export type DeviceCounts = components['schemas']['DeviceCounts'];
export type DeviceDetail = components['schemas']['DeviceDetail'];
export type DeviceLogs = components['schemas']['DeviceLogs'];
export type DeviceLogsEvent = components['schemas']['DeviceLogsEvent'];
export type DeviceLogsState = components['schemas']['DeviceLogsState'];
export type DeviceMoment = components['schemas']['DeviceMoment'];
export type DeviceNowPlayingEvent = components['schemas']['DeviceNowPlayingEvent'];
export type DeviceOfflineEvent = components['schemas']['DeviceOfflineEvent'];
export type DeviceOnlineEvent = components['schemas']['DeviceOnlineEvent'];
export type DevicePairedEvent = components['schemas']['DevicePairedEvent'];
export type DeviceRemovedEvent = components['schemas']['DeviceRemovedEvent'];
export type DeviceScreenshotEvent = components['schemas']['DeviceScreenshotEvent'];
export type DeviceUpdatedEvent = components['schemas']['DeviceUpdatedEvent'];
export type DeviceUptime = components['schemas']['DeviceUptime'];
export type DryRun = components['schemas']['DryRun'];
export type Error = components['schemas']['Error'];
export type Event = components['schemas']['Event'];
export type Folder = components['schemas']['Folder'];
export type HeartbeatBucket = components['schemas']['HeartbeatBucket'];
export type Invitation = components['schemas']['Invitation'];
export type InvitationWithUrl = components['schemas']['InvitationWithUrl'];
export type ListedDeployment = components['schemas']['ListedDeployment'];
export type LiveLogLines = components['schemas']['LiveLogLines'];
export type LogsRequest = components['schemas']['LogsRequest'];
export type Manifest = components['schemas']['Manifest'];
export type NamedReference = components['schemas']['NamedReference'];
export type NewDeployment = components['schemas']['NewDeployment'];
export type NewOperation = components['schemas']['NewOperation'];
export type Notification = components['schemas']['Notification'];
export type OpeningHours = components['schemas']['OpeningHours'];
export type Operation = components['schemas']['Operation'];
export type OperationFinishedEvent = components['schemas']['OperationFinishedEvent'];
export type OperationProgressEvent = components['schemas']['OperationProgressEvent'];
export type OperationResult = components['schemas']['OperationResult'];
export type Organization = components['schemas']['Organization'];
export type OwnAccount = components['schemas']['OwnAccount'];
export type Paging = components['schemas']['Paging'];
export type Passkey = components['schemas']['Passkey'];
export type PlayCounts = components['schemas']['PlayCounts'];
export type Playlist = components['schemas']['Playlist'];
export type PlaylistCreatedEvent = components['schemas']['PlaylistCreatedEvent'];
export type PlaylistDeletedEvent = components['schemas']['PlaylistDeletedEvent'];
export type PlaylistDeployedEvent = components['schemas']['PlaylistDeployedEvent'];
export type PlaylistDetail = components['schemas']['PlaylistDetail'];
export type PlaylistItem = components['schemas']['PlaylistItem'];
export type PlaylistItemInput = components['schemas']['PlaylistItemInput'];
export type PlaylistSummary = components['schemas']['PlaylistSummary'];
export type PlaylistUpdatedEvent = components['schemas']['PlaylistUpdatedEvent'];
export type Rendition = components['schemas']['Rendition'];
export type RenditionFile = components['schemas']['RenditionFile'];
export type ReplacedAsset = components['schemas']['ReplacedAsset'];
export type Replay = components['schemas']['Replay'];
export type Rollout = components['schemas']['Rollout'];
export type RolloutAdvancedEvent = components['schemas']['RolloutAdvancedEvent'];
export type RolloutCause = components['schemas']['RolloutCause'];
export type RolloutComparison = components['schemas']['RolloutComparison'];
export type RolloutContinuedEvent = components['schemas']['RolloutContinuedEvent'];
export type RolloutCreatedEvent = components['schemas']['RolloutCreatedEvent'];
export type RolloutDeletedEvent = components['schemas']['RolloutDeletedEvent'];
export type RolloutDevice = components['schemas']['RolloutDevice'];
export type RolloutFilter = components['schemas']['RolloutFilter'];
export type RolloutFinishedEvent = components['schemas']['RolloutFinishedEvent'];
export type RolloutHeldEvent = components['schemas']['RolloutHeldEvent'];
export type RolloutProgressEvent = components['schemas']['RolloutProgressEvent'];
export type RolloutStoppedEvent = components['schemas']['RolloutStoppedEvent'];
export type Rule = components['schemas']['Rule'];
export type RuleInput = components['schemas']['RuleInput'];
export type Schedule = components['schemas']['Schedule'];
export type ScheduleActivatedEvent = components['schemas']['ScheduleActivatedEvent'];
export type ScheduleChangedEvent = components['schemas']['ScheduleChangedEvent'];
export type ScheduleDeactivatedEvent = components['schemas']['ScheduleDeactivatedEvent'];
export type ScheduleSummary = components['schemas']['ScheduleSummary'];
export type ScheduleWithWarnings = components['schemas']['ScheduleWithWarnings'];
export type Screenshot = components['schemas']['Screenshot'];
export type ScreenshotRequest = components['schemas']['ScreenshotRequest'];
export type ScreenshotState = components['schemas']['ScreenshotState'];
export type Session = components['schemas']['Session'];
export type Shown = components['schemas']['Shown'];
export type ShownChange = components['schemas']['ShownChange'];
export type SignedIn = components['schemas']['SignedIn'];
export type Store = components['schemas']['Store'];
export type TagInUse = components['schemas']['TagInUse'];
export type Target = components['schemas']['Target'];
export type Timeline = components['schemas']['Timeline'];
export type TimelineSegment = components['schemas']['TimelineSegment'];
export type Timestamp = components['schemas']['Timestamp'];
export type TriedDeletion = components['schemas']['TriedDeletion'];
export type UnknownEvent = components['schemas']['UnknownEvent'];
export type UpdateAlertRule = components['schemas']['UpdateAlertRule'];
export type UpdateContent = components['schemas']['UpdateContent'];
export type UpdateDevice = components['schemas']['UpdateDevice'];
export type UpdateFolder = components['schemas']['UpdateFolder'];
export type UpdateOrganization = components['schemas']['UpdateOrganization'];
export type UpdateOwnAccount = components['schemas']['UpdateOwnAccount'];
export type UpdatePlaylist = components['schemas']['UpdatePlaylist'];
export type UpdateSchedule = components['schemas']['UpdateSchedule'];
export type UpdateStore = components['schemas']['UpdateStore'];
export type UpdateUser = components['schemas']['UpdateUser'];
export type UpdateWebhook = components['schemas']['UpdateWebhook'];
export type Upload = components['schemas']['Upload'];
export type UploadDetail = components['schemas']['UploadDetail'];
export type UploadProgressEvent = components['schemas']['UploadProgressEvent'];
export type User = components['schemas']['User'];
export type VideoCapability = components['schemas']['VideoCapability'];
export type VideoClass = components['schemas']['VideoClass'];
export type VideoWarning = components['schemas']['VideoWarning'];
export type Warning = components['schemas']['Warning'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];

export interface OrganizationResource {
  /**
   * Settings of the organization.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/organization`
   */
  get(options?: RequestOptions): Promise<Organization>;
  /**
   * Change the name, the time zone of the schedules, whether and how often screenshots are taken, or when
   * copies of files are made for screens that cannot play them.
   *
   * Forbidding screenshots deletes those that there are. Its read-only fields may be sent as they were read:
   * they have no effect, and `Placard-Ignored-Fields` names them. Alone they are 400.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `PATCH /v1/organization`
   */
  update(body: UpdateOrganization, options?: RequestOptions): Promise<Organization>;
}

export interface ApiKeysResource {
  /**
   * List the keys (never their secrets).
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/api-keys`
   */
  list(query?: Query<'listApiKeys'>, options?: RequestOptions): Pages<ApiKey>;
  /**
   * Create a key; the secret is returned only here.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/api-keys`
   */
  create(body: Body<'createApiKey'>, options?: RequestOptions): Promise<ApiKeyWithSecret>;
  /**
   * Revoke a key; the next request with it is rejected.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/api-keys/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
}

export interface DevicesResource {
  /**
   * List devices, newest first.
   *
   * With `revision` the list always goes on by cursor, and an answer may have fewer devices than `limit`, or
   * none, although `has_more` is true: the revisions of at most 5,000 devices are compared at once.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices`
   */
  list(query?: Query<'listDevices'>, options?: RequestOptions): Pages<Device>;
  /**
   * How many devices there are, by status, fault and version.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/counts`
   */
  count(options?: RequestOptions): Promise<DeviceCounts>;
  /**
   * Pair the device that shows this code.
   *
   * 404 `PAIRING_CODE_NOT_FOUND` has `details.reason` `wrong`, `used` or `expired`. After five wrong codes in
   * a quarter of an hour the key may not pair for a quarter of an hour: 429 with `details.reason`
   * `pairing_locked`. At most 100000 devices with 500000 tags per organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/pair`
   */
  pair(body: Body<'pairDevice'>, options?: RequestOptions): Promise<DeviceDetail>;
  /**
   * One device with hardware, current playlist and configuration.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<DeviceDetail>;
  /**
   * Change name, store, tags, orientation or display settings.
   *
   * The given fields of `configuration` are replaced. `menu_pin` opens the technician menu on the screen; it
   * is stored as a salted hash and cannot be read again. Null removes it. At most 100000 devices with 500000
   * tags per organization; more is 400. Its read-only fields may be sent as they were read: they have no
   * effect, and `Placard-Ignored-Fields` names them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/devices/{id}`
   */
  update(id: string, body: UpdateDevice, options?: RequestOptions): Promise<DeviceDetail>;
  /**
   * Delete a device; it shows the pairing screen again.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/devices/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * Send a command to a device.
   *
   * `REFRESH` fetches the manifest, verifies the stored media and reloads the page. `APP_RESTART` restarts the
   * player. `REBOOT` reboots the device, at most once in 10 minutes. `UPDATE_CHECK` looks for a newer version
   * of the player and installs it.
   *
   * A device has at most 100 unfinished commands; more is 409 `CONFLICT` with `details.reason`
   * `too_many_commands`. Finished commands are kept for a year, or as long as the audit log.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/{id}/commands`
   */
  sendCommand(id: string, body: Body<'sendCommand'>, options?: RequestOptions): Promise<Command>;
  /**
   * Samples over time.
   *
   * Buckets are aligned to UTC, empty ones are left out. A measure is null when the sensor is missing. Minutes
   * are kept for 7 days, hours for 90 days, days for 2 years, also after the device was deleted.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}/heartbeats`
   */
  listHeartbeats(
    id: string,
    query?: Query<'listHeartbeats'>,
    options?: RequestOptions,
  ): Promise<Data<'listHeartbeats'>>;
  /**
   * What the device shows at an instant, and why.
   *
   * Every rule is a candidate, also those of inactive schedules and of other devices: those that target the
   * device come first, the winner on top. `page` and `limit` apply to the candidates. `at` defaults to now and
   * must lie in the years 1970 to 2200; otherwise it is 400.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}/active-schedule`
   */
  getActiveSchedule(
    id: string,
    query?: Query<'getActiveSchedule'>,
    options?: RequestOptions,
  ): Promise<ActiveSchedule>;
  /**
   * Ask a device for a picture of what it shows.
   *
   * It goes over the socket of the device, or with its next heartbeat. `GET` tells when the picture is there;
   * so does the event `device.screenshot`. While the device has not answered, the same request is returned
   * again.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/{id}/screenshot`
   */
  requestScreenshot(id: string, options?: RequestOptions): Promise<ScreenshotRequest>;
  /**
   * The newest picture of what a device shows, and the last request for one.
   *
   * It was asked for, or the device has sent it of its own accord (`screenshot_interval_minutes`). A device
   * also sends one when a fault begins. A picture is kept for 30 days (the operator can change that).
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}/screenshot`
   */
  getScreenshot(id: string, options?: RequestOptions): Promise<ScreenshotState>;
  /**
   * The newest picture of what a device shows, or that of a fault, as JPEG.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}/screenshot/image`
   */
  getScreenshotImage(
    id: string,
    query?: Query<'getScreenshotImage'>,
    options?: RequestOptions,
  ): Promise<Response>;
  /**
   * What a device shows now, as JPEG, for somebody who looks at it.
   *
   * Waits until the device has sent the picture, at most 10 seconds. A device takes at most one a second; all
   * who wait at a time get the same one. Ask again when it has arrived to follow what is shown. The picture is
   * not kept and no event tells of it; the audit log has one entry for each caller and device in 10 minutes.
   * It goes over the socket of the device alone. At most 10 requests of a caller may wait at a time.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/{id}/screenshot/live`
   */
  takeLivePicture(id: string, options?: RequestOptions): Promise<Response>;
  /**
   * Ask a device for its logs and its status.
   *
   * What the technician menu saves on a USB stick: the last lines of the logs of player and shell, also of the
   * runs of the player before the present one, and the status, without secrets. It goes over the socket of the
   * device, or with its next heartbeat; `GET` tells when the files are there. While the device has not
   * answered, the same request is returned again.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/{id}/logs`
   */
  requestLogs(id: string, options?: RequestOptions): Promise<LogsRequest>;
  /**
   * The newest logs of a device, and the last request for them.
   *
   * Logs are kept for 30 days, as screenshots are.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `GET /v1/devices/{id}/logs`
   */
  getLogs(id: string, options?: RequestOptions): Promise<DeviceLogsState>;
  /**
   * One file of the newest logs of a device, as text.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `GET /v1/devices/{id}/logs/{name}`
   */
  getLogFile(id: string, name: string, options?: RequestOptions): Promise<Response>;
  /**
   * The newest lines of the log of a player, for somebody who follows it.
   *
   * Waits until the device has sent them, at most 10 seconds. They are those that `runtime.log` of its logs
   * would end with, as many as fit into 16,384 characters. Ask again every two seconds, and append the lines
   * with higher numbers; when `run` has changed, the process has started again and counts from 0. Nothing is
   * stored, and no event tells of it; the audit log has one entry for each caller and device in 10 minutes. It
   * goes over the socket of the device alone. At most 10 requests of a caller may wait at a time.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/devices/{id}/logs/live`
   */
  readLiveLog(id: string, options?: RequestOptions): Promise<LiveLogLines>;
}

export interface ContentResource {
  /**
   * Upload an image or a video (at most 2 GB).
   *
   * JPEG, PNG, WebP, GIF, AVIF, MP4/MOV and WebM, detected from the bytes. Chunked transfer encoding works.
   * Bytes that are already stored are not stored twice; they replace a stored file that was damaged. A file
   * that no screen can show is 415 `UNSUPPORTED_MEDIA_TYPE`; `details.reason` is `unsupported_format`,
   * `unsupported_codec`, `undecodable`, `no_picture`, `too_many_pixels` (more than 100 million, or 1,000
   * million in all frames of an animation), `too_slow` (10 seconds), `too_much_memory` (512 MB) or `crashed`.
   * While too many files wait to be checked it is 503 `UNAVAILABLE` with `Retry-After`. At most 100000 assets
   * per organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/upload`
   */
  upload(body: Body<'uploadContent'>, options?: RequestOptions): Promise<Asset>;
  /**
   * Fetch a file from a URL.
   *
   * The file is checked like an upload. A file that no screen can show is 415 `UNSUPPORTED_MEDIA_TYPE`;
   * `details.reason` is `unsupported_format`, `unsupported_codec`, `undecodable`, `no_picture`,
   * `too_many_pixels` (more than 100 million, or 1,000 million in all frames of an animation), `too_slow` (10
   * seconds), `too_much_memory` (512 MB) or `crashed`. While too many files wait to be checked it is 503
   * `UNAVAILABLE` with `Retry-After`. At most 100000 assets per organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/upload-url`
   */
  import(body: Body<'importContent'>, options?: RequestOptions): Promise<Asset>;
  /**
   * List content, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content`
   */
  list(query?: Query<'listContent'>, options?: RequestOptions): Pages<Asset>;
  /**
   * One asset.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Asset>;
  /**
   * Change name, tags or folder.
   *
   * Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields`
   * names them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/content/{id}`
   */
  update(id: string, body: UpdateContent, options?: RequestOptions): Promise<Asset>;
  /**
   * Delete an asset and remove it from the playlists that use it.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/content/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Data<'deleteContent'>>;
  /**
   * Replace the file of an asset.
   *
   * The asset keeps its id, its place in playlists and what is known of its plays; every screen that shows it
   * gets the new file, and shows the old one until it has it. Name, tags and folder stay unless they are
   * given. The form is that of `POST /v1/content/upload`; in a resumable upload the key `replaces` of
   * `Upload-Metadata` does the same.
   *
   * An image can replace a video only where each playlist item with it has a duration: an image has no end of
   * its own. Otherwise it is 409 `CONFLICT` with `details.reason` `duration_required`; `details.playlists` are
   * the first ten of them.
   *
   * A file that no screen can show is 415 `UNSUPPORTED_MEDIA_TYPE`; `details.reason` is `unsupported_format`,
   * `unsupported_codec`, `undecodable`, `no_picture`, `too_many_pixels` (more than 100 million, or 1,000
   * million in all frames of an animation), `too_slow` (10 seconds), `too_much_memory` (512 MB) or `crashed`.
   * While too many files wait to be checked it is 503 `UNAVAILABLE` with `Retry-After`.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/{id}/replace`
   */
  replace(id: string, body: Body<'replaceContent'>, options?: RequestOptions): Promise<ReplacedAsset>;
  /**
   * Which devices that show an asset cannot play it.
   *
   * Of a video, as far as devices have reported what they can; at most one warning of each kind. Devices that
   * get a copy in its place, and those that show another playlist, are left out. The same is in `warnings` of
   * playlists and deployments.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/{id}/warnings`
   */
  listWarnings(id: string, options?: RequestOptions): Promise<Data<'listContentWarnings'>>;
  /**
   * The copies of an asset that play on more screens, and how far they are.
   *
   * A device gets the copy in place of the file when it has reported that it cannot play the file, and can
   * play the copy; a picture of more than 3,840 pixels is replaced on every device. At most one of each kind;
   * none when it would not help. While the organization wants none, those that there are stay, and no device
   * gets them.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/{id}/renditions`
   */
  listRenditions(id: string, options?: RequestOptions): Promise<Data<'listRenditions'>>;
  /**
   * Make a copy of an asset that plays on more screens.
   *
   * The cloud makes it when it has time, one after the other; the file of the asset stays as it is. One that
   * failed is tried again; of one that exists or is waited for nothing changes. 409 `CONFLICT` with
   * `details.reason`: `switched_off` (in the organization), `no_encoder` (the package `@mediabunny/server` is
   * not installed), or `not_needed` (the file already is what the copy would be, or its codec is not known).
   * Replacing the file of the asset deletes its copies.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/{id}/renditions`
   */
  makeRendition(id: string, options?: RequestOptions): Promise<Rendition>;
}

export interface FoldersResource {
  /**
   * List folders, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/folders`
   */
  list(query?: Query<'listFolders'>, options?: RequestOptions): Pages<Folder>;
  /**
   * Create a folder.
   *
   * At most 10000 folders per organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/folders`
   */
  create(body: Body<'createFolder'>, options?: RequestOptions): Promise<Folder>;
  /**
   * One folder.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/folders/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Folder>;
  /**
   * Rename or move a folder (never into itself).
   *
   * Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields`
   * names them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/content/folders/{id}`
   */
  update(id: string, body: UpdateFolder, options?: RequestOptions): Promise<Folder>;
  /**
   * Delete an empty folder.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/content/folders/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
}

export interface UploadsResource {
  /**
   * Begin a resumable upload (tus 1.0).
   *
   * For large files and bad lines: an upload that is cut off continues where it was, also after a restart of
   * the cloud. Any client of tus 1.0 can be used (extensions creation, expiration, checksum, termination). The
   * result is the same as of `POST /v1/content/upload`.
   *
   * A key may have 50 unfinished uploads of 32 GiB together, the organization 500 of 256 GiB; more is 429 with
   * `details.reason` `too_many_uploads`. An upload expires 24 hours after its last bytes (the operator can
   * change that), at the latest after seven times as long.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/content/uploads`
   */
  create(options?: RequestOptions): Promise<Upload>;
  /**
   * List resumable uploads, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/uploads`
   */
  list(query?: Query<'listUploads'>, options?: RequestOptions): Pages<Upload>;
  /**
   * One upload: how far it is, then its asset.
   *
   * `HEAD` tells a client of tus where to continue (`Upload-Offset`, `Upload-Length`), and ends a request of
   * the key that is still sending bytes; it is 410 for an upload that cannot continue. Both, and `PATCH`, have
   * a limit of their own: 600 requests a minute and key.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/content/uploads/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<UploadDetail>;
  /**
   * Send bytes of an upload.
   *
   * What arrives before a connection breaks is kept. With the last byte the file is checked like any upload,
   * and the header `Placard-Asset` of the response is the id of the asset; when that response is lost, `GET`
   * says the same. Only the key that began the upload, or an Admin, may continue it. At another offset than
   * that of the upload it is 409, and more bytes than are missing are 400, also of a finished upload.
   *
   * Limited to 600 requests a minute and key, which do not count with the others: a bad line may need many.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/content/uploads/{id}`
   */
  append(id: string, body: Body<'appendUpload'>, options?: RequestOptions): Promise<void>;
  /**
   * Give up an upload; an asset that it has become stays.
   *
   * Only the key that began the upload, or an Admin.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `DELETE /v1/content/uploads/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<void>;
}

export interface PlaylistsResource {
  /**
   * List playlists, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/playlists`
   */
  list(query?: Query<'listPlaylists'>, options?: RequestOptions): Pages<PlaylistSummary>;
  /**
   * Create a playlist.
   *
   * At most 2000 items per playlist, 5000 playlists and 100000 items an organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/playlists`
   */
  create(body: Body<'createPlaylist'>, options?: RequestOptions): Promise<Playlist>;
  /**
   * One playlist with its items.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/playlists/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<PlaylistDetail>;
  /**
   * Change name, mode or all items.
   *
   * `items` replaces all items. An item sent with its id, or with the same content, keeps its id. `warnings`
   * names the videos that some of the devices cannot play, as far as devices have reported what they can. At
   * most 2000 items per playlist, 5000 playlists and 100000 items an organization; more is 400. With
   * `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens would
   * show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the same. Its
   * read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields` names
   * them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/playlists/{id}`
   */
  update(id: string, body: UpdatePlaylist, options?: WithQuery<'updatePlaylist'>): Promise<ChangedPlaylist>;
  /**
   * Delete a playlist that no schedule uses.
   *
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/playlists/{id}`
   */
  delete(id: string, options?: WithQuery<'deletePlaylist'>): Promise<TriedDeletion>;
  /**
   * Add an item at the end or at a position.
   *
   * `warnings` names the videos that some of the devices cannot play, as far as devices have reported what
   * they can. At most 2000 items per playlist, 5000 playlists and 100000 items an organization; more is 400.
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/playlists/{id}/items`
   */
  addItem(
    id: string,
    body: Body<'addPlaylistItem'>,
    options?: WithQuery<'addPlaylistItem'>,
  ): Promise<ChangedPlaylist>;
  /**
   * Remove an item.
   *
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `DELETE /v1/playlists/{id}/items/{item_id}`
   */
  removeItem(id: string, itemId: string, options?: WithQuery<'removePlaylistItem'>): Promise<TriedDeletion>;
  /**
   * Deploy as the base playlist of devices, stores, tags or all devices.
   *
   * At most 20000 devices, stores and tags per organization have a deployed playlist; more is 400. `warnings`
   * names the videos that some of the devices cannot play, as far as devices have reported what they can. With
   * `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens would
   * show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/playlists/{id}/deploy`
   */
  deploy(
    id: string,
    body: Body<'deployPlaylist'>,
    options?: WithQuery<'deployPlaylist'>,
  ): Promise<NewDeployment>;
  /**
   * List the deployments in force, newest first.
   *
   * A deployment is in force while it has a target that no newer one has taken over. With `device_id` those
   * that reach the device now, by itself, its store or its tags: the newest of them is its base playlist.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/deployments`
   */
  listDeployments(query?: Query<'listDeployments'>, options?: RequestOptions): Pages<ListedDeployment>;
  /**
   * A deployment, with the devices that it reaches and their revisions.
   *
   * The devices are those that its targets reach now, ordered by id. A deployment no longer exists once newer
   * ones have taken over all of its targets.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/deployments/{id}`
   */
  getDeployment(
    id: string,
    query?: Query<'getDeployment'>,
    options?: RequestOptions,
  ): Promise<DeploymentDetail>;
}

export interface SchedulesResource {
  /**
   * List schedules, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/schedules`
   */
  list(query?: Query<'listSchedules'>, options?: RequestOptions): Pages<ScheduleSummary>;
  /**
   * Create a schedule.
   *
   * Of the rules that are active on a device the one with the highest `priority` wins, then the one with the
   * narrowest target (device, tag, store, all), then the one changed last. `end_day_offset` 2 with `days` FRI,
   * 18:00 to 23:00, is a window from Friday to Sunday. On `except_dates` no window opens; EXDATE lines in
   * `rrule` are the same. With `local_time` a rule is read in the time zone of the store that the device is
   * in; without one, in that of the organization. `warnings` names rules that never win, never occur or lack
   * such a zone, and parts without effect. `warnings` names the videos that some of the devices cannot play,
   * as far as devices have reported what they can. At most 500 rules and 1000 targets per schedule; 1000
   * schedules with 5000 rules and 10000 targets per organization; 31 values in a list of an `rrule`, 366
   * `except_dates` per rule. Rules begin (`starts_on`, `DTSTART`) in the years 1970 to 2200. More is 400. Of
   * the rules that target a device, the first 500 in precedence are evaluated. A time of `DTSTART` or `EXDATE`
   * and a `TZID` have no effect and are reported in `warnings`. With `dry_run=true` nothing is stored,
   * recorded or sent: the answer, with status 200, says which screens would show something else in the next 7
   * days, or from `from` until `to`, when and what. Errors are the same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/schedules`
   */
  create(body: Body<'createSchedule'>, options?: WithQuery<'createSchedule'>): Promise<ScheduleWithWarnings>;
  /**
   * One schedule with its rules.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/schedules/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Schedule>;
  /**
   * Change a schedule; rules and targets are replaced as a whole.
   *
   * Of the rules that are active on a device the one with the highest `priority` wins, then the one with the
   * narrowest target (device, tag, store, all), then the one changed last. `end_day_offset` 2 with `days` FRI,
   * 18:00 to 23:00, is a window from Friday to Sunday. On `except_dates` no window opens; EXDATE lines in
   * `rrule` are the same. With `local_time` a rule is read in the time zone of the store that the device is
   * in; without one, in that of the organization. `warnings` names rules that never win, never occur or lack
   * such a zone, and parts without effect. `warnings` names the videos that some of the devices cannot play,
   * as far as devices have reported what they can. At most 500 rules and 1000 targets per schedule; 1000
   * schedules with 5000 rules and 10000 targets per organization; 31 values in a list of an `rrule`, 366
   * `except_dates` per rule. Rules begin (`starts_on`, `DTSTART`) in the years 1970 to 2200. More is 400. Of
   * the rules that target a device, the first 500 in precedence are evaluated. A time of `DTSTART` or `EXDATE`
   * and a `TZID` have no effect and are reported in `warnings`. With `dry_run=true` nothing is stored,
   * recorded or sent: the answer, with status 200, says which screens would show something else in the next 7
   * days, or from `from` until `to`, when and what. Errors are the same. Its read-only fields may be sent as
   * they were read: they have no effect, and `Placard-Ignored-Fields` names them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/schedules/{id}`
   */
  update(
    id: string,
    body: UpdateSchedule,
    options?: WithQuery<'updateSchedule'>,
  ): Promise<ScheduleWithWarnings>;
  /**
   * Delete a schedule.
   *
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/schedules/{id}`
   */
  delete(id: string, options?: WithQuery<'deleteSchedule'>): Promise<TriedDeletion>;
  /**
   * Activate.
   *
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/schedules/{id}/activate`
   */
  activate(id: string, options?: WithQuery<'activateSchedule'>): Promise<ChangedSchedule>;
  /**
   * Deactivate.
   *
   * With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens
   * would show something else in the next 7 days, or from `from` until `to`, when and what. Errors are the
   * same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/schedules/{id}/deactivate`
   */
  deactivate(id: string, options?: WithQuery<'deactivateSchedule'>): Promise<ChangedSchedule>;
}

export interface TimelineResource {
  /**
   * What a device shows over time, and why.
   *
   * The segments follow each other without gaps from `from` (default: now) until `to` (default: a day after
   * `from`; at most 31 days after it). Each is as long as one rule, or none, decides; it contains its `start`
   * and not its `end`. They are what `active-schedule` says at each instant, if nothing is changed until then.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/devices/{id}/timeline`
   */
  get(id: string, query?: Query<'getTimeline'>, options?: RequestOptions): Promise<Timeline>;
  /**
   * What many devices show at an instant, and why.
   *
   * The devices are those of `listDevices` with the same filters, newest first. `at` defaults to now; give it
   * when you read several pages, so that all of them are of one instant.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/timeline`
   */
  list(query?: Query<'listTimeline'>, options?: RequestOptions): Pages<DeviceMoment>;
}

export interface StoresResource {
  /**
   * List stores, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/stores`
   */
  list(query?: Query<'listStores'>, options?: RequestOptions): Pages<Store>;
  /**
   * Create a store.
   *
   * At most 10000 stores per organization; more is 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/stores`
   */
  create(body: Body<'createStore'>, options?: RequestOptions): Promise<Store>;
  /**
   * One store.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/stores/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Store>;
  /**
   * Change a store.
   *
   * Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields`
   * names them. Alone they are 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/stores/{id}`
   */
  update(id: string, body: UpdateStore, options?: RequestOptions): Promise<Store>;
  /**
   * Delete a store; its devices stay, without a store.
   *
   * A store that the filter of a rule for alerts names, be the rule on or off, is not deleted: the rule would
   * watch nothing from then on. It is removed from the targets of schedules and deployments.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/stores/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
}

export interface TagsResource {
  /**
   * The tags of devices, content and targets of schedules, in alphabetical order.
   *
   * Each with the number of devices, files and schedules that have it.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/tags`
   */
  list(query?: Query<'listTags'>, options?: RequestOptions): Pages<TagInUse>;
}

export interface CommandsResource {
  /**
   * List commands, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/commands`
   */
  list(query?: Query<'listCommands'>, options?: RequestOptions): Pages<Command>;
  /**
   * One command.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/commands/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Command>;
}

export interface OperationsResource {
  /**
   * Do the same to many devices.
   *
   * To the devices of `devices.filter`, whose fields are the filters of the list of devices (none: all of
   * them), or to those named in `devices.ids`, at most 10000. The answer comes at once; the work is done in
   * the background, once per device, also when the cloud restarts meanwhile. What a device cannot do fails for
   * that device alone. The devices of a filter are those that it finds when the operation begins.
   *
   * `GET /v1/operations/{id}` tells how far it is, and its results have each device; the events
   * `operation.progress` (once a second at most) and `operation.finished` do too. Each device is in the audit
   * log like a change of it alone, and has the same events. At most 20 operations may be unfinished; more is
   * 409 `CONFLICT` with `details.reason` `too_many_operations`. Finished ones are kept for 7 days, and at most
   * 1,000,000 results.
   *
   * Of a deployment `warnings` names the videos that some of the devices cannot play, as far as devices have
   * reported what they can. With `dry_run=true` nothing is stored, recorded or done: the answer, with status
   * 200, has the warnings, and an id that no operation gets. Errors are the same.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/operations`
   */
  create(body: Body<'createOperation'>, options?: WithQuery<'createOperation'>): Promise<NewOperation>;
  /**
   * List operations, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/operations`
   */
  list(query?: Query<'listOperations'>, options?: RequestOptions): Pages<Operation>;
  /**
   * One operation, with how far it is.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/operations/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Operation>;
  /**
   * What came of it for each device, in the order in which they are done.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/operations/{id}/results`
   */
  listResults(
    id: string,
    query?: Query<'listOperationResults'>,
    options?: RequestOptions,
  ): Pages<OperationResult>;
  /**
   * Leave out the devices whose turn has not come.
   *
   * What was done stays as it is. An operation that has finished stays finished.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/operations/{id}/cancel`
   */
  cancel(id: string, options?: RequestOptions): Promise<Operation>;
}

export interface RolloutsResource {
  /**
   * Give a new version of the player to more and more devices.
   *
   * The devices of each ring are told `UPDATE_CHECK`, 0.1 % of all a minute (at least one), at any hour.
   * Chance decides which are in which ring; each kind (board and shell) has its share. At intervals those that
   * were updated are compared, before and after, with those whose turn has not come: restarts, faults, dropped
   * frames, time of a start, and whether they come back. What is worse stops the rollout, with the reason in
   * `reason` and in the event `rollout.stopped`. Otherwise the next ring begins after `hold_hours`.
   *
   * The feed must offer the version to all devices (`--rollout 100`), and no newer one. From now on no device
   * of the organization, also those outside the filter, updates of its own accord (`holds_updates`), until a
   * rollout for all devices has finished: one with a filter goes on holding the others. Players that are too
   * old for that are counted in `self_updating`.
   *
   * One rollout may be unfinished; more is 409 `CONFLICT` with `details.reason` `rollout_unfinished`.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/rollouts`
   */
  create(body: Body<'createRollout'>, options?: RequestOptions): Promise<Rollout>;
  /**
   * List rollouts, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/rollouts`
   */
  list(query?: Query<'listRollouts'>, options?: RequestOptions): Pages<Rollout>;
  /**
   * One rollout, with how far each ring is.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/rollouts/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Rollout>;
  /**
   * Delete a rollout that has ended; devices update of their own accord again if it held them.
   *
   * One that has not ended is 409 `CONFLICT` with `details.reason` `rollout_unfinished`: stop it first. The
   * newest one is 409 with `rollout_stopped_before` while one before it (`details.rollout_id`) would hold
   * updates: delete that one first.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/rollouts/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * What the devices of the current ring report with the version before and the new one.
   *
   * Beside it, what the devices report whose turn has not come: `before` is until the ring began, `after`
   * since the devices are compared. It goes on after the rollout was stopped; what it was stopped for is in
   * its `cause`. The last ring is compared with nothing.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/rollouts/{id}/comparison`
   */
  getComparison(id: string, options?: RequestOptions): Promise<RolloutComparison>;
  /**
   * The devices of a rollout, in the order in which they are told.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/rollouts/{id}/devices`
   */
  listDevices(
    id: string,
    query?: Query<'listRolloutDevices'>,
    options?: RequestOptions,
  ): Pages<RolloutDevice>;
  /**
   * Tell no further devices to update.
   *
   * Commands that no device has received are withdrawn, and their devices are `waiting` again. What comes of
   * the others is still shown. Devices that have the version keep it; no device updates of its own accord
   * until the rollout is deleted or one for all devices has finished. One that has ended stays as it is.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/rollouts/{id}/stop`
   */
  stop(id: string, options?: RequestOptions): Promise<Rollout>;
  /**
   * Begin the next ring of a rollout that is held.
   *
   * One that is not held is 409 `CONFLICT` with `details.reason` `rollout_not_held`.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/rollouts/{id}/continue`
   */
  continue(id: string, options?: RequestOptions): Promise<Rollout>;
}

export interface AnalyticsResource {
  /**
   * Overview of devices, uptime and plays.
   *
   * `from` defaults to 7 days ago, `to` to now.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/analytics`
   */
  get(query?: Query<'getAnalytics'>, options?: RequestOptions): Promise<AnalyticsOverview>;
  /**
   * Plays counted by content, playlist, device, store, hour or day.
   *
   * Hours and days are sorted by time, other groups by plays, most first. Each existing resource has a row; of
   * deleted or unknown resources at most 10,000 have one, and the others share the row whose key is null.
   * Grouping by hour or day over more than 10,000 hours or days is 400.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/analytics/plays`
   */
  getPlays(query?: Query<'getPlays'>, options?: RequestOptions): Pages<PlayCounts>;
  /**
   * Every play as CSV, oldest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/analytics/plays.csv`
   */
  exportPlays(query?: Query<'exportPlays'>, options?: RequestOptions): Promise<Response>;
  /**
   * Uptime of each device over its observed time, lowest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/analytics/uptime`
   */
  getUptime(query?: Query<'getUptime'>, options?: RequestOptions): Promise<Data<'getUptime'>>;
}

export interface EventsResource {
  /**
   * What has happened, oldest first, or as it happens.
   *
   * Events are numbered in the order in which changes were stored. They are kept for 7 days, and at most 1 GiB
   * of them. To miss none, keep `meta.next_cursor` (or the `id` of the last event) together with what you did
   * with it, and ask again with `cursor`; a page may be empty although `has_more` is true. Without `cursor`
   * and `since` a list begins with the oldest event that is kept.
   *
   * `resource` is the device of `device.*` and `command.*`, the asset of `content.*`, the playlist of
   * `playlist.*` (also of a deployment), the schedule of `schedule.*`, the upload of `upload.*`, the operation
   * of `operation.*`, the rollout of `rollout.*`, and the alert of `alert.*`.
   *
   * With `Accept: text/event-stream` the response does not end: Server-Sent Events, with `id`, `event` (the
   * type) and `data` (the event as JSON), beginning after `Last-Event-ID` or `cursor`, or at `since`; without
   * one of them with what happens next. The first block, and every 15 seconds a comment, tell where the stream
   * is, if it has moved since the last event that was sent: an `id` without data, and the same id in a
   * comment. An `EventSource` keeps it by itself; it cannot send a key, so use `fetch` outside of the console.
   * Reconnect when the stream ends, with the last `id`: nothing is lost and nothing comes twice. A key may
   * have 1,000 streams per node.
   *
   * A cursor whose event is no longer kept is 410 `EVENT_CURSOR_EXPIRED`: read the resources again, then begin
   * with `latest`. At most 1,000 `device.now_playing` are recorded per device and day.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/events`
   */
  list(query?: Query<'listEvents'>, options?: RequestOptions): Pages<Event>;
}

export interface AlertsResource {
  /**
   * List rules for alerts, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alert-rules`
   */
  listRules(query?: Query<'listAlertRules'>, options?: RequestOptions): Pages<AlertRule>;
  /**
   * Create a rule for alerts.
   *
   * A rule has one condition, and watches the devices of its filter. Minutes count while the cloud is running:
   * an interruption of the cloud is no alert, and devices have three minutes to report after it. An alert is
   * opened once per cause: for one device; for a store, when at least three of its devices have it at the same
   * time, which are half of them or ten; for all devices of an old version, and for those on top of 100 open
   * alerts of the rule. A device of a store has no alert of its own while the store may yet have one: until
   * the others have reported, which takes a minute, and five minutes at most while more and more of them have
   * it; for pictures, their interval in addition. Devices that have it later join the open alert of their
   * store. It is resolved when it has been over for two minutes for all of its devices that the rule still
   * watches. The events `alert.opened` and `alert.resolved` tell of it, also to webhooks, and `recipients` get
   * a mail of each, if this cloud has a mail server. A mail is tried ten times over three days. It comes twice
   * only when the cloud was killed between the answer of the mail server and storing it; both have the same
   * `Message-ID`.
   *
   * `warnings` says of how many of its devices a rule will never hear: those that send no pictures when it is
   * about pictures.
   *
   * At most 50 rules; more is 409 `CONFLICT` with `details.reason` `too_many_alert_rules`.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/alert-rules`
   */
  createRule(body: Body<'createAlertRule'>, options?: RequestOptions): Promise<ChangedAlertRule>;
  /**
   * One rule for alerts.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alert-rules/{id}`
   */
  getRule(id: string, options?: RequestOptions): Promise<AlertRule>;
  /**
   * Change a rule for alerts, or switch it on or off.
   *
   * With another condition or filter, or when it is switched off, its open alerts are resolved, with
   * `resolved_because` `rule_changed`. A condition or filter is replaced as a whole. Its read-only fields may
   * be sent as they were read: they have no effect, and `Placard-Ignored-Fields` names them. Alone they are
   * 400.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `PATCH /v1/alert-rules/{id}`
   */
  updateRule(id: string, body: UpdateAlertRule, options?: RequestOptions): Promise<ChangedAlertRule>;
  /**
   * Delete a rule for alerts; its open alerts are resolved.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/alert-rules/{id}`
   */
  deleteRule(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * List the mutes that are not over, newest first.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alert-mutes`
   */
  listMutes(options?: RequestOptions): Promise<Data<'listAlertMutes'>>;
  /**
   * Mute the alerts of a device, a store or all devices until a time.
   *
   * While a device is muted no alert is opened for it, and it joins none; what is still wrong then is an alert
   * as soon as the mute is over. An alert that is open already stays open, is mailed to nobody else, and is
   * resolved when it is over. A mute ends by itself, or when it is deleted. It lasts 366 days at most.
   *
   * At most 100 mutes that are not over; more is 409 `CONFLICT` with `details.reason` `too_many_alert_mutes`.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `POST /v1/alert-mutes`
   */
  createMute(body: Body<'createAlertMute'>, options?: RequestOptions): Promise<AlertMute>;
  /**
   * End a mute.
   *
   * Needs a key of scope Write or more, or a person with the role Editor or more.
   *
   * `DELETE /v1/alert-mutes/{id}`
   */
  deleteMute(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * List alerts, newest first.
   *
   * Resolved alerts are kept for 90 days, at most 100,000.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alerts`
   */
  list(query?: Query<'listAlerts'>, options?: RequestOptions): Pages<Alert>;
  /**
   * One alert.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alerts/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Alert>;
  /**
   * The mails about an alert, and how far they are.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alerts/{id}/mails`
   */
  listMails(id: string, options?: RequestOptions): Promise<Data<'listAlertMails'>>;
  /**
   * The devices of an alert, in the order in which they joined.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/alerts/{id}/devices`
   */
  listDevices(id: string, query?: Query<'listAlertDevices'>, options?: RequestOptions): Pages<AlertDevice>;
}

export interface WebhooksResource {
  /**
   * List webhooks, newest first.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/webhooks`
   */
  list(query?: Query<'listWebhooks'>, options?: RequestOptions): Pages<Webhook>;
  /**
   * Create a webhook; the secret is returned only here.
   *
   * Notifications are signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`).
   * They are delivered at least once, in order per resource, in ten attempts over three days. 410 disables the
   * webhook. `device.alert` reports faults of devices, at most 500 per device and day, and once a day
   * `plays.over_quota`, which the cloud itself detects.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/webhooks`
   */
  create(body: Body<'createWebhook'>, options?: RequestOptions): Promise<WebhookWithSecret>;
  /**
   * One webhook.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/webhooks/{id}`
   */
  get(id: string, options?: RequestOptions): Promise<Webhook>;
  /**
   * Change URL or events, enable or disable it.
   *
   * Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields`
   * names them. Alone they are 400.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `PATCH /v1/webhooks/{id}`
   */
  update(id: string, body: UpdateWebhook, options?: RequestOptions): Promise<Webhook>;
  /**
   * Delete a webhook and its deliveries.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/webhooks/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * Send a test notification.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/webhooks/{id}/test`
   */
  test(id: string, options?: RequestOptions): Promise<Delivery>;
  /**
   * Rotate the secret; for 24 hours the old one signs as well.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/webhooks/{id}/rotate-secret`
   */
  rotateSecret(id: string, options?: RequestOptions): Promise<WebhookWithSecret>;
  /**
   * Send events again, or for the first time, that were recorded since a time.
   *
   * Queues a delivery for each event since `since`, or after `cursor`, of the types that the webhook is
   * subscribed to, oldest first: at most 200 per request, and as many as may wait for a webhook. While
   * `has_more` is true, ask again with `cursor=<next_cursor>`; 429 with `details.reason` `too_many_deliveries`
   * says that none can be queued before the receiver has taken some. A notification has the `id` of its event,
   * so a receiver can tell those that it already has. Events are kept for 7 days.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/webhooks/{id}/replay`
   */
  replay(id: string, options?: WithQuery<'replayWebhook'>): Promise<Replay>;
  /**
   * List deliveries, newest first.
   *
   * While 10,000 notifications or 256 MB of them wait for a webhook, new ones are not sent: they fail at once
   * with an `error`, and their `data` contains only ids. Of finished deliveries, the newest 10,000 and 256 MB
   * of each webhook are kept, for 30 days. One page contains payloads of up to 8 MB, newest first; `data` of
   * those beyond is empty.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/webhooks/{id}/deliveries`
   */
  listDeliveries(id: string, query?: Query<'listDeliveries'>, options?: RequestOptions): Pages<Delivery>;
  /**
   * Retry a delivery now.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry`
   */
  retryDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<Delivery>;
}

export interface AuditLogResource {
  /**
   * Who changed what, and when; newest first.
   *
   * One entry for each change that was made through the API or on the command line, written together with the
   * change. Reads, rejected requests and device reports are not logged. Entries are never changed, and are
   * kept for a year unless the cloud is configured otherwise (`--keep-audit`). `from` is inclusive, `to`
   * exclusive. At most 32 MB of changes are kept per key and day (UTC); beyond that an entry lists the changed
   * fields, each with `before` and `after` null and `truncated` true.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/audit-log`
   */
  list(query?: Query<'listAuditLog'>, options?: RequestOptions): Pages<AuditEntry>;
}

export interface AuthenticationResource {
  /**
   * How people can sign in to this cloud.
   *
   * Needs no key.
   *
   * `GET /v1/auth/methods`
   */
  getSignInMethods(options?: RequestOptions): Promise<Data<'getSignInMethods'>>;
  /**
   * Sign in with e-mail address and password.
   *
   * Sets the cookie of the session (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is
   * not used for 7 days. The answer is the same whether the address, the password or neither is right for an
   * account that is disabled. At most 20 attempts in 15 minutes per account, 100 per address. `remember`
   * false: the cookie lasts as long as the browser is open, a day at most.
   *
   * Needs no key.
   *
   * `POST /v1/auth/sign-in`
   */
  signIn(body: Body<'signIn'>, options?: RequestOptions): Promise<SignedIn>;
  /**
   * Finish signing in with a code of the phone, or with a backup code.
   *
   * Within 10 minutes after `signIn`, and with its cookie. A backup code works once. Sets the cookie of the
   * session (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is not used for 7 days.
   *
   * Needs no key.
   *
   * `POST /v1/auth/second-factor`
   */
  verifySecondFactor(body: Body<'verifySecondFactor'>, options?: RequestOptions): Promise<SignedIn>;
  /**
   * What the browser needs to sign in with a passkey.
   *
   * Needs no key.
   *
   * `POST /v1/auth/passkey/challenge`
   */
  getPasskeyChallenge(options?: RequestOptions): Promise<Data<'getPasskeyChallenge'>>;
  /**
   * Sign in with a passkey.
   *
   * Within 5 minutes after `getPasskeyChallenge`. Needs no further code. Sets the cookie of the session
   * (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is not used for 7 days.
   *
   * Needs no key.
   *
   * `POST /v1/auth/passkey`
   */
  signInWithPasskey(body: Body<'signInWithPasskey'>, options?: RequestOptions): Promise<SignedIn>;
  /**
   * Begin to sign in with an account of the company.
   *
   * Send the browser to `url`. It comes back to `/v1/auth/callback/company`, which leads to `/` when the
   * person is signed in, and to `/sign-in#company-refused` otherwise. Known are people with the same verified
   * e-mail address, those with an invitation for it, and everybody if the cloud was started with
   * `--oidc-role`.
   *
   * Needs no key.
   *
   * `POST /v1/auth/company`
   */
  startCompanySignIn(options?: RequestOptions): Promise<Data<'startCompanySignIn'>>;
  /**
   * End the session of this browser.
   *
   * Needs no key.
   *
   * `POST /v1/auth/sign-out`
   */
  signOut(options?: RequestOptions): Promise<Data<'signOut'>>;
  /**
   * What an invitation is for.
   *
   * Needs no key.
   *
   * `POST /v1/auth/invitation`
   */
  readInvitation(body: Body<'readInvitation'>, options?: RequestOptions): Promise<Data<'readInvitation'>>;
  /**
   * Sign up with an invitation, and sign in.
   *
   * The invitation can be used once. `email` may be left out if the invitation names it. Sets the cookie of
   * the session (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is not used for 7 days.
   *
   * Needs no key.
   *
   * `POST /v1/auth/accept-invitation`
   */
  acceptInvitation(body: Body<'acceptInvitation'>, options?: RequestOptions): Promise<SignedIn>;
  /**
   * Whom a sign-in link signs in.
   *
   * Does not use the link up.
   *
   * Needs no key.
   *
   * `POST /v1/auth/sign-in-link`
   */
  readSignInLink(body: Body<'readSignInLink'>, options?: RequestOptions): Promise<Data<'readSignInLink'>>;
  /**
   * Sign in with a link that was made at the command line.
   *
   * The link can be used once, within 15 minutes. Needs no password and no code. Sets the cookie of the
   * session (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is not used for 7 days.
   *
   * Needs no key.
   *
   * `POST /v1/auth/sign-in-with-link`
   */
  signInWithLink(body: Body<'signInWithLink'>, options?: RequestOptions): Promise<SignedIn>;
  /**
   * Choose a new password with a link; ends all sessions of the person.
   *
   * Needs no key.
   *
   * `POST /v1/auth/reset-password`
   */
  resetPassword(body: Body<'resetPassword'>, options?: RequestOptions): Promise<Data<'resetPassword'>>;
}

export interface OwnAccountResource {
  /**
   * Who the caller is, and what they may do.
   *
   * Needs a key of scope Read or more, or a person.
   *
   * `GET /v1/me`
   */
  get(options?: RequestOptions): Promise<OwnAccount>;
  /**
   * Change the own name.
   *
   * Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields`
   * names them. Alone they are 400.
   *
   * Needs the session of a person, whatever their role.
   *
   * `PATCH /v1/me`
   */
  update(body: UpdateOwnAccount, options?: RequestOptions): Promise<User>;
  /**
   * Change the own password; ends all other sessions.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/password`
   */
  changePassword(body: Body<'changePassword'>, options?: RequestOptions): Promise<Data<'changePassword'>>;
  /**
   * Where the person is signed in, newest first.
   *
   * Needs the session of a person, whatever their role.
   *
   * `GET /v1/me/sessions`
   */
  listSessions(options?: RequestOptions): Promise<Data<'listOwnSessions'>>;
  /**
   * End one of the own sessions; the next request with it is rejected.
   *
   * Needs the session of a person, whatever their role.
   *
   * `DELETE /v1/me/sessions/{id}`
   */
  endSession(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * Prepare codes of the phone (TOTP) as a second factor.
   *
   * Show `uri` as a QR code for an authenticator app, and `backup_codes`, which are returned only here.
   * Signing in needs a code once `confirmSecondFactor` has seen a right one.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/second-factor`
   */
  startSecondFactor(
    body: Body<'startSecondFactor'>,
    options?: RequestOptions,
  ): Promise<Data<'startSecondFactor'>>;
  /**
   * Switch the second factor on with a first code of the phone.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/second-factor/confirm`
   */
  confirmSecondFactor(
    body: Body<'confirmSecondFactor'>,
    options?: RequestOptions,
  ): Promise<Data<'confirmSecondFactor'>>;
  /**
   * Sign in without a code again.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/second-factor/remove`
   */
  stopSecondFactor(
    body: Body<'stopSecondFactor'>,
    options?: RequestOptions,
  ): Promise<Data<'stopSecondFactor'>>;
  /**
   * The own passkeys.
   *
   * Needs the session of a person, whatever their role.
   *
   * `GET /v1/me/passkeys`
   */
  listPasskeys(options?: RequestOptions): Promise<Data<'listPasskeys'>>;
  /**
   * Add the passkey that the browser made.
   *
   * Within 5 minutes after `startPasskey`.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/passkeys`
   */
  addPasskey(body: Body<'addPasskey'>, options?: RequestOptions): Promise<Passkey>;
  /**
   * What the browser needs to make a passkey.
   *
   * Needs the session of a person, whatever their role.
   *
   * `POST /v1/me/passkeys/challenge`
   */
  startPasskey(body: Body<'startPasskey'>, options?: RequestOptions): Promise<Data<'startPasskey'>>;
  /**
   * Remove one of the own passkeys.
   *
   * Needs the session of a person, whatever their role.
   *
   * `DELETE /v1/me/passkeys/{id}`
   */
  removePasskey(id: string, options?: RequestOptions): Promise<Deletion>;
}

export interface PeopleResource {
  /**
   * List the people who can sign in.
   *
   * `search` finds a part of the name or of the e-mail address.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/users`
   */
  listUsers(query?: Query<'listUsers'>, options?: RequestOptions): Pages<User>;
  /**
   * One person.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/users/{id}`
   */
  getUser(id: string, options?: RequestOptions): Promise<User>;
  /**
   * Change the name, role or stores of a person, or disable them.
   *
   * Takes effect with the next request of the person; disabling also ends all sessions. Nobody changes their
   * own role or disables themselves, and one Admin who can sign in always remains: 409 otherwise. API keys
   * that the person has made stay valid. Its read-only fields may be sent as they were read: they have no
   * effect, and `Placard-Ignored-Fields` names them. Alone they are 400.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `PATCH /v1/users/{id}`
   */
  updateUser(id: string, body: UpdateUser, options?: RequestOptions): Promise<User>;
  /**
   * Remove a person; their next request is rejected.
   *
   * What they did stays in the audit log. 409 for oneself and for the last Admin who can sign in.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/users/{id}`
   */
  deleteUser(id: string, options?: RequestOptions): Promise<Deletion>;
  /**
   * Make a link with which a person chooses a new password.
   *
   * For a person who has lost access; give it to them in person. It works once, for 24 hours, and its use ends
   * all sessions of the person. A second factor stays.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/users/{id}/reset-link`
   */
  createResetLink(id: string, options?: RequestOptions): Promise<Data<'createResetLink'>>;
  /**
   * Let a person who has lost their phone sign in without a code.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/users/{id}/second-factor`
   */
  removeSecondFactor(id: string, options?: RequestOptions): Promise<User>;
  /**
   * Where a person is signed in, newest first.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/users/{id}/sessions`
   */
  listUserSessions(id: string, options?: RequestOptions): Promise<Data<'listUserSessions'>>;
  /**
   * Sign a person out everywhere; returns how many sessions ended.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/users/{id}/sessions`
   */
  endUserSessions(id: string, options?: RequestOptions): Promise<Data<'endUserSessions'>>;
  /**
   * End one session of a person; the next request with it is rejected.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/users/{id}/sessions/{session_id}`
   */
  endUserSession(id: string, sessionId: string, options?: RequestOptions): Promise<Data<'endUserSession'>>;
  /**
   * List the invitations that can still be accepted (never their links).
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `GET /v1/invitations`
   */
  listInvitations(query?: Query<'listInvitations'>, options?: RequestOptions): Pages<Invitation>;
  /**
   * Invite a person; the link is returned only here.
   *
   * Whoever opens the link first signs up with this role and these stores. `expires_in`: seconds.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `POST /v1/invitations`
   */
  createInvitation(body: Body<'createInvitation'>, options?: RequestOptions): Promise<InvitationWithUrl>;
  /**
   * Revoke an invitation; its link stops working.
   *
   * Needs a key of scope Admin, or a person with the role Admin.
   *
   * `DELETE /v1/invitations/{id}`
   */
  deleteInvitation(id: string, options?: RequestOptions): Promise<Deletion>;
}

export interface PlayerResource {
  /**
   * Start pairing: get a code to show on the screen.
   *
   * A device that asks again gets its open session, which is identified by serial and `screen_secret`, or
   * without a secret by serial and IP address. At most 60 starts in 10 minutes per IPv4 address or IPv6 /64,
   * and 6,000 in all; more are 429, but an open session is still returned. While 5,000 sessions are open it is
   * 503 with `Retry-After` 60, unless an address has more than 10 of them: then its oldest is dropped. At most
   * 8 kB of `hardware` are stored. A session is deleted 15 minutes after its start.
   *
   * Needs no key.
   *
   * `POST /v1/player/pairing`
   */
  startPairing(body: Body<'startPairing'>, options?: RequestOptions): Promise<Data<'startPairing'>>;
  /**
   * Poll for the device token: 202 until the code is confirmed, then 200.
   *
   * Needs no key.
   *
   * `POST /v1/player/pairing/{id}/token`
   */
  pollPairing(id: string, body: Body<'pollPairing'>, options?: RequestOptions): Promise<Data<'pollPairing'>>;
  /**
   * The manifest: everything for offline playback; the ETag is the revision, 304 when unchanged.
   *
   * Needs the token of a paired device.
   *
   * `GET /v1/player/manifest`
   */
  getManifest(options?: RequestOptions): Promise<Manifest>;
  /**
   * Report samples and state; the response carries the target revision and waiting commands.
   *
   * Some samples are dropped without an error: new ones beyond 100,000 per device and day (UTC), those older
   * than 732 days, and those more than a day in the future. `facts` of a fault over 4 KiB are replaced by a
   * note; once the `facts` of a heartbeat exceed 16 KiB in all, that fault and the following lose theirs.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/heartbeats`
   */
  sendHeartbeats(body: Body<'sendHeartbeats'>, options?: RequestOptions): Promise<Data<'sendHeartbeats'>>;
  /**
   * Report plays; a play that is sent twice counts once.
   *
   * At most 100,000 plays per device and day (UTC, by `started_at`) are stored, and none older than the
   * retention time (731 days by default); others are listed in `rejected`. At most 259,200 new plays are
   * accepted per device and day: further requests are 429 `RATE_LIMITED` with `details.reason` `plays_quota`;
   * send them again later.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/plays`
   */
  sendPlays(body: Body<'sendPlays'>, options?: RequestOptions): Promise<Data<'sendPlays'>>;
  /**
   * Send what the screen shows, as the command `SCREENSHOT` or the settings ask for, or because a fault began.
   *
   * The newest picture of a device replaces the one before. A picture that nobody waits for is 404: it was not
   * asked for, or comes too late or, without `command_id`, too early. Those of faults are kept apart.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/screenshots`
   */
  sendScreenshot(body: Body<'sendScreenshot'>, options?: RequestOptions): Promise<Data<'sendScreenshot'>>;
  /**
   * Send logs and status, as the command `LOGS` asked for.
   *
   * The newest logs of a device replace the ones before. Logs that nobody has asked for, or too late, are 404.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/logs`
   */
  sendLogs(body: Body<'sendLogs'>, options?: RequestOptions): Promise<Data<'sendLogs'>>;
  /**
   * Answer a `live_request`: what the screen shows now, the newest lines of the log, or why there are none.
   *
   * The answer goes to those who wait for it and is stored nowhere. One that nobody waits for, or not any
   * more, is 404.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/live`
   */
  answerLive(body: Body<'answerLive'>, options?: RequestOptions): Promise<Data<'answerLive'>>;
  /**
   * Report what the device can play and what it is made of.
   *
   * After each start, and when the browser reports something else. Classes of videos that this cloud does not
   * know are passed over; `videos` of the answer is how many it knows. At most 8 kB of `hardware` are stored.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/capabilities`
   */
  sendCapabilities(
    body: Body<'sendCapabilities'>,
    options?: RequestOptions,
  ): Promise<Data<'sendCapabilities'>>;
  /**
   * Report the status of a command.
   *
   * Needs the token of a paired device.
   *
   * `POST /v1/player/commands/{id}/status`
   */
  reportCommand(
    id: string,
    body: Body<'reportCommand'>,
    options?: RequestOptions,
  ): Promise<Data<'reportCommand'>>;
}

/** All operations, by resource. */
export interface Resources {
  readonly organization: OrganizationResource;
  readonly apiKeys: ApiKeysResource;
  readonly devices: DevicesResource;
  readonly content: ContentResource;
  readonly folders: FoldersResource;
  readonly uploads: UploadsResource;
  readonly playlists: PlaylistsResource;
  readonly schedules: SchedulesResource;
  readonly timeline: TimelineResource;
  readonly stores: StoresResource;
  readonly tags: TagsResource;
  readonly commands: CommandsResource;
  readonly operations: OperationsResource;
  readonly rollouts: RolloutsResource;
  readonly analytics: AnalyticsResource;
  readonly events: EventsResource;
  readonly alerts: AlertsResource;
  readonly webhooks: WebhooksResource;
  readonly auditLog: AuditLogResource;
  readonly authentication: AuthenticationResource;
  readonly ownAccount: OwnAccountResource;
  readonly people: PeopleResource;
  readonly player: PlayerResource;
}

/** The operation of each route. */
export interface Routes {
  'GET /v1/organization': 'getOrganization';
  'PATCH /v1/organization': 'updateOrganization';
  'GET /v1/api-keys': 'listApiKeys';
  'POST /v1/api-keys': 'createApiKey';
  'DELETE /v1/api-keys/{id}': 'deleteApiKey';
  'GET /v1/devices': 'listDevices';
  'GET /v1/devices/counts': 'countDevices';
  'POST /v1/devices/pair': 'pairDevice';
  'GET /v1/devices/{id}': 'getDevice';
  'PATCH /v1/devices/{id}': 'updateDevice';
  'DELETE /v1/devices/{id}': 'deleteDevice';
  'POST /v1/devices/{id}/commands': 'sendCommand';
  'GET /v1/devices/{id}/heartbeats': 'listHeartbeats';
  'GET /v1/devices/{id}/active-schedule': 'getActiveSchedule';
  'POST /v1/devices/{id}/screenshot': 'requestScreenshot';
  'GET /v1/devices/{id}/screenshot': 'getScreenshot';
  'GET /v1/devices/{id}/screenshot/image': 'getScreenshotImage';
  'POST /v1/devices/{id}/screenshot/live': 'takeLivePicture';
  'POST /v1/devices/{id}/logs': 'requestLogs';
  'GET /v1/devices/{id}/logs': 'getLogs';
  'GET /v1/devices/{id}/logs/{name}': 'getLogFile';
  'POST /v1/devices/{id}/logs/live': 'readLiveLog';
  'POST /v1/content/upload': 'uploadContent';
  'POST /v1/content/upload-url': 'importContent';
  'GET /v1/content': 'listContent';
  'GET /v1/content/{id}': 'getContent';
  'PATCH /v1/content/{id}': 'updateContent';
  'DELETE /v1/content/{id}': 'deleteContent';
  'POST /v1/content/{id}/replace': 'replaceContent';
  'GET /v1/content/{id}/warnings': 'listContentWarnings';
  'GET /v1/content/folders': 'listFolders';
  'POST /v1/content/folders': 'createFolder';
  'GET /v1/content/folders/{id}': 'getFolder';
  'PATCH /v1/content/folders/{id}': 'updateFolder';
  'DELETE /v1/content/folders/{id}': 'deleteFolder';
  'GET /v1/content/{id}/renditions': 'listRenditions';
  'POST /v1/content/{id}/renditions': 'makeRendition';
  'POST /v1/content/uploads': 'createUpload';
  'GET /v1/content/uploads': 'listUploads';
  'GET /v1/content/uploads/{id}': 'getUpload';
  'PATCH /v1/content/uploads/{id}': 'appendUpload';
  'DELETE /v1/content/uploads/{id}': 'deleteUpload';
  'GET /v1/playlists': 'listPlaylists';
  'POST /v1/playlists': 'createPlaylist';
  'GET /v1/playlists/{id}': 'getPlaylist';
  'PATCH /v1/playlists/{id}': 'updatePlaylist';
  'DELETE /v1/playlists/{id}': 'deletePlaylist';
  'POST /v1/playlists/{id}/items': 'addPlaylistItem';
  'DELETE /v1/playlists/{id}/items/{item_id}': 'removePlaylistItem';
  'POST /v1/playlists/{id}/deploy': 'deployPlaylist';
  'GET /v1/deployments': 'listDeployments';
  'GET /v1/deployments/{id}': 'getDeployment';
  'GET /v1/schedules': 'listSchedules';
  'POST /v1/schedules': 'createSchedule';
  'GET /v1/schedules/{id}': 'getSchedule';
  'PATCH /v1/schedules/{id}': 'updateSchedule';
  'DELETE /v1/schedules/{id}': 'deleteSchedule';
  'POST /v1/schedules/{id}/activate': 'activateSchedule';
  'POST /v1/schedules/{id}/deactivate': 'deactivateSchedule';
  'GET /v1/devices/{id}/timeline': 'getTimeline';
  'GET /v1/timeline': 'listTimeline';
  'GET /v1/stores': 'listStores';
  'POST /v1/stores': 'createStore';
  'GET /v1/stores/{id}': 'getStore';
  'PATCH /v1/stores/{id}': 'updateStore';
  'DELETE /v1/stores/{id}': 'deleteStore';
  'GET /v1/tags': 'listTags';
  'GET /v1/commands': 'listCommands';
  'GET /v1/commands/{id}': 'getCommand';
  'POST /v1/operations': 'createOperation';
  'GET /v1/operations': 'listOperations';
  'GET /v1/operations/{id}': 'getOperation';
  'GET /v1/operations/{id}/results': 'listOperationResults';
  'POST /v1/operations/{id}/cancel': 'cancelOperation';
  'POST /v1/rollouts': 'createRollout';
  'GET /v1/rollouts': 'listRollouts';
  'GET /v1/rollouts/{id}': 'getRollout';
  'DELETE /v1/rollouts/{id}': 'deleteRollout';
  'GET /v1/rollouts/{id}/comparison': 'getRolloutComparison';
  'GET /v1/rollouts/{id}/devices': 'listRolloutDevices';
  'POST /v1/rollouts/{id}/stop': 'stopRollout';
  'POST /v1/rollouts/{id}/continue': 'continueRollout';
  'GET /v1/analytics': 'getAnalytics';
  'GET /v1/analytics/plays': 'getPlays';
  'GET /v1/analytics/plays.csv': 'exportPlays';
  'GET /v1/analytics/uptime': 'getUptime';
  'GET /v1/events': 'listEvents';
  'GET /v1/alert-rules': 'listAlertRules';
  'POST /v1/alert-rules': 'createAlertRule';
  'GET /v1/alert-rules/{id}': 'getAlertRule';
  'PATCH /v1/alert-rules/{id}': 'updateAlertRule';
  'DELETE /v1/alert-rules/{id}': 'deleteAlertRule';
  'GET /v1/alert-mutes': 'listAlertMutes';
  'POST /v1/alert-mutes': 'createAlertMute';
  'DELETE /v1/alert-mutes/{id}': 'deleteAlertMute';
  'GET /v1/alerts': 'listAlerts';
  'GET /v1/alerts/{id}': 'getAlert';
  'GET /v1/alerts/{id}/mails': 'listAlertMails';
  'GET /v1/alerts/{id}/devices': 'listAlertDevices';
  'GET /v1/webhooks': 'listWebhooks';
  'POST /v1/webhooks': 'createWebhook';
  'GET /v1/webhooks/{id}': 'getWebhook';
  'PATCH /v1/webhooks/{id}': 'updateWebhook';
  'DELETE /v1/webhooks/{id}': 'deleteWebhook';
  'POST /v1/webhooks/{id}/test': 'testWebhook';
  'POST /v1/webhooks/{id}/rotate-secret': 'rotateWebhookSecret';
  'POST /v1/webhooks/{id}/replay': 'replayWebhook';
  'GET /v1/webhooks/{id}/deliveries': 'listDeliveries';
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry': 'retryDelivery';
  'GET /v1/audit-log': 'listAuditLog';
  'GET /v1/auth/methods': 'getSignInMethods';
  'POST /v1/auth/sign-in': 'signIn';
  'POST /v1/auth/second-factor': 'verifySecondFactor';
  'POST /v1/auth/passkey/challenge': 'getPasskeyChallenge';
  'POST /v1/auth/passkey': 'signInWithPasskey';
  'POST /v1/auth/company': 'startCompanySignIn';
  'POST /v1/auth/sign-out': 'signOut';
  'POST /v1/auth/invitation': 'readInvitation';
  'POST /v1/auth/accept-invitation': 'acceptInvitation';
  'POST /v1/auth/sign-in-link': 'readSignInLink';
  'POST /v1/auth/sign-in-with-link': 'signInWithLink';
  'POST /v1/auth/reset-password': 'resetPassword';
  'GET /v1/me': 'getOwnAccount';
  'PATCH /v1/me': 'updateOwnAccount';
  'POST /v1/me/password': 'changePassword';
  'GET /v1/me/sessions': 'listOwnSessions';
  'DELETE /v1/me/sessions/{id}': 'endOwnSession';
  'POST /v1/me/second-factor': 'startSecondFactor';
  'POST /v1/me/second-factor/confirm': 'confirmSecondFactor';
  'POST /v1/me/second-factor/remove': 'stopSecondFactor';
  'GET /v1/me/passkeys': 'listPasskeys';
  'POST /v1/me/passkeys': 'addPasskey';
  'POST /v1/me/passkeys/challenge': 'startPasskey';
  'DELETE /v1/me/passkeys/{id}': 'removePasskey';
  'GET /v1/users': 'listUsers';
  'GET /v1/users/{id}': 'getUser';
  'PATCH /v1/users/{id}': 'updateUser';
  'DELETE /v1/users/{id}': 'deleteUser';
  'POST /v1/users/{id}/reset-link': 'createResetLink';
  'DELETE /v1/users/{id}/second-factor': 'removeSecondFactor';
  'GET /v1/users/{id}/sessions': 'listUserSessions';
  'DELETE /v1/users/{id}/sessions': 'endUserSessions';
  'DELETE /v1/users/{id}/sessions/{session_id}': 'endUserSession';
  'GET /v1/invitations': 'listInvitations';
  'POST /v1/invitations': 'createInvitation';
  'DELETE /v1/invitations/{id}': 'deleteInvitation';
  'POST /v1/player/pairing': 'startPairing';
  'POST /v1/player/pairing/{id}/token': 'pollPairing';
  'GET /v1/player/manifest': 'getManifest';
  'POST /v1/player/heartbeats': 'sendHeartbeats';
  'POST /v1/player/plays': 'sendPlays';
  'POST /v1/player/screenshots': 'sendScreenshot';
  'POST /v1/player/logs': 'sendLogs';
  'POST /v1/player/live': 'answerLive';
  'POST /v1/player/capabilities': 'sendCapabilities';
  'POST /v1/player/commands/{id}/status': 'reportCommand';
}

/** Route, what the method takes and returns, and `key` when it takes an idempotency key. */
export const RESOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organization: {
    get: 'GET /v1/organization none data',
    update: 'PATCH /v1/organization body data',
  },
  apiKeys: {
    list: 'GET /v1/api-keys query list',
    create: 'POST /v1/api-keys body data key',
    delete: 'DELETE /v1/api-keys/{id} none data',
  },
  devices: {
    list: 'GET /v1/devices query list',
    count: 'GET /v1/devices/counts none data',
    pair: 'POST /v1/devices/pair body data key',
    get: 'GET /v1/devices/{id} none data',
    update: 'PATCH /v1/devices/{id} body data',
    delete: 'DELETE /v1/devices/{id} none data',
    sendCommand: 'POST /v1/devices/{id}/commands body data key',
    listHeartbeats: 'GET /v1/devices/{id}/heartbeats query data',
    getActiveSchedule: 'GET /v1/devices/{id}/active-schedule query data',
    requestScreenshot: 'POST /v1/devices/{id}/screenshot none data key',
    getScreenshot: 'GET /v1/devices/{id}/screenshot none data',
    getScreenshotImage: 'GET /v1/devices/{id}/screenshot/image query response',
    takeLivePicture: 'POST /v1/devices/{id}/screenshot/live none response key',
    requestLogs: 'POST /v1/devices/{id}/logs none data key',
    getLogs: 'GET /v1/devices/{id}/logs none data',
    getLogFile: 'GET /v1/devices/{id}/logs/{name} none response',
    readLiveLog: 'POST /v1/devices/{id}/logs/live none data key',
  },
  content: {
    upload: 'POST /v1/content/upload form data key',
    import: 'POST /v1/content/upload-url body data key',
    list: 'GET /v1/content query list',
    get: 'GET /v1/content/{id} none data',
    update: 'PATCH /v1/content/{id} body data',
    delete: 'DELETE /v1/content/{id} none data',
    replace: 'POST /v1/content/{id}/replace form data key',
    listWarnings: 'GET /v1/content/{id}/warnings none data',
    listRenditions: 'GET /v1/content/{id}/renditions none data',
    makeRendition: 'POST /v1/content/{id}/renditions none data key',
  },
  folders: {
    list: 'GET /v1/content/folders query list',
    create: 'POST /v1/content/folders body data key',
    get: 'GET /v1/content/folders/{id} none data',
    update: 'PATCH /v1/content/folders/{id} body data',
    delete: 'DELETE /v1/content/folders/{id} none data',
  },
  uploads: {
    create: 'POST /v1/content/uploads none data key',
    list: 'GET /v1/content/uploads query list',
    get: 'GET /v1/content/uploads/{id} none data',
    append: 'PATCH /v1/content/uploads/{id} application/offset+octet-stream nothing',
    delete: 'DELETE /v1/content/uploads/{id} none nothing',
  },
  playlists: {
    list: 'GET /v1/playlists query list',
    create: 'POST /v1/playlists body data key',
    get: 'GET /v1/playlists/{id} none data',
    update: 'PATCH /v1/playlists/{id} body data',
    delete: 'DELETE /v1/playlists/{id} none data',
    addItem: 'POST /v1/playlists/{id}/items body data key',
    removeItem: 'DELETE /v1/playlists/{id}/items/{item_id} none data',
    deploy: 'POST /v1/playlists/{id}/deploy body data key',
    listDeployments: 'GET /v1/deployments query list',
    getDeployment: 'GET /v1/deployments/{id} query data',
  },
  schedules: {
    list: 'GET /v1/schedules query list',
    create: 'POST /v1/schedules body data key',
    get: 'GET /v1/schedules/{id} none data',
    update: 'PATCH /v1/schedules/{id} body data',
    delete: 'DELETE /v1/schedules/{id} none data',
    activate: 'POST /v1/schedules/{id}/activate none data key',
    deactivate: 'POST /v1/schedules/{id}/deactivate none data key',
  },
  timeline: {
    get: 'GET /v1/devices/{id}/timeline query data',
    list: 'GET /v1/timeline query list',
  },
  stores: {
    list: 'GET /v1/stores query list',
    create: 'POST /v1/stores body data key',
    get: 'GET /v1/stores/{id} none data',
    update: 'PATCH /v1/stores/{id} body data',
    delete: 'DELETE /v1/stores/{id} none data',
  },
  tags: {
    list: 'GET /v1/tags query list',
  },
  commands: {
    list: 'GET /v1/commands query list',
    get: 'GET /v1/commands/{id} none data',
  },
  operations: {
    create: 'POST /v1/operations body data key',
    list: 'GET /v1/operations query list',
    get: 'GET /v1/operations/{id} none data',
    listResults: 'GET /v1/operations/{id}/results query list',
    cancel: 'POST /v1/operations/{id}/cancel none data key',
  },
  rollouts: {
    create: 'POST /v1/rollouts body data key',
    list: 'GET /v1/rollouts query list',
    get: 'GET /v1/rollouts/{id} none data',
    delete: 'DELETE /v1/rollouts/{id} none data',
    getComparison: 'GET /v1/rollouts/{id}/comparison none data',
    listDevices: 'GET /v1/rollouts/{id}/devices query list',
    stop: 'POST /v1/rollouts/{id}/stop none data key',
    continue: 'POST /v1/rollouts/{id}/continue none data key',
  },
  analytics: {
    get: 'GET /v1/analytics query data',
    getPlays: 'GET /v1/analytics/plays query pages',
    exportPlays: 'GET /v1/analytics/plays.csv query response',
    getUptime: 'GET /v1/analytics/uptime query data',
  },
  events: {
    list: 'GET /v1/events query list',
  },
  alerts: {
    listRules: 'GET /v1/alert-rules query list',
    createRule: 'POST /v1/alert-rules body data key',
    getRule: 'GET /v1/alert-rules/{id} none data',
    updateRule: 'PATCH /v1/alert-rules/{id} body data',
    deleteRule: 'DELETE /v1/alert-rules/{id} none data',
    listMutes: 'GET /v1/alert-mutes none data',
    createMute: 'POST /v1/alert-mutes body data key',
    deleteMute: 'DELETE /v1/alert-mutes/{id} none data',
    list: 'GET /v1/alerts query list',
    get: 'GET /v1/alerts/{id} none data',
    listMails: 'GET /v1/alerts/{id}/mails none data',
    listDevices: 'GET /v1/alerts/{id}/devices query list',
  },
  webhooks: {
    list: 'GET /v1/webhooks query list',
    create: 'POST /v1/webhooks body data key',
    get: 'GET /v1/webhooks/{id} none data',
    update: 'PATCH /v1/webhooks/{id} body data',
    delete: 'DELETE /v1/webhooks/{id} none data',
    test: 'POST /v1/webhooks/{id}/test none data key',
    rotateSecret: 'POST /v1/webhooks/{id}/rotate-secret none data key',
    replay: 'POST /v1/webhooks/{id}/replay none data key',
    listDeliveries: 'GET /v1/webhooks/{id}/deliveries query pages',
    retryDelivery: 'POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry none data key',
  },
  auditLog: {
    list: 'GET /v1/audit-log query list',
  },
  authentication: {
    getSignInMethods: 'GET /v1/auth/methods none data',
    signIn: 'POST /v1/auth/sign-in body data',
    verifySecondFactor: 'POST /v1/auth/second-factor body data',
    getPasskeyChallenge: 'POST /v1/auth/passkey/challenge none data',
    signInWithPasskey: 'POST /v1/auth/passkey body data',
    startCompanySignIn: 'POST /v1/auth/company none data',
    signOut: 'POST /v1/auth/sign-out none data',
    readInvitation: 'POST /v1/auth/invitation body data',
    acceptInvitation: 'POST /v1/auth/accept-invitation body data',
    readSignInLink: 'POST /v1/auth/sign-in-link body data',
    signInWithLink: 'POST /v1/auth/sign-in-with-link body data',
    resetPassword: 'POST /v1/auth/reset-password body data',
  },
  ownAccount: {
    get: 'GET /v1/me none data',
    update: 'PATCH /v1/me body data',
    changePassword: 'POST /v1/me/password body data key',
    listSessions: 'GET /v1/me/sessions none data',
    endSession: 'DELETE /v1/me/sessions/{id} none data',
    startSecondFactor: 'POST /v1/me/second-factor body data key',
    confirmSecondFactor: 'POST /v1/me/second-factor/confirm body data key',
    stopSecondFactor: 'POST /v1/me/second-factor/remove body data key',
    listPasskeys: 'GET /v1/me/passkeys none data',
    addPasskey: 'POST /v1/me/passkeys body data key',
    startPasskey: 'POST /v1/me/passkeys/challenge body data key',
    removePasskey: 'DELETE /v1/me/passkeys/{id} none data',
  },
  people: {
    listUsers: 'GET /v1/users query list',
    getUser: 'GET /v1/users/{id} none data',
    updateUser: 'PATCH /v1/users/{id} body data',
    deleteUser: 'DELETE /v1/users/{id} none data',
    createResetLink: 'POST /v1/users/{id}/reset-link none data key',
    removeSecondFactor: 'DELETE /v1/users/{id}/second-factor none data',
    listUserSessions: 'GET /v1/users/{id}/sessions none data',
    endUserSessions: 'DELETE /v1/users/{id}/sessions none data',
    endUserSession: 'DELETE /v1/users/{id}/sessions/{session_id} none data',
    listInvitations: 'GET /v1/invitations query list',
    createInvitation: 'POST /v1/invitations body data key',
    deleteInvitation: 'DELETE /v1/invitations/{id} none data',
  },
  player: {
    startPairing: 'POST /v1/player/pairing body data',
    pollPairing: 'POST /v1/player/pairing/{id}/token body data',
    getManifest: 'GET /v1/player/manifest none data',
    sendHeartbeats: 'POST /v1/player/heartbeats body data',
    sendPlays: 'POST /v1/player/plays body data',
    sendScreenshot: 'POST /v1/player/screenshots body data',
    sendLogs: 'POST /v1/player/logs body data',
    answerLive: 'POST /v1/player/live body data',
    sendCapabilities: 'POST /v1/player/capabilities body data',
    reportCommand: 'POST /v1/player/commands/{id}/status body data',
  },
};
