import { describe, expect, test } from 'vitest';
import { createPlaylistOrder } from './playlist-order.ts';
import type { OrderItem } from './order-strategy.ts';
import type { PlaylistOrder, OrderPlaylist } from './playlist-order.ts';
import type { OrderPosition } from './order-position.ts';

const MODES = ['sequential', 'shuffle', 'weighted'] as const;

/** `a5 b c2`: items by id with their weights. */
function playlist(mode: OrderPlaylist['mode'], items: string): OrderPlaylist {
  const list = items.split(' ').filter((word) => word !== '');
  return {
    id: 'pl_1',
    mode,
    items: list.map((word): OrderItem => ({ id: word[0]!, weight: Number(word.slice(1)) || null })),
  };
}

function takeIds(order: PlaylistOrder, count: number, playable?: (id: string) => boolean): string {
  return Array.from({ length: count }, () => order.next(playable) ?? '-').join('');
}

function storedPosition(order: PlaylistOrder): OrderPosition {
  const position: OrderPosition = JSON.parse(JSON.stringify(order.position()));
  return position;
}

function withoutBAndE(id: string): boolean {
  return id !== 'b' && id !== 'e';
}

function letters(text: string): string[] {
  return text.split('');
}

function sorted(text: string): string {
  return letters(text).toSorted().join('');
}

describe.each(MODES)('any order (%s)', (mode) => {
  const items = playlist(mode, 'a3 b1 c2 d1 e5');

  test('is the same for the same seed', () => {
    expect(takeIds(createPlaylistOrder(items, 'dev_1/pl_1'), 60)).toBe(
      takeIds(createPlaylistOrder(items, 'dev_1/pl_1'), 60),
    );
  });

  test('continues after a restart at any point as if there had been none', () => {
    const whole = takeIds(createPlaylistOrder(items, 'seed'), 60);
    for (let played = 0; played < 40; played++) {
      const before = createPlaylistOrder(items, 'seed');
      takeIds(before, played);
      expect(takeIds(createPlaylistOrder(items, 'seed', storedPosition(before)), 20)).toBe(
        whole.slice(played, played + 20),
      );
    }
  });

  test('looks ahead without advancing', () => {
    const order = createPlaylistOrder(items, 'seed');
    takeIds(order, 7);
    const ahead = order.peek(30).join('');
    expect(order.peek(30).join('')).toBe(ahead);
    expect(takeIds(order, 30)).toBe(ahead);
  });

  test('looks ahead past unplayable items in the same order', () => {
    const order = createPlaylistOrder(items, 'seed');
    const ahead = order.peek(30, withoutBAndE).join('');
    expect(ahead).not.toMatch(/[eb]/);
    expect(takeIds(order, 30, withoutBAndE)).toBe(ahead);
  });

  test('shows all playable items while others are not', () => {
    const order = createPlaylistOrder(items, 'seed');
    expect(sorted([...new Set(letters(takeIds(order, 30, (id) => id !== 'e')))].join(''))).toBe('abcd');
  });

  test('stays where it is when nothing is playable', () => {
    const order = createPlaylistOrder(items, 'seed');
    takeIds(order, 3);
    const before = storedPosition(order);
    expect(order.next(() => false)).toBeNull();
    expect(order.peek(3, () => false)).toEqual([]);
    expect(storedPosition(order)).toEqual(before);
  });

  test('repeats a single item, or a single playable one', () => {
    expect(takeIds(createPlaylistOrder(playlist(mode, 'a'), 'seed'), 5)).toBe('aaaaa');
    expect(takeIds(createPlaylistOrder(items, 'seed'), 5, (id) => id === 'c')).toBe('ccccc');
  });

  test('is empty for an empty playlist', () => {
    const order = createPlaylistOrder(playlist(mode, ''), 'seed');
    expect(order.next()).toBeNull();
    expect(order.peek(3)).toEqual([]);
  });

  test('starts sensibly from a position of another mode', () => {
    for (const other of MODES) {
      const before = createPlaylistOrder(playlist(other, 'a3 b1 c2 d1 e5'), 'seed');
      takeIds(before, 4);
      const after = createPlaylistOrder(items, 'seed', storedPosition(before));
      expect(sorted([...new Set(letters(takeIds(after, 30)))].join(''))).toBe('abcde');
    }
  });

  test('continues when all items were replaced', () => {
    const before = createPlaylistOrder(items, 'seed');
    takeIds(before, 3);
    const after = createPlaylistOrder(playlist(mode, 'x y z'), 'seed', storedPosition(before));
    expect(sorted([...new Set(letters(takeIds(after, 12)))].join(''))).toBe('xyz');
  });

  test.each([
    'null',
    '7',
    '"a"',
    '{}',
    '{"round":null,"last":5}',
    '{"round":-3,"last":"a","at":7,"held":[]}',
    '{"round":0.5,"last":"gone","index":-5}',
    '{"round":1e300,"last":"gone","index":1.5,"following":"gone"}',
    '{"round":0,"last":"gone","index":"x","following":{}}',
    '{"round":0,"last":null,"shown":"much"}',
    '{"round":0,"last":null,"shown":{"a":null,"b":-7,"c":0.5,"d":"x"}}',
  ])('uses the intact parts of a damaged position: %s', (json) => {
    const order = createPlaylistOrder(items, 'seed', JSON.parse(json));
    takeIds(order, 60);
    const due = mode === 'weighted' ? 'aaabccdeeeee' : 'aabbccddee';
    expect(sorted(takeIds(order, due.length))).toBe(due);
    expect(Number.isInteger(order.position().round)).toBe(true);
  });

  test.each(['constructor', '__proto__'])('an item may have the id %s', (id) => {
    const named: OrderPlaylist = { ...items, items: [{ id, weight: 1 }, ...items.items] };
    const order = createPlaylistOrder(named, 'seed');
    const ahead = order.peek(mode === 'weighted' ? 26 : 24);
    const found = ahead.map(
      () => createPlaylistOrder(named, 'seed', storedPosition(order)).peek(1)[0] === order.next(),
    );
    expect(ahead.filter((each) => each === id)).toHaveLength(mode === 'weighted' ? 2 : 4);
    expect(found).not.toContain(false);
  });

  test('keeps its position small', () => {
    const order = createPlaylistOrder(items, 'seed');
    takeIds(order, 1000);
    expect(JSON.stringify(order.position()).length).toBeLessThan(150);
  });
});

