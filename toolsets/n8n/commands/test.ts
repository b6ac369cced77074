import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, type CommandInput, Failure, isSystemError, type Terminal } from '@millrace/kernel';
import type { LoadedWorkflow } from '../document/files/listing.ts';
import { engineMissing } from '../document/workflow/model.ts';
import type { Services } from '../services.ts';
import { parseSnapshot, renewedSnapshot, runSnapshot, type SnapshotFile, type SnapshotOutcome, snapshotPath } from './snapshot.ts';

interface WorkflowOutcome {
  workflow: string;
  tests: SnapshotOutcome[];
}

/** Runs the snapshot tests that stand beside the workflow files. */
export const testCommand: Command<Services> = {
  name: 'n8n test',
  summary: 'Run the tests that stand beside workflow files (<name>.test.json)',
  usage: '[workflow...] [--update] [--json]',
  options: {
    update: { type: 'boolean', description: 'Write what happens now as what is expected; makes a test for a named workflow that has none' },
    json: { type: 'boolean', description: 'Print the outcome as JSON' },
  },

  async run(input, terminal, services) {
    const availability = await services.engine.ready();
    if (!availability.available) throw engineMissing('n8n test', availability);
    const found = await chosenWorkflows(input, services);
    if (found.length === 0) {
      terminal.say(`No workflow has a test. Make one with: ${terminal.program} n8n test <workflow> --update`);
      return 0;
    }
    if (input.values['update'] === true) return update(found, terminal, services);
    const outcomes: WorkflowOutcome[] = [];
    for (const loaded of found) outcomes.push(await testWorkflow(loaded, terminal, services));
    return report(outcomes, input.values['json'] === true, terminal);
  },
};

/** The named workflows, else all that have a test. */
async function chosenWorkflows({ positionals, values }: CommandInput, { workflows }: Services): Promise<LoadedWorkflow[]> {
  if (positionals.length > 0) {
    const named = await Promise.all(positionals.map((name) => workflows.load(name)));
    for (const { path, workflowId } of named) {
      if (values['update'] !== true && (await snapshotText(path)) === undefined) {
        throw new Failure('not_found', `${workflowId} has no test`, {
          fix: { instruction: 'Make one', command: `n8n test ${workflowId} --update` },
        });
      }
    }
    return named;
  }
  await workflows.listing.refresh();
  const tested: LoadedWorkflow[] = [];
  for (const file of workflows.listing.files()) {
    if ((await snapshotText(file.place.path)) !== undefined) tested.push(await workflows.load(file.place.path));
  }
  return tested;
}

async function testWorkflow({ path, workflow }: LoadedWorkflow, terminal: Terminal, services: Services): Promise<WorkflowOutcome> {
  const snapshot = await readSnapshot(path);
  const tests: SnapshotOutcome[] = [];
  for (const test of snapshot?.tests ?? []) {
    terminal.signal.throwIfAborted();
    terminal.status(`${basename(path)}: ${test.name}`);
    tests.push(await runSnapshot(services, workflow, test, terminal.signal));
  }
  return { workflow: basename(path), tests };
}

async function update(found: readonly LoadedWorkflow[], terminal: Terminal, services: Services): Promise<number> {
  for (const { path, workflow } of found) {
    const snapshot = (await readSnapshot(path)) ?? { tests: [{ name: 'runs', expect: { status: 'success' as const, nodes: {} } }] };
    const tests: SnapshotFile['tests'] = [];
    for (const test of snapshot.tests) tests.push(await renewedSnapshot(services, workflow, test, terminal.signal));
    await writeFile(snapshotPath(path), `${JSON.stringify({ tests }, null, 2)}`);
    terminal.say(`Wrote ${basename(snapshotPath(path))} (${tests.length} ${tests.length === 1 ? 'test' : 'tests'})`);
  }
  return 0;
}

function report(outcomes: readonly WorkflowOutcome[], json: boolean, terminal: Terminal): number {
  const tests = outcomes.flatMap((outcome) => outcome.tests);
  const failed = tests.filter((test) => !test.passed).length;
  if (json) terminal.out(`${JSON.stringify({ passed: tests.length - failed, failed, workflows: outcomes })}`);
  else {
    for (const { workflow, tests: all } of outcomes) {
      for (const test of all) {
        terminal.out(`${test.passed ? 'ok' : 'FAILED'} ${workflow}: ${test.name} (${Math.round(test.milliseconds)} ms)`);
        for (const line of test.differences) terminal.out(`  ${line}`);
      }
    }
    terminal.out(`${tests.length - failed} passed, ${failed} failed`);
  }
  return failed === 0 ? 0 : 1;
}

async function readSnapshot(workflowPath: string): Promise<SnapshotFile | undefined> {
  const text = await snapshotText(workflowPath);
  return text === undefined ? undefined : parseSnapshot(text, basename(snapshotPath(workflowPath)));
}

async function snapshotText(workflowPath: string): Promise<string | undefined> {
  try {
    return await readFile(snapshotPath(workflowPath), 'utf8');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
