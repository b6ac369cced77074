import { flowragLine } from './flowrag-line.ts';

process.exitCode = await flowragLine(['mcp', ...process.argv.slice(2)]);
process.exit();
