export { type Account, makeKey } from './account.ts';
export { FLOWISE_VERSION, type FlowiseInstall, type InstallOptions, installFlowise } from './install.ts';
export { type RunningFlowise, type StartOptions, startFlowise } from './start.ts';
