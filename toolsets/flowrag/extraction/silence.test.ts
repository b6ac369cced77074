import { describe, expect, test } from 'vitest';
import { makeCorpus } from '../../../bench/flowrag-corpus/corpus.ts';
import { entitiesIn, extractFrom } from '../testing/read-document.ts';

const OTHER_TEXTS: Record<string, string> = {
  novel: `# Chapter Seven

The service in the chapel had ended an hour ago, yet the Colonel remained. "You depend on her," said Kafka's ghost, "as the tide depends on the moon."
He produced a letter from his coat. It was owned by no one now. The Dream Team, as the boys called themselves, used the back door; the Home Team owned the field.
Cassandra consumed the last of the bread and listened to the oracle of the streets. -> North -> East -> the harbour: that was the way he had gone.
She stores her memories in a Vault beneath the stairs. The Secret Service uses men like him. The Consul sends letters to Prague.`,

  recipe: `---
title: Apple pie
serves: 6
---
# Apple Pie

- **Serves**: 6
- **Uses**: Butter, Flour, Cinnamon
- **Depends on**: Ripe Apples
- **Owner**: Grandma
- **Type**: Dessert

## Ingredients
| Component | Amount | Uses |
|---|---|---|
| Pie Crust | 1 | Butter |
| Filling | 2 cups | Apples |

The crust uses butter. The filling requires apples. Serve with Custard Service spoons. Mix -> Rest -> Bake -> Cool.`,

  encyclopaedia: `# Franz Kafka

Franz Kafka (3 July 1883 – 3 June 1924) was a German-speaking Bohemian novelist. He worked for the Workers Accident Insurance Institute. His work influenced Max Brod.
Brod owned the manuscripts. The National Library of Israel depends on donations and uses a climate-controlled archive. The Civil Service employed him; the Austrian Postal Service sends letters to Vienna.`,

  meeting: `# Meeting notes, 12 May

Attendees: Anna, Ben, the Marketing Team, the Sales Team

- **Owner**: Anna
- **Depends on**: Budget approval
- The Sales Team owns the customer list.
- The Marketing Team uses posters and depends on the Print Shop.
- Budget -> Approval -> Launch
- Lunch service is ordered by Ben. Next meeting in the Oracle room.`,

  sport: `# Team United

## Teams
- **Arsenal**: London club
- **Chelsea**: also London

Team United uses a back four. United produces young players and sends them to Rovers. The stadium is owned by Team United.`,

  travel: `# Route

London -> Paris -> Milan. The Night Train Service connects to the Ferry Service. The ferry depends on the weather. Gateway of India is near the Taj. The Palace Database of Curiosities was closed.`,
};

describe('documents that are not about systems', () => {
  test.each(Object.entries(OTHER_TEXTS))('%s: nothing is invented', async (name, text) => {
    expect(entitiesIn(await extractFrom(`${name}.md`, text))).toEqual([]);
    expect(entitiesIn(await extractFrom(`${name}.txt`, text))).toEqual([]);
  });

  test('a whole encyclopaedia of people, films and places gives no entity', async () => {
    const { documents } = makeCorpus({
      seed: 99,
      families: 60,
      questions: 40,
      kinds: ['bridge', 'chain', 'comparison', 'double', 'description'],
      pagesPerQuestion: 8,
    });
    for (const { id, title, text } of documents) {
      expect(entitiesIn(await extractFrom(`${id}.md`, `# ${title}\n\n${text}\n`)), title).toEqual([]);
    }
    expect(documents.length).toBeGreaterThan(150);
  });
});
