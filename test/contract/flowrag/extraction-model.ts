import { type ChatModel, chatModel } from '../../harness/chat-model.ts';

interface Entity {
  name: string;
  type: string;
  description: string;
  aliases: string[];
  passage: number;
}

/** The relations in the lines of one passage; its entities are added to the map. */
function readPassage(passage: number, text: string, entities: Map<string, Entity>): object[] {
  const relations: object[] = [];
  const entity = (name: string, type = 'SERVICE', description = ''): Entity => {
    const found = entities.get(name) ?? { name, type, description, aliases: [], passage };
    entities.set(name, found);
    return found;
  };
  for (const line of text.split('\n')) {
    const relation = /^(.+?) --\[(\w+)\]--> (.+?)(?:: (.*))?$/.exec(line);
    const typed = /^\[(\w+)\] (.+?)(?:: (.*))?$/.exec(line);
    const alias = /^(.+?) aka (.+)$/.exec(line);
    if (relation) {
      const [, source = '', type = '', target = '', description = ''] = relation;
      entity(source);
      entity(target);
      relations.push({ source, type, target, description, evidence: line, passage, confidence: 0.9 });
    } else if (typed) entity(typed[2] ?? '', typed[1], typed[3]);
    else if (alias) entity(alias[1] ?? '').aliases.push(alias[2] ?? '');
  }
  return relations;
}

/** A model that understands lines such as `Checkout --[PRODUCES]--> Kafka: orders`, `[TEAM] Payments: who they are` and `Kafka aka event bus`. */
export function extractionModel(): Promise<ChatModel> {
  return chatModel((prompt) => {
    const entities = new Map<string, Entity>();
    const passages = [...prompt.matchAll(/<passage-(\w+) number="(\d+)">\n(.*?)\n<\/passage-\1>/gs)];
    const relations = passages.flatMap(([, , number, text = '']) => readPassage(Number(number), text, entities));
    return { entities: [...entities.values()], relations };
  });
}
