import { Failure } from '@millrace/kernel';
import { z } from 'zod';

/** One expected run of a workflow. Only the nodes that are named are compared. */
const snapshotTest = z.strictObject({
  name: z.string().min(1),
  /** As test_workflow takes it. */
  testData: z.record(z.string(), z.unknown()).optional(),
  timeout: z.number().positive().optional(),
  expect: z.strictObject({
    status: z.enum(['success', 'error', 'timeout']).default('success'),
    /** The items of each output of a node, as their json; the last run where it ran several times. */
    nodes: z.record(z.string(), z.array(z.array(z.unknown()))).default({}),
  }),
});

/** `<name>.test.json` beside `<name>.json`. */
const snapshotFile = z.strictObject({ tests: z.array(snapshotTest).min(1) });

export type SnapshotTest = z.infer<typeof snapshotTest>;
export type SnapshotFile = z.infer<typeof snapshotFile>;

export function snapshotPath(workflowPath: string): string {
  return workflowPath.replace(/\.json$/, '.test.json');
}

export function parseSnapshot(text: string, shown: string): SnapshotFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('conflict', `${shown} is not valid JSON`, { cause: error });
  }
  const parsed = snapshotFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure('conflict', `${shown} is not a snapshot test: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
