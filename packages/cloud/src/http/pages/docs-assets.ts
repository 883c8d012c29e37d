/** CSS of the docs page. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 20rem 1fr; font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; margin: 1rem 0 .3rem; opacity: .7; }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { padding: 1rem 2rem 4rem; max-width: 70rem; min-width: 0; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
h3 { margin: 0; font: 600 1rem ui-monospace, monospace; overflow-wrap: anywhere; }
h3 b { display: inline-block; min-width: 4.5rem; }
pre { overflow: auto; padding: .8rem; border: 1px solid var(--line); border-radius: .4rem; font-size: 13px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
td { border-top: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top; }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap; }
summary { cursor: pointer; }
@media (max-width: 50rem) { body { grid-template-columns: 1fr; } nav { display: none; } main { padding: 1rem; } }
`;

/** Renders /openapi.json. Everything is set as text, never as HTML. */
export const DOCS_SCRIPT = `
const el = (name, text, ...children) => {
  const node = document.createElement(name);
  if (text) node.textContent = text;
  node.append(...children);
  return node;
};
// Text between backticks becomes code elements.
const richText = (name, text) => {
  const node = el(name);
  (text || '').split('\x60').forEach((part, i) => node.append(i % 2 ? el('code', part) : part));
  return node;
};
const block = (title, value) => {
  const details = el('details', '', el('summary', title));
  details.append(el('pre', JSON.stringify(value, null, 2)));
  return details;
};
const typeOf = (schema) => schema.enum ? schema.enum.join(' | ')
  : schema.const !== undefined ? JSON.stringify(schema.const)
  : schema.anyOf ? schema.anyOf.map(typeOf).join(' or ')
  : schema.oneOf ? schema.oneOf.map(typeOf).join(' or ')
  : schema.type === 'array' ? typeOf(schema.items || {}) + '[]'
  : String(schema.type || 'any');
const row = (name, type, note) => el('tr', '', el('td', name), el('td', type), richText('td', note));
const show = (path, method, operation) => {
  const section = el('section');
  section.id = operation.operationId;
  section.append(el('h3', '', el('b', method.toUpperCase()), path));
  section.append(richText('p', operation.summary), richText('p', operation.description));
  const table = el('table');
  for (const parameter of operation.parameters || [])
    table.append(row(parameter.name, parameter.in + ', ' + typeOf(parameter.schema),
      (parameter.required ? 'required. ' : '') + (parameter.description || parameter.schema.description || '')));
  const body = operation.requestBody && Object.entries(operation.requestBody.content)[0];
  for (const [name, schema] of Object.entries(body ? body[1].schema.properties : {}))
    table.append(row(name, 'body, ' + typeOf(schema),
      ((body[1].schema.required || []).includes(name) ? 'required. ' : '') + (schema.description || '')));
  if (table.children.length) section.append(table);
  if (body) section.append(block('Request: ' + body[0], body[1].example));
  for (const [status, response] of Object.entries(operation.responses)) {
    const content = response.content && Object.values(response.content)[0];
    if (status < 300) section.append(block(status + ' response', content.example),
      block(status + ' schema', content.schema));
    else section.append(el('details', '',
      el('summary', [status, ...(content ? [Object.keys(content.examples).join(', ')] : [])].join(' ')),
      richText('p', response.description)));
  }
  return section;
};
// Everything that is not an operation: the socket, the content host, the webhooks.
const extension = (path, { summary, description, security, responses, ...more }) => {
  const article = el('article', '', el('h3', path), richText('p', summary), richText('p', description));
  for (const [name, value] of Object.entries(more)) article.append(block(name, value));
  return article;
};
const showExtensions = (title, entries) => {
  const id = title.toLowerCase().replace(' ', '-');
  const link = el('a', title);
  link.href = '#' + id;
  const heading = el('h2', title);
  heading.id = id;
  document.getElementById('index').append(link);
  document.getElementById('operations').append(heading, ...entries.map(([path, about]) => extension(path, about)));
};
fetch('/openapi.json').then((response) => response.json()).then((api) => {
  document.getElementById('about').append(richText('span', api.info.description));
  const groups = new Map(api.tags.map((tag) => [tag.name, []]));
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      groups.get(operation.tags[0]).push([path, method, operation]);
    }
  for (const [name, entries] of groups) {
    document.getElementById('index').append(el('h2', name));
    document.getElementById('operations').append(el('h2', name));
    for (const [path, method, operation] of entries) {
      const link = richText('a', operation.summary);
      link.href = '#' + operation.operationId;
      document.getElementById('index').append(link);
      document.getElementById('operations').append(show(path, method, operation));
    }
  }
  document.getElementById('index').append(el('h2', 'Beyond requests'));
  showExtensions('Socket', Object.entries(api['x-websocket']));
  showExtensions('Content host', Object.entries(api['x-content-host']));
  showExtensions('Notifications', Object.entries(api.webhooks).map(([type, { post }]) => [type, {
    summary: post.summary, description: post.description,
    body: post.requestBody.content['application/json'].schema,
  }]));
});
`;
