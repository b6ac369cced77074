/** A problem that a person can fix: shown as a sentence, without a stack. */
export class Problem extends Error {}

const REASONS = [
  [
    /EACCES|EPERM|EROFS/,
    (root) => `${root} cannot be written to. Start Millrace as the owner of that folder, or clone it into a folder you own.`,
  ],
  [/ENOSPC/, () => 'The disk is full. Millrace needs about 1.5 GB here; make room and start it again.'],
  [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET|EIDLETIMEOUT|network/i, () => noAnswer('cannot be reached')],
  [/E401|E403/, () => 'The npm registry refuses access. Check the token in your .npmrc, then start Millrace again.'],
  [
    /E404|ETARGET/,
    () => 'The npm registry lacks a package that Millrace needs. If it is a mirror, check that it is complete: npm config get registry',
  ],
  [/EINTEGRITY/, () => 'A package arrived damaged. Empty the cache with "npm cache clean --force" and start Millrace again.'],
];

/** What npm's error means, or the error itself if it is unknown. */
export function problemOf(complaint, root) {
  const [, sentence] = REASONS.find(([pattern]) => pattern.test(complaint)) ?? [];
  return new Problem(sentence ? sentence(root) : `npm could not install the packages:\n${complaint.trim() || 'it gave no reason'}`);
}

export function noAnswer(what) {
  return `The npm registry ${what}. Check the network, a proxy (npm config get proxy) or a mirror (npm config get registry), then start Millrace again: downloaded packages are kept.`;
}
