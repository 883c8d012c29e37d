import { expect, test } from 'vitest';
import { event, exampleEvent } from './event-schemas.ts';
import { eventType } from './event-types.ts';

const accepts = (value: unknown) => event.safeParse(value).success;

test.each(eventType.options)('an event %s has the data of its type, and an id as its resource', (type) => {
  const example = exampleEvent(type);
  expect(accepts(example)).toBe(true);
  expect(example.resource).toMatch(/^[a-z]+_[0-9a-z]+$/);
  expect(accepts({ ...example, data: { ...example.data, later: 1 } }), 'fields of newer versions').toBe(true);
  expect(accepts({ ...example, data: {} })).toBe(false);
});

test('an event of a type that only newer versions have is accepted', () => {
  const newer = { ...exampleEvent('device.online'), type: 'weather.changed', data: { weather: 'rain' } };
  expect(accepts(newer)).toBe(true);
  expect(accepts({ ...newer, resource: undefined })).toBe(false);
});
