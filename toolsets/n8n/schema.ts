import { z } from 'zod';

export const workflowName = z.string().min(1, 'Name the workflow by its id, name or path').max(1000);
export const nodeName = z.string().min(1, 'Name the node by its id or name').max(1000);
export const parameters = z.record(z.string(), z.unknown());
export const workflowData = z.record(z.string(), z.unknown());
