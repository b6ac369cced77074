/** What a person is told before n8n's packages are installed. */
export function licenceNotice(version: string): string {
  return [
    `n8n ${version} is not part of Millrace. It comes from the npm registry, under n8n's own Sustainable Use License:`,
    'free for your internal business, personal and non-commercial use; it may not be sold or offered as a service.',
    'The terms are installed with it (LICENSE.md of each n8n package). Code that belongs to n8n stays in this folder.',
  ].join('\n');
}
