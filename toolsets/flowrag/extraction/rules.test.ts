import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { graphSchema } from '../schema.ts';
import { entitiesIn, extractFrom, readDocument, relationsIn } from '../testing/read-document.ts';
import { rulesExtractor } from './rules.ts';

const ARCHITECTURE = `---
title: Shop architecture
---
# Shop architecture

The shop is a set of microservices behind an API gateway.

## Services

### 1.1 Order Service (OMS)
Takes orders and confirms them. Reached at https://orders.example.com/http/v1.

- **Owner**: Team Checkout
- **Database**: PostgreSQL
- **Depends on**: Payment Service, Inventory Service and Geo
- **Publishes**: order.created (Kafka), n/a
- **Protocol**: gRPC, carrier pigeons
- **Status**: Deprecated
- **Also known as**: Orders Backend

It consumes events from Kafka. The Order Service does not use MongoDB. It may use Redis later.

### Payment Service
The payment-service calls Stripe and stores transactions in Postgres. PaymentService is owned by the Payments team.

### Analytics
Analytics subscribes to the order.created topic.

| Service | Owner | Database | Uses |
|---|---|---|---|
| Search API | Team Discovery | Elasticsearch | Order Service |
| Notification Worker | Team Checkout | none | SendGrid, KAFKA |
`;

describe('an architecture document', () => {
  test('gives its services, stores, protocols and teams, each once', async () => {
    expect(entitiesIn(await extractFrom('shop.md', ARCHITECTURE))).toEqual([
      'CONCEPT order.created',
      'DATABASE Elasticsearch',
      'DATABASE MongoDB',
      'DATABASE PostgreSQL',
      'DATABASE Redis',
      'PROTOCOL gRPC',
      'SERVICE Analytics',
      'SERVICE Geo',
      'SERVICE Inventory Service',
      'SERVICE Kafka',
      'SERVICE Notification Worker',
      'SERVICE Order Service',
      'SERVICE Payment Service',
      'SERVICE Search API',
      'SERVICE SendGrid',
      'SERVICE Stripe',
      'TEAM Payments team',
      'TEAM Team Checkout',
      'TEAM Team Discovery',
    ]);
  });

  test('gives the relations that it states, and none that it denies or plans', async () => {
    expect(relationsIn(await extractFrom('shop.md', ARCHITECTURE))).toEqual([
      'Analytics -CONSUMES-> order.created',
      'Notification Worker -USES-> Kafka',
      'Notification Worker -USES-> SendGrid',
      'Order Service -CONSUMES-> Kafka',
      'Order Service -DEPENDS_ON-> Geo',
      'Order Service -DEPENDS_ON-> Inventory Service',
      'Order Service -DEPENDS_ON-> Payment Service',
      'Order Service -PRODUCES-> Kafka',
      'Order Service -PRODUCES-> order.created',
      'Order Service -USES-> PostgreSQL',
      'Order Service -USES-> gRPC',
      'Payment Service -USES-> PostgreSQL',
      'Payment Service -USES-> Stripe',
      'Payments team -OWNS-> Payment Service',
      'Search API -USES-> Elasticsearch',
      'Search API -USES-> Order Service',
      'Team Checkout -OWNS-> Notification Worker',
      'Team Checkout -OWNS-> Order Service',
      'Team Discovery -OWNS-> Search API',
    ]);
  });

  test('says for each relation on which line it stands, and how sure it is', async () => {
    const { relations } = await extractFrom('shop.md', ARCHITECTURE);
    const find = (source: string, target: string) => relations.find((relation) => relation.source === source && relation.target === target);
    expect(find('Team Checkout', 'Order Service')).toMatchObject({
      confidence: 0.95,
      inferred: false,
      evidence: { line: 13, text: 'Owner: Team Checkout' },
    });
    expect(find('Payment Service', 'Stripe')).toMatchObject({ confidence: 0.8, evidence: { line: 24 } });
    expect(find('Payment Service', 'PostgreSQL')).toMatchObject({ confidence: 0.65, evidence: { line: 24 } });
    expect(relations.every(({ evidence, confidence }) => evidence.text !== '' && confidence > 0.5 && confidence <= 1)).toBe(true);
  });

  test('says in which chunks each entity is', async () => {
    const { document, chunks } = await readDocument('shop.md', ARCHITECTURE);
    const { entities } = await rulesExtractor(graphSchema.parse({})).extract(document, chunks, [], new AbortController().signal);
    const order = entities.find(({ name }) => name === 'Order Service');
    expect(order).toMatchObject({ description: 'Takes orders and confirms them.', aliases: ['OMS', 'Orders Backend'] });
    for (const { name, chunks: ordinals } of entities) {
      expect(ordinals.length, name).toBeGreaterThan(0);
      for (const ordinal of ordinals) expect(chunks[ordinal], name).toBeDefined();
    }
  });

  verifies('flowrag-config-custom-fields', 'fields of the schema are taken where the document gives a valid value', async () => {
    const entityFields = {
      status: { type: 'enum', values: ['active', 'deprecated'], default: 'active' },
      tier: { type: 'number' },
      critical: { type: 'boolean' },
    } as const;
    const text = ARCHITECTURE.replace('- **Also', '- **Tier**: 2\n- **Critical**: yes\n- **Also');
    const fieldsOf = async (source: string) =>
      (await extractFrom('shop.md', source, graphSchema.parse({ entityFields }))).entities.find(({ name }) => name === 'Order Service')
        ?.fields;
    expect(await fieldsOf(text)).toEqual({ status: 'deprecated', tier: 2 });
    expect(await fieldsOf(text.replace('Deprecated', 'retired').replace('**Critical**: yes', '**Critical**: True'))).toEqual({
      tier: 2,
      critical: true,
    });
  });
});

