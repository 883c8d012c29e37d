/** Every word on the screen. A language is one more object of this shape; English fills in what it lacks. */
const english = {
  pairing: {
    title: 'Pair this screen',
    withPhone: 'Scan with your phone',
    open: 'or open',
    andEnter: 'and enter this code',
    renewsIn: (clock: string) => `A new code in ${clock}`,
    waiting: 'Waiting for a code',
    waitingHint: 'The screen asks the server for one by itself.',
  },
  paired: {
    title: 'Paired',
    ready: 'This screen gets its first pictures now.',
  },
  idle: {
    nothing: 'Nothing is scheduled right now',
  },
  starting: 'Starting',
  facts: {
    server: 'Server',
    version: 'Version',
    serial: 'Serial',
    network: 'Network',
    noNetwork: 'No network connection',
    wired: 'cable',
    wireless: 'Wi-Fi',
  },
};

export type Strings = typeof english;

const languages: Readonly<Record<string, Strings>> = { en: english };

/** The first of the wanted languages (BCP 47) that there is, else English. */
export function stringsFor(wanted: readonly string[]): { strings: Strings; language: string } {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-', 1)[0]!;
    const strings = languages[language];
    if (strings) return { strings, language };
  }
  return { strings: english, language: 'en' };
}
