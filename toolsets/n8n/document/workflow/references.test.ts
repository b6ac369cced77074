import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { referencesIn, renameReferences } from './references.ts';

describe('renameReferences', () => {
  test.each([
    ["={{ $('Old').item.json.a }}", "={{ $('New').item.json.a }}"],
    ['={{ $("Old").all() }}', '={{ $("New").all() }}'],
    ['={{ $(`Old`).all() }}', '={{ $(`New`).all() }}'],
    ['={{ $node["Old"].json.a }}', '={{ $node["New"].json.a }}'],
    ["={{ $node[ 'Old' ].json }}", "={{ $node[ 'New' ].json }}"],
    ['={{ $node.Old.json }}', '={{ $node.New.json }}'],
    ['={{ $items("Old", 0)[0].json }}', '={{ $items("New", 0)[0].json }}'],
    ['=_("Old").first()', '=_("New").first()'],
    ['={ "a": "{{ $node[\\"Old\\"].json }}" }', '={ "a": "{{ $node[\\"New\\"].json }}" }'],
    ["={{ $('Old one') }} Old {{ $('Older') }}", "={{ $('Old one') }} Old {{ $('Older') }}"],
    ['={{ $json.Old }}', '={{ $json.Old }}'],
  ])('%s', (before, after) => {
    expect(renameReferences(before, 'Old', 'New')).toBe(after);
  });

  test('spells any name so that it is read back', () => {
    const name = fc.string({ minLength: 1, maxLength: 20 });
    const spellings = [
      (text: string) => `={{ $(${JSON.stringify(text)}).item }}`,
      (text: string) => `={{ $node['${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'].json }}`,
    ];
    fc.assert(
      fc.property(name, name, fc.constantFrom(...spellings), (from, to, spell) => {
        fc.pre(!(from + to).includes('\\'));
        const renamed = renameReferences(spell(from), from, to);
        expect(referencesIn(renamed)).toContain(to);
        if (from !== to) expect(referencesIn(renamed)).not.toContain(from);
      }),
    );
  });
});
