import { pluralsOf } from '../../i18n/plural.ts';
import type { ConditionType, FieldName } from '../conditions.ts';
import { after } from './condition-texts.ts';
import type { ConditionTexts } from './condition-texts.ts';

const plural = pluralsOf('en');

const conditions: Readonly<Record<ConditionType, ConditionTexts>> = {
  offline: {
    name: 'A screen is offline',
    words: (value) => `Offline for ${value('minutes')}`,
    advice: 'Check power and network of the screens. They keep playing what they have stored.',
  },
  fault: {
    name: 'A screen reports a fault',
    words: (value) =>
      `${value('code') === '' ? 'Any fault' : `Fault ${value('code')}`}${after(' for ', value('minutes'))}`,
    advice: 'Open a screen to see which fault it reports, and what to do.',
  },
  behind: {
    name: 'A screen does not show what it should',
    words: (value) => `Has not shown what it should for ${value('minutes')}`,
    advice: 'Open a screen and look at its storage and faults.',
  },
  old_version: {
    name: 'A player is too old',
    words: (value) => `Player older than ${value('version')}${after(' for ', value('minutes'))}`,
    advice: 'Let the screens look for updates.',
  },
  hot: {
    name: 'A screen is too hot',
    words: (value) => `${value('celsius')} °C or hotter${after(' for ', value('minutes'))}`,
    advice: 'Check ventilation, fan and sunlight of the screens.',
  },
  disk_below: {
    name: 'The disk of a screen is nearly full',
    words: (value) =>
      `Less than ${value('free')} ${value('unit')} of the disk free${after(' for ', value('minutes'))}`,
    advice: 'Free space on the disk of the screens, or show fewer and smaller files there.',
  },
  nothing_playable: {
    name: 'A screen has nothing to show',
    words: (value) => `Has had nothing to show for ${value('minutes')}`,
    advice: 'Open a screen and see whether its playlist has content, and whether that is stored there.',
  },
  screen_black: {
    name: 'A screen is black',
    hint: 'By the pictures that screens send every so many minutes, as their settings say.',
    words: (value) => `Black in ${value('pictures')} pictures${after(' for ', value('minutes'))}`,
    advice: 'Look at the picture of a screen. Check the player, and whether its content is meant to be dark.',
  },
  screen_frozen: {
    name: 'The picture of a screen does not change',
    hint: 'By the pictures that screens send every so many minutes, as their settings say.',
    words: (value) => `Looks the same in ${value('pictures')} pictures${after(' for ', value('minutes'))}`,
    advice: 'Look at the picture of a screen, and restart the app there.',
  },
};
const fields: Readonly<Record<FieldName, string>> = {
  minutes: 'Minutes that it must last',
  code: 'Code of the fault',
  version: 'Older than version',
  celsius: 'Degrees Celsius',
  free: 'Less free space than',
  unit: 'Unit',
  pictures: 'Pictures one after the other',
};

