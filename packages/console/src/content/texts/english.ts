import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  content: 'Content',
  count: (count: number) => plural(count, { one: '# file', other: '# files' }),
  search: 'Search by name',
  type: 'Type',
  all: 'all',
  images: 'Pictures',
  videos: 'Videos',
  sort: 'Order',
  newest: 'Newest first',
  byName: 'By name',
  largest: 'Largest first',
  view: 'View',
  grid: 'Tiles',
  list: 'List',
  upload: 'Upload files',
  dropHint: 'You can also drop files anywhere on this page.',
  dropNow: 'Drop the files to upload them here',
  empty: 'No content yet',
  emptyHint: 'Upload pictures and videos. Then make a playlist of them and show it on your screens.',
  emptyFolder: 'This folder is empty.',
  nothingFound: 'No file matches.',
  clearFilters: 'Show all',
  more: 'Show more',

  folders: 'Folders',
  root: 'All content',
  newFolder: 'New folder',
  folderName: 'Name of the folder',
  create: 'Create',
  renameFolder: 'Rename or move the folder',
  deleteFolder: 'Delete the folder',
  parent: 'Inside',
  folder: 'Folder',
  noFolder: 'No folder',
  moved: (name: string, folder: string) => `“${name}” is now in “${folder}”.`,
  undo: 'Undo',

  uploads: 'Uploads',
  waiting: 'Waiting',
  uploading: (percent: string) => `Uploading, ${percent}`,
  preparing: 'Being prepared',
  ready: 'Ready',
  failed: 'Failed',
  paused: 'Paused',
  pause: (name: string) => `Pause ${name}`,
  resume: (name: string) => `Continue ${name}`,
  cancelUpload: (name: string) => `Cancel ${name}`,
  clearDone: 'Clear the list',
  makePlaylist: 'Make a playlist of these',
  resumeHint: 'After a reload, choose the same file again: the upload continues where it was.',

  details: 'Details',
  open: (name: string) => `Open ${name}`,
  format: 'Format',
  size: 'Size',
  dimensions: 'Pixels',
  length: 'Length',
  seconds: (count: string) => `${count} s`,
  added: 'Added',
  name: 'Name',
  tags: 'Tags',
  tagsHint: 'Separated by commas',
  usedIn: 'Used in playlists',
  unused: 'No playlist uses it.',
  replace: 'Replace the file',
  replaceTitle: (name: string) => `Replace the file of “${name}”?`,
  replaceHint:
    'Name, tags, folder and playlists stay. Screens get the new file by themselves, and show the old one until they have it. The old file is not kept.',
  chooseFile: 'Choose the new file',
  screens: (count: number) =>
    plural(count, { one: '# screen in the next 7 days', other: '# screens in the next 7 days' }),
  renditions: 'For screens that cannot play this file',
  makeRendition: 'Make a copy for these screens',
  tryAgain: 'Try again',
  renditionStates: {
    wanted: 'Waiting to be made.',
    making: 'Being made. This may take longer than the file itself.',
    ready: 'There is a copy for screens that cannot play the file.',
  },
  renditionFailures: {
    undecodable: 'The file cannot be converted.',
    high_dynamic_range:
      'This video in HDR cannot be converted: its colours would be wrong. Export it without HDR.',
    too_long: 'The video is too long to be converted.',
    too_slow: 'Converting the file took too long.',
    too_much_memory: 'The file needs too much memory to be converted.',
    too_large: 'The copy would be too large.',
    crashed: 'Converting the file failed: it is probably damaged.',
    wrong_duration: 'Converting the file failed: the copy would have another length.',
    animated: 'An animation cannot be converted.',
    interrupted:
      'It was begun several times, and the cloud, its disk or its media store stopped it each time.',
  },
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteUnused: 'No playlist uses it. This cannot be undone.',
  deleteUsed: 'It is removed from these playlists, and screens stop showing it. This cannot be undone.',
  mayPlaylistEnd: 'Playlists that would be left empty',
} as const;

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Widened<T[K]>;
};

/** The texts of this area in one language. */
export type ContentTexts = Widened<typeof english>;
