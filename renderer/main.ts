import { connect } from './channel/connection.ts';
import './page.css';
import './screens/screens.css';
import './menu/menu.css';
import { STAGE_PROTOCOL } from '../src/stage-link/messages.ts';
import { createChannel, type Channel, type StageOrder } from './channel/channel.ts';
import { lockDown } from './lockdown.ts';
import { createMenu, type Menu } from './menu/menu.ts';
import { createRenewal } from './renewal.ts';
import { createOverlay } from './screens/overlay.ts';
import { createStage } from './stage/stage.ts';
import { videoCapabilities } from './stage/video-capabilities.ts';
import { chooseLanguage } from './strings/strings.ts';

const BEAT_MS = 1_000;
/** The browser has better to do until the first picture is on the screen. */
const CAPABILITIES_AFTER_MS = 2_000;

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
};

lockDown(window);

const monoMs = () => performance.now();
const pageId = crypto.randomUUID();
const frame = part('frame');
const overlay = createOverlay({
  parent: part('overlay'),
  systemLanguage: chooseLanguage(navigator.languages),
  onWords({ language, direction }) {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
  },
  monoMs,
});

const stage = createStage({
  parent: part('stage'),
  tell: (event) => channel.tell(event),
  onPicture: (present) => overlay.pictureIs(present),
  renewPage: () => void renew(),
});

const channel: Channel = createChannel({
  connect,
  hello() {
    const { current, prepared } = stage.contents();
    return {
      type: 'hello',
      protocol: STAGE_PROTOCOL,
      page_id: pageId,
      current: current && {
        showing_id: current.id,
        ago_ms: Math.max(0, monoMs() - current.startedAtMs),
      },
      prepared,
      width: Math.round(innerWidth * devicePixelRatio),
      height: Math.round(innerHeight * devicePixelRatio),
    };
  },
  onMessage: obey,
  monoMs,
  later: (ms, callback) => void setTimeout(callback, ms),
});

setTimeout(() => {
  videoCapabilities().then(
    (videos) => channel.able(videos),
    () => {},
  );
}, CAPABILITIES_AFTER_MS);

/** Somebody works in the menu, which another page would not have open. */
let reloadLater = false;
const menu: Menu = createMenu({
  parent: frame,
  send: (message) => channel.ask(message),
  onClosed() {
    if (reloadLater) stage.reload();
    reloadLater = false;
  },
  words: () => overlay.words,
  monoMs,
  // A page that took another's place stands as a frame in it, and keys may go to either.
  keySources: window.parent === window ? [window] : [window, window.parent],
});

let covered = false;
const renewal = createRenewal({
  channelIsGone: () => channel.gone,
  isWorthSeeing: () => covered || (stage.isSteady() && part('overlay').matches('[hidden]')),
  onReplaced() {
    clearInterval(beating);
    menu.dispose();
    stage.clear();
    frame.remove();
  },
});

/** Goes on as before when no other page has come, or when it is not the time for one. */
async function renew(): Promise<void> {
  if (!menu.isOpen && (await renewal.begin())) return;
  reloadLater ||= menu.isOpen;
  stage.goOn();
  channel.greet();
}

function obey(message: StageOrder): void {
  switch (message.type) {
    case 'screen':
      overlay.show(message.screen);
      covered = message.screen.kind !== 'stage';
      break;
    case 'configure':
      frame.dataset['orientation'] = message.orientation;
      overlay.speak(message.language);
      stage.configure({ fit: message.fit, ground: message.ground, fadeMs: message.fade_ms });
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
      if (menu.isOpen) reloadLater = true;
      else stage.reload();
      break;
    case 'menu_answer':
      menu.answered(message.id, message.answer);
      break;
  }
}

/** From the frame loop, so that a page that no longer draws falls silent. */
const beating = setInterval(() => {
  requestAnimationFrame(() => channel.beat({ type: 'beat', ...stage.frameCounts() }));
}, BEAT_MS);
