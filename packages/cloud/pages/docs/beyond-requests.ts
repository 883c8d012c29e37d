import type { Paths } from './optional-parameters.ts';

/** What is not an operation. */
interface Extension extends Record<string, unknown> {
  summary?: string;
  description?: string;
}

/** The parts of the description that the page reads. */
export interface ApiDescription {
  info: { description: string };
  paths: Paths;
  'x-websocket': Readonly<Record<string, Extension>>;
  'x-content-host': Readonly<Record<string, Extension>>;
}

/** As Markdown: the socket of screens and the content host, which viewers of OpenAPI do not know. */
export const describeBeyondRequests = (api: ApiDescription): string =>
  [
    ...section('Socket of screens', api['x-websocket']),
    ...section('Content host', api['x-content-host']),
  ].join('\n\n');

const section = (title: string, extensions: Readonly<Record<string, Extension>>): string[] => [
  `# ${title}`,
  ...Object.entries(extensions).flatMap(([path, extension]) => paragraphsOf(path, extension)),
];

function paragraphsOf(path: string, extension: Extension): string[] {
  const { summary, description, security: _security, responses: _responses, ...more } = extension;
  return [
    `\`${path}\``,
    ...[summary, description].filter((text) => text !== undefined),
    ...Object.entries(more).map(
      ([name, value]) => `**${name}**\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    ),
  ];
}
