/* The pairing page: people who are signed in need nothing else, others a key; it pairs, and shows the status of the device. Text is never set as HTML. */

import type { Device, Store } from '@placard/protocol/api';
import { callApi, findCodeProblem, formatCode, language, texts } from './cloud.ts';
import { byId } from './page-elements.ts';
import { offerScan } from './scan-panel.ts';
import type { Failure, Result } from './cloud.ts';

const KEY_STORAGE_NAME = 'placard-key';
const STORES_PER_PAGE = 100;
/** A Write key may make 30 requests per minute; ten pages leave enough of them for pairing. */
const MAX_STORE_PAGES = 10;
/** Seconds between requests for the status of the paired device, in the first minute and after that. */
const POLL_DELAYS_S = [1, 2, 2, 3, 3, 4, 5, 5, 5, 5, 5, 10, 10];
const SLOW_POLL_DELAY_S = 15;

const alertText = byId('alert', HTMLElement);
const keyForm = byId('key-form', HTMLFormElement);
const keyCode = byId('key-code', HTMLElement);
const keyField = byId('key', HTMLInputElement);
const signInLink = byId('sign-in', HTMLAnchorElement);
const keyShown = byId('key-shown', HTMLInputElement);
const enterButton = byId('enter', HTMLButtonElement);
const pairForm = byId('pair-form', HTMLFormElement);
const codeField = byId('code', HTMLInputElement);
const nameField = byId('name', HTMLInputElement);
const storeField = byId('store', HTMLSelectElement);
const pairButton = byId('pair', HTMLButtonElement);
const doneSection = byId('done', HTMLElement);
const doneName = byId('done-name', HTMLElement);
const doneText = byId('done-text', HTMLElement);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Keeps the key in the tab; null where the browser forbids it, and then only this page load knows the key. */
const tabStorage = (() => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
})();

/** Empty: the session of the console, if there is one. */
let key = tabStorage?.getItem(KEY_STORAGE_NAME) ?? '';
/** The last attempt: its id is reused when it is sent again after a network error, so that it counts once. */
let attempt = { body: '', id: '' };

function showAlert(text: string, field: HTMLElement | null = null): void {
  for (const each of document.querySelectorAll('[aria-invalid]')) {
    each.removeAttribute('aria-invalid');
  }
  alertText.textContent = text;
  if (!text) {
    return;
  }
  field?.setAttribute('aria-invalid', 'true');
  field?.focus({ preventScroll: true });
  alertText.scrollIntoView({ block: 'center' });
}

function show(section: HTMLElement): void {
  for (const each of [keyForm, pairForm, doneSection]) {
    each.hidden = each !== section;
  }
  scrollTo(0, 0);
}

/** Disables the button and shows the text on it until the work is done. */
async function runWhileDisabled(
  button: HTMLButtonElement,
  text: string,
  work: () => Promise<void>,
): Promise<void> {
  const before = button.textContent;
  button.textContent = text;
  button.disabled = true;
  button.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    button.textContent = before;
    button.disabled = false;
    button.removeAttribute('aria-busy');
  }
}

function askForKey(reason: string): void {
  key = '';
  tabStorage?.removeItem(KEY_STORAGE_NAME);
  keyCode.textContent = codeField.value;
  keyCode.hidden = codeField.value === '';
  const here = codeField.value === '' ? '/pair' : `/pair?code=${encodeURIComponent(codeField.value)}`;
  signInLink.href = `/sign-in?to=${encodeURIComponent(here)}`;
  show(keyForm);
  showAlert(reason, reason ? keyField : null);
}

/** Errors that no other request with this key can avoid. */
const isKeyError = (result: Failure) =>
  result.code === 'UNAUTHORIZED' || result.code === 'INSUFFICIENT_SCOPE';

/** All stores, sorted by name. */
async function loadStores(withKey: string): Promise<Result<Store[]>> {
  const stores: Store[] = [];
  for (let page = 1; page <= MAX_STORE_PAGES; page++) {
    const result = await callApi<Store[]>(withKey, 'GET', `/v1/stores?page=${page}&limit=${STORES_PER_PAGE}`);
    if (!result.ok) {
      return result;
    }
    stores.push(...result.data);
    if (page * STORES_PER_PAGE >= (result.meta?.total ?? 0)) {
      break;
    }
  }
  return { ok: true, data: stores.toSorted((a, b) => a.name.localeCompare(b.name, language)) };
}

/** Offers these stores, and none; a person who is bound to them has to choose one. */
function fillStores(stores: readonly Store[], isBound = false): void {
  const chosen = storeField.value;
  storeField.replaceChildren(
    ...(isBound && stores.length === 1 ? [] : [new Option(isBound ? '–' : texts.noStore, '')]),
    ...stores.map(
      ({ id, name, city }) => new Option(city ? `${name}, ${city}` : name, id, false, id === chosen),
    ),
  );
  storeField.required = isBound && stores.length > 0;
  byId('store-field', HTMLElement).hidden = stores.length === 0;
}

/** Whether the person who is signed in is bound to stores; no key is. */
async function isBoundToStores(withKey: string): Promise<boolean> {
  const account = withKey === '' && (await callApi<{ stores: unknown }>('', 'GET', '/v1/me'));
  return account !== false && account.ok && account.data.stores !== null;
}

