import type { Choices } from './random.ts';
import type { Album, Band, Film, Novel, Page, Person, Place, School, Song, World } from './world.ts';

export interface Question {
  text: string;
  kind: 'bridge' | 'chain' | 'comparison' | 'double' | 'description';
  gold: Page[];
}

/** A draft is kept only when each passage really tells what leads to the next. */
type Draft = { text: string; gold: Page[] } | null;
type Ask = (world: World, choices: Choices) => Draft;

/** Asks `count` questions that need two or more pages, of the given kinds in turn. */
export function askQuestions(
  world: World,
  choices: Choices,
  count: number,
  kinds: readonly Question['kind'][],
  tells: (page: Page, next: Page) => boolean,
): Question[] {
  const questions: Question[] = [];
  const seen = new Set<string>();
  for (let attempt = 0; questions.length < count && attempt < count * 200; attempt++) {
    const kind = kinds[questions.length % kinds.length] as Question['kind'];
    const draft = choices.one(ASKS[kind])(world, choices);
    if (!draft || seen.has(draft.text) || new Set(draft.gold).size < draft.gold.length) continue;
    const chained = kind === 'bridge' || kind === 'chain' || kind === 'description';
    if (chained && !draft.gold.every((page, index) => index === 0 || tells(draft.gold[index - 1] as Page, page))) continue;
    if (kind === 'double' && !(tells(draft.gold[0] as Page, draft.gold[1] as Page) && tells(draft.gold[2] as Page, draft.gold[3] as Page)))
      continue;
    seen.add(draft.text);
    questions.push({ ...draft, kind });
  }
  return questions;
}

/** What can be asked of a person, given how the question names them. */
function aboutPerson(person: Person, named: string, choices: Choices): Draft {
  const asks: (() => Draft)[] = [
    () => ({
      text: choices.one([`Where was ${named} born?`, `What is the place of birth of ${named}?`, `In which place was ${named} born?`]),
      gold: [person],
    }),
    () => ({ text: choices.one([`What nationality is ${named}?`, `Which country is ${named} from?`]), gold: [person] }),
    () => ({ text: choices.one([`When was ${named} born?`, `What is the date of birth of ${named}?`]), gold: [person] }),
    () =>
      person.died
        ? {
            text: choices.one([`When did ${named} die?`, `Where did ${named} die?`, `What is the place of death of ${named}?`]),
            gold: [person],
          }
        : null,
    () =>
      person.spouse ? { text: choices.one([`Who is the spouse of ${named}?`, `Who was ${named} married to?`]), gold: [person] } : null,
    () => (person.father ? { text: choices.one([`Who is the father of ${named}?`, `Who is ${named}'s father?`]), gold: [person] } : null),
    () =>
      person.school ? { text: choices.one([`Where did ${named} study?`, `Which school did ${named} attend?`]), gold: [person] } : null,
  ];
  return choices.one(asks)();
}

function through(first: Page, draft: Draft): Draft {
  return draft && { text: draft.text, gold: [first, ...draft.gold] };
}

const filmNamed = (film: Film, choices: Choices) => choices.one([`film ${film.title}`, `the film ${film.name}`, `${film.name}`]);

/** Work or person to person, then a fact of that person. */
const BRIDGES: Ask[] = [
  (world, choices) => {
    const film = choices.one(world.films);
    return through(film, aboutPerson(film.director, `the director of ${filmNamed(film, choices)}`, choices));
  },
  (world, choices) => {
    const film = choices.one(world.films);
    return through(film, aboutPerson(film.producer, `the producer of ${filmNamed(film, choices)}`, choices));
  },
  (world, choices) => {
    const song = choices.one(world.songs);
    return through(song, aboutPerson(song.writer, `the composer of ${choices.one(['song', 'the song'])} ${song.name}`, choices));
  },
  (world, choices) => {
    const album = choices.one(world.albums);
    return album.performer.kind === 'person'
      ? through(
          album,
          aboutPerson(album.performer, choices.one([`the ${album.name} performer`, `the performer of ${album.name}`]), choices),
        )
      : null;
  },
  (world, choices) => {
    const novel = choices.one(world.novels);
    return through(novel, aboutPerson(novel.author, choices.one([`the author of ${novel.title}`, `the writer of ${novel.name}`]), choices));
  },
  (world, choices) => {
    const person = choices.one(world.people);
    return person.father
      ? through(person, aboutPerson(person.father, choices.one([`${person.name}'s father`, `the father of ${person.name}`]), choices))
      : null;
  },
  (world, choices) => {
    const person = choices.one(world.people);
    return person.spouse
      ? through(
          person,
          aboutPerson(
            person.spouse,
            choices.one([`${person.name}'s ${person.female ? 'husband' : 'wife'}`, `the spouse of ${person.name}`]),
            choices,
          ),
        )
      : null;
  },
];

