// npm run release: everything that would be published, in release/.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packMcpb } from './release/mcpb.ts';
import { PLATFORMS } from './release/natives.ts';
import { packRelease } from './release/pack.ts';

const root = join(import.meta.dirname, '..');
const out = join(root, 'release');

rmSync(out, { recursive: true, force: true });
for (const path of [...packRelease(out, PLATFORMS), await packMcpb(out)]) process.stdout.write(`${path}\n`);
