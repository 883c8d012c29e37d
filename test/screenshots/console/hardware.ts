/** What a screen says of its computer when it is paired. */
export const HARDWARE = {
  model: 'Raspberry Pi 5 Model B',
  serial: '10000000f0a3c1d2',
  cpu: { model: 'Cortex-A76', cores: 4 },
  memory_total: 8_000_000_000,
  disk_total: 62_000_000_000,
  displays: [{ name: 'LG 55UH5F', width: 3840, height: 2160 }],
  network_interfaces: [
    {
      name: 'wlan0',
      kind: 'wireless',
      mac: 'dc:a6:32:12:34:57',
      addresses: ['192.168.1.42'],
      ssid: 'Kaufhaus',
    },
  ],
};
