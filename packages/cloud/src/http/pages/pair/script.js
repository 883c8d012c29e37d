// @ts-check
/* The pairing page: asks for a key once, pairs, and tells what the screen does. Everything is set as text. */

import { call, formatted, language, notACode, words } from './cloud.js';

const KEY_PLACE = 'placard-key';
const STORES_AT_ONCE = 100;
/** A Write key may make 30 requests a minute; ten pages leave enough to pair with. */
const MOST_STORE_PAGES = 10;
/** Seconds between two looks at the paired device: quick at first, for a minute, and seldom after that. */
const LOOKS_S = [1, 2, 2, 3, 3, 4, 5, 5, 5, 5, 5, 10, 10];
const SLOW_LOOK_S = 15;

const byId = (id) => document.getElementById(id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the tab keeps; nothing where the browser forbids it, and then the page alone knows the key. */
const tab = (() => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
})();

let key = tab?.getItem(KEY_PLACE) ?? '';
/** The last attempt: sent again after a failure of the network, it must not count as a second one. */
let attempt = { body: '', id: '' };

function alarm(text, field = null) {
  for (const each of document.querySelectorAll('[aria-invalid]')) each.removeAttribute('aria-invalid');
  byId('alert').textContent = text;
  if (!text) return;
  field?.setAttribute('aria-invalid', 'true');
  field?.focus({ preventScroll: true });
  byId('alert').scrollIntoView({ block: 'center' });
}

function show(id) {
  for (const each of ['key-form', 'pair-form', 'done']) byId(each).hidden = each !== id;
  scrollTo(0, 0);
}

/** Runs while the button says so and cannot be pressed again. */
async function busy(button, text, work) {
  const before = button.textContent;
  button.textContent = text;
  button.disabled = true;
  button.setAttribute('aria-busy', 'true');
  try {
    return await work();
  } finally {
    button.textContent = before;
    button.disabled = false;
    button.removeAttribute('aria-busy');
  }
}

function askForKey(reason) {
  key = '';
  tab?.removeItem(KEY_PLACE);
  const code = byId('code').value;
  byId('key-code').textContent = code;
  byId('key-code').hidden = code === '';
  show('key-form');
  alarm(reason, reason ? byId('key') : null);
}

/** What makes no sense to try again with this key. */
const isAboutKey = (answer) => answer.code === 'UNAUTHORIZED' || answer.code === 'INSUFFICIENT_SCOPE';

/** All stores by name; a refusal when they cannot be had. */
async function readStores(withKey) {
  const stores = [];
  for (let page = 1; page <= MOST_STORE_PAGES; page++) {
    const answer = await call(withKey, 'GET', `/v1/stores?page=${page}&limit=${STORES_AT_ONCE}`);
    if (!answer.ok) return answer;
    stores.push(...answer.data);
    if (page * STORES_AT_ONCE >= answer.meta.total) break;
  }
  return { ok: true, stores: stores.toSorted((a, b) => a.name.localeCompare(b.name, language)) };
}

function fillStores(stores) {
  const select = byId('store');
  const chosen = select.value;
  select.replaceChildren(select.options[0]);
  for (const { id, name, city } of stores)
    select.append(new Option(city ? `${name}, ${city}` : name, id, false, id === chosen));
  byId('store-field').hidden = stores.length === 0;
}

async function enter(withKey) {
  // Asked to pair nothing, the cloud says first what the key may not: nobody fills in a form in vain.
  const nothing = await call(withKey, 'POST', '/v1/devices/pair', { body: '{}' });
  if (nothing.code !== 'VALIDATION_ERROR') return nothing;
  const answer = await readStores(withKey);
  if (!answer.ok) return answer;
  key = withKey;
  tab?.setItem(KEY_PLACE, key);
  byId('key').value = '';
  fillStores(answer.stores);
  alarm('');
  show('pair-form');
  return answer;
}

async function enterOrSay(given) {
  const answer = await enter(given);
  if (!answer.ok) alarm(answer.message, byId('key'));
}

