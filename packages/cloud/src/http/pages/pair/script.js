// @ts-check
/* The pairing page: asks for a key once, pairs, and shows the status of the device. Text is never set as HTML. */

import { callApi, formatCode, language, findCodeProblem, texts } from './cloud.js';

const KEY_STORAGE_NAME = 'placard-key';
const STORES_PER_PAGE = 100;
/** A Write key may make 30 requests a minute; ten pages leave enough to pair with. */
const MAX_STORE_PAGES = 10;
/** Seconds between two looks at the paired device: quick at first, for a minute, and seldom after that. */
const POLL_DELAYS_S = [1, 2, 2, 3, 3, 4, 5, 5, 5, 5, 5, 10, 10];
const SLOW_POLL_DELAY_S = 15;

const byId = (id) => document.getElementById(id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the tab keeps; nothing where the browser forbids it, and then the page alone knows the key. */
const tabStorage = (() => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
})();

let key = tabStorage?.getItem(KEY_STORAGE_NAME) ?? '';
/** The last attempt: sent again after a failure of the network, it must not count as a second one. */
let attempt = { body: '', id: '' };

function showAlert(text, field = null) {
  for (const each of document.querySelectorAll('[aria-invalid]')) {
    each.removeAttribute('aria-invalid');
  }
  byId('alert').textContent = text;
  if (!text) {
    return;
  }
  field?.setAttribute('aria-invalid', 'true');
  field?.focus({ preventScroll: true });
  byId('alert').scrollIntoView({ block: 'center' });
}

function show(id) {
  for (const each of ['key-form', 'pair-form', 'done']) {
    byId(each).hidden = each !== id;
  }
  scrollTo(0, 0);
}

/** Runs while the button says so and cannot be pressed again. */
async function runWhileDisabled(button, text, work) {
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
  tabStorage?.removeItem(KEY_STORAGE_NAME);
  const code = byId('code').value;
  byId('key-code').textContent = code;
  byId('key-code').hidden = code === '';
  show('key-form');
  showAlert(reason, reason ? byId('key') : null);
}

/** What makes no sense to try again with this key. */
const isKeyError = (result) => result.code === 'UNAUTHORIZED' || result.code === 'INSUFFICIENT_SCOPE';

/** All stores by name; a refusal when they cannot be had. */
async function loadStores(withKey) {
  const stores = [];
  for (let page = 1; page <= MAX_STORE_PAGES; page++) {
    const result = await callApi(withKey, 'GET', `/v1/stores?page=${page}&limit=${STORES_PER_PAGE}`);
    if (!result.ok) {
      return result;
    }
    stores.push(...result.data);
    if (page * STORES_PER_PAGE >= result.meta.total) {
      break;
    }
  }
  return { ok: true, stores: stores.toSorted((a, b) => a.name.localeCompare(b.name, language)) };
}

function fillStores(stores) {
  const select = byId('store');
  const chosen = select.value;
  select.replaceChildren(select.options[0]);
  for (const { id, name, city } of stores) {
    select.append(new Option(city ? `${name}, ${city}` : name, id, false, id === chosen));
  }
  byId('store-field').hidden = stores.length === 0;
}

async function signIn(withKey) {
  // Asked to pair nothing, the cloud says first what the key may not: nobody fills in a form in vain.
  const scopeProbe = await callApi(withKey, 'POST', '/v1/devices/pair', { body: '{}' });
  if (scopeProbe.code !== 'VALIDATION_ERROR') {
    return scopeProbe;
  }
  const result = await loadStores(withKey);
  if (!result.ok) {
    return result;
  }
  key = withKey;
  tabStorage?.setItem(KEY_STORAGE_NAME, key);
  byId('key').value = '';
  fillStores(result.stores);
  showAlert('');
  show('pair-form');
  return result;
}

async function signInOrAlert(given) {
  const result = await signIn(given);
  if (!result.ok) {
    showAlert(result.message, byId('key'));
  }
}

