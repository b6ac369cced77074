/** How every assistant starts the published package. */
const LAUNCH = { command: 'npx', args: ['-y', 'millrace'] };

/** Links that add Millrace to an editor in one click. */
export function installLinks(): string {
  const json = JSON.stringify(LAUNCH);
  const vscode = `https://vscode.dev/redirect/mcp/install?name=millrace&config=${encodeURIComponent(json)}`;
  const cursor = `https://cursor.com/en/install-mcp?name=millrace&config=${encodeURIComponent(Buffer.from(json).toString('base64'))}`;
  return `[**Install in VS Code**](${vscode}) · [**Install in Cursor**](${cursor})`;
}
