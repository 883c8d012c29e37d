/** What the operations of each tag are for. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Organization: 'The name of the organization, and the time zone of its schedules.',
  'API keys': 'Keys for programs, each with a scope: Read, Write or Admin.',
  Devices: 'The screens: pairing, settings, measurements, what they show and why, commands.',
  Content: 'Images and videos.',
  Uploads: 'Uploads of large files in several requests, by the tus protocol.',
  Folders: 'Folders of content.',
  Playlists:
    'Content in an order, each with its time; deployed as what a screen shows when no schedule applies.',
  Schedules: 'Which playlist is shown when, and on which devices.',
  Timeline: 'What screens show at any time, and why.',
  Stores: 'The places where devices stand.',
  Tags: 'Labels of devices and content, by which schedules and deployments reach devices.',
  Operations: 'The same for many devices at once, in the background.',
  Rollouts:
    'A new version of the player for some devices first, then for more; stopped when they become worse.',
  Commands: 'What devices were told to do, and how far they are.',
  Analytics: 'What was shown, how often and how long; how long devices were online.',
  Events: 'What has happened: to read later, or as it happens.',
  Alerts: 'What is wrong with screens, by rules of yours.',
  Webhooks: 'Notifications to a server of yours, and their deliveries.',
  'Audit log': 'Who changed what, and when.',
  Authentication: 'For people: how a browser gets and gives back a session.',
  'Own account': 'Who the caller is; password, second factor, passkeys and sessions of a person.',
  People: 'Who can sign in, with which role and for which stores; invitations.',
  Player: 'For players only: pairing, manifest, heartbeats, plays.',
};
