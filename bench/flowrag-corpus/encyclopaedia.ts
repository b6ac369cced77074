import type { Corpus, CorpusQuestion } from './corpus.ts';
import { BANDS, COMPANIES, DISTRACTORS, FILMS, PEOPLE, PLACES, SCHOOLS } from './facts.ts';
import { Choices } from './random.ts';

/**
 * Short pages about films, people, bands, companies, schools and places that exist, with questions in the manner of the
 * public multi-hop sets. It was written after the ranking and apart from the invented encyclopaedias: no sentence is shared.
 */
export function encyclopaedia(count: number): Corpus {
  const choices = new Choices(2026);
  const pages = new Map<string, string>();
  const titles: Titles = { of: (name, kind) => (name === 'Nirvana' && kind === 'band' ? 'Nirvana (band)' : name) };
  for (const fact of rows(FILMS)) pages.set(filmTitle(fact), filmPage(fact, choices));
  for (const fact of rows(FILMS)) if (novelOf(fact)) novelPage(fact, pages, choices);
  for (const fact of rows(PEOPLE)) pages.set(cell(fact, 0), personPage(fact, choices));
  for (const fact of rows(BANDS)) {
    pages.set(titles.of(cell(fact, 0), 'band'), bandPage(fact, choices));
    pages.set(albumTitle(fact), albumPage(fact, choices));
  }
  for (const fact of rows(COMPANIES)) pages.set(cell(fact, 0), companyPage(fact, choices));
  for (const fact of rows(PLACES)) pages.set(cell(fact, 0), placePage(fact, choices));
  for (const fact of rows(SCHOOLS)) pages.set(cell(fact, 0), schoolPage(fact, choices));
  for (const [title = '', text = ''] of rows(DISTRACTORS)) if (!pages.has(title)) pages.set(title, text);
  const ids = new Map(choices.shuffled([...pages.keys()]).map((title, index) => [title, `e${index}`]));
  const asked = choices.shuffled(questions(titles, choices)).filter(({ gold }) => gold.every((title) => ids.has(title)));
  return {
    documents: [...ids].map(([title, id]) => ({ id, title, text: pages.get(title) as string })),
    questions: evenly(asked, count).map((question) => ({ ...question, gold: question.gold.map((title) => ids.get(title) as string) })),
  };
}

type Fact = string[];
interface Titles {
  of(name: string, kind: string): string;
}

function rows(table: string): Fact[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|'));
}

function cell(fact: Fact, index: number): string {
  return fact[index] ?? '';
}

/** As many questions of each kind as the count allows. */
function evenly(asked: readonly CorpusQuestion[], count: number): CorpusQuestion[] {
  const kinds = [...Map.groupBy(asked, ({ kind }) => kind).values()];
  const chosen: CorpusQuestion[] = [];
  for (let index = 0; chosen.length < count && kinds.some((kind) => kind[index]); index++)
    for (const kind of kinds) if (kind[index] && chosen.length < count) chosen.push(kind[index] as CorpusQuestion);
  return chosen;
}

const SAME_NAME = new Set(rows(FILMS).flatMap((fact) => (novelOf(fact)?.novel === fact[0] ? [cell(fact, 0)] : [])));

/** A film that is called like its novel, or like a place or a person, has its kind in brackets. */
function filmTitle([title = '', year]: Fact): string {
  return SAME_NAME.has(title) || title === 'Marie Antoinette' ? `${title} (${year} film)` : title;
}

function albumTitle(fact: Fact): string {
  return cell(fact, 4) === 'Arrival' || cell(fact, 4) === 'Kick' ? `${cell(fact, 4)} (album)` : cell(fact, 4);
}

function novelOf(fact: Fact): { novel: string; author: string } | undefined {
  const [, novel, author] = /^(.*) by (.*)$/.exec(cell(fact, 5)) ?? [];
  return novel && author ? { novel, author } : undefined;
}

