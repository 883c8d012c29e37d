import { expect, test } from 'vitest';
import { setChromiumSwitches } from './chromium-switches.ts';

function commandLine(given: Record<string, string> = {}) {
  const switches = new Map<string, string>(Object.entries(given));
  return {
    switches,
    appendSwitch: (name: string, value = '') => void switches.set(name, value),
    getSwitchValue: (name: string) => switches.get(name) ?? '',
  };
}

test('shows no dialogs, and draws although the system reports the window as covered', () => {
  const line = commandLine();
  setChromiumSwitches(line);
  expect([...line.switches.keys()]).toEqual(
    expect.arrayContaining(['noerrdialogs', 'disable-backgrounding-occluded-windows']),
  );
  expect(line.switches.get('disable-features')).toContain('CalculateNativeWinOcclusion');
});

test('keeps the features that were already disabled', () => {
  const line = commandLine({ 'disable-features': 'Vulkan,Translate' });
  setChromiumSwitches(line);
  expect(line.switches.get('disable-features')).toBe(
    'Vulkan,Translate,CalculateNativeWinOcclusion,OverscrollHistoryNavigation',
  );
});
