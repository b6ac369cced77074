import { flowragLine } from './flowrag-line.ts';

process.exitCode = await flowragLine(process.argv.slice(2));
process.exit();
