import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  playlists: 'Playlists',
  count: (count: number) => plural(count, { one: '# playlist', other: '# playlists' }),
  search: 'Search by name',
  newPlaylist: 'New playlist',
  create: 'Create',
  name: 'Name',
  empty: 'No playlist yet',
  emptyHint:
    'A playlist says which pictures and videos follow each other. Make one, add content, and show it on your screens.',
  nothingFound: 'No playlist matches.',
  items: 'Items',
  itemCount: (count: number) => plural(count, { one: '# item', other: '# items' }),
  changed: 'Changed',
  more: 'Show more',

  noItems: 'Nothing in it yet',
  noItemsHint: 'Add pictures and videos; they are shown in this order.',
  addContent: 'Add content',
  addHint: 'Choose what to add, in the order in which it should be shown.',
  add: (count: string) => `Add ${count}`,
  searchContent: 'Search content',
  noContent: 'There is no content that matches.',
  toContent: 'Upload content',
  move: (name: string) => `Move ${name}`,
  moveHint:
    'Press space to pick the item up, the arrow keys to move it, space to put it down, Escape to put it back.',
  movedTo: (name: string, position: string, count: string) => `${name}: position ${position} of ${count}`,
  droppedAt: (name: string, position: string) => `${name} is now at position ${position}`,
  moveCancelled: (name: string) => `${name} is back where it was`,
  remove: (name: string) => `Remove ${name}`,
  removed: (name: string) => `“${name}” is removed.`,
  undo: 'Undo',
  duration: (name: string) => `Seconds of ${name}`,
  toTheEnd: 'to the end',
  seconds: 's',
  weight: (name: string) => `Weight of ${name}`,
  share: (percent: string) => `${percent} of the plays`,
  total: (time: string) => `One pass: ${time}`,
  totalAtLeast: (time: string) => `One pass: at least ${time}`,
  badDuration: 'Between 1 and 86,400 seconds',
  badWeight: 'Between 1 and 1,000',
  notShown: 'The preview could not show this file',
  mode: 'Order',
  modes: { sequential: 'One after the other', shuffle: 'Shuffled', weighted: 'By weight' },
  modeHints: {
    sequential: 'All items in this order, then again from the first.',
    shuffle: 'Each pass shows every item once, in an order that changes from pass to pass.',
    weighted: 'Items come the more often the higher their weight is.',
  },
  saveChanges: (count: string) => `Screens that show something else once this is saved: ${count}`,
  saveChangesNone: 'Saving changes no screen now.',

  preview: 'Preview',
  previewHint: 'Drawn by the program that runs on the screens.',
  play: 'Play',
  stop: 'Stop',
  fit: 'Fit',
  fits: { contain: 'Whole picture', cover: 'Fill and crop', stretch: 'Stretch' },
  background: 'Background',
  backgrounds: { black: 'Black', blurred: 'Blurred' },
  shape: 'Screen',
  landscape: 'Landscape',
  portrait: 'Portrait',

  deploy: 'Deploy',
  deployTitle: 'Deploy to screens',
  deployTo: 'Which screens',
  targetAll: 'All screens',
  targetStore: 'A store',
  targetTag: 'A tag',
  targetDevices: 'Chosen screens',
  store: 'Store',
  tag: 'Tag',
  searchScreens: 'Search screens',
  noScreens: 'There is no screen yet. Pair one first.',
  toScreens: 'To the screens',
  checking: 'Finding out what would change …',
  wouldChange: (count: string) => `Screens that change what they show: ${count}`,
  wouldChangeNone: 'No screen changes what it shows in the next 7 days.',
  firstChange: (time: string) => `The first at ${time}.`,
  unexamined: (count: number) =>
    plural(count, {
      one: '# more screen could not be compared.',
      other: '# more screens could not be compared.',
    }),
  scheduleFirst: 'Schedules come first: where one is active, this playlist is shown after it.',
  deployment: 'On the screens',
  deployedAt: (time: string) => `Deployed ${time}`,
  onItsWay: (done: string, all: string) => `On its way: ${done} of ${all} screens have it`,
  applied: (all: string) => `All ${all} screens have it`,
  showing: (done: string, all: string) => `Showing on ${done} of ${all} screens`,
  noneReached: 'No screen is reached by it now.',
  stateWaiting: 'On its way',
  stateOffline: 'Offline; it follows when the screen is back',
  stateApplied: 'Has it, shows something else now',
  stateShowing: 'Showing',
  notDeployed: 'No screen shows it by deployment.',

  delete: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  cannotUndo: 'This cannot be undone. The files stay.',
} as const;

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Widened<T[K]>;
};

/** The texts of this area in one language. */
export type PlaylistTexts = Widened<typeof english>;
