import type { FastifyInstance } from 'fastify';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pair a screen</title>
<link rel="stylesheet" href="/pair/style.css">
</head>
<body>
<main>
<h1>Pair a screen</h1>
<form id="form">
<label>Code on the screen <input id="code" name="code" required maxlength="20" autocomplete="off" autocapitalize="characters" placeholder="BCD-FGH"></label>
<label>Name of the screen <input id="name" name="name" maxlength="200" autocomplete="off"></label>
<label>Access key (Write or Admin) <input id="key" name="key" type="password" required autocomplete="off"></label>
<button>Pair</button>
</form>
<p id="result" role="status"></p>
</main>
<script src="/pair/script.js"></script>
</body>
</html>
`;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 17px/1.5 system-ui, sans-serif; margin: 0; display: grid; min-height: 100vh; place-items: center; }
main { width: min(26rem, 100vw - 2rem); }
label { display: block; margin: 0 0 1rem; }
input { display: block; width: 100%; font: inherit; padding: .5rem; box-sizing: border-box; }
#code { font-family: ui-monospace, monospace; font-size: 1.4rem; text-transform: uppercase; }
button { font: inherit; padding: .6rem 1.4rem; }
`;

const SCRIPT = `
const field = (id) => document.getElementById(id);
field('code').value = new URLSearchParams(location.search).get('code') || '';
field('key').value = sessionStorage.getItem('placard-key') || '';
field('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const result = field('result');
  result.textContent = 'Pairing…';
  const name = field('name').value.trim();
  try {
    const response = await fetch('/v1/devices/pair', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + field('key').value.trim() },
      body: JSON.stringify({ code: field('code').value, ...(name ? { name } : {}) }),
    });
    const answer = await response.json();
    if (answer.success) sessionStorage.setItem('placard-key', field('key').value.trim());
    result.textContent = answer.success ? 'Paired: ' + answer.data.name : answer.error.message;
  } catch {
    result.textContent = 'The cloud cannot be reached. Try again.';
  }
});
`;

/** The page that an operator opens from the QR code. The key stays in the browser tab. */
export function addPairPage(app: FastifyInstance): void {
  const page = (url: string, type: string, text: string) =>
    app.get(url, async (_request, reply) =>
      reply
        .headers({
          'content-security-policy':
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'",
          'x-frame-options': 'DENY',
        })
        .type(type)
        .send(text),
    );
  page('/pair', 'text/html; charset=utf-8', PAGE);
  page('/pair/style.css', 'text/css; charset=utf-8', STYLE);
  page('/pair/script.js', 'text/javascript; charset=utf-8', SCRIPT);
}