function sequence(items: string, position?: OrderPosition): PlaylistOrder {
  return createPlaylistOrder(playlist('sequential', items), 'seed', position);
}

function positionAfter(items: string, played: number): OrderPosition {
  const before = sequence(items);
  takeIds(before, played);
  return storedPosition(before);
}

describe('sequential', () => {
  test('repeats the items in playlist order', () => {
    expect(takeIds(sequence('a b c'), 7)).toBe('abcabca');
  });

  test('skips unplayable items, which keep their place', () => {
    const playing = sequence('a b c');
    expect(takeIds(playing, 4, (id) => id !== 'b')).toBe('acac');
    expect(takeIds(playing, 3)).toBe('abc');
  });

  test.each([
    ['an item added after it is shown in its turn', 'a b c x d', 'cxd'],
    ['an item added before waits for the next round', 'x a b c d', 'cdx'],
    ['an item removed after it is not shown', 'a b d', 'dab'],
    ['the item on screen removed: the one after it is next', 'a c d', 'cda'],
    ['the item on screen and all before it removed', 'c d', 'cdc'],
    ['the item on screen and the one after it removed', 'a d', 'dad'],
    ['the order reversed: continues from the item on screen', 'd c b a', 'adc'],
  ])('after a and b, %s', (_name, edited, next) => {
    expect(takeIds(sequence(edited, positionAfter('a b c d', 2)), 3)).toBe(next);
  });
});