export const english = {
  conditions,
  fields,
  // Alerts
  open: 'Open',
  resolved: 'Resolved',
  noneOpen: 'No alert is open.',
  watching: (count: number) =>
    plural(count, { one: '# rule watches your screens.', other: '# rules watch your screens.' }),
  nothingResolved: 'No alert was resolved in the last 90 days.',
  ofYourStores:
    'You work for some stores. You see the alerts about these and about the screens in them, but none that is about screens of several stores.',
  rulesNotForBound:
    'You work for some stores. Rules for alerts concern all stores, so they are not shown to you.',
  severalScreens: 'Several screens',
  screens: (count: number) => plural(count, { one: '# screen', other: '# screens' }),
  rule: 'Rule',
  from: 'Since',
  until: 'Until',
  because: {
    over: 'Over for all screens',
    rule_changed: 'The rule was changed, switched off or deleted',
    not_watched: 'Not known to be over: screens were removed, or the rule no longer watches them',
  },
  otherReason: (reason: string) => `Ended for another reason (${reason})`,
  screensTitle: 'Screens',
  concernedNow: 'Concerned now',
  concernedSoFar: 'Concerned so far',
  overSince: (time: string) => `over since ${time}`,
  notKnownOver: 'not known to be over',
  removedScreen: 'Removed screen',
  mails: 'Mails',
  noMails: 'No mail: the rule had no recipients.',
  mailStep: { opened: 'Alert', escalated: 'Still open', resolved: 'Resolved' },
  mailStatus: { pending: 'Waiting', sent: 'Taken by the mail server', failed: 'Failed' },
  attempts: (count: string) => `attempts: ${count}`,
  nextAttempt: (time: string) => `next attempt ${time}`,
  // Rules
  rules: 'Rules for alerts',
  rulesHint:
    'A rule says when there is an alert, and for which screens. A store that is down is one alert, and a time in which the cloud was not running counts for none.',
  noRules: 'Nothing is watched yet',
  noRulesHint:
    'Rules say when there is an alert. Begin with these; each can be changed or switched off later.',
  noRulesForViewer: 'There are no rules for alerts. An Editor or an Admin can make them.',
  createStarters: 'Create these rules',
  newRule: 'New rule',
  editRule: 'Edit the rule',
  condition: 'Alert when',
  unknownCondition: (type: string) =>
    `This version of the console does not know the condition “${type}”. The rest of the rule can be changed.`,
  noPictures:
    'Screens send no pictures of their own accord, so there is no alert, except for screens with settings of their own.',
  toPictureSettings: 'Open the settings',
  atOnce: '0: at once',
  anyFault: 'Empty: any fault',
  watches: (count: number) => plural(count, { one: 'Watches # screen.', other: 'Watches # screens.' }),
  recipients: 'Mail to',
  recipientsHint: 'Addresses, separated by commas. Without one, alerts are shown here and sent to webhooks.',
  mailLanguage: 'Language of the mails',
  mailTo: (count: number) => plural(count, { one: 'mail to # address', other: 'mail to # addresses' }),
  noMail: 'no mail',
  inOpeningHours: 'in opening hours only',
  laterTo: (count: number) => plural(count, { one: 'later to # address', other: 'later to # addresses' }),
  mutes: 'Mutes',
  mutedUntil: (time: string) => `Muted until ${time}`,
  hours: 'Alerts are opened',
  hoursAlways: 'At any time',
  hoursOnly: 'In opening hours only',
  hoursHint: 'In the time zone of the store. Minutes outside of these hours do not count.',
  days: 'Days',
  hoursFrom: 'From',
  hoursTo: 'To',
  onTheNextDay: 'On the next day',
  addHours: 'Add hours',
  remove: 'Remove',
  stillOpen: 'If it is still open',
  afterMinutes: 'After minutes',
  addLater: 'Mail to others later',
  mute: 'Mute',
  muteTitle: 'Mute alerts',
  muteHint:
    'While it lasts, no alert is opened for these screens and none is mailed. What is still wrong afterwards is an alert then.',
  muteFor: 'For',
  untilOwnTime: 'Until a time',
  untilTime: 'Until',
  reason: 'Reason',
  endMute: 'Unmute',
  endsOpen: (count: number) =>
    plural(count, {
      one: 'Saving this ends # open alert of the rule. If it still applies, there is a new one.',
      other: 'Saving this ends # open alerts of the rule. If they still apply, there are new ones.',
    }),
  active: 'Active',
  activeOf: (name: string) => `“${name}” is active`,
  switchedOn: (name: string) => `“${name}” is active again.`,
  switchedOff: (name: string) => `“${name}” is switched off. Its open alerts have ended.`,
  undo: 'Undo',
  deleteRule: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteHint: 'Its open alerts end. This cannot be undone.',
};
export type AlertTexts = typeof english;