describe('names', () => {
  test.each(['the Payment Service', 'payment-service', 'PaymentService', 'Payment service', 'PAYMENT SERVICE'])(
    '%s is the Payment Service',
    async (written) => {
      const { relations } = await extractFrom(
        'a.md',
        `# Payment Service\n\nPaymentService uses PostgreSQL.\n\n${written} publishes events to KAFKA.\n`,
      );
      expect(relations.map(({ source, target }) => `${source} ${target}`)).toEqual(['Payment Service PostgreSQL', 'Payment Service Kafka']);
    },
  );

  test('everyday words are technologies only as these are written', async () => {
    const read = async (name: string) =>
      entitiesIn(
        await extractFrom('a.md', `The order-service stores orders in PostgreSQL. The order-service publishes events to ${name}.`),
      );
    expect(await read('kafka')).toContain('SERVICE Kafka');
    expect(await read('Vault')).toContain('SERVICE Vault');
    expect(await read('a vault')).not.toContain('SERVICE Vault');
  });
});

test('a described service may be called without its description', async () => {
  const text =
    '# Platform\n\nThe Checkout service publishes order events to Kafka. The Analytics service consumes order events from Kafka.\n\n- **Checkout** → Kafka → Analytics → Dashboard\n';
  const extraction = await extractFrom('platform.md', text);
  expect(relationsIn(extraction)).toEqual([
    'Analytics service -CONSUMES-> Kafka',
    'Checkout service -PRODUCES-> Kafka',
    'Dashboard -CONSUMES-> Analytics service',
  ]);
  expect(extraction.entities.find(({ name }) => name === 'Checkout service')?.aliases).toEqual(['Checkout']);
});

