import type { Catalog, User } from '@millrace/kernel';
import type { ServerIdentity } from '../mcp-server.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 44rem; margin: 4rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
  p { margin: .25rem 0 .75rem; } code, pre { font: 14px/1.45 ui-monospace, monospace; }
  pre { padding: .75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .75rem .3rem 0; vertical-align: top; }
  th { font-weight: 600; white-space: nowrap; } .quiet { opacity: .7; }`;

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${inHtml(title)}</title>
<style>${STYLE}</style>
<body>${body}</body>
</html>
`;
}

export function signInPage(program: string): string {
  return page(
    'Millrace: sign in',
    `<h1>Millrace</h1>
<p>Sign in with your token: send it with every request as</p>
<pre>Authorization: Bearer &lt;token&gt;</pre>
<p class="quiet">The owner's token is in the file <code>token</code> in Millrace's home (<code>~/.millrace</code> unless set), and <code>serve</code> shows it on a terminal. Others get theirs with <code>${inHtml(program)} user add &lt;name&gt;</code>.</p>`,
  );
}

export function statusPage({ catalog, about }: { catalog: Catalog; about: ServerIdentity }, user: User): string {
  const rows = catalog.toolsets.map((toolset) => {
    const tools = catalog.entries().filter((entry) => entry.toolset === toolset);
    return `<tr><th>${inHtml(toolset.title)}</th><td>${tools.map(({ tool }) => `<code>${inHtml(tool.name)}</code>`).join(', ')}</td></tr>`;
  });
  return page(
    'Millrace',
    `<h1>Millrace</h1>
<p class="quiet">Version ${inHtml(about.version)}, running. You are signed in as ${inHtml(user.name)}.</p>
<h2>What is here</h2>
<table>${rows.join('\n')}</table>
<h2>Connect an assistant</h2>
<p>Over HTTP, with your token:</p>
<pre>{"mcpServers": {"millrace": {"type": "http", "url": "/mcp at this address",
  "headers": {"Authorization": "Bearer &lt;token&gt;"}}}}</pre>
<p>Or on this machine, without a token: <code>${inHtml(catalog.program)} connect</code> lists the assistants it knows.</p>
<h2>Without an assistant</h2>
<pre>POST /mcp/tools
POST /mcp/execute  {"name": "read_todos", "parameters": {}}</pre>`,
  );
}

function inHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
