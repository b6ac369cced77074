import { Failure } from '@millrace/kernel';
import type { RemoteWorkflow } from './client.ts';
import type { Link } from './links.ts';
import { contentHash } from './payload.ts';

export function hasDrifted(remote: RemoteWorkflow, link: Link | undefined): boolean {
  return link === undefined || link.remoteHash !== contentHash(remote);
}

export function driftInWords(link: Link | undefined): string {
  return link
    ? 'The workflow was changed on the instance since it was last deployed or pulled'
    : 'The instance has a workflow with this id that was not deployed from this file';
}

export function refuseDrift(remote: RemoteWorkflow, link: Link | undefined): void {
  if (!hasDrifted(remote, link)) return;
  throw new Failure('conflict', `${driftInWords(link)}: deploying would overwrite it`, {
    details: { remoteId: remote.id, drift: true },
    fix: { instruction: 'Look at it with dryRun: true or take it over with workflow_pull; force: true overwrites it' },
  });
}
