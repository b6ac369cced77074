/** A workflow of one step, found by its examples. */
export function workflowText(id: string, fields: { name: string; description: string; examples?: string[]; more?: string }): string {
  const examples = (fields.examples ?? []).map((example) => `  - ${JSON.stringify(example)}\n`).join('');
  return `metadata:
  type: workflow
  id: ${id}
  name: ${JSON.stringify(fields.name)}
  description: ${JSON.stringify(fields.description)}
${examples ? `examples:\n${examples}` : ''}${fields.more ?? ''}flow:
  - step: Do it
    instruction: Do what is wanted
`;
}
