// Installs what is missing and builds what is out of date; does nothing when everything is up to date. Runs on the machine's own Node.
const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`Millrace needs Node 20 or newer; this is ${process.versions.node}. Install a newer Node and start it again.\n`);
  process.exit(1);
}
import('./setup/steps.mjs').then(({ setUp }) => setUp(process.argv.slice(2)));