describe('shuffle', () => {
  const items = playlist('shuffle', 'a b c d e');

  test('shows each item once per round', () => {
    for (const seed of ['one', 'two', 'three']) {
      const all = takeIds(createPlaylistOrder(items, seed), 500);
      for (let round = 0; round < 100; round++) {
        expect(sorted(all.slice(round * 5, round * 5 + 5))).toBe('abcde');
      }
    }
  });

  test.each(['a b', 'a b c', 'a b c d e f g h'])('never shows an item twice in a row (%s)', (ids) => {
    for (let seed = 0; seed < 50; seed++) {
      expect(takeIds(createPlaylistOrder(playlist('shuffle', ids), `${seed}`), 200)).not.toMatch(/(.)\1/);
    }
  });

  test('never shows an item twice in a row when the item between is unplayable', () => {
    for (let seed = 0; seed < 50; seed++) {
      expect(
        takeIds(createPlaylistOrder(items, `${seed}`), 200, (id) => id !== 'b' && id !== 'd'),
      ).not.toMatch(/(.)\1/);
    }
  });

  test('still shows each playable item once per round', () => {
    const all = takeIds(createPlaylistOrder(items, 'seed'), 300, (id) => id !== 'b');
    for (let round = 0; round < 75; round++) {
      expect(sorted(all.slice(round * 4, round * 4 + 4))).toBe('acde');
    }
  });

  test('differs between rounds and seeds', () => {
    const all = takeIds(createPlaylistOrder(items, 'seed'), 500);
    const rounds = new Set(Array.from({ length: 100 }, (_, round) => all.slice(round * 5, round * 5 + 5)));
    expect(rounds.size).toBeGreaterThan(50);
    expect(takeIds(createPlaylistOrder(items, 'other'), 50)).not.toBe(all.slice(0, 50));
  });

  test('places every item at every place about equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 2000; seed++) {
      letters(takeIds(createPlaylistOrder(items, `dev_${seed}/pl`), 5)).forEach((id, place) => {
        counts.set(`${id}${place}`, (counts.get(`${id}${place}`) ?? 0) + 1);
      });
    }
    expect(counts.size).toBe(25);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(320);
      expect(count).toBeLessThan(480);
    }
  });

  test('after an edit, what was shown this round is not shown again, and the rest keeps its order', () => {
    for (let seed = 0; seed < 50; seed++) {
      const whole = takeIds(createPlaylistOrder(items, `${seed}`), 5);
      const before = createPlaylistOrder(items, `${seed}`);
      const shown = takeIds(before, 2);
      const removed = whole[3]!;
      const remaining = playlist(
        'shuffle',
        letters('abcde')
          .filter((id) => id !== removed)
          .join(' '),
      );
      expect(takeIds(createPlaylistOrder(remaining, `${seed}`, storedPosition(before)), 2)).toBe(
        whole.slice(2).replace(removed, ''),
      );
      const more = playlist('shuffle', 'a b c d e x');
      const rest = takeIds(createPlaylistOrder(more, `${seed}`, storedPosition(before)), 3).replace('x', '');
      expect(whole.slice(2).startsWith(rest)).toBe(true);
      expect(rest).not.toMatch(new RegExp(`[${shown}]`));
    }
  });

  test('continues from its place when the item on screen is removed', () => {
    const whole = takeIds(createPlaylistOrder(items, 'seed'), 5);
    const before = createPlaylistOrder(items, 'seed');
    takeIds(before, 2);
    const remaining = playlist(
      'shuffle',
      letters('abcde')
        .filter((id) => id !== whole[1])
        .join(' '),
    );
    expect(takeIds(createPlaylistOrder(remaining, 'seed', storedPosition(before)), 3)).toBe(whole.slice(2));
  });
});

describe('shuffle, over many rounds', () => {
  test('the last item of a round comes at any place but the first equally often', () => {
    const items = playlist('shuffle', 'a b c d e');
    const places = [0, 0, 0, 0, 0];
    for (let seed = 0; seed < 400; seed++) {
      const all = takeIds(createPlaylistOrder(items, `dev_${seed}/pl`), 55);
      for (let round = 1; round < 11; round++) {
        places[all.slice(round * 5, round * 5 + 5).indexOf(all[round * 5 - 1]!)]!++;
      }
    }
    expect(places[0]).toBe(0);
    for (const count of places.slice(1)) {
      expect(count / 4000).toBeGreaterThan(0.22);
      expect(count / 4000).toBeLessThan(0.28);
    }
  });

  test('the other items keep equal chances of every place', () => {
    const items = playlist('shuffle', 'a b c d');
    const orders = new Map<string, number>();
    for (let seed = 0; seed < 600; seed++) {
      const all = takeIds(createPlaylistOrder(items, `${seed}`), 44);
      for (let round = 1; round < 11; round++) {
        // Named by the position in the previous round.
        const before = all.slice(round * 4 - 4, round * 4);
        const order = letters(all.slice(round * 4, round * 4 + 4)).map((id) => before.indexOf(id));
        orders.set(order.join(''), (orders.get(order.join('')) ?? 0) + 1);
      }
    }
    // 24 orders, minus the six that begin with the last item of the round before.
    expect(orders.size).toBe(18);
    for (const [order, count] of orders) {
      expect(count / 6000, order).toBeGreaterThan(0.04);
      expect(count / 6000, order).toBeLessThan(0.075);
    }
  });

  test('continues from a position of an older version, without the rank of the deferred item', () => {
    const position = { round: 4, last: 'c', at: 'c', held: 'b' };
    const items = playlist('shuffle', 'a b c d');
    const order = createPlaylistOrder(items, 'seed', position);
    expect(order.peek(1)).toEqual(['b']);
    takeIds(order, 3);
    const all = takeIds(createPlaylistOrder(items, 'seed', storedPosition(order)), 40);
    expect(all).not.toMatch(/(.)\1/);
  });

  test('takes milliseconds per item with 100,000 items, even when none is playable', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ id: `item_${index}`, weight: null }));
    const list: OrderPlaylist = { id: 'pl', mode: 'shuffle', items };
    const before = process.cpuUsage();
    let position: OrderPosition | undefined;
    for (let showing = 0; showing < 20; showing++) {
      const order = createPlaylistOrder(list, 'seed', position);
      order.next();
      expect(order.next(() => false)).toBeNull();
      position = storedPosition(order);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});

