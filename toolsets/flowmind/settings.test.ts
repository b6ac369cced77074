import { expect, test } from 'vitest';
import { flowmindSettings } from './settings.ts';

test('the settings have their defaults, and a twin in the environment each', () => {
  expect(flowmindSettings.schema.parse({})).toEqual({ builtinContexts: 'on', levels: { intermediate: 10, advanced: 50 }, questionDays: 7 });
  expect(Object.keys(flowmindSettings.environment).sort()).toEqual([
    'builtinContexts',
    'contexts',
    'levels.advanced',
    'levels.intermediate',
    'questionDays',
  ]);
});
