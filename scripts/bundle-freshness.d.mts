export function bundleIsFresh(): boolean;