async function signIn(withKey: string): Promise<Result<unknown>> {
  // An empty pairing request tells at once whether the key has the scope for pairing.
  const scopeProbe = await callApi(withKey, 'POST', '/v1/devices/pair', { body: '{}' });
  if (scopeProbe.ok || scopeProbe.code !== 'VALIDATION_ERROR') {
    return scopeProbe;
  }
  const [result, isBound] = await Promise.all([loadStores(withKey), isBoundToStores(withKey)]);
  if (!result.ok) {
    return result;
  }
  key = withKey;
  tabStorage?.setItem(KEY_STORAGE_NAME, key);
  keyField.value = '';
  fillStores(result.data, isBound);
  showAlert('');
  show(pairForm);
  return result;
}

async function signInOrAlert(given: string): Promise<void> {
  const result = await signIn(given);
  if (!result.ok) {
    showAlert(result.message, keyField);
  }
}

async function pair(): Promise<void> {
  codeField.value = formatCode(codeField.value);
  const problem = findCodeProblem(codeField.value);
  if (problem) {
    showAlert(problem, codeField);
    return;
  }
  const name = nameField.value.trim();
  const storeId = storeField.value;
  const body = JSON.stringify({
    code: codeField.value,
    ...(name ? { name } : {}),
    ...(storeId ? { store_id: storeId } : {}),
    orientation: new FormData(pairForm).get('orientation'),
  });
  if (attempt.body !== body) {
    attempt = { body, id: newId() };
  }
  const headers = { 'idempotency-key': attempt.id };
  const result = await callApi<Device>(key, 'POST', '/v1/devices/pair', { body, headers });
  if (result.ok) {
    showAlert('');
    // A reload must not offer the used code.
    history.replaceState(null, '', location.pathname);
    void waitUntilOnline(result.data);
  } else if (isKeyError(result)) {
    askForKey(result.message);
  } else {
    const fields: Partial<Record<Failure['code'], HTMLElement>> = {
      PAIRING_CODE_NOT_FOUND: codeField,
      STORE_NOT_FOUND: storeField,
    };
    showAlert(result.message, fields[result.code]);
  }
}

/** `crypto.randomUUID` needs https; this also works over http. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Shows the status of the paired device until it is online. */
async function waitUntilOnline({ id, name }: Device): Promise<void> {
  doneSection.dataset['device'] = id;
  doneName.textContent = name;
  doneText.textContent = texts.paired;
  show(doneSection);
  doneName.focus();
  const isCurrent = () => !doneSection.hidden && doneSection.dataset['device'] === id;
  for (let attemptNumber = 0; isCurrent(); attemptNumber++) {
    await pause((POLL_DELAYS_S[attemptNumber] ?? SLOW_POLL_DELAY_S) * 1000);
    if (attemptNumber === POLL_DELAYS_S.length && isCurrent()) {
      doneText.textContent = texts.pairedSilent;
    }
    const result = isCurrent()
      ? await callApi<Device>(key, 'GET', `/v1/devices/${encodeURIComponent(id)}`)
      : null;
    if (!isCurrent() || !result) {
      return;
    }
    if (!result.ok && isKeyError(result)) {
      // The device is paired; only this page cannot read its status any more.
      doneText.textContent = texts.pairedSilent;
      return;
    }
    if (!result.ok || result.data.status !== 'online') {
      continue;
    }
    doneText.textContent = texts.pairedAnswered;
    return;
  }
}

function formatCodeInput(event: Event): void {
  const isComposing = event instanceof InputEvent && event.isComposing;
  // Not while the person edits the middle of the code, or an input method composes a letter.
  if (!isComposing && codeField.selectionStart === codeField.value.length) {
    codeField.value = formatCode(codeField.value);
  }
}
codeField.addEventListener('input', formatCodeInput);
codeField.addEventListener('compositionend', formatCodeInput);
codeField.addEventListener('keydown', (event) => {
  // On a phone Enter means "next" here; some keyboards would submit the form.
  if (event.key !== 'Enter' || event.isComposing) {
    return;
  }
  event.preventDefault();
  nameField.focus();
});
keyShown.addEventListener('change', () => {
  keyField.type = keyShown.checked ? 'text' : 'password';
});
keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = keyField.value.trim();
  if (/^[!-~]+$/.test(given)) {
    void runWhileDisabled(enterButton, texts.checking, () => signInOrAlert(given));
  } else {
    showAlert(texts.keyStrange, keyField);
  }
});
pairForm.addEventListener('submit', (event) => {
  event.preventDefault();
  void runWhileDisabled(pairButton, texts.pairing, pair);
});
byId('other-key', HTMLElement).addEventListener('click', () => askForKey(''));
byId('again', HTMLElement).addEventListener('click', () => {
  codeField.value = '';
  nameField.value = '';
  attempt = { body: '', id: '' };
  show(pairForm);
});

void offerScan({
  onCode(code) {
    showAlert('');
    codeField.value = code;
    nameField.focus();
  },
  onProblem: (text) => showAlert(text, text === '' ? null : codeField),
});

byId('not-loaded', HTMLElement).remove();
document.documentElement.lang = language;
document.title = `${texts.title} – Placard`;
for (const [name, text] of Object.entries(texts)) {
  for (const each of document.querySelectorAll(`[data-word=${name}]`)) {
    each.textContent = text;
  }
}

codeField.value = formatCode(new URLSearchParams(location.search).get('code') ?? '');
if (key === '') {
  // Somebody who is signed in to the console needs no key.
  const signedIn = await signIn('');
  if (!signedIn.ok) {
    askForKey(isKeyError(signedIn) ? '' : signedIn.message);
  }
} else {
  // Pairing works without the list of stores, so the form does not wait for it.
  fillStores([]);
  show(pairForm);
  const result = await loadStores(key);
  if (result.ok) {
    fillStores(result.data);
  } else if (isKeyError(result)) {
    askForKey(result.message);
  } else {
    showAlert(result.message);
  }
}
