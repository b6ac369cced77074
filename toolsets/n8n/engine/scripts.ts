/**
 * Where the scripts of the engine's processes are: beside this file in the repository; in a build they are files of their own beside
 * the bundle, `n8n/child/main.js` and `n8n/code/main.js`.
 */
const built = import.meta.url.endsWith('.js');

export const ENGINE_SCRIPT = new URL(built ? './n8n/child/main.js' : './child/main.ts', import.meta.url);
export const CODE_SCRIPT = new URL(built ? './n8n/code/main.js' : './code/main.ts', import.meta.url);
