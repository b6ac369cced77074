import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements.ts';
import { entityKey, fieldsOf, flowOf, givenFields, graphSchema } from './schema.ts';
import { dumpCollection } from './testing/dump.ts';
import { testFlowrag } from './testing/flowrag.ts';

const defined = graphSchema.parse({
  entityFields: {
    status: { type: 'enum', values: ['active', 'deprecated'], default: 'active' },
    owner: { type: 'string' },
    tier: { type: 'number', default: 3 },
    public: { type: 'boolean', default: false },
  },
}).entityFields;

describe('the schema', () => {
  verifies('flowrag-config-custom-fields', 'a field is checked and gets its default', () => {
    expect(fieldsOf(defined, {})).toEqual({ status: 'active', tier: 3, public: false });
    expect(fieldsOf(defined, { status: 'DEPRECATED', owner: 'Payments', tier: 1, public: true, other: 1 })).toEqual({
      status: 'deprecated',
      owner: 'Payments',
      tier: 1,
      public: true,
    });
    expect(fieldsOf(defined, { status: 'gone', owner: { a: 1 }, tier: 'x', public: 'yes' })).toEqual({
      status: 'active',
      tier: 3,
      public: false,
    });
    expect(fieldsOf(defined, { owner: 7, tier: Number.NaN })).toEqual({ status: 'active', owner: '7', tier: 3, public: false });
    expect(givenFields(defined, { status: 'active', tier: 'x' })).toEqual({ status: 'active' });
  });

  verifies(
    ['flowrag-config-custom-fields', 'flowrag-config-types'],
    'documents and entities have their fields, and no other types are stored',
    async () => {
      const status = { type: 'enum', values: ['active', 'deprecated'], default: 'active' };
      const flowrag = await testFlowrag({
        config: { schema: { entityTypes: ['SERVICE'], relationTypes: ['USES'], documentFields: { status }, entityFields: { status } } },
      });
      flowrag.write(
        'old.md',
        '---\nstatus: deprecated\n---\n[SERVICE] Old Shop: gone\n[PLANET] Mars: red\nOld Shop --[USES]--> Ledger\nOld Shop --[ORBITS]--> Ledger\n',
      );
      flowrag.write('new.md', '[SERVICE] New Shop: here\n');
      await flowrag.call('flowrag_index');
      const { entities } = (await flowrag.call('flowrag_entities')).structured as { entities: { name: string; fields: object }[] };
      expect(entities.map(({ name, fields }) => [name, fields])).toEqual([
        ['Ledger', { status: 'deprecated' }],
        ['New Shop', { status: 'active' }],
        ['Old Shop', { status: 'deprecated' }],
      ]);
      expect((await flowrag.call('flowrag_relations', { entity: 'Ledger' })).text).toBe('Old Shop --[USES]--> Ledger (old.md:L6)');
      const { documents } = await dumpCollection(await flowrag.services.collection());
      expect(documents).toMatchObject([
        { path: 'new.md', fields: '{"status":"active"}' },
        { path: 'old.md', fields: '{"status":"deprecated"}' },
      ]);
      await flowrag.close();
    },
  );

  test('names are one entity in any case and with any separators', () => {
    for (const name of ['order-service', 'Order Service', 'OrderService', 'ORDER_SERVICE', ' order.service '])
      expect(entityKey(name)).toBe('orderservice');
    expect(entityKey('C++')).toBe('c++');
    expect(entityKey('C#')).not.toBe(entityKey('C'));
    expect(entityKey('---')).toBe('---');
  });

  test('own relation types carry data from subject to object unless configured otherwise', () => {
    const schema = graphSchema.parse({ flows: { FEEDS_ON: 'object-to-subject', USES: 'none' } });
    expect(flowOf(schema, 'WRITES_TO')).toBe('subject-to-object');
    expect(flowOf(schema, 'FEEDS_ON')).toBe('object-to-subject');
    expect(flowOf(schema, 'USES')).toBe('none');
    expect(flowOf(schema, 'OWNS')).toBe('none');
  });
});