function filmPage(fact: Fact, choices: Choices): string {
  const [title = '', year = '', director = '', star = '', composer = '', , setting = ''] = fact;
  const novel = novelOf(fact);
  const based = novel
    ? choices.one([`, an adaptation of ${novel.author}'s book ${novel.novel}`, ` after ${novel.novel} by ${novel.author}`])
    : '';
  const opening = choices.one([
    `${title} is a ${year} motion picture with ${director} as its director${based}.`,
    `Released in ${year}, ${title} was made by ${director}${based}.`,
    `${title} is a film that ${director} directed in ${year}${based}.`,
  ]);
  const cast = choices.one([
    `${star} heads the cast.`,
    `The leading part is played by ${star}.`,
    `${star} stars, and the story unfolds in ${setting}.`,
  ]);
  const music =
    composer === '-' ? 'Critics praised its photography.' : choices.one([`${composer} wrote the score.`, `The music is by ${composer}.`]);
  return [opening, cast, music].join(' ');
}

function novelPage(fact: Fact, pages: Map<string, string>, choices: Choices): void {
  const { novel, author } = novelOf(fact) as { novel: string; author: string };
  const text = choices.one([
    `${novel} is a work of fiction by ${author}. It was translated into many languages and sold widely before anybody thought of filming it.`,
    `${author} published ${novel} to mixed reviews; readers liked it better than the critics did. It has not been out of print since.`,
    `A book by ${author}, ${novel} is taught in schools and was adapted for radio and for the stage.`,
  ]);
  pages.set(novel, text);
}

function personPage(fact: Fact, choices: Choices): string {
  const [name = '', born = '', birthplace = '', died = '', nationality = '', work = '', more = ''] = fact;
  const years = died === '-' ? `born ${born}` : `${born} – ${died}`;
  const surname = name.split(' ').at(-1) as string;
  const pronoun = work.includes('actress') || ['Jane Campion', 'Sofia Coppola', 'Daphne du Maurier'].includes(name) ? 'She' : 'He';
  return choices.one([
    `${name} (${years}) ${died === '-' ? 'is' : 'was'} a ${nationality} ${work}. ${pronoun} comes from ${birthplace} and ${more}.`,
    `${name} (${years}), ${nationality} ${work}, grew up in ${birthplace}, where ${surname} was born. ${pronoun} ${more}.`,
    `Born in ${birthplace} in ${born}, ${name} made a name as a ${nationality} ${work}${died === '-' ? '' : ` until ${surname}'s death in ${died}`}. ${surname} ${more}.`,
  ]);
}

function bandPage([name, formed, city, singer, album, , label]: Fact, choices: Choices): string {
  return choices.one([
    `${name} got together in ${city} in ${formed}, fronted by ${singer}. ${album} is counted among their best records.`,
    `The group ${name} started out in ${city} in ${formed}. Its voice is ${singer}; ${label} released ${album}.`,
  ]);
}

function albumPage([name, , , , album, year, label]: Fact, choices: Choices): string {
  return choices.one([
    `${album} is a record by ${name}, put out by ${label} in ${year}. It topped the charts in several countries.`,
    `In ${year} ${label} brought out ${album}, which ${name} had recorded over many months.`,
  ]);
}

function companyPage([name, founded, city, founder, makes]: Fact, choices: Choices): string {
  return choices.one([
    `${name} makes ${makes}. ${founder} set it up in ${city} in ${founded}.`,
    `${name} goes back to a business that ${founder} started in ${founded} in ${city}. It is known for ${makes}.`,
  ]);
}

function placePage([name, state, water, thousands, sight]: Fact, choices: Choices): string {
  return choices.one([
    `${name} lies on ${water} in ${state} and has about ${thousands},000 inhabitants. Visitors come to see ${sight}.`,
    `A city of ${state}, ${name} counts some ${thousands},000 people. It stands by ${water}; its best known sight is ${sight}.`,
  ]);
}

function schoolPage([name, founded, place, known]: Fact, choices: Choices): string {
  return choices.one([
    `${name} is a place of higher education in ${place}, established in ${founded} and known for ${known}.`,
    `Students have come to ${name} in ${place} since ${founded}; it has a name for ${known}.`,
  ]);
}

/** Everything that can be asked, with the titles of the pages that hold the answer. */
function questions(titles: Titles, choices: Choices): CorpusQuestion[] {
  return [...aboutFilms(choices), ...aboutBands(titles, choices), ...aboutCompanies(choices), ...comparisons(choices)];
}

