import { describe, expect, test } from 'vitest';
import { entitiesIn, extractFrom, relationsIn } from '../testing/read-document.ts';

const GATE = 'This page is about microservices and their data pipelines.\n\n';
const relations = async (text: string) => relationsIn(await extractFrom('prose.md', GATE + text));

describe('sentences that state a relation', () => {
  test.each([
    ['The Order Service uses Redis.', 'Order Service -USES-> Redis'],
    ['Order Service, which also calls the Payment Service, is old.', 'Order Service -USES-> Payment Service'],
    ['Order Service depends on the shared Payment Service.', 'Order Service -DEPENDS_ON-> Payment Service'],
    ['Order Service publishes order events to Kafka.', 'Order Service -PRODUCES-> Kafka'],
    ['Order Service writes its rows to PostgreSQL.', 'Order Service -USES-> PostgreSQL'],
    ['Order Service reads rows from PostgreSQL.', 'Order Service -USES-> PostgreSQL'],
    ['Order Service consumes messages from RabbitMQ.', 'Order Service -CONSUMES-> RabbitMQ'],
    ['Kafka is consumed by the Search Worker.', 'Search Worker -CONSUMES-> Kafka'],
    ['Redis is currently used by Order Service.', 'Order Service -USES-> Redis'],
    ['Team Checkout owns the Order Service.', 'Team Checkout -OWNS-> Order Service'],
    ['The Order Service is maintained by the Checkout team.', 'Checkout team -OWNS-> Order Service'],
    ['Order Service authenticates users via OAuth2.', 'Order Service -USES-> OAuth 2.0'],
    ['> Order Service uses [Redis](redis.md) and **Kafka**.', 'Order Service -USES-> Kafka'],
  ])('%s', async (sentence, expected) => {
    expect(await relations(sentence)).toContain(expected);
  });

  test('a list of objects, and a further verb with the same subject', async () => {
    expect(
      await relations('Order Service uses Redis, PostgreSQL and MongoDB, and publishes events to Kafka, then calls the Payment Service.'),
    ).toEqual([
      'Order Service -PRODUCES-> Kafka',
      'Order Service -USES-> MongoDB',
      'Order Service -USES-> Payment Service',
      'Order Service -USES-> PostgreSQL',
      'Order Service -USES-> Redis',
    ]);
  });

  test('a pronoun means what the section is about', async () => {
    expect(await relations('## Order Service\n\nIt uses Redis. This service depends on Kafka.\n\n## Notes\n\nIt uses MongoDB.')).toEqual([
      'Order Service -DEPENDS_ON-> Kafka',
      'Order Service -USES-> Redis',
    ]);
  });

  test('a sentence or a list item without a subject speaks of its section', async () => {
    const text =
      '## Order Service\n\nTakes orders. Publishes events to Kafka for others. Uses Redis.\n\n- **Events**: Kafka — publishes `order.created`, `order.updated`\n';
    expect(await relations(text)).toEqual([
      'Order Service -PRODUCES-> Kafka',
      'Order Service -PRODUCES-> order.created',
      'Order Service -PRODUCES-> order.updated',
      'Order Service -USES-> Kafka',
      'Order Service -USES-> Redis',
    ]);
  });

  test('a sentence may go over several lines, and list items stand for themselves', async () => {
    const { relations: found } = await extractFrom(
      'prose.md',
      `${GATE}Order Service\nuses Redis. Search\nWorker is\nquiet.\n\n1. Order Service\n2. uses Kafka\n`,
    );
    expect(found.map(({ source, target, evidence }) => [source, target, evidence.line])).toEqual([['Order Service', 'Redis', 3]]);
  });
});

describe('sentences that state none', () => {
  test.each([
    'The Order Service does not use Redis.',
    'The Order Service no longer uses Redis.',
    'Order Service could use Redis.',
    'Order Service will use Redis next year.',
    'Does the Order Service use Redis?',
    'If Order Service uses Redis, it is fast.',
    'Order Service uses caching instead of Redis.',
    'Order Service previously used Redis.',
    'People like Order Service. Others use Redis.',
    'The Order Service team lunch and the Redis use of others.',
    'Order Service owns Redis.',
    'Order Service uses Team Checkout.',
    'gRPC uses Redis.',
    'Uses Redis.',
    'Order Service uses Order Service.',
    'Order Service and the thing that everybody here has always wanted to see uses Redis.',
    `Order Service ${'really '.repeat(120)}uses Redis.`,
  ])('%s', async (sentence) => {
    expect(await relations(sentence)).toEqual([]);
  });
});

describe('names by their form', () => {
  test.each([
    ['billing-api', 'SERVICE'],
    ['BillingGateway', 'SERVICE'],
    ['Billing Gateway', 'SERVICE'],
    ['Team Billing', 'TEAM'],
    ['Billing Squad', 'TEAM'],
    ['Billing DB', 'DATABASE'],
    ['billing-queue', 'SERVICE'],
    ['Billing Topic', 'CONCEPT'],
  ])('%s is a %s', async (name, type) => {
    expect(entitiesIn(await extractFrom('prose.md', `${GATE}We run ${name} here.`))).toEqual([`${type} ${name}`]);
  });

  test.each([
    'REST API docs',
    'Each Service',
    'The Service',
    'denial-of-service',
    'Team members',
    'a service',
    'createGateway',
    '@acme/billing-api',
    'https://x.test/billing-api',
    'When The Team',
  ])('%s is none', async (name) => {
    expect((await extractFrom('prose.md', `${GATE}We run ${name} here.`)).entities.filter(({ type }) => type !== 'PROTOCOL')).toEqual([]);
  });
});
