/**
 * System files that both Debian packages install: name in `build/linux`, folder on the device, whether it is
 * executable. `electron-builder.yml` repeats the list for the package with Electron; `dist:check` compares them.
 */
export const SYSTEM_FILES: readonly { source: string; folder: string; name?: string; executable?: true }[] = [
  { source: 'placard.service', folder: 'usr/lib/systemd/system' },
  { source: 'placard-display.service', folder: 'usr/lib/systemd/system' },
  { source: 'placard-update.service', folder: 'usr/lib/systemd/system' },
  { source: 'placard-update.path', folder: 'usr/lib/systemd/system' },
  { source: 'placard-update.timer', folder: 'usr/lib/systemd/system' },
  { source: 'placard-stick@.service', folder: 'usr/lib/systemd/system' },
  { source: 'stick.rules', folder: 'usr/lib/udev/rules.d', name: '90-placard-stick.rules' },
  { source: 'logind.conf', folder: 'usr/lib/systemd/logind.conf.d', name: '50-placard.conf' },
  { source: 'sysctl.conf', folder: 'usr/lib/sysctl.d', name: '60-placard.conf' },
  { source: 'xorg.conf', folder: 'usr/share/X11/xorg.conf.d', name: '90-placard.conf' },
  { source: '50-placard.rules', folder: 'usr/share/polkit-1/rules.d' },
  // polkit before 0.106, as in Ubuntu 22.04, does not read .rules files.
  { source: 'placard.pkla', folder: 'var/lib/polkit-1/localauthority/10-vendor.d' },
  { source: 'placard-update', folder: 'usr/lib/placard', executable: true },
  { source: 'placard-import', folder: 'usr/lib/placard', executable: true },
  { source: 'placard-stick', folder: 'usr/lib/placard', executable: true },
  { source: 'placard-display', folder: 'usr/lib/placard', executable: true },
  { source: 'placard-ready', folder: 'usr/lib/placard', executable: true },
  { source: 'update-key.pem', folder: 'usr/lib/placard' },
  { source: 'labwc/rc.xml', folder: 'usr/lib/placard/labwc', name: 'rc.xml' },
  { source: 'labwc/menu.xml', folder: 'usr/lib/placard/labwc', name: 'menu.xml' },
  { source: 'gtk/gtk.css', folder: 'usr/lib/placard/share/themes/placard/gtk-3.0', name: 'gtk.css' },
  // labwc looks up both cursor names in its theme.
  { source: 'cursors/transparent', folder: 'usr/lib/placard/cursors/transparent/cursors', name: 'default' },
  { source: 'cursors/transparent', folder: 'usr/lib/placard/cursors/transparent/cursors', name: 'left_ptr' },
];

/** Where a file of the list is installed on the device, without a leading slash. */
export const installedPath = ({ source, folder, name = source }: (typeof SYSTEM_FILES)[number]): string =>
  `${folder}/${name}`;
