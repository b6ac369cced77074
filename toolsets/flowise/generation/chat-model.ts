import { Failure } from '@millrace/kernel';
import type { ChatModelChoice, Credential } from '../client/flowise.ts';
import type { NodeCatalogue } from '../nodes/catalogue.ts';
import { type Definitions, isParameter, type NodeDefinition } from '../nodes/definition.ts';

/** What is configured about the generator's model; whatever is not is found. */
export interface ModelSettings {
  chatModel?: string | undefined;
  credential?: string | undefined;
  inputs?: Record<string, unknown> | undefined;
}

/** Where several models could be used, these come first. */
const PREFERRED =
  'chatOpenAI chatAnthropic chatGoogleGenerativeAI azureChatOpenAI chatMistralAI groqChat chatDeepseek awsChatBedrock'.split(' ');
const CATEGORY = 'Chat Models';

/** The configured chat model, or one that Flowise holds a credential for. */
export async function chooseChatModel(settings: ModelSettings, nodes: NodeCatalogue): Promise<ChatModelChoice> {
  const definitions = await nodes.definitions(settings.chatModel ? [settings.chatModel] : []);
  const credentials = await nodes.credentials();
  const definition = settings.chatModel ? namedModel(settings.chatModel, definitions) : findModel(definitions, credentials, settings);
  if (!definition) throw unusableModel('No chat model can be used for the generation: Flowise holds no credential for one');
  const credential = credentialFor(definition, credentials, settings.credential);
  if (!credential && definition.credential && !definition.credential.optional) {
    throw unusableModel(`The chat model ${definition.name} needs a credential that Flowise does not hold`);
  }
  const inputs = { ...defaultsOf(definition), ...settings.inputs };
  return { name: definition.name, ...(credential?.id && { credential: credential.id }), inputs };
}

/** As the generator wants it. Its answer is read whole, so nothing is gained by streaming it. */
export function generatorChoice(model: ChatModelChoice): ChatModelChoice {
  return { ...model, inputs: { ...model.inputs, streaming: false } };
}

function namedModel(name: string, definitions: Definitions): NodeDefinition {
  const definition = definitions.get(name);
  if (definition?.category === CATEGORY) return definition;
  throw unusableModel(`FLOWISE_CHAT_MODEL names "${name.slice(0, 80)}", which is not a chat model of this Flowise`);
}

function findModel(definitions: Definitions, credentials: readonly Credential[], settings: ModelSettings): NodeDefinition | undefined {
  const usable = [...definitions.values()].filter(
    (definition) =>
      definition.category === CATEGORY &&
      !definition.name.endsWith('_LlamaIndex') &&
      credentialFor(definition, credentials, settings.credential) !== undefined,
  );
  return PREFERRED.flatMap((name) => usable.find((definition) => definition.name === name) ?? [])[0] ?? usable[0];
}

/** The configured credential, by id or name, or else the first of a kind that the model takes. */
function credentialFor(definition: NodeDefinition, credentials: readonly Credential[], wanted: string | undefined): Credential | undefined {
  const kinds = definition.credential?.credentialNames ?? [];
  const fitting = credentials.filter((credential) => kinds.includes(credential.credentialName));
  return wanted === undefined ? fitting[0] : fitting.find((credential) => credential.id === wanted || credential.name === wanted);
}

function defaultsOf(definition: NodeDefinition): Record<string, unknown> {
  const given = definition.inputs.filter((input) => isParameter(input) && input.default !== undefined && input.default !== '');
  return Object.fromEntries(given.map((input) => [input.name, input.default]));
}

function unusableModel(message: string): Failure {
  return new Failure('invalid_input', message, {
    details: { field: null, value: null, constraint: 'model' },
    fix: {
      instruction:
        "Add the model's credential in Flowise, or set FLOWISE_CHAT_MODEL, FLOWISE_CREDENTIAL and FLOWISE_MODEL_INPUTS to a model that can be used",
    },
  });
}