/** Three and more pages in a row. */
const CHAINS: Ask[] = [
  (world, choices) => {
    const person = choices.one(world.people);
    const grandparent = choices.one([person.father?.father, person.mother?.father]);
    const between = grandparent && (person.father?.father === grandparent ? person.father : person.mother);
    return grandparent && between
      ? { text: `Who is ${person.name}'s ${between.female ? 'maternal' : 'paternal'} grandfather?`, gold: [person, between] }
      : null;
  },
  (world, choices) => {
    const song = choices.one(world.songs);
    if (song.performer.kind !== 'band') return null;
    const band: Band = song.performer;
    return {
      text: choices.one([
        `In which county is the city where the performer of ${song.name} was formed?`,
        `What administrative division contains the place where the band behind ${song.name} was formed?`,
      ]),
      gold: [song, band, band.place],
    };
  },
  (world, choices) => {
    const album = choices.one(world.albums);
    return {
      text: choices.one([
        `Where was the founder of the record label of ${album.name} born?`,
        `Who founded the company which issued ${album.name}, and where was this person born?`,
      ]),
      gold: [album, album.label, album.label.founder],
    };
  },
  (world, choices) => {
    const film = choices.one(world.films);
    return {
      text: choices.one([
        `In what region was the director of ${film.name} born?`,
        `What division is the birthplace of ${film.name}'s director located in?`,
      ]),
      gold: [film, film.director, film.director.birthplace],
    };
  },
  (world, choices) => {
    const film = choices.one(world.films);
    const school: School | undefined = film.director.school;
    return school
      ? { text: `Who founded the university where the director of ${film.name} was educated?`, gold: [film, film.director, school] }
      : null;
  },
  (world, choices) => {
    const person = choices.one(world.people);
    return person.spouse?.school
      ? {
          text: `What city is the college attended by the spouse of ${person.name} in?`,
          gold: [person, person.spouse, person.spouse.school],
        }
      : null;
  },
  (world, choices) => {
    const film = choices.one(world.films);
    return film.source
      ? {
          text: `Who was the publisher of the book that ${film.name} is based on, and where is it based?`,
          gold: [film, film.source as Novel, film.source.publisher],
        }
      : null;
  },
  (world, choices) => {
    const song = choices.one(world.songs);
    const label = (song.album as Album).label;
    return {
      text: `What is the parent company, or home, of the label that released the album with ${song.name}?`,
      gold: [song as Song, song.album, label, label.place],
    };
  },
];

const COMPARISONS: Ask[] = [
  (world, choices) => {
    const [first, second] = [choices.one(world.films), choices.one(world.films)];
    return {
      text: choices.one([
        `Which film came out first, ${first.title} or ${second.title}?`,
        `Which film was released earlier, ${first.name} or ${second.name}?`,
        `Are ${first.name} and ${second.name} both ${first.genre} films?`,
      ]),
      gold: [first, second],
    };
  },
  (world, choices) => {
    const [first, second] = [choices.one(world.people), choices.one(world.people)];
    return {
      text: choices.one([
        `Who was born first, ${first.name} or ${second.name}?`,
        `Who lived longer, ${first.name} or ${second.name}?`,
        `Do ${first.name} and ${second.name} have the same nationality?`,
        `What occupation do ${first.name} and ${second.name} share?`,
      ]),
      gold: [first, second],
    };
  },
  (world, choices) => {
    const [first, second] = [choices.one(world.places), choices.one(world.places)];
    return {
      text: choices.one([
        `Are ${first.name} and ${second.name} located in the same country?`,
        `Which has more people, ${first.name} or ${second.name}?`,
      ]),
      gold: [first, second],
    };
  },
  (world, choices) => {
    const [first, second] = [choices.one(world.bands), choices.one(world.albums)];
    return { text: `Which came first, the founding of ${first.name} or the release of ${second.name}?`, gold: [first, second] };
  },
];

/** Two bridges and a comparison: four pages. */
const DOUBLES: Ask[] = [
  (world, choices) => {
    const [first, second] = [choices.one(world.films), choices.one(world.films)];
    const text = choices.one([
      `Which film has the director who was born first, ${first.title} or ${second.title}?`,
      `Do both directors of films ${first.name} and ${second.name} have the same nationality?`,
      `Which film whose director died earlier, ${first.title} or ${second.title}?`,
    ]);
    return { text, gold: [first, first.director, second, second.director] };
  },
];

/** Questions that describe the first page instead of naming it. */
const DESCRIPTIONS: Ask[] = [
  (world, choices) => {
    const person = choices.one(world.people);
    const place: Place = person.birthplace;
    return {
      text: `What is the population of the town where the ${person.nationality.adjective} ${person.occupation} born on ${person.birthDay} grew up?`,
      gold: [person, place],
    };
  },
  (world, choices) => {
    const film = choices.one(world.films);
    const star = film.stars[0] as Person;
    return through(
      film,
      aboutPerson(
        star,
        `the star of a ${film.year} ${film.country.adjective} ${film.genre} film directed by ${film.director.name}`,
        choices,
      ),
    );
  },
  (world, choices) => {
    const band = choices.one(world.bands);
    return through(
      band,
      aboutPerson(
        band.members[0] as Person,
        `the first-named member of the ${band.style} band formed in ${band.place.name} in ${band.formed}`,
        choices,
      ),
    );
  },
  (world, choices) => {
    const novel = choices.one(world.novels);
    return through(novel, aboutPerson(novel.author, `the novelist who wrote a ${novel.year} book for ${novel.publisher.name}`, choices));
  },
];

const ASKS: Record<Question['kind'], Ask[]> = {
  bridge: BRIDGES,
  chain: CHAINS,
  comparison: COMPARISONS,
  double: DOUBLES,
  description: DESCRIPTIONS,
};
