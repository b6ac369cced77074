import { describe, expect, test } from 'vitest';
import { graphSchema } from '../../schema.ts';
import { entitiesIn, extractFrom, relationsIn } from '../../testing/read-document.ts';

describe('docker-compose', () => {
  const COMPOSE = `services:
  order-service:
    image: acme/order-service:1.2
    depends_on:
      - db
      - kafka
    environment:
      DATABASE_URL: postgres://shop:secret@db:5432/shop
      PAYMENT_URL: http://payment-service:8080
      MONGO_URL: mongodb://elsewhere/shop
      CACHE_HOST: cache
      RETRIES: 3
  payment-service:
    build: ./payment
    depends_on:
      db:
        condition: service_healthy
    environment:
      - ORDER_URL=http://order-service/x=1
      - EMPTY
  db:
    image: postgres:15
  cache:
    image: bitnami/redis:7
    links:
      - "db:database"
  kafka:
    image: confluentinc/cp-kafka:7
  broken: 7
`;

  test('services, stores and what connects them', async () => {
    const extraction = await extractFrom('deploy/docker-compose.yml', COMPOSE);
    expect(entitiesIn(extraction)).toEqual([
      'DATABASE MongoDB',
      'DATABASE PostgreSQL',
      'DATABASE Redis',
      'SERVICE Kafka',
      'SERVICE order-service',
      'SERVICE payment-service',
    ]);
    expect(relationsIn(extraction)).toEqual([
      'Redis -DEPENDS_ON-> PostgreSQL',
      'order-service -DEPENDS_ON-> Kafka',
      'order-service -DEPENDS_ON-> PostgreSQL',
      'order-service -USES-> MongoDB',
      'order-service -USES-> PostgreSQL',
      'order-service -USES-> Redis',
      'order-service -USES-> payment-service',
      'payment-service -DEPENDS_ON-> PostgreSQL',
      'payment-service -USES-> order-service',
    ]);
    expect(extraction.relations.every(({ confidence }) => confidence === 1)).toBe(true);
    expect(extraction.relations.find(({ type }) => type === 'DEPENDS_ON')?.evidence).toMatchObject({
      line: 4,
      text: expect.stringContaining('depends on'),
    });
    expect(JSON.stringify(extraction)).not.toContain('secret');
  });

  test('is known by its images under any name', async () => {
    expect(entitiesIn(await extractFrom('stack.yaml', 'services:\n  cache:\n    image: redis\n'))).toEqual(['DATABASE Redis']);
    expect((await extractFrom('other.yaml', 'services:\n  a: 1\n')).entities).toEqual([]);
    expect((await extractFrom('compose.yml', 'services:\n  a:\n    image: [')).entities).toEqual([]);
  });
});

