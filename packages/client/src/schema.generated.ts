// Generated from the OpenAPI description by `npm run generate:client`. Do not edit: change packages/protocol/src/api.

import type { UnknownType } from './unknown-type.ts';

export interface components {
  schemas: {
    ActiveSchedule: {
      at: components['schemas']['Timestamp'];
      timezone: string;
      /** @description Zone of the store, in which rules with `local_time` are read; null: it has none, see `warnings` */
      local_timezone: string | null;
      /** @enum {string} */
      source: 'schedule' | 'deployment' | 'none';
      schedule: {
        id: string;
        name: string;
      } | null;
      rule: components['schemas']['Rule'] | null;
      playlist: {
        id: string;
        name: string;
      } | null;
      until: components['schemas']['Timestamp'] | null;
      /** @description What is shown and why, also when the playlist has nothing to show */
      reason: string;
      candidates: {
        schedule_id: string;
        schedule_name: string;
        rule_id: string;
        playlist: {
          id: string;
          name: string;
        } | null;
        priority: number;
        matches: boolean;
        wins: boolean;
        reason: string;
      }[];
      /** @description Paging of `candidates` */
      candidates_meta: components['schemas']['Paging'];
      warnings: {
        code: string;
        message: string;
      }[];
    };
    Alert: {
      id: string;
      /** @enum {string} */
      status: 'open' | 'resolved';
      rule_id: string;
      rule_name: string;
      condition: components['schemas']['AlertCondition'];
      /** @description A device; a store, when at least three of its devices have it at the same time, which are half of them or ten; `all` for devices of any store */
      subject: components['schemas']['AlertSubject'];
      /** @description Devices that it has concerned so far */
      devices: number;
      /** @description Devices that it concerns now */
      devices_affected: number;
      opened_at: components['schemas']['Timestamp'];
      resolved_at: components['schemas']['Timestamp'] | null;
      /** @description `over`: for all of its devices. `rule_changed`: the rule was changed, switched off or deleted. `not_watched`: devices for which it was not over were removed, or the filter of the rule finds them no more, because their tags, names or stores have changed; those with `over_at` null. For the others it is over. Null while it is open */
      resolved_because: ('over' | 'rule_changed' | 'not_watched') | null;
    };
    AlertCondition:
      | {
          /** @constant */
          type: 'offline';
          /** @description How long it must last before there is an alert; a device counts as offline after 3 minutes at most */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'fault';
          /** @description Code of the fault; null for any */
          code: string | null;
          /** @description How long it must last before there is an alert */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'behind';
          /** @description How long it must last before there is an alert: the device is online, does not show the manifest that it should, and still shows the same one */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'old_version';
          /** @description Players of an older version than this are meant */
          version: string;
          /** @description How long it must last before there is an alert */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'hot';
          /** @description The newest temperature is this or higher; it is over at 2 °C less */
          celsius: number;
          /** @description How long it must last before there is an alert */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'disk_below';
          /** @description Less than this is free on the disk; it is over at one percentage point more, or at a tenth more of MB */
          free: number;
          /**
           * @description A million bytes, or a hundredth of the disk
           * @enum {string}
           */
          unit: 'MB' | 'percent';
          /** @description How long it must last before there is an alert */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'nothing_playable';
          /** @description How long it must last before there is an alert: the device shows nothing although a playlist is due, or reports `playback.nothing_playable` */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'screen_black';
          /** @description So many pictures one after the other are black although the player shows content. Pictures are those that the settings want every so many minutes (`screenshot_interval_minutes`), and those that were asked for; one within 150 seconds after another does not count. The last one counts for 25 hours */
          pictures: number;
          /** @description How long it must last before there is an alert */
          minutes: number;
        }
      | {
          /** @constant */
          type: 'screen_frozen';
          /** @description So many pictures one after the other look the same although the player shows other content in each, or a video. Pictures are those that the settings want every so many minutes (`screenshot_interval_minutes`), and those that were asked for; one within 150 seconds after another does not count. The last one counts for 25 hours */
          pictures: number;
          /** @description How long it must last before there is an alert */
          minutes: number;
        };
    AlertDevice: {
      device_id: string;
      /** @description Null when the device was removed */
      device_name: string | null;
      joined_at: components['schemas']['Timestamp'];
      /** @description Since when it is over for this device; null while it is not, and when it was not before the device was no longer watched, or the rule was changed */
      over_at: components['schemas']['Timestamp'] | null;
    };
    AlertEscalation: {
      after_minutes: number;
      recipients: string[];
    };
    /** @description The devices that the rule watches, as in the list of devices; all without a field */
    AlertFilter: {
      store_id?: string;
      tag?: string;
      /** @description Part of the name; upper and lower case are the same */
      search?: string;
      /** @description Country of the store that the device is in, as it is written there; upper and lower case are the same */
      country?: string;
      /** @description Region of the store that the device is in, as it is written there; upper and lower case are the same */
      region?: string;
      /** @description City of the store that the device is in, as it is written there; upper and lower case are the same */
      city?: string;
    };
    AlertMail: {
      /** @enum {string} */
      step: 'opened' | 'escalated' | 'resolved';
      recipient: string;
      /**
       * @description `sent`: the mail server has taken it
       * @enum {string}
       */
      status: 'pending' | 'sent' | 'failed';
      attempts: number;
      next_attempt_at: components['schemas']['Timestamp'] | null;
      /** @description Why the last attempt failed */
      error: string | null;
      finished_at: components['schemas']['Timestamp'] | null;
    };
    AlertMute: {
      id: string;
      target: components['schemas']['AlertMuteTarget'];
      until: components['schemas']['Timestamp'];
      reason: string | null;
      created_at: components['schemas']['Timestamp'];
    };
    AlertMuteTarget:
      | {
          /** @constant */
          type: 'device';
          id: string;
        }
      | {
          /** @constant */
          type: 'store';
          id: string;
        }
      | {
          /** @constant */
          type: 'all';
        };
    /** @description A device, a store or several devices meet the condition of a rule for alerts. Once per cause. Devices that join later are not told of one by one */
    AlertOpenedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'alert.opened';
      /** @description Id of the alert */
      resource: string;
      data: {
        alert: components['schemas']['Alert'];
      };
    };
    /** @description An alert is over, its rule was changed, or its devices are no longer watched. `resolved_because` says which */
    AlertResolvedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'alert.resolved';
      /** @description Id of the alert */
      resource: string;
      data: {
        alert: components['schemas']['Alert'];
      };
    };
    AlertRule: {
      id: string;
      name: string;
      condition: components['schemas']['AlertCondition'];
      filter: components['schemas']['AlertFilter'];
      is_active: boolean;
      /** @description When alerts are opened, in the time zone of the store that the device is in, or that of the organization. Only minutes within these hours count, those of several days together, up to ten weeks back. What is open at their end stays open until it is over. Null: always */
      opening_hours: components['schemas']['OpeningHours'][] | null;
      recipients: string[];
      escalations: {
        after_minutes: number;
        recipients: string[];
      }[];
      /** @enum {string} */
      language: 'en' | 'de' | 'fr' | 'es' | 'ja';
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    AlertRuleWarning: {
      /**
       * @description The condition is about pictures, and devices that the rule watches send none of their own accord: it opens no alert for them
       * @enum {string}
       */
      code: 'SCREENS_SEND_NO_PICTURES';
      message: string;
      device_count: number;
    };
    AlertSubject: {
      /** @enum {string} */
      type: 'device' | 'store' | 'all';
      /** @description Of the device or the store; null for `all` */
      id: string | null;
      /** @description When the alert was opened; null for `all` */
      name: string | null;
    };
    AnalyticsOverview: {
      from: components['schemas']['Timestamp'];
      to: components['schemas']['Timestamp'];
      devices: number;
      online: number;
      uptime_percent: number | null;
      observed_seconds: number;
      online_seconds: number;
      plays: number;
      play_seconds: number;
      completed: number;
      interrupted: number;
      failed: number;
    };
    ApiKey: {
      id: string;
      name: string;
      /** @enum {string} */
      scope: 'Read' | 'Write' | 'Admin';
      /** @description The last characters of the key; null for one that a person chose, and for older ones */
      last_four: string | null;
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'] | null;
      last_used_at: components['schemas']['Timestamp'] | null;
    };
    ApiKeyWithSecret: {
      id: string;
      name: string;
      /** @enum {string} */
      scope: 'Read' | 'Write' | 'Admin';
      /** @description The last characters of the key; null for one that a person chose, and for older ones */
      last_four: string | null;
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'] | null;
      last_used_at: components['schemas']['Timestamp'] | null;
      key: string;
    };
    Asset: {
      id: string;
      name: string;
      /** @enum {string} */
      type: 'image' | 'video';
      format: string;
      width: number;
      height: number;
      size: number;
      duration: number | null;
      /** @description Of a video, as RFC 6381 writes it: `avc1.640028`; null for an image, and when it is not known */
      codec: string | null;
      /** @description Frames per second of a video; null for an image, and when it is not known */
      frame_rate: number | null;
      /** @description SHA-256 of the bytes, lower-case hexadecimal */
      sha256: string;
      /** Format: uri */
      url: string;
      /** @description A small WebP picture; null for a video of which this cloud cannot make one (yet) */
      thumbnail_url: string | null;
      folder_id: string | null;
      tags: string[];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    AuditEntry: {
      id: string;
      created_at: components['schemas']['Timestamp'];
      actor: {
        type: string;
        id: string | null;
        name: string;
      };
      address: string | null;
      request_id: string | null;
      action: string;
      resource: {
        type: string;
        id: string;
        name: string | null;
      };
      changes: {
        field: string;
        before: unknown;
        after: unknown;
        truncated: boolean;
      }[];
    };
    BulkAction:
      | {
          /** @constant */
          type: 'command';
          /** @enum {string} */
          command: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';
          expires_in: number;
        }
      | {
          /** @constant */
          type: 'add_tags';
          /** @description Tags; duplicates are removed */
          tags: string[];
        }
      | {
          /** @constant */
          type: 'remove_tags';
          /** @description Tags; duplicates are removed */
          tags: string[];
        }
      | {
          /** @constant */
          type: 'set_store';
          store_id: string | null;
        }
      | {
          /** @constant */
          type: 'set_orientation';
          /** @enum {string} */
          orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
        }
      | {
          /** @constant */
          type: 'deploy';
          playlist_id: string;
        };
    BulkActionInput:
      | {
          /** @constant */
          type: 'command';
          /** @enum {string} */
          command: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';
          /** @default 600 */
          expires_in?: number;
        }
      | {
          /** @constant */
          type: 'add_tags';
          /** @description Tags; duplicates are removed */
          tags: string[];
        }
      | {
          /** @constant */
          type: 'remove_tags';
          /** @description Tags; duplicates are removed */
          tags: string[];
        }
      | {
          /** @constant */
          type: 'set_store';
          store_id: string | null;
        }
      | {
          /** @constant */
          type: 'set_orientation';
          /** @enum {string} */
          orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
        }
      | {
          /** @constant */
          type: 'deploy';
          playlist_id: string;
        };
    BulkFilter: {
      /** @enum {string} */
      status?: 'online' | 'offline';
      store_id?: string;
      tag?: string;
      /** @description Part of the name; upper and lower case are the same */
      search?: string;
      player_version?: string;
      /** @description Code of a fault that the device reports now */
      fault?: string;
      /** @description Country of the store that the device is in, as it is written there; upper and lower case are the same */
      country?: string;
      /** @description Region of the store that the device is in, as it is written there; upper and lower case are the same */
      region?: string;
      /** @description City of the store that the device is in, as it is written there; upper and lower case are the same */
      city?: string;
      /**
       * @description Whether the device shows the manifest that it should, or another one or none
       * @enum {string}
       */
      revision?: 'current' | 'behind';
    };
    ChangeGroup: {
      device_count: number;
      /** @description The first 100 of them, by id */
      devices: {
        id: string;
        name: string;
      }[];
      change_count: number;
      /** @description The first 20 of them */
      changes: components['schemas']['ShownChange'][];
    };
    ChangedAlertRule: {
      id: string;
      name: string;
      condition: components['schemas']['AlertCondition'];
      filter: components['schemas']['AlertFilter'];
      is_active: boolean;
      /** @description When alerts are opened, in the time zone of the store that the device is in, or that of the organization. Only minutes within these hours count, those of several days together, up to ten weeks back. What is open at their end stays open until it is over. Null: always */
      opening_hours: components['schemas']['OpeningHours'][] | null;
      recipients: string[];
      escalations: {
        after_minutes: number;
        recipients: string[];
      }[];
      /** @enum {string} */
      language: 'en' | 'de' | 'fr' | 'es' | 'ja';
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      /** @description Left out by clouds of earlier versions */
      warnings?: components['schemas']['AlertRuleWarning'][];
    };
    ChangedPlaylist: {
      id: string;
      name: string;
      /** @enum {string} */
      mode: 'sequential' | 'shuffle' | 'weighted';
      item_count: number;
      total_duration: number;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      items: components['schemas']['PlaylistItem'][];
      /** @description Left out by clouds of earlier versions */
      warnings?: components['schemas']['VideoWarning'][];
      /** @description Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what would be created are not those that it will get. */
      dry_run?: components['schemas']['DryRun'];
    };
    ChangedSchedule: {
      id: string;
      name: string;
      is_active: boolean;
      rule_count: number;
      targets: components['schemas']['Target'][];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      rules: components['schemas']['Rule'][];
      /** @description Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what would be created are not those that it will get. */
      dry_run?: components['schemas']['DryRun'];
    };
    Command: {
      id: string;
      device_id: string;
      /** @enum {string} */
      command: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';
      /** @enum {string} */
      status: 'queued' | 'delivered' | 'acknowledged' | 'succeeded' | 'failed' | 'expired';
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
      delivered_at: components['schemas']['Timestamp'] | null;
      acknowledged_at: components['schemas']['Timestamp'] | null;
      finished_at: components['schemas']['Timestamp'] | null;
      result: {
        [key: string]: unknown;
      } | null;
    };
    /** @description A device has begun to execute a command */
    CommandAcknowledgedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'command.acknowledged';
      /** @description Id of the device that the command is for */
      resource: string;
      data: {
        command: components['schemas']['Command'];
      };
    };
    /** @description A command was sent */
    CommandCreatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'command.created';
      /** @description Id of the device that the command is for */
      resource: string;
      data: {
        command: components['schemas']['Command'];
      };
    };
    /** @description A device has received a command */
    CommandDeliveredEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'command.delivered';
      /** @description Id of the device that the command is for */
      resource: string;
      data: {
        command: components['schemas']['Command'];
      };
    };
    /** @description A command succeeded, failed or expired */
    CommandFinishedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'command.finished';
      /** @description Id of the device that the command is for */
      resource: string;
      data: {
        command: components['schemas']['Command'];
      };
    };
    /** @description A file was uploaded or imported */
    ContentCreatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'content.created';
      /** @description Id of the asset */
      resource: string;
      data: {
        content: components['schemas']['Asset'];
      };
    };
    /** @description A file was deleted */
    ContentDeletedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'content.deleted';
      /** @description Id of the asset */
      resource: string;
      data: {
        content: components['schemas']['Asset'];
        playlists: components['schemas']['NamedReference'][];
      };
    };
    /** @description The name, folder or tags of a file changed, or another file has replaced it */
    ContentUpdatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'content.updated';
      /** @description Id of the asset */
      resource: string;
      data: {
        content: components['schemas']['Asset'];
      };
    };
    Cursor: {
      limit: number;
      next_cursor: string | null;
      has_more: boolean;
    };
    Deletion: {
      id: string;
      /** @constant */
      deleted: true;
    };
    Delivery: {
      id: string;
      webhook_id: string;
      event: string;
      /** @enum {string} */
      status: 'pending' | 'succeeded' | 'failed';
      attempts: number;
      next_attempt_at: components['schemas']['Timestamp'] | null;
      response_status: number | null;
      error: string | null;
      created_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
      payload: components['schemas']['Notification'];
    };
    DeploymentDetail: {
      id: string;
      playlist_id: string;
      created_at: components['schemas']['Timestamp'];
      targets: components['schemas']['Target'][];
      device_count: number;
      /** @description One page of the devices that the targets reach, by device id, each with its revision */
      manifest_revisions: {
        [key: string]: string;
      };
      /** @description Paging of `manifest_revisions` */
      manifest_revisions_meta: components['schemas']['Paging'];
    };
    DeploymentWarning: {
      code: string;
      message: string;
      video?: components['schemas']['VideoClass'];
      device_count?: number;
      /** @description At most 5 of them, by name */
      devices?: components['schemas']['NamedReference'][];
      content_count?: number;
      /** @description At most 100 of the videos */
      content?: components['schemas']['NamedReference'][];
    };
    Device: {
      id: string;
      name: string;
      /** @enum {string} */
      status: 'online' | 'offline';
      /** @enum {string} */
      type: 'media_player' | 'pi' | 'pc' | 'other';
      platform: string;
      store_id: string | null;
      last_heartbeat: components['schemas']['Timestamp'] | null;
      player_version: string;
      tags: string[];
      /** @enum {string} */
      orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    /** @description A device reported a new fault. At most 500 per day and device. The cloud itself reports `plays.over_quota` once per day and device, with `day` and `limit`, when a device has more plays on one day than are counted. */
    DeviceAlertEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.alert';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['Device'];
        fault: {
          code: string;
          since: components['schemas']['Timestamp'];
          facts?: {
            [key: string]: unknown;
          };
        };
      };
    };
    DeviceConfigurationChange: {
      /**
       * @description `contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts
       * @enum {string}
       */
      fit?: 'contain' | 'cover' | 'stretch';
      /**
       * @description What fills the rest of the screen beside a contained picture
       * @enum {string}
       */
      background?: 'black' | 'blurred';
      /** @description Milliseconds of the cross-fade between two items; 0 is a cut */
      fade_ms?: number;
      /**
       * @description Language of the player's own screens: pairing, idle, technician menu
       * @enum {string}
       */
      language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
      /**
       * @deprecated
       * @description The old name of `background`, with the same value
       * @enum {string}
       */
      ground?: 'black' | 'blurred';
      /** @description 4–8 digits that open the technician menu; null removes the PIN */
      menu_pin?: string | null;
      /** @description False forbids screenshots of this device, and deletes the one that there is */
      screenshots_allowed?: boolean;
      /** @description Minutes between pictures that the screen sends of its own accord, 5 to 1440; 0: never; null: as the organization says */
      screenshot_interval_minutes?: (0 | number) | null;
      readonly orientation?: unknown;
      readonly menu_pin_set?: unknown;
      readonly timezone?: unknown;
      readonly heartbeat_interval?: unknown;
      readonly manifest_revision?: unknown;
      readonly applied_manifest_revision?: unknown;
    };
    DeviceCounts: {
      total: number;
      online: number;
      offline: number;
      /** @description Devices that are online and do not show the manifest that they should. Compared one by one, so it may be a minute old */
      behind: number;
      /** @description How many devices report each fault now; those of the most devices first, at most 100 */
      faults: {
        code: string;
        devices: number;
      }[];
      /** @description How many devices have each version of the player; those of the most devices first, at most 100 */
      player_versions: {
        player_version: string;
        devices: number;
      }[];
    };
    DeviceDetail: {
      id: string;
      name: string;
      /** @enum {string} */
      status: 'online' | 'offline';
      /** @enum {string} */
      type: 'media_player' | 'pi' | 'pc' | 'other';
      platform: string;
      store_id: string | null;
      last_heartbeat: components['schemas']['Timestamp'] | null;
      player_version: string;
      tags: string[];
      /** @enum {string} */
      orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      hardware: {
        model?: string | null;
        serial?: string | null;
        cpu?: {
          model: string | null;
          cores: number | null;
        };
        memory_total?: number | null;
        disk_total?: number | null;
        displays?: {
          name: string | null;
          width: number;
          height: number;
        }[];
        network_interfaces?: {
          name: string;
          /**
           * @default other
           * @enum {string}
           */
          kind: 'wired' | 'wireless' | 'other';
          mac: string | null;
          addresses: string[];
          ssid: string | null;
        }[];
      } | null;
      /** @description What the device can play, by class of videos; null until it is reported */
      decoders: components['schemas']['VideoCapability'][] | null;
      current_playlist: {
        id: string;
        name: string | null;
        schedule_id: string | null;
        rule_id: string | null;
        since: components['schemas']['Timestamp'];
      } | null;
      configuration: {
        /** @enum {string} */
        orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
        /**
         * @description `contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts
         * @enum {string}
         */
        fit: 'contain' | 'cover' | 'stretch';
        /**
         * @description What fills the rest of the screen beside a contained picture
         * @enum {string}
         */
        background: 'black' | 'blurred';
        /** @description Milliseconds of the cross-fade between two items; 0 is a cut */
        fade_ms: number;
        /**
         * @description Language of the player's own screens: pairing, idle, technician menu
         * @enum {string}
         */
        language: 'en' | 'de' | 'fr' | 'es' | 'ja';
        /**
         * @deprecated
         * @description The old name of `background`, with the same value
         * @enum {string}
         */
        ground: 'black' | 'blurred';
        menu_pin_set: boolean;
        /** @description False: nobody can take a picture of this screen from afar. The organization may forbid it for all screens */
        screenshots_allowed: boolean;
        /** @description How often the screen sends a picture of its own accord; 0: never; null: as the organization says */
        screenshot_interval_minutes: (0 | number) | null;
        timezone: string;
        heartbeat_interval: number;
        manifest_revision: string;
        applied_manifest_revision: string | null;
      };
      /** @description The sample with the latest `measured_at`, not the one that arrived last */
      latest_heartbeat: {
        measured_at: components['schemas']['Timestamp'];
        cpu_percent: number | null;
        memory_percent: number | null;
        disk_percent: number | null;
        temperature_celsius: number | null;
        wifi_signal_dbm: number | null;
        wifi_quality_percent?: number | null;
      } | null;
      /** @description Device clock minus cloud clock; samples delayed by the network do not change it */
      clock_offset_ms: number | null;
      storage: {
        cache_bytes: number;
        free_bytes: number | null;
        assets_held: number;
        assets_missing: number;
      } | null;
      frames: {
        drawn: number;
        dropped: number;
      } | null;
      tz_version: string | null;
      faults: {
        code: string;
        since: components['schemas']['Timestamp'];
        facts?: {
          [key: string]: unknown;
        };
      }[];
    };
    DeviceLogs: {
      device_id: string;
      taken_at: components['schemas']['Timestamp'];
      files: {
        name: string;
        size: number;
        url: string;
      }[];
    };
    /** @description A device has sent its logs */
    DeviceLogsEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.logs';
      /** @description Id of the device */
      resource: string;
      data: {
        logs: components['schemas']['DeviceLogs'];
      };
    };
    DeviceLogsState: {
      logs: components['schemas']['DeviceLogs'] | null;
      request: components['schemas']['LogsRequest'] | null;
    };
    DeviceMoment: {
      device: {
        id: string;
        name: string;
      };
      store: {
        id: string;
        name: string;
      } | null;
      at: components['schemas']['Timestamp'];
      /** @description Zone of the organization */
      timezone: string;
      /** @description Zone of the store, in which rules with `local_time` are read; null: it has none, and the zone of the organization applies */
      local_timezone: string | null;
      /** @enum {string} */
      source: 'schedule' | 'deployment' | 'none';
      playlist: {
        id: string;
        name: string;
      } | null;
      schedule: {
        id: string;
        name: string;
      } | null;
      rule: components['schemas']['Rule'] | null;
      /** @description What is shown and why, also when the playlist has nothing to show */
      reason: string;
      /** @description When this next changes; null when not within a year */
      until: components['schemas']['Timestamp'] | null;
    };
    /** @description A device shows another playlist, or the same because of another rule; null: nothing */
    DeviceNowPlayingEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.now_playing';
      /** @description Id of the device */
      resource: string;
      data: {
        device_id: string;
        now_playing: {
          playlist_id: string;
          schedule_id: string | null;
          rule_id: string | null;
          content_id: string;
          since: components['schemas']['Timestamp'];
        } | null;
      };
    };
    /** @description A device missed three heartbeats, or its socket closed and it did not reconnect */
    DeviceOfflineEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.offline';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['Device'];
      };
    };
    /** @description A device came back online */
    DeviceOnlineEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.online';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['Device'];
      };
    };
    /** @description A device was paired */
    DevicePairedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.paired';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['DeviceDetail'];
      };
    };
    /** @description A device was removed */
    DeviceRemovedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.removed';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['Device'];
      };
    };
    /** @description A device has sent a picture of what it shows that somebody has asked for, or of the moment in which a fault began */
    DeviceScreenshotEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.screenshot';
      /** @description Id of the device */
      resource: string;
      data: {
        screenshot: components['schemas']['Screenshot'];
      };
    };
    /** @description A device was changed: its name, store, tags or configuration */
    DeviceUpdatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'device.updated';
      /** @description Id of the device */
      resource: string;
      data: {
        device: components['schemas']['DeviceDetail'];
      };
    };
    DeviceUptime: {
      device_id: string;
      name: string;
      /** @enum {string} */
      status: 'online' | 'offline';
      uptime_percent: number | null;
      observed_seconds: number;
      online_seconds: number;
    };
    DryRun: {
      from: components['schemas']['Timestamp'];
      to: components['schemas']['Timestamp'];
      /** @description Devices that would show something else at some time from `from` until `to` */
      device_count: number;
      /** @description Those of them that would show another playlist, or one instead of none, or none */
      playlist_changes: number;
      /** @description Those of them that would show a playlist with other items or in another mode */
      content_changes: number;
      /** @description The first instant with a difference, if any */
      first_change: components['schemas']['Timestamp'] | null;
      group_count: number;
      /** @description Devices with the same changes, the first 50 groups by the time of their first change */
      groups: components['schemas']['ChangeGroup'][];
      /** @description Devices that were not compared because it would have taken too long; they are in no other number. Usually 0 */
      unexamined_device_count: number;
    };
    Error: {
      /** @constant */
      success: false;
      error: {
        /** @enum {string} */
        code:
          | 'VALIDATION_ERROR'
          | 'MALFORMED_JSON'
          | 'UNAUTHORIZED'
          | 'SIGN_IN_FAILED'
          | 'DEVICE_UNPAIRED'
          | 'INSUFFICIENT_SCOPE'
          | 'SESSION_REQUIRED'
          | 'STORE_NOT_ALLOWED'
          | 'ORIGIN_NOT_ALLOWED'
          | 'DEVICE_NOT_FOUND'
          | 'CONTENT_NOT_FOUND'
          | 'PLAYLIST_NOT_FOUND'
          | 'DEPLOYMENT_NOT_FOUND'
          | 'SCHEDULE_NOT_FOUND'
          | 'STORE_NOT_FOUND'
          | 'FOLDER_NOT_FOUND'
          | 'ITEM_NOT_FOUND'
          | 'OPERATION_NOT_FOUND'
          | 'ROLLOUT_NOT_FOUND'
          | 'ALERT_RULE_NOT_FOUND'
          | 'ALERT_MUTE_NOT_FOUND'
          | 'ALERT_NOT_FOUND'
          | 'COMMAND_NOT_FOUND'
          | 'WEBHOOK_NOT_FOUND'
          | 'DELIVERY_NOT_FOUND'
          | 'KEY_NOT_FOUND'
          | 'USER_NOT_FOUND'
          | 'INVITATION_NOT_FOUND'
          | 'SESSION_NOT_FOUND'
          | 'PASSKEY_NOT_FOUND'
          | 'PAIRING_CODE_NOT_FOUND'
          | 'LOGS_NOT_FOUND'
          | 'SCREENSHOT_NOT_FOUND'
          | 'SCREENSHOTS_FORBIDDEN'
          | 'NO_LIVE_ANSWER'
          | 'UPLOAD_NOT_FOUND'
          | 'ROUTE_NOT_FOUND'
          | 'METHOD_NOT_ALLOWED'
          | 'CONFLICT'
          | 'PLAYLIST_IN_USE'
          | 'STORE_IN_USE'
          | 'FOLDER_NOT_EMPTY'
          | 'PAIRING_EXPIRED'
          | 'LINK_EXPIRED'
          | 'EVENT_CURSOR_EXPIRED'
          | 'UPLOAD_GONE'
          | 'PRECONDITION_FAILED'
          | 'TUS_VERSION_UNSUPPORTED'
          | 'PAYLOAD_TOO_LARGE'
          | 'FILE_TOO_LARGE'
          | 'UNSUPPORTED_MEDIA_TYPE'
          | 'IMPORT_FAILED'
          | 'RATE_LIMITED'
          | 'CHECKSUM_MISMATCH'
          | 'INTERNAL_ERROR'
          | 'UNAVAILABLE'
          | 'INSUFFICIENT_STORAGE';
        message: string;
        /**
         * Format: uri
         * @description A page that says what to do
         */
        doc_url?: string;
        details?: unknown;
      };
    };
    /** @description `type` says what `data` has. Newer versions have further types and fields: pass over those */
    Event:
      | components['schemas']['DevicePairedEvent']
      | components['schemas']['DeviceOnlineEvent']
      | components['schemas']['DeviceOfflineEvent']
      | components['schemas']['DeviceUpdatedEvent']
      | components['schemas']['DeviceRemovedEvent']
      | components['schemas']['DeviceAlertEvent']
      | components['schemas']['ContentCreatedEvent']
      | components['schemas']['ContentUpdatedEvent']
      | components['schemas']['ContentDeletedEvent']
      | components['schemas']['PlaylistCreatedEvent']
      | components['schemas']['PlaylistUpdatedEvent']
      | components['schemas']['PlaylistDeletedEvent']
      | components['schemas']['PlaylistDeployedEvent']
      | components['schemas']['ScheduleActivatedEvent']
      | components['schemas']['ScheduleDeactivatedEvent']
      | components['schemas']['ScheduleChangedEvent']
      | components['schemas']['CommandCreatedEvent']
      | components['schemas']['CommandDeliveredEvent']
      | components['schemas']['CommandAcknowledgedEvent']
      | components['schemas']['CommandFinishedEvent']
      | components['schemas']['OperationFinishedEvent']
      | components['schemas']['RolloutCreatedEvent']
      | components['schemas']['RolloutAdvancedEvent']
      | components['schemas']['RolloutHeldEvent']
      | components['schemas']['RolloutContinuedEvent']
      | components['schemas']['RolloutStoppedEvent']
      | components['schemas']['RolloutFinishedEvent']
      | components['schemas']['RolloutDeletedEvent']
      | components['schemas']['AlertOpenedEvent']
      | components['schemas']['AlertResolvedEvent']
      | components['schemas']['DeviceNowPlayingEvent']
      | components['schemas']['DeviceScreenshotEvent']
      | components['schemas']['DeviceLogsEvent']
      | components['schemas']['UploadProgressEvent']
      | components['schemas']['OperationProgressEvent']
      | components['schemas']['RolloutProgressEvent']
      | components['schemas']['UnknownEvent'];
    Folder: {
      id: string;
      name: string;
      parent_id: string | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    HeartbeatBucket: {
      timestamp: components['schemas']['Timestamp'];
      samples: number;
      cpu_percent: {
        avg: number;
        min: number;
        max: number;
      } | null;
      memory_percent: {
        avg: number;
        min: number;
        max: number;
      } | null;
      disk_percent: {
        avg: number;
        min: number;
        max: number;
      } | null;
      temperature_celsius: {
        avg: number;
        min: number;
        max: number;
      } | null;
      wifi_signal_dbm: {
        avg: number;
        min: number;
        max: number;
      } | null;
    };
    Invitation: {
      id: string;
      email: string | null;
      /** @enum {string} */
      role: 'Viewer' | 'Editor' | 'Admin';
      stores: string[] | null;
      created_by: string;
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
    };
    InvitationWithUrl: {
      id: string;
      email: string | null;
      /** @enum {string} */
      role: 'Viewer' | 'Editor' | 'Admin';
      stores: string[] | null;
      created_by: string;
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
      /**
       * Format: uri
       * @description The link, which works once; returned only here
       */
      url: string;
    };
    ListedDeployment: {
      id: string;
      playlist_id: string;
      playlist_name: string | null;
      created_at: components['schemas']['Timestamp'];
      targets: components['schemas']['Target'][];
    };
    LiveLogLines: {
      run: string;
      first: number;
      lines: string[];
    };
    LogsRequest: {
      id: string;
      device_id: string;
      /** @enum {string} */
      status: 'queued' | 'delivered' | 'acknowledged' | 'succeeded' | 'failed' | 'expired';
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
      problem: string | null;
    };
    Manifest: {
      revision: string;
      organization: {
        timezone: string;
        screenshots_allowed?: boolean;
        screenshot_interval_minutes?: 0 | number;
      };
      device: {
        id: string;
        name: string;
        /** @enum {string} */
        orientation: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
        display: {
          /**
           * @description `contain` shows all of a picture, `cover` fills the screen and crops, `stretch` distorts
           * @enum {string}
           */
          fit: 'contain' | 'cover' | 'stretch';
          /**
           * @description What fills the rest of the screen beside a contained picture
           * @enum {string}
           */
          background: 'black' | 'blurred';
          /** @description Milliseconds of the cross-fade between two items; 0 is a cut */
          fade_ms: number;
          /**
           * @description Language of the player's own screens: pairing, idle, technician menu
           * @enum {string}
           */
          language: 'en' | 'de' | 'fr' | 'es' | 'ja';
          /**
           * @deprecated
           * @description The old name of `background`, with the same value
           * @enum {string}
           */
          ground: 'black' | 'blurred';
        };
        /** @default null */
        menu_pin_hash: string | null;
        screenshots_allowed?: boolean;
        screenshot_interval_minutes?: 0 | number;
      };
      local_timezone?: string | null;
      base_playlist_id: string | null;
      schedules: {
        id: string;
        name: string;
        targets: (
          | {
              /** @constant */
              type: 'device';
              id: string;
            }
          | {
              /** @constant */
              type: 'store';
              id: string;
            }
          | {
              /** @constant */
              type: 'tag';
              value: string;
            }
          | {
              /** @constant */
              type: 'all';
            }
        )[];
        rules: {
          id: string;
          playlist_id: string;
          start_time: string;
          end_time: string;
          days: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[] | null;
          rrule: string | null;
          priority: number;
          starts_on: string | null;
          ends_on: string | null;
          end_day_offset?: number;
          except_dates?: string[];
          local_time?: boolean;
          created_at: components['schemas']['Timestamp'];
          updated_at: components['schemas']['Timestamp'];
        }[];
      }[];
      playlists: {
        id: string;
        name: string;
        /** @enum {string} */
        mode: 'sequential' | 'shuffle' | 'weighted';
        items: {
          id: string;
          content_id: string;
          duration: number | null;
          weight: number | null;
        }[];
      }[];
      assets: {
        id: string;
        /** @description SHA-256 of the bytes, lower-case hexadecimal */
        sha256: string;
        size: number;
        /** Format: uri */
        url: string;
        /** @enum {string} */
        type: 'image' | 'video';
        format: string;
        width: number | null;
        height: number | null;
        duration: number | null;
      }[];
      timezones?: {
        version: string;
        zones: {
          [key: string]: {
            from: components['schemas']['Timestamp'];
            until: components['schemas']['Timestamp'];
            offset: number;
            transitions: {
              at: components['schemas']['Timestamp'];
              offset: number;
            }[];
          };
        };
      };
      media_hosts?: string[];
    };
    NamedReference: {
      id: string;
      name: string;
    };
    NewDeployment: {
      id: string;
      playlist_id: string;
      targets: components['schemas']['Target'][];
      device_count: number;
      /** @description The revision of each device that the targets reach, by device id; of 1,000 of them when there are more; `GET /v1/deployments/{id}` pages through all */
      manifest_revisions: {
        [key: string]: string;
      };
      warnings: components['schemas']['DeploymentWarning'][];
      /** @description Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what would be created are not those that it will get. */
      dry_run?: components['schemas']['DryRun'];
    };
    NewOperation: {
      id: string;
      action: components['schemas']['BulkAction'];
      /** @description Null when the devices were named */
      filter: components['schemas']['BulkFilter'] | null;
      /**
       * @description `selecting` while the devices that the filter finds are collected, then `running`, then `finished`; or `cancelled`
       * @enum {string}
       */
      status: 'selecting' | 'running' | 'finished' | 'cancelled';
      total: number;
      succeeded: number;
      failed: number;
      created_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
      /** @description Of a deployment; of the devices that are named, or that the filter finds now. Left out by clouds of earlier versions */
      warnings?: components['schemas']['VideoWarning'][];
    };
    Notification: {
      id?: string;
      type: string;
      timestamp: components['schemas']['Timestamp'];
      resource?: string;
      data: {
        [key: string]: unknown;
      };
    };
    OpeningHours: {
      days: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[];
      start_time: string;
      /** @description Not after the start: on the next day */
      end_time: string;
    };
    Operation: {
      id: string;
      action: components['schemas']['BulkAction'];
      /** @description Null when the devices were named */
      filter: components['schemas']['BulkFilter'] | null;
      /**
       * @description `selecting` while the devices that the filter finds are collected, then `running`, then `finished`; or `cancelled`
       * @enum {string}
       */
      status: 'selecting' | 'running' | 'finished' | 'cancelled';
      total: number;
      succeeded: number;
      failed: number;
      created_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
    };
    /** @description An operation on many devices has finished, or was cancelled */
    OperationFinishedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'operation.finished';
      /** @description Id of the operation */
      resource: string;
      data: {
        operation: components['schemas']['Operation'];
      };
    };
    /** @description How far an operation on many devices is; at most once a second */
    OperationProgressEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'operation.progress';
      /** @description Id of the operation */
      resource: string;
      data: {
        operation: components['schemas']['Operation'];
      };
    };
    OperationResult: {
      device_id: string;
      device_name: string | null;
      /** @enum {string} */
      status: 'pending' | 'succeeded' | 'failed';
      error: {
        code: string;
        message: string;
      } | null;
      command_id: string | null;
      deployment_id: string | null;
      finished_at: components['schemas']['Timestamp'] | null;
    };
    Organization: {
      id: string;
      name: string;
      timezone: string;
      /** @description False: nobody can take a picture of any screen from afar, whatever its own setting is */
      screenshots_allowed: boolean;
      /** @description How often screens without a setting of their own send a picture of their own accord; null: never */
      screenshot_interval_minutes: number | null;
      /**
       * @description When copies of files are made for screens that cannot play them: never, when somebody asks for one, or of each file that a screen has reported it cannot play. `off`: screens do not get those that there are either
       * @enum {string}
       */
      renditions: 'off' | 'on_demand' | 'automatic';
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    OwnAccount: {
      type: string;
      id: string;
      name: string;
      /** @enum {string} */
      scope: 'Read' | 'Write' | 'Admin';
      role: ('Viewer' | 'Editor' | 'Admin') | null;
      email: string | null;
      stores:
        | {
            id: string;
            name: string;
          }[]
        | null;
      timezone: string;
      has_second_factor: boolean;
      session_expires_at: components['schemas']['Timestamp'] | null;
    };
    Paging: {
      page: number;
      limit: number;
      total: number;
    };
    Passkey: {
      id: string;
      name: string | null;
      is_synced: boolean;
      created_at: components['schemas']['Timestamp'];
    };
    PlayCounts: {
      key: string | null;
      name: string | null;
      plays: number;
      play_seconds: number;
      completed: number;
      interrupted: number;
      failed: number;
    };
    Playlist: {
      id: string;
      name: string;
      /** @enum {string} */
      mode: 'sequential' | 'shuffle' | 'weighted';
      item_count: number;
      total_duration: number;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      items: components['schemas']['PlaylistItem'][];
    };
    /** @description A playlist was created */
    PlaylistCreatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'playlist.created';
      /** @description Id of the playlist */
      resource: string;
      data: {
        playlist: components['schemas']['Playlist'];
      };
    };
    /** @description A playlist was deleted */
    PlaylistDeletedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'playlist.deleted';
      /** @description Id of the playlist */
      resource: string;
      data: {
        playlist: components['schemas']['Playlist'];
      };
    };
    /** @description A playlist was deployed */
    PlaylistDeployedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'playlist.deployed';
      /** @description Id of the playlist */
      resource: string;
      data: {
        deployment: {
          id: string;
          playlist_id: string;
          targets: components['schemas']['Target'][];
          device_count: number;
          warnings: components['schemas']['DeploymentWarning'][];
        };
        playlist: components['schemas']['NamedReference'];
      };
    };
    PlaylistDetail: {
      id: string;
      name: string;
      /** @enum {string} */
      mode: 'sequential' | 'shuffle' | 'weighted';
      item_count: number;
      total_duration: number;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      items: components['schemas']['PlaylistItem'][];
      /** @description Whether it is also shown in other stores than those that the person who asks is bound to: they may deploy it to theirs, and not change it. False for everybody else */
      shown_elsewhere: boolean;
    };
    PlaylistItem: {
      id: string;
      content_id: string;
      position: number;
      duration: number | null;
      weight: number | null;
      content: {
        name: string;
        /** @enum {string} */
        type: 'image' | 'video';
        format: string;
        /** Format: uri */
        url: string;
        thumbnail_url: string | null;
      };
    };
    PlaylistItemInput: {
      id?: string;
      content_id: string;
      duration?: number | null;
      weight?: number | null;
      /** @description Ignored: the order of the list counts */
      position?: unknown;
      /** @description Ignored */
      content?: unknown;
    };
    PlaylistSummary: {
      id: string;
      name: string;
      /** @enum {string} */
      mode: 'sequential' | 'shuffle' | 'weighted';
      item_count: number;
      total_duration: number;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    /** @description A playlist or its items changed */
    PlaylistUpdatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'playlist.updated';
      /** @description Id of the playlist */
      resource: string;
      data: {
        playlist: components['schemas']['Playlist'];
      };
    };
    Rendition: {
      /**
       * @description `h264_1080p30`: H.264 with 8 bits, at most full HD and 30 frames a second; `still_3840`: a picture of at most 3,840 pixels
       * @enum {string}
       */
      kind: 'h264_1080p30' | 'still_3840';
      /**
       * @description `possible`: nobody has asked for it
       * @enum {string}
       */
      state: 'possible' | 'wanted' | 'making' | 'ready' | 'failed';
      /** @description Null while it is only `possible` */
      wanted_at: components['schemas']['Timestamp'] | null;
      /** @description Why none could be made; null in every other state than `failed` */
      failure: {
        /** @enum {string} */
        reason:
          | 'undecodable'
          | 'high_dynamic_range'
          | 'too_long'
          | 'too_slow'
          | 'too_much_memory'
          | 'too_large'
          | 'crashed'
          | 'wrong_duration'
          | 'animated'
          | 'interrupted';
        message: string;
      } | null;
      /** @description Null until it is `ready` */
      file: components['schemas']['RenditionFile'] | null;
    };
    RenditionFile: {
      /** @description SHA-256 of the bytes, lower-case hexadecimal */
      sha256: string;
      /** Format: uri */
      url: string;
      format: string;
      size: number;
      width: number;
      height: number;
      /** @description As RFC 6381 writes it; null for an image */
      codec: string | null;
      frame_rate: number | null;
      duration: number | null;
    };
    ReplacedAsset: {
      id: string;
      name: string;
      /** @enum {string} */
      type: 'image' | 'video';
      format: string;
      width: number;
      height: number;
      size: number;
      duration: number | null;
      /** @description Of a video, as RFC 6381 writes it: `avc1.640028`; null for an image, and when it is not known */
      codec: string | null;
      /** @description Frames per second of a video; null for an image, and when it is not known */
      frame_rate: number | null;
      /** @description SHA-256 of the bytes, lower-case hexadecimal */
      sha256: string;
      /** Format: uri */
      url: string;
      /** @description A small WebP picture; null for a video of which this cloud cannot make one (yet) */
      thumbnail_url: string | null;
      folder_id: string | null;
      tags: string[];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      /** @description Of the new file, when it is a video that some of the devices which show it cannot play; as `GET /v1/content/{id}/warnings`. Left out by clouds of earlier versions */
      warnings?: components['schemas']['VideoWarning'][];
    };
    Replay: {
      queued: number;
      has_more: boolean;
      next_cursor: string | null;
    };
    Rollout: {
      id: string;
      name: string | null;
      version: string;
      filter: components['schemas']['RolloutFilter'];
      hold_hours: number;
      /**
       * @description `selecting` while the devices are put into their order, then `running`. `held`: too few devices of the ring run the version, and a person has to continue or stop it. `stopped`: by a person, or because devices became worse. `finished`: all were told
       * @enum {string}
       */
      status: 'selecting' | 'running' | 'held' | 'stopped' | 'finished';
      /** @description Why it is held or was stopped, in a sentence */
      reason: string | null;
      /** @description The same for programs */
      cause: components['schemas']['RolloutCause'] | null;
      /** @description The current ring: 1 is the first; 0 while devices are selected */
      ring: number;
      ring_started_at: components['schemas']['Timestamp'] | null;
      rings: {
        percent: number;
        chosen: number;
        /** @description Not told yet */
        waiting: number;
        /** @description Told, and nothing came of it yet */
        told: number;
        updated: number;
        failed: number;
      }[];
      /** @description Devices that it reaches. Those that have the version, or a newer one, are left out */
      fleet: number;
      /** @description Devices of it whose players are too old to wait for their turn: they also update of their own accord, when their feed offers the version to them */
      self_updating: number;
      /** @description True: no device of the organization updates of its own accord. The newest rollout holds them until it has finished for all devices. One that was stopped, or has a filter, holds them until it is deleted or one for all has finished. One that has finished without having updated a device changes nothing */
      holds_updates: boolean;
      created_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
    };
    /** @description The first or the next ring of a rollout has begun */
    RolloutAdvancedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.advanced';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description Held: `nothing_compared` or `too_few_updated`. Finished without a device: `nothing_older`. Stopped: the others. There may be more types later */
    RolloutCause:
      | {
          /** @constant */
          type: 'stopped_by_hand';
          /** @description Who stopped it */
          name: string;
        }
      | {
          /** @constant */
          type: 'worse';
          /**
           * @description `restarts` and `faults`: so many a day. `dropped_frames`: their share of all frames, from 0 to 1. `start_time`: milliseconds until the first picture
           * @enum {string}
           */
          measure: 'restarts' | 'faults' | 'dropped_frames' | 'start_time';
          /** @description Board and shell, as of the devices; `rare boards`: all of which there are few; null: all */
          kind: string | null;
          /** @description The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions */
          model?: string | null;
          /** @description The shell of the kind; null: not known, or several. Left out by clouds of earlier versions */
          shell?: string | null;
          /** @description Updated devices that were compared */
          updated: number;
          before: number;
          after: number;
          /** @description Devices whose turn had not come */
          others: number;
          others_before: number;
          others_after: number;
        }
      | {
          /** @constant */
          type: 'not_coming_back';
          /** @description Board and shell, as of the devices; `rare boards`: all of which there are few; null: all */
          kind: string | null;
          /** @description The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions */
          model?: string | null;
          /** @description The shell of the kind; null: not known, or several. Left out by clouds of earlier versions */
          shell?: string | null;
          told: number;
          silent: number;
          /** @description Devices that were not told */
          others: number;
          others_silent: number;
        }
      | {
          /** @constant */
          type: 'broken_update';
          /** @description Board and shell, as of the devices; `rare boards`: all of which there are few; null: all */
          kind: string | null;
          /** @description The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions */
          model?: string | null;
          /** @description The shell of the kind; null: not known, or several. Left out by clouds of earlier versions */
          shell?: string | null;
          /** @description Devices that were told no later than the last one that failed, and have received it; some of them may not have answered yet */
          answered: number;
          /** @description Devices on which the version could not be installed, or did not become healthy */
          broken: number;
        }
      | {
          /** @constant */
          type: 'nothing_compared';
        }
      | {
          /** @constant */
          type: 'too_few_updated';
          /** @description Devices of the ring */
          chosen: number;
          /** @description Run the version, and were online in the last day */
          alive: number;
          failed: number;
          /** @description Of which nothing is known */
          told: number;
        }
      | {
          /** @constant */
          type: 'nothing_older';
        };
    RolloutComparison: {
      ring: number;
      /** @description Since when the devices of the ring are compared; null: they are not yet */
      since: components['schemas']['Timestamp'] | null;
      kinds: {
        /** @description Board and shell; `rare boards`: all of which there are few */
        kind: string;
        /** @description The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions */
        model?: string | null;
        /** @description The shell of the kind; null: not known, or several. Left out by clouds of earlier versions */
        shell?: string | null;
        /** @description Updated devices that are compared */
        updated: number;
        /** @description Devices whose turn has not come, that they are compared with */
        others: number;
        /** @description Without those that too few devices of the kind have reported enough of */
        measures: {
          /**
           * @description `restarts` and `faults`: so many a day. `dropped_frames`: their share of all frames, from 0 to 1. `start_time`: milliseconds until the first picture
           * @enum {string}
           */
          measure: 'restarts' | 'faults' | 'dropped_frames' | 'start_time';
          before: number;
          after: number;
          others_before: number;
          others_after: number;
        }[];
      }[];
    };
    /** @description A rollout that was held was continued; `rollout.advanced` follows when its next ring begins */
    RolloutContinuedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.continued';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description A rollout was created */
    RolloutCreatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.created';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description A rollout was deleted, by a person or because it ended too long ago to keep; its data are those before. If it held updates (`holds_updates`), devices update of their own accord again */
    RolloutDeletedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.deleted';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    RolloutDevice: {
      device_id: string;
      device_name: string | null;
      ring: number;
      /** @description Board and shell: devices are compared with others of their kind */
      kind: string;
      /** @description The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions */
      model?: string | null;
      /** @description The shell of the kind; null: not known, or several. Left out by clouds of earlier versions */
      shell?: string | null;
      /** @enum {string} */
      status: 'waiting' | 'told' | 'updated' | 'failed' | 'removed';
      /** @description Why it failed: `rolled_back`, `not_offered` (the feed of the device does not have the version for it), `blocked` (the feed has withdrawn it, or it has failed on this device before), `expired`, `other_version`, or a code of UPDATE_CHECK */
      code: string | null;
      command_id: string | null;
      told_at: components['schemas']['Timestamp'] | null;
      updated_at: components['schemas']['Timestamp'] | null;
    };
    /** @description The devices that are updated, as in the list of devices; all without a field */
    RolloutFilter: {
      store_id?: string;
      tag?: string;
      /** @description Part of the name; upper and lower case are the same */
      search?: string;
      /** @description Country of the store that the device is in, as it is written there; upper and lower case are the same */
      country?: string;
      /** @description Region of the store that the device is in, as it is written there; upper and lower case are the same */
      region?: string;
      /** @description City of the store that the device is in, as it is written there; upper and lower case are the same */
      city?: string;
    };
    /** @description All screens of a rollout were told, and have answered or had the time for it. Of one with a filter the other screens are held on (`holds_updates`) */
    RolloutFinishedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.finished';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description Too few screens of a ring run the new version: a person has to decide */
    RolloutHeldEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.held';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description How far a rollout is: its screens were chosen, some were told, or have answered. Also after its end, for a week: of screens that were told before */
    RolloutProgressEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.progress';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    /** @description A rollout was stopped, because screens became worse or by a person; `reason` says which */
    RolloutStoppedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'rollout.stopped';
      /** @description Id of the rollout */
      resource: string;
      data: {
        rollout: components['schemas']['Rollout'];
      };
    };
    Rule: {
      id: string;
      playlist_id: string;
      start_time: string;
      end_time: string;
      days: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[] | null;
      rrule: string | null;
      priority: number;
      starts_on: string | null;
      ends_on: string | null;
      end_day_offset: number;
      except_dates: string[];
      local_time: boolean;
    };
    RuleInput: {
      id?: string;
      playlist_id: string;
      start_time: string;
      end_time: string;
      days?: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[] | null;
      rrule?: string | null;
      /** @default 0 */
      priority?: number;
      starts_on?: string | null;
      ends_on?: string | null;
      /**
       * @description The window ends at `end_time` that many days after the day on which it opens
       * @default 0
       */
      end_day_offset?: number;
      /**
       * @description Days on which no window opens
       * @default []
       */
      except_dates?: string[];
      /**
       * @description Times and dates are read in the time zone of the device’s store instead of that of the organization
       * @default false
       */
      local_time?: boolean;
    };
    Schedule: {
      id: string;
      name: string;
      is_active: boolean;
      rule_count: number;
      targets: components['schemas']['Target'][];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      rules: components['schemas']['Rule'][];
    };
    /** @description A schedule was activated */
    ScheduleActivatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'schedule.activated';
      /** @description Id of the schedule */
      resource: string;
      data: {
        schedule: components['schemas']['Schedule'];
      };
    };
    /** @description A schedule was created, updated or deleted */
    ScheduleChangedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'schedule.changed';
      /** @description Id of the schedule */
      resource: string;
      data: {
        schedule: components['schemas']['Schedule'];
      };
    };
    /** @description A schedule was deactivated */
    ScheduleDeactivatedEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'schedule.deactivated';
      /** @description Id of the schedule */
      resource: string;
      data: {
        schedule: components['schemas']['Schedule'];
      };
    };
    ScheduleSummary: {
      id: string;
      name: string;
      is_active: boolean;
      rule_count: number;
      targets: components['schemas']['Target'][];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    ScheduleWithWarnings: {
      id: string;
      name: string;
      is_active: boolean;
      rule_count: number;
      targets: components['schemas']['Target'][];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      rules: components['schemas']['Rule'][];
      warnings: components['schemas']['Warning'][];
      /** @description Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what would be created are not those that it will get. */
      dry_run?: components['schemas']['DryRun'];
    };
    Screenshot: {
      device_id: string;
      taken_at: components['schemas']['Timestamp'];
      /** @enum {string} */
      reason: 'requested' | 'interval' | 'fault';
      fault_code: string | null;
      size: number;
      image_url: string;
      current: {
        playlist_id: string;
        playlist_name: string | null;
        content_id: string;
        content_name: string | null;
        since: components['schemas']['Timestamp'];
      } | null;
    };
    ScreenshotRequest: {
      id: string;
      device_id: string;
      /** @enum {string} */
      status: 'queued' | 'delivered' | 'acknowledged' | 'succeeded' | 'failed' | 'expired';
      created_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
      finished_at: components['schemas']['Timestamp'] | null;
      problem: string | null;
    };
    ScreenshotState: {
      screenshot: components['schemas']['Screenshot'] | null;
      fault_screenshots: components['schemas']['Screenshot'][];
      request: components['schemas']['ScreenshotRequest'] | null;
      forbidden_by: ('device' | 'organization') | null;
    };
    Session: {
      id: string;
      address: string | null;
      user_agent: string | null;
      created_at: components['schemas']['Timestamp'];
      last_used_at: components['schemas']['Timestamp'];
      expires_at: components['schemas']['Timestamp'];
      is_current: boolean;
    };
    Shown: {
      /** @enum {string} */
      source: 'schedule' | 'deployment' | 'none';
      playlist: {
        id: string;
        name: string;
      } | null;
      schedule: {
        id: string;
        name: string;
      } | null;
      rule_id: string | null;
      reason: string;
    };
    ShownChange: {
      start: components['schemas']['Timestamp'];
      /** @description The first instant after it */
      end: components['schemas']['Timestamp'];
      /**
       * @description `content_changes`: the same playlist would be shown, with other items or in another mode
       * @enum {string}
       */
      kind: 'playlist_changes' | 'content_changes';
      /** @description What is shown without the change */
      before: components['schemas']['Shown'];
      /** @description What would be shown */
      after: components['schemas']['Shown'];
    };
    SignedIn: {
      second_factor_needed: boolean;
    };
    Store: {
      id: string;
      name: string;
      address: string | null;
      city: string | null;
      region: string | null;
      country: string | null;
      contact: string | null;
      timezone: string | null;
      tags: string[];
      device_count: number;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    TagInUse: {
      tag: string;
      devices: number;
      content: number;
      /** @description Schedules that have it as a target */
      schedules: number;
    };
    Target:
      | {
          /** @constant */
          type: 'store';
          id: string;
        }
      | {
          /** @constant */
          type: 'device';
          id: string;
        }
      | {
          /** @constant */
          type: 'tag';
          value: string;
        }
      | {
          /** @constant */
          type: 'all';
        };
    Timeline: {
      device: {
        id: string;
        name: string;
      };
      timezone: string;
      /** @description Zone of the store, in which rules with `local_time` are read; null: it has none, and the zone of the organization applies */
      local_timezone: string | null;
      from: components['schemas']['Timestamp'];
      to: components['schemas']['Timestamp'];
      segments: components['schemas']['TimelineSegment'][];
      /** @description Where to go on (`from`) when there are more than 1000 segments; null when these are all */
      next_from: components['schemas']['Timestamp'] | null;
    };
    TimelineSegment: {
      start: components['schemas']['Timestamp'];
      /** @description The first instant after it */
      end: components['schemas']['Timestamp'];
      /** @enum {string} */
      source: 'schedule' | 'deployment' | 'none';
      playlist: {
        id: string;
        name: string;
      } | null;
      schedule: {
        id: string;
        name: string;
      } | null;
      rule: components['schemas']['Rule'] | null;
      /** @description What is shown and why, also when the playlist has nothing to show */
      reason: string;
    };
    /**
     * Format: date-time
     * @description ISO 8601 instant in UTC
     */
    Timestamp: string;
    TriedDeletion: {
      id: string;
      /** @constant */
      deleted: true;
      /** @description Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what would be created are not those that it will get. */
      dry_run?: components['schemas']['DryRun'];
    };
    /** @description An event of a type that this version does not have: pass over it */
    UnknownEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      type: UnknownType;
      resource: string;
      data: {
        [key: string]: unknown;
      };
    };
    UpdateAlertRule: {
      /** @description 1–200 characters after trimming */
      name?: string;
      condition?: components['schemas']['AlertCondition'];
      filter?: components['schemas']['AlertFilter'];
      is_active?: boolean;
      /** @description When alerts are opened, in the time zone of the store that the device is in, or that of the organization. Only minutes within these hours count, those of several days together, up to ten weeks back. What is open at their end stays open until it is over. Null: always */
      opening_hours?: components['schemas']['OpeningHours'][] | null;
      /** @description Addresses that get a mail when an alert is opened, and one when it is resolved */
      recipients?: string[];
      /** @description Addresses that get a mail when an alert is still open after so many minutes, and one when it is resolved; each address once. The minutes are those within the opening hours. While it is muted there is no mail, and the minutes go on */
      escalations?: components['schemas']['AlertEscalation'][];
      /**
       * @description Of the mails
       * @enum {string}
       */
      language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
      readonly id?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateContent: {
      /** @description 1–200 characters after trimming */
      name?: string;
      /** @description Tags; duplicates are removed */
      tags?: string[];
      folder_id?: string | null;
      readonly id?: unknown;
      readonly type?: unknown;
      readonly format?: unknown;
      readonly width?: unknown;
      readonly height?: unknown;
      readonly size?: unknown;
      readonly duration?: unknown;
      readonly codec?: unknown;
      readonly frame_rate?: unknown;
      readonly sha256?: unknown;
      readonly url?: unknown;
      readonly thumbnail_url?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateDevice: {
      /** @description 1–200 characters after trimming */
      name?: string;
      store_id?: string | null;
      /** @description Tags; duplicates are removed */
      tags?: string[];
      /** @enum {string} */
      orientation?: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
      configuration?: components['schemas']['DeviceConfigurationChange'];
      readonly id?: unknown;
      readonly status?: unknown;
      readonly type?: unknown;
      readonly platform?: unknown;
      readonly last_heartbeat?: unknown;
      readonly player_version?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
      readonly hardware?: unknown;
      readonly decoders?: unknown;
      readonly current_playlist?: unknown;
      readonly latest_heartbeat?: unknown;
      readonly clock_offset_ms?: unknown;
      readonly storage?: unknown;
      readonly frames?: unknown;
      readonly tz_version?: unknown;
      readonly faults?: unknown;
    };
    UpdateFolder: {
      /** @description 1–200 characters after trimming */
      name?: string;
      parent_id?: string | null;
      readonly id?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateOrganization: {
      /** @description 1–200 characters after trimming */
      name?: string;
      /** @description IANA time zone */
      timezone?: string;
      screenshots_allowed?: boolean;
      screenshot_interval_minutes?: number | null;
      /** @enum {string} */
      renditions?: 'off' | 'on_demand' | 'automatic';
      readonly id?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateOwnAccount: {
      /** @description 1–200 characters after trimming */
      name: string;
      readonly type?: unknown;
      readonly id?: unknown;
      readonly scope?: unknown;
      readonly role?: unknown;
      readonly email?: unknown;
      readonly stores?: unknown;
      readonly timezone?: unknown;
      readonly has_second_factor?: unknown;
      readonly session_expires_at?: unknown;
    };
    UpdatePlaylist: {
      /** @description 1–200 characters after trimming */
      name?: string;
      /** @enum {string} */
      mode?: 'sequential' | 'shuffle' | 'weighted';
      items?: components['schemas']['PlaylistItemInput'][];
      readonly id?: unknown;
      readonly item_count?: unknown;
      readonly total_duration?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
      readonly shown_elsewhere?: unknown;
    };
    UpdateSchedule: {
      /** @description 1–200 characters after trimming */
      name?: string;
      is_active?: boolean;
      rules?: components['schemas']['RuleInput'][];
      targets?: components['schemas']['Target'][];
      readonly id?: unknown;
      readonly rule_count?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateStore: {
      /** @description 1–200 characters after trimming */
      name?: string;
      address?: string | null;
      city?: string | null;
      region?: string | null;
      country?: string | null;
      contact?: string | null;
      timezone?: string | null;
      /** @description Tags; duplicates are removed */
      tags?: string[];
      readonly id?: unknown;
      readonly device_count?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateUser: {
      /** @description 1–200 characters after trimming */
      name?: string;
      /** @enum {string} */
      role?: 'Viewer' | 'Editor' | 'Admin';
      /** @description Ids of the stores that the person is bound to; null for all. Admins are never bound */
      stores?: string[] | null;
      disabled?: boolean;
      readonly id?: unknown;
      readonly email?: unknown;
      readonly has_second_factor?: unknown;
      readonly last_signed_in_at?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    UpdateWebhook: {
      url?: string;
      events?: (
        | 'device.paired'
        | 'device.online'
        | 'device.offline'
        | 'device.updated'
        | 'device.removed'
        | 'device.alert'
        | 'content.created'
        | 'content.updated'
        | 'content.deleted'
        | 'playlist.created'
        | 'playlist.updated'
        | 'playlist.deleted'
        | 'playlist.deployed'
        | 'schedule.activated'
        | 'schedule.deactivated'
        | 'schedule.changed'
        | 'command.created'
        | 'command.delivered'
        | 'command.acknowledged'
        | 'command.finished'
        | 'operation.finished'
        | 'rollout.created'
        | 'rollout.advanced'
        | 'rollout.held'
        | 'rollout.continued'
        | 'rollout.stopped'
        | 'rollout.finished'
        | 'rollout.deleted'
        | 'alert.opened'
        | 'alert.resolved'
      )[];
      is_active?: boolean;
      readonly id?: unknown;
      readonly disabled_reason?: unknown;
      readonly created_at?: unknown;
      readonly updated_at?: unknown;
    };
    Upload: {
      id: string;
      name: string;
      /** @enum {string} */
      state: 'receiving' | 'processing' | 'finished' | 'failed';
      offset: number;
      size: number;
      sha256: string | null;
      asset_id: string | null;
      replaces: string | null;
      error: {
        code: string;
        message: string;
        details?: unknown;
      } | null;
      expires_at: components['schemas']['Timestamp'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    UploadDetail: {
      id: string;
      name: string;
      /** @enum {string} */
      state: 'receiving' | 'processing' | 'finished' | 'failed';
      offset: number;
      size: number;
      sha256: string | null;
      asset_id: string | null;
      replaces: string | null;
      error: {
        code: string;
        message: string;
        details?: unknown;
      } | null;
      expires_at: components['schemas']['Timestamp'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      asset: components['schemas']['Asset'] | null;
    };
    /** @description A resumable upload has received another tenth of its file, has finished, or has failed */
    UploadProgressEvent: {
      /** @description Also the cursor that continues after it */
      id: string;
      timestamp: components['schemas']['Timestamp'];
      /** @constant */
      type: 'upload.progress';
      /** @description Id of the upload */
      resource: string;
      data: {
        upload: components['schemas']['Upload'];
      };
    };
    User: {
      id: string;
      name: string;
      email: string;
      /** @enum {string} */
      role: 'Viewer' | 'Editor' | 'Admin';
      stores: string[] | null;
      disabled: boolean;
      has_second_factor: boolean;
      last_signed_in_at: components['schemas']['Timestamp'] | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    VideoCapability: {
      codec: string;
      bit_depth: number;
      width: number;
      height: number;
      frame_rate: number;
      supported: boolean;
      smooth: boolean;
      power_efficient: boolean;
    };
    VideoClass: {
      codec: string;
      bit_depth: number;
      width: number;
      height: number;
      frame_rate: number;
      /**
       * @description The videos are larger or faster than the largest class, which this is: no screen has reported that it plays them
       * @constant
       */
      exceeded?: true;
    };
    VideoWarning: {
      /**
       * @description Devices that the change reaches have reported that they cannot decode the videos, or leave out frames. Nothing is said of devices that have reported nothing
       * @enum {string}
       */
      code: 'SCREENS_CANNOT_DECODE' | 'SCREENS_NOT_SMOOTH';
      message: string;
      video: components['schemas']['VideoClass'];
      device_count: number;
      /** @description At most 5 of them, by name */
      devices: components['schemas']['NamedReference'][];
      content_count: number;
      /** @description At most 100 of the videos */
      content: components['schemas']['NamedReference'][];
    };
    Warning: {
      path: string;
      message: string;
      /**
       * @description Of a warning about videos
       * @enum {string}
       */
      code?: 'SCREENS_CANNOT_DECODE' | 'SCREENS_NOT_SMOOTH';
      video?: components['schemas']['VideoClass'];
      device_count?: number;
      /** @description At most 5 of them, by name */
      devices?: components['schemas']['NamedReference'][];
      content_count?: number;
      /** @description At most 100 of the videos */
      content?: components['schemas']['NamedReference'][];
    };
    Webhook: {
      id: string;
      url: string;
      events: (
        | 'device.paired'
        | 'device.online'
        | 'device.offline'
        | 'device.updated'
        | 'device.removed'
        | 'device.alert'
        | 'content.created'
        | 'content.updated'
        | 'content.deleted'
        | 'playlist.created'
        | 'playlist.updated'
        | 'playlist.deleted'
        | 'playlist.deployed'
        | 'schedule.activated'
        | 'schedule.deactivated'
        | 'schedule.changed'
        | 'command.created'
        | 'command.delivered'
        | 'command.acknowledged'
        | 'command.finished'
        | 'operation.finished'
        | 'rollout.created'
        | 'rollout.advanced'
        | 'rollout.held'
        | 'rollout.continued'
        | 'rollout.stopped'
        | 'rollout.finished'
        | 'rollout.deleted'
        | 'alert.opened'
        | 'alert.resolved'
      )[];
      is_active: boolean;
      disabled_reason: string | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    WebhookWithSecret: {
      id: string;
      url: string;
      events: (
        | 'device.paired'
        | 'device.online'
        | 'device.offline'
        | 'device.updated'
        | 'device.removed'
        | 'device.alert'
        | 'content.created'
        | 'content.updated'
        | 'content.deleted'
        | 'playlist.created'
        | 'playlist.updated'
        | 'playlist.deleted'
        | 'playlist.deployed'
        | 'schedule.activated'
        | 'schedule.deactivated'
        | 'schedule.changed'
        | 'command.created'
        | 'command.delivered'
        | 'command.acknowledged'
        | 'command.finished'
        | 'operation.finished'
        | 'rollout.created'
        | 'rollout.advanced'
        | 'rollout.held'
        | 'rollout.continued'
        | 'rollout.stopped'
        | 'rollout.finished'
        | 'rollout.deleted'
        | 'alert.opened'
        | 'alert.resolved'
      )[];
      is_active: boolean;
      disabled_reason: string | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      secret: string;
    };
  };
  responses: never;
  parameters: {
    /** @description The same key with the same body within 24 hours gets the first response; with another body it is 409. Of responses over 4 kB, 64 MB per day and API key are stored: a repeat beyond that is 409 `CONFLICT` with `details.reason` `answer_not_kept` and `details.status`, the status of the first response. The request was processed once. */
    IdempotencyKey: string;
    /** @description The `ETag` with which you read the resource, with its quotes: 412 if somebody has changed it since. What cannot be set (what a device reports, the number of screens of a store, a thumbnail) does not count. Several are separated by commas, `*` is any; a weak one (`W/"…"`) never matches, and anything else is 400. */
    IfMatch: string;
    /** @description The `ETag` of an earlier response: 304 while nothing changed */
    IfNoneMatch: string;
    /** @description For a stream: the last `id` that was received; goes before `cursor` and `since` */
    LastEventId: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  getOrganization: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Organization'];
          };
        };
      };
    };
  };
  updateOrganization: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateOrganization'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Organization'];
          };
        };
      };
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ApiKey'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          /** @enum {string} */
          scope: 'Read' | 'Write' | 'Admin';
          expires_at?: string | null;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ApiKeyWithSecret'];
          };
        };
      };
    };
  };
  deleteApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  listDevices: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
        status?: 'online' | 'offline';
        store_id?: string;
        tag?: string;
        search?: string;
        player_version?: string;
        fault?: string;
        country?: string;
        region?: string;
        city?: string;
        revision?: 'current' | 'behind';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Device'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  countDevices: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceCounts'];
          };
        };
      };
    };
  };
  pairDevice: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
          /** @description 1–200 characters after trimming */
          name?: string;
          store_id?: string | null;
          /** @description Tags; duplicates are removed */
          tags?: string[];
          /** @enum {string} */
          orientation?: 'landscape' | 'portrait' | 'landscape-flipped' | 'portrait-flipped';
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceDetail'];
          };
        };
      };
    };
  };
  getDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceDetail'];
          };
        };
      };
    };
  };
  deleteDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateDevice'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceDetail'];
          };
        };
      };
    };
  };
  sendCommand: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          command: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';
          /** @default 600 */
          expires_in?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Command'];
          };
        };
      };
    };
  };
  listHeartbeats: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
        interval?: 'minute' | 'hour' | 'day';
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['HeartbeatBucket'][];
          };
        };
      };
    };
  };
  getActiveSchedule: {
    parameters: {
      query?: {
        at?: string;
        page?: number;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ActiveSchedule'];
          };
        };
      };
    };
  };
  getScreenshot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScreenshotState'];
          };
        };
      };
    };
  };
  requestScreenshot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScreenshotRequest'];
          };
        };
      };
    };
  };
  getScreenshotImage: {
    parameters: {
      query?: {
        at?: string;
        fault?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'image/jpeg': string;
        };
      };
    };
  };
  takeLivePicture: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'image/jpeg': string;
        };
      };
    };
  };
  getLogs: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceLogsState'];
          };
        };
      };
    };
  };
  requestLogs: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['LogsRequest'];
          };
        };
      };
    };
  };
  getLogFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  readLiveLog: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['LiveLogLines'];
          };
        };
      };
    };
  };
  uploadContent: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /**
           * Format: binary
           * @description The media file
           */
          file: Blob;
          /** @description Defaults to the file name */
          name?: string;
          /** @description Comma-separated */
          tags?: string;
          folder_id?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Asset'];
          };
        };
      };
    };
  };
  importContent: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          url: string;
          /** @description 1–200 characters after trimming */
          name?: string;
          /** @description Tags; duplicates are removed */
          tags?: string[];
          folder_id?: string | null;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Asset'];
          };
        };
      };
    };
  };
  listContent: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?:
          'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'size' | '-size';
        type?: 'image' | 'video';
        tag?: string;
        folder_id?: string;
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Asset'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Asset'];
          };
        };
      };
    };
  };
  deleteContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
              /** @constant */
              deleted: true;
              playlists: components['schemas']['NamedReference'][];
            };
          };
        };
      };
    };
  };
  updateContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateContent'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Asset'];
          };
        };
      };
    };
  };
  replaceContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /**
           * Format: binary
           * @description The media file
           */
          file: Blob;
          /** @description The name stays when this is missing */
          name?: string;
          /** @description Comma-separated */
          tags?: string;
          folder_id?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ReplacedAsset'];
          };
        };
      };
    };
  };
  listContentWarnings: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['VideoWarning'][];
          };
        };
      };
    };
  };
  listFolders: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Folder'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createFolder: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          parent_id?: string | null;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Folder'];
          };
        };
      };
    };
  };
  getFolder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Folder'];
          };
        };
      };
    };
  };
  deleteFolder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateFolder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateFolder'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Folder'];
          };
        };
      };
    };
  };
  listRenditions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rendition'][];
          };
        };
      };
    };
  };
  makeRendition: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rendition'];
          };
        };
      };
    };
  };
  listUploads: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        state?: 'receiving' | 'processing' | 'finished' | 'failed';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Upload'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createUpload: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Upload'];
          };
        };
      };
    };
  };
  getUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['UploadDetail'];
          };
        };
      };
    };
  };
  deleteUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  appendUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/offset+octet-stream': Blob;
      };
    };
    responses: {
      /** @description Success */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  listPlaylists: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
        search?: string;
        content_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['PlaylistSummary'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createPlaylist: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          /**
           * @default sequential
           * @enum {string}
           */
          mode?: 'sequential' | 'shuffle' | 'weighted';
          /** @default [] */
          items?: components['schemas']['PlaylistItemInput'][];
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Playlist'];
          };
        };
      };
    };
  };
  getPlaylist: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['PlaylistDetail'];
          };
        };
      };
    };
  };
  deletePlaylist: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['TriedDeletion'];
          };
        };
      };
    };
  };
  updatePlaylist: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdatePlaylist'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedPlaylist'];
          };
        };
      };
    };
  };
  addPlaylistItem: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          content_id: string;
          duration?: number | null;
          weight?: number | null;
          position?: number;
        };
      };
    };
    responses: {
      /** @description What a dry run would do */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedPlaylist'];
          };
        };
      };
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedPlaylist'];
          };
        };
      };
    };
  };
  removePlaylistItem: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
        item_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['TriedDeletion'];
          };
        };
      };
    };
  };
  deployPlaylist: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          targets: components['schemas']['Target'][];
        };
      };
    };
    responses: {
      /** @description What a dry run would do */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['NewDeployment'];
          };
        };
      };
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['NewDeployment'];
          };
        };
      };
    };
  };
  listDeployments: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        playlist_id?: string;
        device_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ListedDeployment'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getDeployment: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeploymentDetail'];
          };
        };
      };
    };
  };
  listSchedules: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
        search?: string;
        is_active?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScheduleSummary'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createSchedule: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          /** @default true */
          is_active?: boolean;
          /** @default [] */
          rules?: components['schemas']['RuleInput'][];
          /** @default [] */
          targets?: components['schemas']['Target'][];
        };
      };
    };
    responses: {
      /** @description What a dry run would do */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScheduleWithWarnings'];
          };
        };
      };
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScheduleWithWarnings'];
          };
        };
      };
    };
  };
  getSchedule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Schedule'];
          };
        };
      };
    };
  };
  deleteSchedule: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['TriedDeletion'];
          };
        };
      };
    };
  };
  updateSchedule: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateSchedule'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ScheduleWithWarnings'];
          };
        };
      };
    };
  };
  activateSchedule: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedSchedule'];
          };
        };
      };
    };
  };
  deactivateSchedule: {
    parameters: {
      query?: {
        dry_run?: boolean;
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedSchedule'];
          };
        };
      };
    };
  };
  getTimeline: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Timeline'];
          };
        };
      };
    };
  };
  listTimeline: {
    parameters: {
      query?: {
        at?: string;
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
        status?: 'online' | 'offline';
        store_id?: string;
        tag?: string;
        search?: string;
        player_version?: string;
        fault?: string;
        country?: string;
        region?: string;
        city?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceMoment'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  listStores: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Store'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createStore: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          address?: string | null;
          city?: string | null;
          region?: string | null;
          country?: string | null;
          contact?: string | null;
          timezone?: string | null;
          /** @description Tags; duplicates are removed */
          tags?: string[];
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Store'];
          };
        };
      };
    };
  };
  getStore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Store'];
          };
        };
      };
    };
  };
  deleteStore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateStore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateStore'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Store'];
          };
        };
      };
    };
  };
  listTags: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['TagInUse'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  listCommands: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        device_id?: string;
        status?: 'queued' | 'delivered' | 'acknowledged' | 'succeeded' | 'failed' | 'expired';
        command?: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Command'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getCommand: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Command'];
          };
        };
      };
    };
  };
  listOperations: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        status?: 'selecting' | 'running' | 'finished' | 'cancelled';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Operation'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createOperation: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          devices:
            | {
                ids: string[];
              }
            | {
                filter: components['schemas']['BulkFilter'];
              };
          action: components['schemas']['BulkActionInput'];
        };
      };
    };
    responses: {
      /** @description What a dry run would do */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['NewOperation'];
          };
        };
      };
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['NewOperation'];
          };
        };
      };
    };
  };
  getOperation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Operation'];
          };
        };
      };
    };
  };
  listOperationResults: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        status?: 'pending' | 'succeeded' | 'failed';
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['OperationResult'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  cancelOperation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Operation'];
          };
        };
      };
    };
  };
  listRollouts: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        status?: 'selecting' | 'running' | 'held' | 'stopped' | 'finished';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rollout'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createRollout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The version that the devices are to have, as in the feed */
          version: string;
          /** @default null */
          name?: string | null;
          /** @default {} */
          filter?: components['schemas']['RolloutFilter'];
          /**
           * @description Percent of the devices that have the version with each ring; the last, 100, has nothing to be compared with. A ring has one device more than the one before it at least
           * @default [
           *       1,
           *       10,
           *       100
           *     ]
           */
          rings?: number[];
          /**
           * @description How long the devices of a ring are compared before the next one begins. The longer, the smaller a regression that is found: see `docs/operations.md`
           * @default 168
           */
          hold_hours?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rollout'];
          };
        };
      };
    };
  };
  getRollout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rollout'];
          };
        };
      };
    };
  };
  deleteRollout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  getRolloutComparison: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['RolloutComparison'];
          };
        };
      };
    };
  };
  listRolloutDevices: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        status?: 'waiting' | 'told' | 'updated' | 'failed' | 'removed';
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['RolloutDevice'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  stopRollout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rollout'];
          };
        };
      };
    };
  };
  continueRollout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Rollout'];
          };
        };
      };
    };
  };
  getAnalytics: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AnalyticsOverview'];
          };
        };
      };
    };
  };
  getPlays: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
        device_id?: string;
        content_id?: string;
        playlist_id?: string;
        group_by?: 'content' | 'playlist' | 'device' | 'store' | 'hour' | 'day';
        page?: number;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['PlayCounts'][];
            meta: components['schemas']['Paging'];
          };
        };
      };
    };
  };
  exportPlays: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
        device_id?: string;
        content_id?: string;
        playlist_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  getUptime: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['DeviceUptime'][];
          };
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        cursor?: string;
        since?: string;
        types?: string;
        resource?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Event'][];
            meta: components['schemas']['Cursor'];
          };
          'text/event-stream': string;
        };
      };
    };
  };
  listAlertRules: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertRule'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createAlertRule: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          condition: components['schemas']['AlertCondition'];
          /** @default {} */
          filter?: components['schemas']['AlertFilter'];
          /** @default true */
          is_active?: boolean;
          /**
           * @description When alerts are opened, in the time zone of the store that the device is in, or that of the organization. Only minutes within these hours count, those of several days together, up to ten weeks back. What is open at their end stays open until it is over. Null: always
           * @default null
           */
          opening_hours?: components['schemas']['OpeningHours'][] | null;
          /**
           * @description Addresses that get a mail when an alert is opened, and one when it is resolved
           * @default []
           */
          recipients?: string[];
          /**
           * @description Addresses that get a mail when an alert is still open after so many minutes, and one when it is resolved; each address once. The minutes are those within the opening hours. While it is muted there is no mail, and the minutes go on
           * @default []
           */
          escalations?: components['schemas']['AlertEscalation'][];
          /**
           * @description Of the mails
           * @default en
           * @enum {string}
           */
          language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedAlertRule'];
          };
        };
      };
    };
  };
  getAlertRule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertRule'];
          };
        };
      };
    };
  };
  deleteAlertRule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateAlertRule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateAlertRule'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['ChangedAlertRule'];
          };
        };
      };
    };
  };
  listAlertMutes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertMute'][];
          };
        };
      };
    };
  };
  createAlertMute: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          target: components['schemas']['AlertMuteTarget'];
          /** @description ISO 8601 instant; kept in UTC */
          until: string;
          /** @default null */
          reason?: string | null;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertMute'];
          };
        };
      };
    };
  };
  deleteAlertMute: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        status?: 'open' | 'resolved';
        rule_id?: string;
        device_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Alert'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getAlert: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Alert'];
          };
        };
      };
    };
  };
  listAlertMails: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertMail'][];
          };
        };
      };
    };
  };
  listAlertDevices: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AlertDevice'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Webhook'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          url: string;
          events: (
            | 'device.paired'
            | 'device.online'
            | 'device.offline'
            | 'device.updated'
            | 'device.removed'
            | 'device.alert'
            | 'content.created'
            | 'content.updated'
            | 'content.deleted'
            | 'playlist.created'
            | 'playlist.updated'
            | 'playlist.deleted'
            | 'playlist.deployed'
            | 'schedule.activated'
            | 'schedule.deactivated'
            | 'schedule.changed'
            | 'command.created'
            | 'command.delivered'
            | 'command.acknowledged'
            | 'command.finished'
            | 'operation.finished'
            | 'rollout.created'
            | 'rollout.advanced'
            | 'rollout.held'
            | 'rollout.continued'
            | 'rollout.stopped'
            | 'rollout.finished'
            | 'rollout.deleted'
            | 'alert.opened'
            | 'alert.resolved'
          )[];
          /** @default true */
          is_active?: boolean;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['WebhookWithSecret'];
          };
        };
      };
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Webhook'];
          };
        };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateWebhook'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Webhook'];
          };
        };
      };
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Delivery'];
          };
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['WebhookWithSecret'];
          };
        };
      };
    };
  };
  replayWebhook: {
    parameters: {
      query?: {
        since?: string;
        cursor?: string;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Replay'];
          };
        };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        status?: 'pending' | 'succeeded' | 'failed';
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Delivery'][];
            meta: components['schemas']['Paging'];
          };
        };
      };
    };
  };
  retryDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        delivery_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Delivery'];
          };
        };
      };
    };
  };
  listAuditLog: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        resource_type?: string;
        resource_id?: string;
        actor_id?: string;
        action?: string;
        from?: string;
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['AuditEntry'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getSignInMethods: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              password: boolean;
              passkeys: boolean;
              /** @description The account of a company (OpenID Connect); null if none is configured */
              company: {
                name: string;
              } | null;
            };
          };
        };
      };
    };
  };
  signIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description E-mail address */
          email: string;
          password: string;
          /** @default true */
          remember?: boolean;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['SignedIn'];
          };
        };
      };
    };
  };
  verifySecondFactor: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
          /** @default false */
          is_backup_code?: boolean;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['SignedIn'];
          };
        };
      };
    };
  };
  getPasskeyChallenge: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @description JSON of the Web Authentication API (`toJSON`, `parse…FromJSON`) */
            data: {
              [key: string]: unknown;
            };
          };
        };
      };
    };
  };
  signInWithPasskey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description JSON of the Web Authentication API (`toJSON`, `parse…FromJSON`) */
          response: {
            [key: string]: unknown;
          };
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['SignedIn'];
          };
        };
      };
    };
  };
  startCompanySignIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              /** Format: uri */
              url: string;
            };
          };
        };
      };
    };
  };
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              /** @constant */
              signed_out: true;
            };
          };
        };
      };
    };
  };
  readInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The part of the link after `#` */
          token: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              organization: string;
              email: string | null;
              /** @enum {string} */
              role: 'Viewer' | 'Editor' | 'Admin';
              stores: string[] | null;
              expires_at: components['schemas']['Timestamp'];
            };
          };
        };
      };
    };
  };
  acceptInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The part of the link after `#` */
          token: string;
          /** @description 1–200 characters after trimming */
          name: string;
          /** @description E-mail address */
          email?: string;
          /** @description 10–128 characters */
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['SignedIn'];
          };
        };
      };
    };
  };
  readSignInLink: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The part of the link after `#` */
          token: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              name: string;
              email: string;
              expires_at: components['schemas']['Timestamp'];
            };
          };
        };
      };
    };
  };
  signInWithLink: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The part of the link after `#` */
          token: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['SignedIn'];
          };
        };
      };
    };
  };
  resetPassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The part of the link after `#` */
          token: string;
          /** @description 10–128 characters */
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              /** @constant */
              changed: true;
            };
          };
        };
      };
    };
  };
  getOwnAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['OwnAccount'];
          };
        };
      };
    };
  };
  updateOwnAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateOwnAccount'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['User'];
          };
        };
      };
    };
  };
  changePassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          current_password: string;
          /** @description 10–128 characters */
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
            };
          };
        };
      };
    };
  };
  listOwnSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Session'][];
          };
        };
      };
    };
  };
  endOwnSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  startSecondFactor: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              uri: string;
              backup_codes: string[];
            };
          };
        };
      };
    };
  };
  confirmSecondFactor: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
            };
          };
        };
      };
    };
  };
  stopSecondFactor: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
            };
          };
        };
      };
    };
  };
  listPasskeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Passkey'][];
          };
        };
      };
    };
  };
  addPasskey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description 1–200 characters after trimming */
          name: string;
          /** @description JSON of the Web Authentication API (`toJSON`, `parse…FromJSON`) */
          response: {
            [key: string]: unknown;
          };
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Passkey'];
          };
        };
      };
    };
  };
  startPasskey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          password: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /** @description JSON of the Web Authentication API (`toJSON`, `parse…FromJSON`) */
            data: {
              [key: string]: unknown;
            };
          };
        };
      };
    };
  };
  removePasskey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  listUsers: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['User'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  getUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['User'];
          };
        };
      };
    };
  };
  deleteUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  updateUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateUser'];
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['User'];
          };
        };
      };
    };
  };
  createResetLink: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
              /**
               * Format: uri
               * @description Where the person chooses a new password; works once
               */
              url: string;
              expires_at: components['schemas']['Timestamp'];
            };
          };
        };
      };
    };
  };
  removeSecondFactor: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['User'];
          };
        };
      };
    };
  };
  listUserSessions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Session'][];
          };
        };
      };
    };
  };
  endUserSessions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
              ended: number;
            };
          };
        };
      };
    };
  };
  endUserSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
              ended: number;
            };
          };
        };
      };
    };
  };
  listInvitations: {
    parameters: {
      query?: {
        page?: number;
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Invitation'][];
            meta: components['schemas']['Paging'] | components['schemas']['Cursor'];
          };
        };
      };
    };
  };
  createInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          email?: string | null;
          /** @enum {string} */
          role: 'Viewer' | 'Editor' | 'Admin';
          /** @description Ids of the stores that the person is bound to; null for all. Admins are never bound */
          stores?: string[] | null;
          /** @default 604800 */
          expires_in?: number;
        };
      };
    };
    responses: {
      /** @description Success */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['InvitationWithUrl'];
          };
        };
      };
    };
  };
  deleteInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Deletion'];
          };
        };
      };
    };
  };
  startPairing: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          serial: string;
          platform: string;
          player_version: string;
          /** @default other */
          type?: ('media_player' | 'pi' | 'pc' | 'other') | unknown;
          model?: string;
          hostname?: string;
          hardware?: {
            model?: string | null;
            serial?: string | null;
            cpu?: {
              model: string | null;
              cores: number | null;
            };
            memory_total?: number | null;
            disk_total?: number | null;
            displays?: {
              name: string | null;
              width: number;
              height: number;
            }[];
            network_interfaces?: {
              name: string;
              /** @default other */
              kind: ('wired' | 'wireless' | 'other') | unknown;
              mac: string | null;
              addresses: string[];
              ssid: string | null;
            }[];
          };
          screen_secret?: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              pairing_id: string;
              poll_token: string;
              code: string;
              /** Format: uri */
              verification_url: string;
              /** Format: uri */
              verification_url_complete: string;
              expires_at: components['schemas']['Timestamp'];
              interval: number;
            };
          };
        };
      };
    };
  };
  pollPairing: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          poll_token: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data:
              | {
                  device_id: string;
                  device_token: string;
                }
              | {
                  status: string;
                  interval: number;
                };
          };
        };
      };
      /** @description Not yet */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data:
              | {
                  device_id: string;
                  device_token: string;
                }
              | {
                  status: string;
                  interval: number;
                };
          };
        };
      };
    };
  };
  getManifest: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: components['schemas']['Manifest'];
          };
        };
      };
    };
  };
  sendHeartbeats: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          samples: {
            measured_at: components['schemas']['Timestamp'];
            cpu_percent: number | null;
            memory_percent: number | null;
            disk_percent: number | null;
            temperature_celsius: number | null;
            wifi_signal_dbm: number | null;
            wifi_quality_percent?: number | null;
          }[];
          state: {
            player_version: string;
            shell: string;
            uptime_seconds: number;
            applied_manifest_revision: string | null;
            current: {
              playlist_id: string;
              item_id: string;
              content_id: string;
              since: components['schemas']['Timestamp'];
              schedule_id?: string | null;
              rule_id?: string | null;
            } | null;
            storage: {
              cache_bytes: number;
              free_bytes: number | null;
              assets_held: number;
              assets_missing: number;
            };
            faults: {
              code: string;
              since: components['schemas']['Timestamp'];
              facts?: {
                [key: string]: unknown;
              };
            }[];
            frames?: {
              drawn: number;
              dropped: number;
            };
            starts?: {
              count: number;
              first_picture_ms: number | null;
            };
            tz_version?: string;
          };
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              server_time: components['schemas']['Timestamp'];
              manifest_revision: string;
              commands: {
                id: string;
                command: string;
                expires_at: components['schemas']['Timestamp'];
              }[];
              next_heartbeat_in: number;
              updates_held?: boolean;
            };
          };
        };
      };
    };
  };
  sendPlays: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          plays: unknown[];
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              accepted: string[];
              rejected: {
                index: number;
                id: string | null;
                message: string;
              }[];
            };
          };
        };
      };
    };
  };
  sendScreenshot: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          command_id?: string;
          fault_code?: string;
          taken_at: components['schemas']['Timestamp'];
          current: {
            playlist_id: string;
            item_id: string;
            content_id: string;
            since: components['schemas']['Timestamp'];
            schedule_id?: string | null;
            rule_id?: string | null;
          } | null;
          image: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              taken_at: components['schemas']['Timestamp'];
            };
          };
        };
      };
    };
  };
  sendLogs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          command_id: string;
          taken_at: components['schemas']['Timestamp'];
          bundle: string;
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              taken_at: components['schemas']['Timestamp'];
            };
          };
        };
      };
    };
  };
  answerLive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              /** @constant */
              kind: 'picture';
              image: string;
            }
          | {
              /** @constant */
              kind: 'log_lines';
              log: {
                run: string;
                first: number;
                lines: string[];
              };
            }
          | {
              /** @constant */
              kind: 'problem';
              /** @enum {string} */
              wanted: 'picture' | 'log_lines';
              problem: string;
            };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              /** @enum {string} */
              kind: 'picture' | 'log_lines' | 'problem';
            };
          };
        };
      };
    };
  };
  sendCapabilities: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          videos: {
            codec: string;
            bit_depth: number;
            width: number;
            height: number;
            frame_rate: number;
            supported: boolean;
            smooth: boolean;
            power_efficient: boolean;
          }[];
          hardware?: {
            model?: string | null;
            serial?: string | null;
            cpu?: {
              model: string | null;
              cores: number | null;
            };
            memory_total?: number | null;
            disk_total?: number | null;
            displays?: {
              name: string | null;
              width: number;
              height: number;
            }[];
            network_interfaces?: {
              name: string;
              /** @default other */
              kind: ('wired' | 'wireless' | 'other') | unknown;
              mac: string | null;
              addresses: string[];
              ssid: string | null;
            }[];
          };
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              videos: number;
            };
          };
        };
      };
    };
  };
  reportCommand: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          status?: ('acknowledged' | 'succeeded' | 'failed') | unknown;
          result?: {
            [key: string]: unknown;
          };
        };
      };
    };
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            data: {
              id: string;
              /** @enum {string} */
              status: 'queued' | 'delivered' | 'acknowledged' | 'succeeded' | 'failed' | 'expired';
            };
          };
        };
      };
    };
  };
  'device.paired': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DevicePairedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'device.online': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceOnlineEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'device.offline': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceOfflineEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'device.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceUpdatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'device.removed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceRemovedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'device.alert': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceAlertEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'content.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ContentCreatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'content.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ContentUpdatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'content.deleted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ContentDeletedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'playlist.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlaylistCreatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'playlist.updated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlaylistUpdatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'playlist.deleted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlaylistDeletedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'playlist.deployed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlaylistDeployedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'schedule.activated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ScheduleActivatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'schedule.deactivated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ScheduleDeactivatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'schedule.changed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ScheduleChangedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'command.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CommandCreatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'command.delivered': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CommandDeliveredEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'command.acknowledged': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CommandAcknowledgedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'command.finished': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CommandFinishedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'operation.finished': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OperationFinishedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutCreatedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.advanced': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutAdvancedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.held': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutHeldEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.continued': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutContinuedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.stopped': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutStoppedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.finished': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutFinishedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'rollout.deleted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutDeletedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'alert.opened': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertOpenedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'alert.resolved': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertResolvedEvent'];
      };
    };
    responses: {
      /** @description Taken */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