function aboutFilms(choices: Choices): CorpusQuestion[] {
  return rows(FILMS).flatMap((fact): CorpusQuestion[] => {
    const [name = '', year, director = '', star, composer = ''] = fact;
    const title = filmTitle(fact);
    const author = novelOf(fact)?.author;
    const birthplace = rows(PEOPLE).find(([person]) => person === director)?.[2] ?? '';
    return [
      {
        kind: 'bridge',
        question: choices.one([
          `In which year was the director of ${name} born?`,
          `What is the nationality of the person who directed the film ${name}?`,
          `Where does the director of the ${year} film ${name} come from?`,
        ]),
        gold: [title, director],
      },
      {
        kind: 'composer',
        question: `Where was the composer of the music for the film ${name} educated or trained?`,
        gold: [title, composer],
      },
      ...(author
        ? [{ kind: 'author', question: `When did the author of the book on which the film ${name} is based live?`, gold: [title, author] }]
        : []),
      {
        kind: 'description',
        question: choices.one([
          `Which city is the birthplace of the director of the ${year} film in which ${star} plays the lead?`,
          `The ${year} film starring ${star} was directed by someone who was born in which town?`,
        ]),
        gold: [title, director],
      },
      {
        kind: 'chain',
        question: `On which river or sea lies the town where the director of ${name} was born?`,
        gold: [title, director, birthplace],
      },
    ];
  });
}

function aboutBands(titles: Titles, choices: Choices): CorpusQuestion[] {
  return rows(BANDS).flatMap((fact): CorpusQuestion[] => {
    const [name = '', , city = '', singer = '', album] = fact;
    const band = titles.of(name, 'band');
    return [
      {
        kind: 'bridge',
        question: choices.one([`Where was the singer of ${name} born?`, `When was the lead singer of the band ${name} born?`]),
        gold: [band, singer],
      },
      { kind: 'album', question: `In which city was the band formed that recorded the album ${album}?`, gold: [albumTitle(fact), band] },
      {
        kind: 'chain',
        question: `What can visitors see in the city where the band that made ${album} was formed?`,
        gold: [albumTitle(fact), band, city],
      },
    ];
  });
}

function aboutCompanies(choices: Choices): CorpusQuestion[] {
  return rows(COMPANIES).flatMap(([name = '', , , founder = '']): CorpusQuestion[] => {
    const [, , birthplace = '', , , , more = ''] = rows(PEOPLE).find(([person]) => person === founder) ?? [];
    const school = rows(SCHOOLS).find(([title = '']) => more.includes(title))?.[0];
    return [
      {
        kind: 'founder',
        question: choices.one([`When was the founder of ${name} born?`, `Where was the man who started ${name} born?`]),
        gold: [name, founder],
      },
      { kind: 'chain', question: `How many people live in the birthplace of the founder of ${name}?`, gold: [name, founder, birthplace] },
      ...(school
        ? [
            {
              kind: 'chain',
              question: `When was the university established at which the founder of ${name} studied?`,
              gold: [name, founder, school],
            },
          ]
        : []),
    ];
  });
}

function comparisons(choices: Choices): CorpusQuestion[] {
  const pairs = (table: string) => {
    const shuffled = choices.shuffled(rows(table));
    return Array.from(
      { length: shuffled.length >> 1 },
      (_, index) => [shuffled[2 * index] as Fact, shuffled[2 * index + 1] as Fact] as const,
    );
  };
  return [
    ...pairs(COMPANIES).map(([a, b]) => ({
      kind: 'comparison',
      question: `Which was founded first, ${a[0]} or ${b[0]}?`,
      gold: [cell(a, 0), cell(b, 0)],
    })),
    ...pairs(PEOPLE).map(([a, b]) => ({
      kind: 'comparison',
      question: choices.one([`Who was born earlier, ${a[0]} or ${b[0]}?`, `Were ${a[0]} and ${b[0]} of the same nationality?`]),
      gold: [cell(a, 0), cell(b, 0)],
    })),
    ...pairs(FILMS).map(([a, b]) => ({
      kind: 'double',
      question: choices.one([
        `Which film has the director who was born first, ${a[0]} or ${b[0]}?`,
        `Do the directors of ${a[0]} and ${b[0]} share a nationality?`,
      ]),
      gold: [...new Set([filmTitle(a), cell(a, 2), filmTitle(b), cell(b, 2)])],
    })),
    ...pairs(FILMS).map(([a, b]) => ({
      kind: 'films',
      question: `Which film came out first, ${a[0]} or ${b[0]}?`,
      gold: [filmTitle(a), filmTitle(b)],
    })),
  ];
}
