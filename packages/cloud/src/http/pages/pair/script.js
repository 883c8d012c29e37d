// @ts-check
/* The pairing page: asks for a key once, pairs, and tells what the screen does. Everything is set as text. */

const PATIENCE_MS = 15_000;
const KEY_PLACE = 'placard-key';
const STORES_AT_ONCE = 100;
/** A Write key may make 30 requests a minute; ten pages leave enough to pair with. */
const MOST_STORE_PAGES = 10;
/** Seconds between two looks at the paired device: quick at first, for a minute, and seldom after that. */
const LOOKS_S = [1, 2, 2, 3, 3, 4, 5, 5, 5, 5, 5, 10, 10];
const SLOW_LOOK_S = 15;

const byId = (id) => document.getElementById(id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const NO_NETWORK = 'The cloud cannot be reached. Check the network of this phone, then try again.';
const READ_CODE_AGAIN = 'Compare it with the screen, letter by letter.';

/** One request. Answers with its data, or with what to tell the person: never throws. */
async function call(key, method, path, more = {}) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(more.body ? { 'content-type': 'application/json' } : {}),
        ...more.headers,
      },
      ...(more.body ? { body: more.body } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer = await response.json();
  } catch {
    return { ok: false, code: 'NO_NETWORK', message: NO_NETWORK };
  }
  if (answer.success) return { ok: true, data: answer.data, meta: answer.meta };
  const { code, message, details } = answer.error;
  const waitS = Number(response.headers.get('retry-after')) || 60;
  return { ok: false, code, reason: details?.reason, message: tell(code, details?.reason, waitS, message) };
}

/** What went wrong, and what to do about it. */
function tell(code, reason, waitS, message) {
  switch (code) {
    case 'UNAUTHORIZED':
      return 'This access key is not known: it is mistyped, has expired or was revoked. Enter another one.';
    case 'INSUFFICIENT_SCOPE':
      return 'This access key may only look. Pairing needs one with Write scope.';
    case 'PAIRING_CODE_NOT_FOUND':
      if (reason === 'expired') return 'This code has expired. The screen shows a new one: enter that.';
      if (reason === 'used') return 'This code has been used already. Look what the screen shows now.';
      return `No screen shows this code. ${READ_CODE_AGAIN}`;
    case 'STORE_NOT_FOUND':
      return 'This store has been removed meanwhile. Choose another one.';
    case 'RATE_LIMITED':
      return reason === 'pairing_locked'
        ? `Too many wrong codes: this key cannot pair for ${timeOf(waitS)}. Wait, or use another key.`
        : `Too many requests with this key. Try again in ${timeOf(waitS)}.`;
    case 'INTERNAL_ERROR':
    case 'UNAVAILABLE':
      return 'The cloud cannot do this at the moment. Try again.';
    default:
      return message;
  }
}

function timeOf(seconds) {
  if (seconds <= 90) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** `bcdfgh` as `BCD-FGH`. */
function formatted(code) {
  const letters = code
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
    .slice(0, 6);
  return letters.length > 3 ? `${letters.slice(0, 3)}-${letters.slice(3)}` : letters;
}

let key = sessionStorage.getItem(KEY_PLACE) ?? '';
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
  sessionStorage.removeItem(KEY_PLACE);
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
  return { ok: true, stores: stores.toSorted((a, b) => a.name.localeCompare(b.name)) };
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
  const answer = await readStores(withKey);
  if (!answer.ok) return answer;
  key = withKey;
  sessionStorage.setItem(KEY_PLACE, key);
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
  if (field.value.length !== 7) {
    alarm(`A code has six letters, such as BCD-FGH. ${READ_CODE_AGAIN}`, field);
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
  byId('done-text').textContent = 'Paired. Waiting for the screen to take it over…';
  show('done');
  byId('done-name').focus();
  const goesOn = () => !done.hidden && done.dataset.device === id;
  for (let look = 0; goesOn(); look++) {
    await pause((LOOKS_S[look] ?? SLOW_LOOK_S) * 1000);
    if (look === LOOKS_S.length && goesOn())
      byId('done-text').textContent =
        'Paired, but the screen has not answered yet. It takes over as soon as it reaches the cloud.';
    const answer = goesOn() ? await call(key, 'GET', `/v1/devices/${encodeURIComponent(id)}`) : null;
    if (!goesOn() || !answer?.ok || answer.data.status !== 'online') continue;
    byId('done-text').textContent = 'Paired. The screen has answered and shows this name now.';
    return;
  }
}

byId('code').addEventListener('input', ({ target }) => {
  // Whoever mends a letter in the middle is left alone.
  if (target.selectionStart === target.value.length) target.value = formatted(target.value);
});
byId('key-shown').addEventListener('change', ({ target }) => {
  byId('key').type = target.checked ? 'text' : 'password';
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const given = byId('key').value.trim();
  if (/^[!-~]+$/.test(given)) void busy(byId('enter'), 'Checking…', () => enterOrSay(given));
  else alarm('An access key has no spaces and no special letters. Copy it once more.', byId('key'));
});
byId('pair-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void busy(byId('pair'), 'Pairing…', pair);
});
byId('other-key').addEventListener('click', () => askForKey(''));
byId('again').addEventListener('click', () => {
  byId('code').value = '';
  byId('name').value = '';
  attempt = { body: '', id: '' };
  show('pair-form');
});

byId('code').value = formatted(new URLSearchParams(location.search).get('code') ?? '');
if (key === '') askForKey('');
else {
  const answer = await enter(key);
  if (!answer.ok && isAboutKey(answer)) askForKey(answer.message);
  else if (!answer.ok) {
    // Without the stores it can still pair.
    fillStores([]);
    show('pair-form');
    alarm(answer.message);
  }
}