describe('kubernetes', () => {
  const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: order-service
  labels:
    team: checkout
  annotations:
    owner: anna@example.com
spec:
  template:
    spec:
      containers:
        - image: acme/orders:1
          env:
            - name: PAYMENTS
              value: http://payments.shop.svc.cluster.local:80
            - name: STOCK
              value: stock-db
            - name: NOTHING
        - 7
---
apiVersion: v1
kind: Service
metadata:
  name: payments
spec:
  selector:
    app: payment-service
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: payment-service
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - image: acme/pay:1
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: stock-db
spec:
  template:
    spec:
      containers:
        - image: docker.io/library/mysql@sha256:abc
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
---
apiVersion: apps/v1
kind: Deployment
metadata: {}
`;

  test('workloads, their connections and owners', async () => {
    const extraction = await extractFrom('k8s/all.yaml', MANIFEST);
    expect(entitiesIn(extraction)).toEqual(['DATABASE stock-db', 'SERVICE order-service', 'SERVICE payment-service', 'TEAM checkout']);
    expect(relationsIn(extraction)).toEqual([
      'checkout -OWNS-> order-service',
      'order-service -USES-> payment-service',
      'order-service -USES-> stock-db',
    ]);
  });
});

test('a software catalogue entry', async () => {
  const entry = `apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: order-service
  description: Takes orders
spec:
  type: service
  owner: group:default/checkout
  dependsOn:
    - resource:orders-db
    - component:default/payment-service
    - "not a reference!"
  consumesApis: [search-api]
`;
  const extraction = await extractFrom('catalog-info.yaml', entry);
  expect(entitiesIn(extraction)).toEqual([
    'DATABASE orders-db',
    'SERVICE order-service',
    'SERVICE payment-service',
    'SERVICE search-api',
    'TEAM checkout',
  ]);
  expect(relationsIn(extraction)).toEqual([
    'checkout -OWNS-> order-service',
    'order-service -DEPENDS_ON-> orders-db',
    'order-service -DEPENDS_ON-> payment-service',
    'order-service -USES-> search-api',
  ]);
  expect((await extractFrom('catalog-info.yaml', entry.replace('Component', 'Location'))).entities).toEqual([]);
  expect(relationsIn(await extractFrom('catalog-info.yaml', entry.replace('group:default', 'user:default')))).not.toContain(
    'checkout -OWNS-> order-service',
  );
});

describe('OpenAPI and AsyncAPI', () => {
  test('the service and how it authenticates', async () => {
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Order API', description: 'Takes orders.\nAnd more.' },
      components: { securitySchemes: { login: { type: 'oauth2' }, sso: { type: 'openIdConnect' }, key: { type: 'apiKey' } } },
    });
    const extraction = await extractFrom('openapi.json', text);
    expect(entitiesIn(extraction)).toEqual(['PROTOCOL OAuth 2.0', 'PROTOCOL OpenID Connect', 'SERVICE Order API']);
    expect(relationsIn(extraction)).toEqual(['Order API -USES-> OAuth 2.0', 'Order API -USES-> OpenID Connect']);
    expect(extraction.entities[0]?.description).toBe('Takes orders.');
    expect((await extractFrom('openapi.json', text.replace('Order API', ''))).entities).toEqual([]);
  });

  test('channels of version 2 and operations of version 3', async () => {
    const two = `asyncapi: 2.6.0
info:
  title: Order Service
servers:
  main:
    protocol: kafka
  other:
    protocol: pigeon
channels:
  order.created:
    subscribe: {}
  order.paid:
    publish: {}
  empty:
`;
    expect(relationsIn(await extractFrom('asyncapi.yaml', two))).toEqual([
      'Order Service -CONSUMES-> order.paid',
      'Order Service -PRODUCES-> order.created',
      'Order Service -USES-> Kafka',
    ]);
    const three = `asyncapi: 3.0.0
info: {title: Order Service}
channels: {created: {address: order.created}}
operations:
  sendCreated: {action: send, channel: {$ref: '#/channels/order.created'}}
  hear: {action: receive, channel: {$ref: '#/channels/order.paid'}}
  odd: {action: dance}
`;
    expect(relationsIn(await extractFrom('asyncapi.yaml', three))).toEqual([
      'Order Service -CONSUMES-> order.paid',
      'Order Service -PRODUCES-> order.created',
    ]);
  });
});

describe('package.json', () => {
  const text = JSON.stringify({
    name: '@acme/order-service',
    description: 'Takes orders',
    dependencies: { pg: '8', kafkajs: '2', '@acme/money': '1', '@other/thing': '1', '@acme/geo-service': '2', zod: '4' },
  });

  test('the drivers say what a service uses; packages of its own scope are what it depends on', async () => {
    const extraction = await extractFrom('services/order/package.json', text);
    expect(relationsIn(extraction)).toEqual([
      'order-service -DEPENDS_ON-> geo-service',
      'order-service -USES-> Kafka',
      'order-service -USES-> PostgreSQL',
    ]);
    expect(extraction.entities.find(({ name }) => name === 'order-service')?.aliases).toEqual(['@acme/order-service']);
    expect(extraction.entities.some(({ type }) => type === 'TEAM')).toBe(false);
  });

  test('libraries count where the schema has a type for them', async () => {
    const schema = graphSchema.parse({ entityTypes: ['SERVICE', 'LIBRARY'] });
    expect(entitiesIn(await extractFrom('package.json', text, schema))).toEqual([
      'LIBRARY money',
      'SERVICE Kafka',
      'SERVICE geo-service',
      'SERVICE order-service',
    ]);
    const library = JSON.stringify({ name: 'left-pad', dependencies: { pg: '8' } });
    expect((await extractFrom('package.json', library)).entities).toEqual([]);
    expect(
      relationsIn(await extractFrom('package.json', JSON.stringify({ name: 'shop', scripts: { start: 'x' }, dependencies: { pg: '8' } }))),
    ).toEqual(['shop -USES-> PostgreSQL']);
    expect((await extractFrom('data.json', library)).entities).toEqual([]);
  });
});

test('CODEOWNERS: teams own services, people do not count', async () => {
  const text = `# who owns what
*                         @acme/platform
/services/orders/         @acme/checkout @anna
/apps/shop/**/*.ts        @acme/web   # and the rest
libs/billing-service/     @acme/money
/services/readme.md       @acme/docs
/services/stock/          @bob
`;
  const extraction = await extractFrom('.github/CODEOWNERS', text);
  expect(relationsIn(extraction)).toEqual(['checkout -OWNS-> orders', 'money -OWNS-> billing-service', 'web -OWNS-> shop']);
  expect(extraction.relations[0]?.evidence).toEqual({ line: 3, text: '/services/orders/ @acme/checkout @anna' });
});

test('other data, damaged data and data that explodes give nothing', async () => {
  const bomb = `a: &a [x,x]\n${Array.from({ length: 60 }, (_, index) => `k${index}: [*a, *a]`).join('\n')}\n`;
  for (const [path, text] of Object.entries({
    'a.json': '[1,2]',
    'b.yaml': 'just text',
    'c.yaml': 'a: [',
    'd.yaml': bomb,
    'e.json': `{"x":"${'y'.repeat(2_000_001)}"}`,
  })) {
    expect((await extractFrom(path, text)).entities, path).toEqual([]);
  }
});
