import type { Workflow } from '../workflow/model.ts';
import type { RemoteWorkflow } from './client.ts';

/** What belongs into a file: the workflow, and nothing that changes with every save on the instance. */
export function fileContent(remote: RemoteWorkflow): Workflow {
  const { description, pinData, tags, nodeGroups } = remote;
  const filled = (list: unknown) => Array.isArray(list) && list.length > 0;
  return {
    name: remote.name ?? remote.id,
    ...(typeof description === 'string' && description && { description }),
    nodes: remote.nodes,
    ...(pinData && Object.keys(pinData).length > 0 && { pinData }),
    connections: remote.connections,
    active: remote.active === true,
    settings: remote.settings ?? {},
    id: remote.id,
    ...(filled(nodeGroups) && { nodeGroups }),
    ...(filled(tags) && { tags }),
  };
}
