import { describe, expect, test } from 'vitest';
import { entitiesIn, extractFrom, relationsIn } from '../testing/read-document.ts';

const GATE = 'The platform is made of microservices that store data in PostgreSQL.\n\n';
const relations = async (text: string) => relationsIn(await extractFrom('flow.md', GATE + text));

describe('chains of arrows', () => {
  test('into a queue they produce, out of it they consume, and after it data flows on', async () => {
    expect(await relations('## Data flow\n\nServiceA → Kafka → Analytics → Dashboard\n')).toEqual([
      'Analytics -CONSUMES-> Kafka',
      'Dashboard -CONSUMES-> Analytics',
      'ServiceA -PRODUCES-> Kafka',
    ]);
  });

  test('clients and "all services" are nobody', async () => {
    expect(await relations('Client → Order Service → Kafka\n\nAll services → Kafka → Search Worker\n')).toEqual([
      'Order Service -PRODUCES-> Kafka',
      'Search Worker -CONSUMES-> Kafka',
    ]);
  });

  test('elsewhere they call', async () => {
    expect(await relations('- **Request path**: `API Gateway` -> Order Service -> Orders DB -> report-worker')).toEqual([
      'API Gateway -USES-> Order Service',
      'Order Service -USES-> Orders DB',
      'report-worker -USES-> Orders DB',
    ]);
  });

  test('teams own, and are fed by nobody', async () => {
    expect(await relations('Platform Team => Order Service\nOrder Service => Platform Team\nPlatform Team => Checkout Squad\n')).toEqual([
      'Platform Team -OWNS-> Order Service',
    ]);
  });

  test.each([
    'Stuff -> things -> more',
    'Idea -> Plan -> Order Service',
    '1 -> 2',
    'Order Service -> a very long description of what is done next',
    'Order Service ->',
  ])('not every arrow is one: %s', async (line) => {
    expect(await relations(`${line}\n`)).toEqual([]);
  });
});

describe('diagrams', () => {
  test('flowcharts name their nodes once and label their arrows', async () => {
    const text = [
      '```mermaid',
      'flowchart LR',
      '  web[Web Shop] -->|calls| gw[API Gateway]',
      '  gw --> orders([Order Service]);',
      '  orders -- publishes to --> bus{{Kafka}}',
      '  orders -.-> db[(Orders DB)]',
      '  start((Start)) --> stop((Stop))',
      '```',
    ].join('\n');
    expect(await relations(text)).toEqual([
      'API Gateway -USES-> Order Service',
      'Order Service -PRODUCES-> Kafka',
      'Order Service -USES-> Orders DB',
      'Web Shop -USES-> API Gateway',
    ]);
  });

  test('sequence diagrams: a message goes, an answer does not count', async () => {
    const text = [
      '```mermaid',
      'sequenceDiagram',
      '  participant O as Order Service',
      '  actor P as Payment Service',
      '  O->>+P: uses',
      '  P-->>O: done',
      '  O->>Redis: ping',
      '```',
    ].join('\n');
    expect(await relations(text)).toEqual(['Order Service -USES-> Payment Service', 'Order Service -USES-> Redis']);
  });

  test('other code is left alone', async () => {
    expect(await relations('```ts\nconst f = (orderService) -> Kafka\nOrder Service -> Kafka\n```\n')).toEqual([]);
    expect(await relations('```text\nOrder Service -> Kafka\n```\n')).toEqual(['Order Service -PRODUCES-> Kafka']);
  });
});

test('a database or a protocol at the end is used', async () => {
  const extraction = await extractFrom('flow.md', `${GATE}Order Service -> gRPC\n`);
  expect(relationsIn(extraction)).toEqual(['Order Service -USES-> gRPC']);
  expect(entitiesIn(extraction)).toContain('PROTOCOL gRPC');
});
