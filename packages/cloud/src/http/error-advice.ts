import type { ErrorCode } from '@placard/protocol/api';

/** What a caller does about each error. Texts between backticks are code. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    'Correct every field that `details` lists: `path` names the field, `message` what it must be. Do not repeat the request unchanged.',
  MALFORMED_JSON: 'Send a JSON object in UTF-8, with `Content-Type: application/json`.',
  UNAUTHORIZED:
    'Send `Authorization: Bearer` and an API key that is neither expired nor revoked. `GET /v1/api-keys` lists the keys, ' +
    '`POST /v1/api-keys` creates one.',
  DEVICE_UNPAIRED: 'For players: delete the token and the media, and show a pairing code.',
  SIGN_IN_FAILED:
    'Check address, password and code. For security the answer does not say which of them is wrong, or whether the account ' +
    'exists. An Admin can make a link for a new password.',
  INSUFFICIENT_SCOPE:
    'Use a key of the scope that `message` names; the scope of a key cannot be changed: create another key. As a person, ask ' +
    'an Admin for the role.',
  SESSION_REQUIRED: 'Sign in with `POST /v1/auth/sign-in`, and send the cookie instead of a key.',
  STORE_NOT_ALLOWED:
    'Ask an Admin to do it, or to give you more stores. `GET /v1/me` lists those that you are bound to.',
  ORIGIN_NOT_ALLOWED:
    'Use the pages of this cloud, at the address that `--public-url` names. Programs use an API key instead of a session.',
  DEVICE_NOT_FOUND:
    'Check the id, also of devices in the body; `GET /v1/devices` lists all. The device may have been deleted.',
  CONTENT_NOT_FOUND:
    'Check the id, also of content in the body; `GET /v1/content` lists all. The content may have been deleted.',
  PLAYLIST_NOT_FOUND: 'Check the id, also of playlists in the body; `GET /v1/playlists` lists all.',
  DEPLOYMENT_NOT_FOUND:
    'Check the id. A deployment no longer exists once newer ones have taken over all of its targets.',
  SCHEDULE_NOT_FOUND: 'Check the id; `GET /v1/schedules` lists all.',
  STORE_NOT_FOUND: 'Check the id, also of stores in the body; `GET /v1/stores` lists all.',
  FOLDER_NOT_FOUND: 'Check the id, also of folders in the body; `GET /v1/content/folders` lists all.',
  ITEM_NOT_FOUND: 'Read the playlist again: its items may have been replaced.',
  OPERATION_NOT_FOUND: 'List the operations (`GET /v1/operations`). Finished ones are kept for 7 days.',
  COMMAND_NOT_FOUND:
    'Check the id; `GET /v1/commands` lists all. Finished commands are deleted after a year.',
  ROLLOUT_NOT_FOUND: 'Check the id; `GET /v1/rollouts` lists all.',
  ALERT_RULE_NOT_FOUND: 'Check the id; `GET /v1/alert-rules` lists all.',
  ALERT_MUTE_NOT_FOUND: 'Check the id; `GET /v1/alert-mutes` lists all that are not over.',
  ALERT_NOT_FOUND: 'Check the id; `GET /v1/alerts` lists all. Resolved alerts are kept for 90 days.',
  WEBHOOK_NOT_FOUND: 'Check the id; `GET /v1/webhooks` lists all.',
  DELIVERY_NOT_FOUND:
    'Check the id. Finished deliveries are kept for 30 days, at most 10,000 of them for each webhook.',
  KEY_NOT_FOUND: 'Check the id; `GET /v1/api-keys` lists all. The key may have been revoked.',
  USER_NOT_FOUND: 'Check the id; `GET /v1/users` lists all. The person may have been removed.',
  INVITATION_NOT_FOUND: 'Check the id; `GET /v1/invitations` lists those that can still be accepted.',
  SESSION_NOT_FOUND: 'Nothing is to do if it was to end: it has ended.',
  PASSKEY_NOT_FOUND: 'Check the id; `GET /v1/me/passkeys` lists all.',
  PAIRING_CODE_NOT_FOUND:
    'Enter the code that the screen shows now. A code is valid for 15 minutes and for one pairing.',
  LOGS_NOT_FOUND:
    'Ask the device for its logs (`POST /v1/devices/{id}/logs`), and wait until `GET` has them.',
  SCREENSHOT_NOT_FOUND:
    'Ask the device for one (`POST /v1/devices/{id}/screenshot`), and wait until `GET` has it.',
  SCREENSHOTS_FORBIDDEN:
    'An Editor can allow them for the device (`configuration.screenshots_allowed`), an Admin for the organization (`screenshots_allowed`).',
  NO_LIVE_ANSWER:
    '`offline`, `no_answer`: ask again later. `no_socket`: the network of the device blocks WebSockets; ask for a screenshot instead, ' +
    'which comes with its next heartbeat. `player_too_old`: update the player.',
  UPLOAD_NOT_FOUND:
    'Check the id; `GET /v1/content/uploads` lists all. Uploads are forgotten a day after their last bytes: begin a new one.',
  ROUTE_NOT_FOUND: 'Check the path: the documentation at `/docs` lists every route.',
  METHOD_NOT_ALLOWED: 'Use one of the methods that the header `Allow` lists.',
  CONFLICT:
    'Read the resource again and decide whether the change is still right. With an `Idempotency-Key`: use a new key for a ' +
    'different request.',
  PLAYLIST_IN_USE:
    'Give the schedules in `details` another playlist, or delete them, then delete the playlist.',
  STORE_IN_USE:
    'Give the rules for alerts in `details` another filter, or delete them, then delete the store.',
  FOLDER_NOT_EMPTY: 'Move or delete what is in the folder first.',
  PAIRING_EXPIRED: 'For players: start a new pairing session.',
  LINK_EXPIRED: 'Ask whoever gave it to you for another link. Each works once.',
  EVENT_CURSOR_EXPIRED:
    'Read the resources that you follow again, then continue with `cursor=latest`. Events are kept for 7 days.',
  UPLOAD_GONE:
    'Begin a new upload. `GET /v1/content/uploads/{id}` says in `error` why a failed one was rejected: correct that first.',
  PRECONDITION_FAILED:
    'Read the resource again, make your change to what it is now, and send it with the new `ETag` in `If-Match`.',
  TUS_VERSION_UNSUPPORTED: 'Send `Tus-Resumable: 1.0.0`. Any client of tus 1.0 does.',
  PAYLOAD_TOO_LARGE: 'Send less in one request, for example in several requests.',
  FILE_TOO_LARGE: 'Encode the video with a lower bit rate, or cut it into several files.',
  UNSUPPORTED_MEDIA_TYPE:
    'Send JPEG, PNG, WebP, GIF, AVIF, MP4/MOV or WebM as `multipart/form-data`, and everything else as ' +
    '`application/json`, uncompressed. If the file is of such a type, `details.reason` says why no screen can show it.',
  IMPORT_FAILED:
    'Check that the URL can be read without a password from the network of the cloud; `details.reason` says what failed.',
  RATE_LIMITED:
    'Wait as many seconds as `Retry-After` says. `RateLimit-Remaining` says how many requests are left.',
  CHECKSUM_MISMATCH:
    'Send the bytes of this request again. If the hash of the whole file was wrong, begin a new upload with the right file and hash.',
  INTERNAL_ERROR:
    'Repeat the request later. If it fails again, report it with the `X-Request-Id` of the response.',
  UNAVAILABLE:
    'Repeat the request after as many seconds as `Retry-After` says, with the same `Idempotency-Key` if it is a POST.',
  INSUFFICIENT_STORAGE:
    'Delete content that is not needed, or have the operator of the cloud add disk space.',
};