async function pair() {
  const field = byId('code');
  field.value = formatted(field.value);
  const problem = notACode(field.value);
  if (problem) {
    alarm(problem, field);
    return;
  }
  const name = byId('name').value.trim();
  const storeId = byId('store').value;
  const body = JSON.stringify({
    code: field.value,
    ...(name ? { name } : {}),
    ...(storeId ? { store_id: storeId } : {}),
    orientation: document.querySelector('[name=orientation]:checked').value,
  });
  if (attempt.body !== body) attempt = { body, id: newId() };
  const headers = { 'idempotency-key': attempt.id };
  const answer = await call(key, 'POST', '/v1/devices/pair', { body, headers });
  if (answer.ok) {
    alarm('');
    // Loaded anew, the page must not offer a code that is used.
    history.replaceState(null, '', location.pathname);
    void follow(answer.data);
  } else if (isAboutKey(answer)) askForKey(answer.message);
  else {
    const about = { PAIRING_CODE_NOT_FOUND: field, STORE_NOT_FOUND: byId('store') };
    alarm(answer.message, about[answer.code] ?? null);
  }
}

/** Works without https too, where `randomUUID` does not. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Tells what the screen does with its new name, until it was heard of. */
async function follow({ id, name }) {
  const done = byId('done');
  done.dataset.device = id;
  byId('done-name').textContent = name;
  byId('done-text').textContent = words.paired;
  show('done');
  byId('done-name').focus();
  const goesOn = () => !done.hidden && done.dataset.device === id;
  for (let look = 0; goesOn(); look++) {
    await pause((LOOKS_S[look] ?? SLOW_LOOK_S) * 1000);
    if (look === LOOKS_S.length && goesOn()) byId('done-text').textContent = words.pairedSilent;
    const answer = goesOn() ? await call(key, 'GET', `/v1/devices/${encodeURIComponent(id)}`) : null;
    if (!goesOn() || !answer) return;
    if (isAboutKey(answer)) {
      // It is paired all the same; only this page may not look any more.
      byId('done-text').textContent = words.pairedSilent;
      return;
    }
    if (!answer.ok || answer.data.status !== 'online') continue;
    byId('done-text').textContent = words.pairedAnswered;
    return;
  }
}

function tidyCode({ target, isComposing }) {
  // Whoever mends a letter in the middle is left alone, and so is a keyboard that is still choosing its letter.
  if (!isComposing && target.selectionStart === target.value.length) target.value = formatted(target.value);
}
byId('code').addEventListener('input', tidyCode);
byId('code').addEventListener('compositionend', tidyCode);
byId('code').addEventListener('keydown', (event) => {
  // The keyboard of a phone says "next" there, and some would send the form.
  if (event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  byId('name').focus();
});
byId('key-shown').addEventListener('change', ({ target }) => {
  byId('key').type = target.checked ? 'text' : 'password';
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const given = byId('key').value.trim();
  if (/^[!-~]+$/.test(given)) void busy(byId('enter'), words.checking, () => enterOrSay(given));
  else alarm(words.keyStrange, byId('key'));
});
byId('pair-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void busy(byId('pair'), words.pairing, pair);
});
byId('other-key').addEventListener('click', () => askForKey(''));
byId('again').addEventListener('click', () => {
  byId('code').value = '';
  byId('name').value = '';
  attempt = { body: '', id: '' };
  show('pair-form');
});

byId('not-loaded').remove();
document.documentElement.lang = language;
document.title = `${words.title} – Placard`;
for (const each of document.querySelectorAll('[data-word]')) each.textContent = words[each.dataset.word];

byId('code').value = formatted(new URLSearchParams(location.search).get('code') ?? '');
if (key === '') askForKey('');
else {
  // Without the stores it can still pair, so nobody waits for them.
  fillStores([]);
  show('pair-form');
  const answer = await readStores(key);
  if (answer.ok) fillStores(answer.stores);
  else if (isAboutKey(answer)) askForKey(answer.message);
  else alarm(answer.message);
}
