export { type Account, makeKey } from './account.ts';
export { FLOWISE_VERSION, type FlowiseInstall, type InstallOptions, installedFlowise, installFlowise } from './install.ts';
export { type FoundFlowise, findFlowise, flowiseAddress, type RunningFlowise, type StartOptions, startFlowise } from './start.ts';
