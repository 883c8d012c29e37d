import { connect } from './channel/connection.ts';
import './page.css';
import './stage/stage.css';
import './screens/screens.css';
import './menu/menu.css';
import { STAGE_PROTOCOL } from '@placard/protocol/stage';
import { createChannel } from './channel/channel.ts';
import type { Channel, StageInstruction } from './channel/channel.ts';
import { lockDown } from './lockdown.ts';
import { createMenu } from './menu/menu.ts';
import type { Menu } from './menu/menu.ts';
import { createPageReplacement } from './page-replacement.ts';
import { createOverlay } from './screens/overlay.ts';
import { createStage } from './stage/stage.ts';
import { queryVideoCapabilities } from './stage/video-capabilities.ts';
import { chooseLanguage } from './strings/strings.ts';

const BEAT_INTERVAL_MS = 1_000;
/** Delays the query until the first picture is on the screen. */
const CAPABILITIES_DELAY_MS = 2_000;

const requireElement = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`index.html has no #${id}`);
  }
  return found;
};

lockDown(window);

const monoMs = () => performance.now();
const pageId = crypto.randomUUID();
const frame = requireElement('frame');
const overlay = createOverlay({
  parent: requireElement('overlay'),
  systemLanguage: chooseLanguage(navigator.languages),
  onLocaleChange({ language, direction }) {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
  },
  monoMs,
});

const stage = createStage({
  parent: requireElement('stage'),
  onEvent: (event) => channel.sendEvent(event),
  onPictureChange: (present) => overlay.setPicturePresent(present),
  replacePage: () => void replacePage(),
});

const channel: Channel = createChannel({
  connect,
  createHello() {
    const current = stage.current();
    return {
      type: 'hello',
      protocol: STAGE_PROTOCOL,
      page_id: pageId,
      current: current && {
        showing_id: current.id,
        ago_ms: Math.max(0, monoMs() - current.startedAtMs),
      },
    };
  },
  onMessage: handleInstruction,
  monoMs,
  setTimer: (ms, callback) => void setTimeout(callback, ms),
});

setTimeout(() => {
  queryVideoCapabilities().then(
    (videos) => channel.sendCapabilities({ type: 'capabilities', videos, display: displaySize() }),
    () => {},
  );
}, CAPABILITIES_DELAY_MS);

const displaySize = () => ({
  width: Math.round(screen.width * devicePixelRatio),
  height: Math.round(screen.height * devicePixelRatio),
});

/** A reload waits while the menu is open, because the new page would not have it open. */
let reloadPending = false;
const menu: Menu = createMenu({
  parent: frame,
  send: (message) => channel.sendMenuRequest(message),
  onClosed() {
    if (reloadPending) {
      stage.reload();
    }
    reloadPending = false;
  },
  locale: () => overlay.locale,
  monoMs,
  // A replacement page is an iframe, and keys may go to the frame or to its parent.
  keySources: window.parent === window ? [window] : [window, window.parent],
});

let isOverlayRequested = false;
const pageReplacement = createPageReplacement({
  isChannelTakenOver: () => channel.isTakenOver,
  isReadyToShow: () =>
    isOverlayRequested || (stage.isFullyVisible() && requireElement('overlay').matches('[hidden]')),
  onReplaced() {
    clearInterval(beatTimer);
    menu.dispose();
    stage.clear();
    frame.remove();
  },
});

/** Resumes when the replacement failed or is not possible now. */
async function replacePage(): Promise<void> {
  if (!menu.isOpen && (await pageReplacement.start())) {
    return;
  }
  reloadPending ||= menu.isOpen;
  stage.resume();
  channel.sendHello();
}

function handleInstruction(message: StageInstruction): void {
  switch (message.type) {
    case 'screen':
      overlay.show(message.screen);
      isOverlayRequested = message.screen.kind !== 'stage';
      break;
    case 'configure':
      frame.dataset['orientation'] = message.orientation;
      overlay.setLanguage(message.language);
      stage.configure({ fit: message.fit, background: message.background, fadeMs: message.fade_ms });
      break;
    case 'prepare':
      stage.prepare(message.showing, message.cut);
      break;
    case 'cut':
      stage.cut(message.showing_id);
      break;
    case 'clear':
      stage.clear();
      break;
    case 'reload':
      if (menu.isOpen) {
        reloadPending = true;
      } else {
        stage.reload();
      }
      break;
    case 'menu_response':
      menu.handleResponse(message.id, message.response);
      break;
  }
}

// Read by the shell when the document is complete; see `HAS_SCRIPT_RUN`.
delete document.documentElement.dataset['script'];

/** Beats only while the frame loop runs, so that a page that no longer renders stops sending beats. */
const beatTimer = setInterval(() => {
  requestAnimationFrame(() => channel.sendBeat({ type: 'beat', ...stage.frameCounts() }));
}, BEAT_INTERVAL_MS);
