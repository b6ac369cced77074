import { describe, expect, test } from 'vitest';
import { graphSchema } from '../schema.ts';
import { entitiesIn, extractFrom, relationsIn } from '../testing/read-document.ts';

const GATE = 'These microservices store data in a database.\n\n';

describe('front matter', () => {
  const FRONT = `---
name: Billing
type: service
owner: Team Money
dependsOn: [Order Service, PostgreSQL]
consumes: order.created
nested: {a: 1}
---
# About billing

Bills people.
`;

  test('declares what the document is about', async () => {
    const extraction = await extractFrom('billing.md', FRONT);
    expect(entitiesIn(extraction)).toEqual([
      'CONCEPT order.created',
      'DATABASE PostgreSQL',
      'SERVICE Billing',
      'SERVICE Order Service',
      'TEAM Team Money',
    ]);
    expect(relationsIn(extraction)).toEqual([
      'Billing -CONSUMES-> order.created',
      'Billing -DEPENDS_ON-> Order Service',
      'Billing -DEPENDS_ON-> PostgreSQL',
      'Team Money -OWNS-> Billing',
    ]);
    expect(extraction.relations[0]?.evidence.line).toBe(1);
    expect(extraction.entities[0]?.chunks).toEqual([0]);
  });

  test('of another kind is left alone', async () => {
    expect(
      (await extractFrom('post.md', FRONT.replace('type: service', 'type: post').replace('consumes', 'reads').replace('dependsOn', 'tags')))
        .entities,
    ).toEqual([]);
  });
});

describe('headings and lists', () => {
  test('a heading with the name of a type makes what is listed below it of that type', async () => {
    const text = `${GATE}## Services\n\n- **Orders**: takes orders\n- \`billing\` – bills\n- Stock - counts\n- **Owner**: Team A\n- and some words that are not a name at all\n- This one has too many words to be\n\n## Teams\n\n* Checkout (Berlin)\n\n## Glossaries\n\n- **Cart**: a basket\n`;
    expect(entitiesIn(await extractFrom('a.md', text))).toEqual([
      'SERVICE Orders',
      'SERVICE Stock',
      'SERVICE billing',
      'TEAM Checkout',
      'TEAM Team A',
    ]);
    const glossary = await extractFrom('a.md', text, graphSchema.parse({ entityTypes: ['GLOSSARY'] }));
    expect(glossary.entities).toMatchObject([{ name: 'Cart', type: 'GLOSSARY', description: 'a basket' }]);
  });

  test('keys that only systems have tell what a heading is; other keys do not', async () => {
    const text = `${GATE}## Warehouse Sync\n\n- Database: MySQL\n- Calls: Order Service + Geo; carrier pigeons\n- Used by: Shop\n- Consumers: none\n- Producers: Till\n- Colour: Blue\n\n## Christmas Party\n\n- **Owner**: Anna\n- **Place**: Canteen\n\n## This heading is far too long to be a name\n\n- **Database**: Redis\n`;
    const extraction = await extractFrom('a.md', text);
    expect(entitiesIn(extraction)).toEqual([
      'DATABASE MySQL',
      'DATABASE Redis',
      'SERVICE Geo',
      'SERVICE Order Service',
      'SERVICE Shop',
      'SERVICE Till',
      'SERVICE Warehouse Sync',
    ]);
    expect(relationsIn(extraction)).toEqual([
      'Shop -USES-> Warehouse Sync',
      'Till -PRODUCES-> Warehouse Sync',
      'Warehouse Sync -USES-> Geo',
      'Warehouse Sync -USES-> MySQL',
      'Warehouse Sync -USES-> Order Service',
    ]);
  });

  test('a declared type wins over the form of the name', async () => {
    const extraction = await extractFrom('a.md', `${GATE}## Billing Service\n\n- **Type**: Team\n- **Description**: A team of people.\n`);
    expect(extraction.entities).toMatchObject([{ name: 'Billing Service', type: 'TEAM', description: 'A team of people.' }]);
  });
});

describe('tables', () => {
  test('rows are things, columns are keys', async () => {
    const text = `${GATE}| Component | Depends on | Stack |\n|---|---|---|\n| Geo Service | PostgreSQL<br>Redis | Kubernetes, hope |\n| | x | y |\n| plain words | Redis | |\n`;
    const extraction = await extractFrom('a.md', text);
    expect(relationsIn(extraction)).toEqual([
      'Geo Service -DEPENDS_ON-> PostgreSQL',
      'Geo Service -DEPENDS_ON-> Redis',
      'Geo Service -USES-> Kubernetes',
    ]);
    expect(extraction.relations[0]?.evidence).toEqual({ line: 5, text: 'Geo Service | PostgreSQL<br>Redis | Kubernetes, hope' });
  });

  test('from and to, where both are known', async () => {
    const text = `${GATE}| From | To | Why |\n|---|---|---|\n| Order Service | Payment Service | money |\n| Order Service | the moon | fun |\n\n| Day | Meal |\n|---|---|\n| Monday | Soup |\n`;
    expect(relationsIn(await extractFrom('a.md', text))).toEqual(['Order Service -USES-> Payment Service']);
  });
});

test('long evidence and descriptions are cut', async () => {
  const { entities, relations } = await extractFrom(
    'a.md',
    `${GATE}## Order Service\n\nTakes ${'many '.repeat(90)}orders.\n\n- **Uses**: Redis, ${'A'.repeat(400)}\n`,
  );
  expect(entities.find(({ name }) => name === 'Order Service')?.description).toMatch(/^Takes many .*…$/);
  expect(relations[0]?.evidence.text).toHaveLength(300);
});

test('where several chunks share a line, those that have the name are meant', async () => {
  const filler = 'This sentence only fills the line so that it must be cut into several chunks. '.repeat(14);
  const { entities } = await extractFrom('a.md', `${GATE}${filler}The Order Service uses Redis. ${filler}`);
  expect(entities.find(({ name }) => name === 'Order Service')?.chunks).toHaveLength(1);
  const spread = await extractFrom('a.md', `${GATE}${filler.replaceAll('.', ',')}`);
  expect(spread.entities).toEqual([]);
});