describe('the schema', () => {
  verifies('flowrag-config-types', 'only configured types come out, under the names that the configuration gives them', async () => {
    const schema = graphSchema.parse({ entityTypes: ['Component', 'TEAM', 'QUEUE'], relationTypes: ['OWNED_BY', 'CALLS', 'STORES_IN'] });
    const extraction = await extractFrom('shop.md', `${ARCHITECTURE}\nThe Order Service calls the Payment Service.`, schema);
    expect(new Set(extraction.entities.map(({ type }) => type))).toEqual(new Set(['Component', 'TEAM', 'QUEUE']));
    expect(new Set(extraction.relations.map(({ type }) => type))).toEqual(new Set(['OWNED_BY', 'CALLS']));
    expect(relationsIn(extraction)).toContain('Order Service -OWNED_BY-> Team Checkout');
  });

  test('own relation types are read from their names, with words in between', async () => {
    const schema = graphSchema.parse({ relationTypes: ['STORES_IN', 'MIRRORS', 'HOSTED_BY', 'V2_OF', 'USES'] });
    const text =
      'The order-service stores its orders in PostgreSQL. The order-service mirrors the backup-service. The order-service is hosted by Kubernetes.\n\n## backup-service\n\n- **Mirrors**: Archive Service';
    expect(relationsIn(await extractFrom('a.md', text, schema))).toEqual([
      'backup-service -MIRRORS-> Archive Service',
      'order-service -HOSTED_BY-> Kubernetes',
      'order-service -MIRRORS-> backup-service',
      'order-service -STORES_IN-> PostgreSQL',
    ]);
  });

  test('the configuration adds names and aliases', async () => {
    const schema = graphSchema.parse({
      entityTypes: ['SERVICE', 'DRUG', 'DATABASE'],
      ontology: { Checkout: 'service', Aspirin: 'DRUG', Nothing: 'PLANET' },
      aliases: { Checkout: ['till'], PostgreSQL: ['the big database', 'orders db'], Elsewhere: ['somewhere'] },
    });
    const text =
      'Checkout uses PostgreSQL. The till publishes events to the order-service. The order-service uses the orders DB. Aspirin is not mentioned in checkout. Nothing uses somewhere.';
    const extraction = await extractFrom('a.md', text, schema);
    expect(entitiesIn(extraction)).toEqual(['DATABASE PostgreSQL', 'DRUG Aspirin', 'SERVICE Checkout', 'SERVICE order-service']);
    expect(relationsIn(extraction)).toEqual([
      'Checkout -PRODUCES-> order-service',
      'Checkout -USES-> PostgreSQL',
      'order-service -USES-> PostgreSQL',
    ]);
  });

  test('a schema without types for anything that is there gives nothing', async () => {
    const extraction = await extractFrom(
      'shop.md',
      ARCHITECTURE,
      graphSchema.parse({ entityTypes: ['PLANET'], relationTypes: ['ORBITS'] }),
    );
    expect(extraction).toEqual({ entities: [], relations: [] });
  });
});

verifies('flowrag-rules-extractor', 'the rules are one provider, work offline and give the same for the same document', async () => {
  const extractor = rulesExtractor(graphSchema.parse({}));
  expect(extractor).toMatchObject({ provider: 'rules', model: 'rules' });
  expect(await extractFrom('shop.md', ARCHITECTURE, {}, extractor)).toEqual(
    await extractFrom('shop.md', ARCHITECTURE, {}, rulesExtractor(graphSchema.parse({}))),
  );
});

test('a cancelled run stops before the next document', async () => {
  const { document, chunks } = await readDocument('shop.md', ARCHITECTURE);
  await expect(rulesExtractor(graphSchema.parse({})).extract(document, chunks, [], AbortSignal.abort())).rejects.toThrow();
});

test('code is not read as prose, and an empty document gives nothing', async () => {
  expect(
    (await extractFrom('order.ts', 'export class OrderService { /* OrderService uses PostgreSQL and microservices */ }')).entities,
  ).toEqual([]);
  expect((await extractFrom('empty.md', '')).entities).toEqual([]);
  expect((await extractFrom('package.json', '')).entities).toEqual([]);
});