/** Four weights from 0 to 5. */
function fourWeights(code: number): number[] {
  return [1, 6, 36, 216].map((base) => Math.floor(code / base) % 6);
}

/** How often an item follows itself when a round is repeated. */
function repeats(round: string): number {
  return letters(round).filter((id, index) => id === round[(index + 1) % round.length]).length;
}

describe('weighted', () => {
  test.each(['a2 b1 c1', 'a3 b1 c1 d1', 'a2 b2 c1', 'a3 b3', 'a4 b3 c1', 'a5 b3 c2', 'a1 b1'])(
    'never shows an item twice in a row, even across rounds (%s)',
    (weights) => {
      const list = playlist('weighted', weights);
      const sum = list.items.reduce((total, { weight }) => total + weight!, 0);
      for (let seed = 0; seed < 40; seed++) {
        expect(takeIds(createPlaylistOrder(list, `${seed}`), sum * 3)).not.toMatch(/(.)\1/);
      }
    },
  );

  test('repeats items no more often than the weights require', () => {
    for (let code = 1; code < 6 ** 4; code += 1) {
      const given = fourWeights(code).filter((weight) => weight > 0);
      if (given.length < 2) {
        continue;
      }
      const sum = given.reduce((total, weight) => total + weight, 0);
      const list = playlist('weighted', given.map((weight, index) => `${'abcd'[index]}${weight}`).join(' '));
      const all = takeIds(createPlaylistOrder(list, `${code}`), sum * 2);
      const round = all.slice(0, sum);
      expect(all, list.id).toBe(round + round);
      expect(sorted(round)).toBe(given.map((weight, index) => 'abcd'[index]!.repeat(weight)).join(''));
      expect(repeats(round), `${given.join()}: ${round}`).toBe(Math.max(0, 2 * Math.max(...given) - sum));
    }
  });

  test('spreads each item evenly: the distance of two turns is at most twice the average', () => {
    for (const weights of ['a4 b3 c2 d1', 'a8 b4 c2 d1 e1', 'a6 b5 c4 d3 e2']) {
      const list = playlist('weighted', weights);
      const sum = list.items.reduce((total, { weight }) => total + weight!, 0);
      for (let seed = 0; seed < 20; seed++) {
        const all = takeIds(createPlaylistOrder(list, `${seed}`), sum * 3);
        for (const { id, weight } of list.items) {
          const turns = letters(all).flatMap((each, index) => (each === id ? [index] : []));
          for (let turn = 1; turn < turns.length; turn++) {
            expect(turns[turn]! - turns[turn - 1]!, `${id} in ${all}`).toBeLessThan((2 * sum) / weight!);
          }
        }
      }
    }
  });

  test('continues a round that an older version began', () => {
    const list = playlist('weighted', 'a2 b1 c1');
    // The older version began with `ab` and would have ended with an `a` before the next round.
    const order = createPlaylistOrder(list, 'seed', { round: 0, last: 'b', shown: { a: 1, b: 1 } });
    expect(takeIds(order, 2)).toBe('ac');
    expect(takeIds(order, 40)).not.toMatch(/(.)\1/);
  });

  test('spreads the classic 5, 1, 1 smoothly', () => {
    expect(takeIds(createPlaylistOrder(playlist('weighted', 'a5 b1 c1'), 'seed'), 7)).toMatch(
      /^aa[bc]a[bc]aa$/,
    );
  });

  test.each(['a5 b1 c1', 'a3 b2', 'a1 b1 c1', 'a7 b5 c3 d2 e1', 'a9 b9 c1'])(
    'shows each item exactly by weight in any sum(weights) plays (%s)',
    (weights) => {
      const list = playlist('weighted', weights);
      const sum = list.items.reduce((total, { weight }) => total + weight!, 0);
      const all = takeIds(createPlaylistOrder(list, 'seed'), sum * 4);
      for (let from = 0; from <= sum * 3; from++) {
        for (const { id, weight } of list.items) {
          expect(all.slice(from, from + sum).split(id).length - 1, `${id} from ${from} in ${all}`).toBe(
            weight,
          );
        }
      }
    },
  );

  test('is exact at the largest weights too', () => {
    const list: OrderPlaylist = {
      id: 'pl',
      mode: 'weighted',
      items: [
        { id: 'a', weight: 1000 },
        { id: 'b', weight: 999 },
        { id: 'c', weight: 1 },
      ],
    };
    const all = takeIds(createPlaylistOrder(list, 'seed'), 2000);
    expect([all.split('a').length - 1, all.split('b').length - 1, all.split('c').length - 1]).toEqual([
      1000, 999, 1,
    ]);
    expect(all).not.toMatch(/aa|bb/);
  });

  test('takes a missing weight as 1', () => {
    expect(sorted(takeIds(createPlaylistOrder(playlist('weighted', 'a2 b'), 'seed'), 3))).toBe('aab');
  });

  test('skips the turns of an unplayable item; the others keep theirs', () => {
    const list = playlist('weighted', 'a4 b2 c2');
    const whole = takeIds(createPlaylistOrder(list, 'seed'), 8);
    expect(takeIds(createPlaylistOrder(list, 'seed'), 6, (id) => id !== 'b')).toBe(whole.replaceAll('b', ''));
  });

  test('does not make up for skipped turns', () => {
    const order = createPlaylistOrder(playlist('weighted', 'a4 b2 c2'), 'seed');
    takeIds(order, 60, (id) => id !== 'b');
    expect(sorted(takeIds(order, 8))).toBe('aaaabbcc');
  });

  test('after an edit the round still ends with each item shown as often as its new weight', () => {
    for (let played = 0; played < 8; played++) {
      const before = createPlaylistOrder(playlist('weighted', 'a4 b2 c2'), 'seed');
      const shown = takeIds(before, played);
      const edited = playlist('weighted', 'a4 b3 d2');
      const counts = letters(shown).filter((id) => id !== 'c').length;
      const rest = takeIds(createPlaylistOrder(edited, 'seed', storedPosition(before)), 9 - counts);
      expect(sorted(shown.replaceAll('c', '') + rest)).toBe('aaaabbbdd');
    }
  });

  test('an item shown more often than its new weight is not due again this round', () => {
    const before = createPlaylistOrder(playlist('weighted', 'a4 b2'), 'seed');
    expect(sorted(takeIds(before, 4))).toBe('aaab');
    const after = createPlaylistOrder(playlist('weighted', 'a2 b3'), 'seed', storedPosition(before));
    expect(takeIds(after, 2)).toBe('bb');
    expect(takeIds(after, 5)).toBe(takeIds(createPlaylistOrder(playlist('weighted', 'a2 b3'), 'seed'), 5));
  });

  test('after an edit a new round is exact again', () => {
    const before = createPlaylistOrder(playlist('weighted', 'a4 b2 c2'), 'seed');
    const counts = letters(takeIds(before, 3)).filter((id) => id !== 'c').length;
    const after = createPlaylistOrder(playlist('weighted', 'a4 b3 d2'), 'seed', storedPosition(before));
    takeIds(after, 9 - counts);
    expect(sorted(takeIds(after, 9))).toBe('aaaabbbdd');
  });

  test('two screens break ties differently', () => {
    const list = playlist('weighted', 'a1 b1 c1 d1 e1 f1');
    const orders = new Set(
      Array.from({ length: 20 }, (_, index) => takeIds(createPlaylistOrder(list, `dev_${index}`), 6)),
    );
    expect(orders.size).toBeGreaterThan(10);
  });
});