async function pair() {
  const field = byId('code');
  field.value = formatCode(field.value);
  const problem = findCodeProblem(field.value);
  if (problem) {
    showAlert(problem, field);
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
  if (attempt.body !== body) {
    attempt = { body, id: newId() };
  }
  const headers = { 'idempotency-key': attempt.id };
  const result = await callApi(key, 'POST', '/v1/devices/pair', { body, headers });
  if (result.ok) {
    showAlert('');
    // Loaded anew, the page must not offer a code that is used.
    history.replaceState(null, '', location.pathname);
    void waitUntilOnline(result.data);
  } else if (isKeyError(result)) {
    askForKey(result.message);
  } else {
    const about = { PAIRING_CODE_NOT_FOUND: field, STORE_NOT_FOUND: byId('store') };
    showAlert(result.message, about[result.code] ?? null);
  }
}

/** `crypto.randomUUID` needs https; this also works over http. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Tells what the screen does with its new name, until it was heard of. */
async function waitUntilOnline({ id, name }) {
  const done = byId('done');
  done.dataset.device = id;
  byId('done-name').textContent = name;
  byId('done-text').textContent = texts.paired;
  show('done');
  byId('done-name').focus();
  const isCurrent = () => !done.hidden && done.dataset.device === id;
  for (let attemptNumber = 0; isCurrent(); attemptNumber++) {
    await pause((POLL_DELAYS_S[attemptNumber] ?? SLOW_POLL_DELAY_S) * 1000);
    if (attemptNumber === POLL_DELAYS_S.length && isCurrent()) {
      byId('done-text').textContent = texts.pairedSilent;
    }
    const result = isCurrent() ? await callApi(key, 'GET', `/v1/devices/${encodeURIComponent(id)}`) : null;
    if (!isCurrent() || !result) {
      return;
    }
    if (isKeyError(result)) {
      // It is paired all the same; only this page may not look any more.
      byId('done-text').textContent = texts.pairedSilent;
      return;
    }
    if (!result.ok || result.data.status !== 'online') {
      continue;
    }
    byId('done-text').textContent = texts.pairedAnswered;
    return;
  }
}

function formatCodeInput({ target, isComposing }) {
  // Whoever mends a letter in the middle is left alone, and so is a keyboard that is still choosing its letter.
  if (!isComposing && target.selectionStart === target.value.length) {
    target.value = formatCode(target.value);
  }
}
byId('code').addEventListener('input', formatCodeInput);
byId('code').addEventListener('compositionend', formatCodeInput);
byId('code').addEventListener('keydown', (event) => {
  // The Enter key of a phone keyboard says "next" here, but some keyboards would submit the form.
  if (event.key !== 'Enter' || event.isComposing) {
    return;
  }
  event.preventDefault();
  byId('name').focus();
});
byId('key-shown').addEventListener('change', ({ target }) => {
  byId('key').type = target.checked ? 'text' : 'password';
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const given = byId('key').value.trim();
  if (/^[!-~]+$/.test(given)) {
    void runWhileDisabled(byId('enter'), texts.checking, () => signInOrAlert(given));
  } else {
    showAlert(texts.keyStrange, byId('key'));
  }
});
byId('pair-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void runWhileDisabled(byId('pair'), texts.pairing, pair);
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
document.title = `${texts.title} – Placard`;
for (const each of document.querySelectorAll('[data-word]')) {
  each.textContent = texts[each.dataset.word];
}

byId('code').value = formatCode(new URLSearchParams(location.search).get('code') ?? '');
if (key === '') {
  askForKey('');
} else {
  // Pairing works without the list of stores, so do not wait for it.
  fillStores([]);
  show('pair-form');
  const result = await loadStores(key);
  if (result.ok) {
    fillStores(result.stores);
  } else if (isKeyError(result)) {
    askForKey(result.message);
  } else {
    showAlert(result.message);
  }
}
