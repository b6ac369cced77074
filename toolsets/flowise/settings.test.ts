import { expect, test } from 'vitest';
import { flowiseSettings } from './settings.ts';

test('model inputs are an object or JSON text', () => {
  const { schema } = flowiseSettings;
  expect(schema.parse({})).toEqual({ requireDeployed: true, timeout: 55 });
  expect(schema.parse({ modelInputs: '{"modelName":"x"}' }).modelInputs).toEqual({ modelName: 'x' });
  expect(schema.safeParse({ modelInputs: 'nonsense' }).success).toBe(false);
  expect(schema.safeParse({ timeout: 0 }).success).toBe(false);
  expect(Object.keys(flowiseSettings.environment).sort()).toEqual(Object.keys(schema.shape).sort());
});
