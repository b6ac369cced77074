import fc from 'fast-check';
import { expect, test } from 'vitest';
import { suggestedDescription, suggestedName } from './generated.ts';

test('a name is what the description asks for', () => {
  const names = {
    'Create a research agent that searches the web and summarizes findings': 'Research Agent',
    'please build me an email triage bot for our support team': 'Email Triage Bot',
    'I want to make a translator, from German to English.': 'Translator',
    'Summarise customer feedback every morning': 'Summarise Customer Feedback Every Morning',
    'generate a flow': 'Flow',
  };
  for (const [description, name] of Object.entries(names)) expect(suggestedName(description)).toBe(name);
});

test('a description is the request without the asking', () => {
  expect(suggestedDescription('Create a research agent that searches the web and summarizes findings')).toBe(
    'Research agent that searches the web and summarizes findings',
  );
});

test('any description gives a name that create_chatflow takes', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 10, maxLength: 500, unit: 'binary' }), (description) => {
      const name = suggestedName(description);
      expect([...name].length).toBeLessThanOrEqual(255);
      expect(name.length).toBeGreaterThan(0);
      expect(suggestedDescription(description).length).toBeLessThanOrEqual(300);
    }),
  );
});
