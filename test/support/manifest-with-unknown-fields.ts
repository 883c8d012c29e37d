import type { Manifest } from '@placard/protocol';

/** The manifest with unknown fields and values wherever a newer cloud may add some. */
export function withUnknownFields(manifest: Manifest): Record<string, unknown> {
  const [playlist] = manifest.playlists;
  const [asset] = manifest.assets;
  const rule = (id: string, overrides: object) => ({
    id,
    playlist_id: playlist?.id,
    start_time: '00:00',
    end_time: '24:00',
    days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
    rrule: null,
    priority: 0,
    starts_on: null,
    ends_on: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...overrides,
  });
  return {
    ...manifest,
    weather: { city: 'Berlin' },
    organization: { ...manifest.organization, currency: 'EUR' },
    device: {
      ...manifest.device,
      orientation: 'diagonal',
      display: { ...manifest.device.display, fit: 'mosaic', brightness: 0.5 },
      zones: [],
    },
    schedules: [
      ...manifest.schedules,
      {
        id: 'sch_future',
        name: 'For a group of devices',
        targets: [{ type: 'group', id: 'group_1' }],
        rules: [
          rule('rule_holiday', { except_holidays: 'DE-BE' }),
          rule('rule_day', { days: ['MOON'] }),
          rule('rule_text', { days: null, rrule: 'FREQ=LUNAR' }),
          rule('rule_number', { priority: 'high' }),
        ],
        colour: 'red',
      },
    ],
    playlists: manifest.playlists.map((one) => ({
      ...one,
      mode: 'by_weather',
      items: [
        { id: 'item_page', content_id: 'asset_page', duration: 10, weight: null },
        ...one.items.map((item) => ({ ...item, transition: 'wipe' })),
        { id: 'item_odd', content_id: 7 },
      ],
    })),
    assets: [
      { ...asset, id: 'asset_page', type: 'web_page' },
      { ...asset, id: 'asset_model', format: 'glb' },
      ...manifest.assets.map((one) => ({ ...one, dominant_colour: '#fff' })),
    ],
  };
}
