import type { Choices } from './random.ts';
import { ASIDES, COUNTRIES, FEMALE, GENRES, MALE, PLACE_ENDS, PLACE_STARTS, SURNAMES } from './words.ts';
import { awardName, type Company, type Page, type Person, type Thing } from './world.ts';

/** The lead paragraph of a page, in the manner of an encyclopaedia: varied sentences, partial names, names without a page. */
export function passageOf(page: Page, choices: Choices): string {
  const sentences = SENTENCES[page.kind](page as never, choices);
  if (choices.chance(0.35)) sentences.push(`${choices.one(ASIDES)}.`);
  if (choices.chance(0.3)) sentences.push(stray(choices));
  return sentences.join(' ');
}

/** A sentence whose names lead nowhere. */
function stray(choices: Choices): string {
  const someone = `${choices.one([...MALE, ...FEMALE])} ${choices.one(SURNAMES)}`;
  const somewhere = `${choices.one(PLACE_STARTS)}${choices.one(PLACE_ENDS)}`;
  return choices.one([
    `An exhibition organised by ${someone} was held in ${somewhere}.`,
    `It won the ${awardName(choices)} in ${choices.between(1930, 2015)}.`,
    `${someone} later described the events in a memoir.`,
    `A documentary by ${someone} was shown in ${choices.one(COUNTRIES)[0]}.`,
  ]);
}

/** A person as running text names them: mostly in full, at times with a title, an initial or the surname alone. */
function called(person: Person, choices: Choices): string {
  const roll = choices.next();
  if (roll < 0.06) return `${person.female ? 'Lady' : 'Sir'} ${person.name}`;
  if (roll < 0.12 && person.name.split(' ').length === 2) return `${person.name[0]}. ${person.surname}`;
  return person.name;
}

function listed(things: readonly string[]): string {
  return things.length < 2 ? things.join('') : `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`;
}

function life(person: Person): string {
  return person.died ? `(${person.birthDay} – ${person.died})` : `(born ${person.birthDay})`;
}

function aOr(word: string): string {
  return /^[aeiou]/i.test(word) ? `an ${word}` : `a ${word}`;
}

type Sentences = { [Kind in Page['kind']]: (page: Extract<Page, { kind: Kind }>, choices: Choices) => string[] };

const SENTENCES: Sentences = {
  person(person, choices) {
    const pronoun = person.female ? 'She' : 'He';
    const short = choices.chance(0.4) ? person.surname : pronoun;
    const out = [`${person.name} ${life(person)} ${person.died ? 'was' : 'is'} ${aOr(person.nationality.adjective)} ${person.occupation}.`];
    if (person.birthName) out.push(`${pronoun} was born ${person.birthName}.`);
    if (choices.chance(0.85)) {
      out.push(
        choices.one([
          `${short} was born in ${person.birthplace.name}, ${person.birthplace.region.name}.`,
          `${pronoun} grew up in ${person.birthplace.name}.`,
          `Born in ${person.birthplace.name}, ${person.surname} moved to ${choices.one(COUNTRIES)[0]} as a child.`,
        ]),
      );
    }
    const parents = [person.father, person.mother].filter((parent) => parent !== undefined);
    if (parents.length > 0 && choices.chance(0.8)) {
      out.push(
        choices.one([
          `${pronoun} was the ${person.female ? 'daughter' : 'son'} of ${listed(parents.map((parent) => called(parent, choices)))}.`,
          `${person.female ? 'Her' : 'His'} father was ${parents[0] ? called(parents[0], choices) : 'unknown'}${parents[1] ? ` and ${person.female ? 'her' : 'his'} mother ${called(parents[1], choices)}` : ''}.`,
        ]),
      );
    }
    if (person.spouse && choices.chance(0.8)) {
      out.push(
        choices.one([
          `${short} married ${called(person.spouse, choices)}.`,
          `${pronoun} was the ${person.female ? 'wife' : 'husband'} of ${person.spouse.name}.`,
        ]),
      );
    }
    if (person.school)
      out.push(
        choices.one([
          `${pronoun} studied at ${person.school.name}.`,
          `${short} was educated at ${person.school.name} and later taught there.`,
        ]),
      );
    for (const { verb, work, year } of choices.shuffled(person.works).slice(0, 2)) {
      if (choices.chance(0.7))
        out.push(
          choices.one([
            `${pronoun} ${verb} ${work.name} (${year}).`,
            `In ${year} ${short} ${verb} ${work.name}.`,
            `Among other things, ${pronoun.toLowerCase()} ${verb} ${work.name}.`,
          ]),
        );
    }
    if (person.deathplace && choices.chance(0.6)) out.push(`${short} died in ${person.deathplace.name} in ${person.died}.`);
    return out;
  },
  place(place, choices) {
    const kind = place.population > 80_000 ? 'city' : choices.one(['town', 'village', 'municipality']);
    return [
      `${place.name} is a ${kind} in ${place.region.name}, ${place.region.country.name}.`,
      choices.one([`It lies on the ${place.river}.`, `The ${place.river} runs through the ${kind}.`, 'It is known for its market square.']),
      `The population was ${place.population.toLocaleString('en')} at the ${choices.between(1990, 2020)} census.`,
    ];
  },
  region(region, choices) {
    return [
      `${region.name} is an administrative division of ${region.country.name}.`,
      ...(region.seat ? [choices.one([`Its seat is ${region.seat.name}.`, `The largest town is ${region.seat.name}.`])] : []),
      `It covers ${choices.between(90, 9000)} square kilometres.`,
    ];
  },
  school(school, choices) {
    return [
      `${school.name} is ${choices.one(['a public research university', 'a private college', 'an institution of higher education'])} in ${school.place.name}, ${school.place.region.country.name}.`,
      `It was ${choices.one(['founded', 'established'])} in ${school.founded} by ${called(school.founder, choices)}.`,
      `About ${choices.between(2, 60)},000 students are enrolled.`,
    ];
  },
  company(company, choices) {
    return [
      `${company.name} is ${choices.one(['a company', 'an entertainment company', 'a publisher and producer'])} based in ${company.place.name}.`,
      `It was founded in ${company.founded} by ${called(company.founder, choices)}.`,
      ...(company.parent
        ? [
            choices.one([
              `It is a subsidiary of ${company.parent.name}.`,
              `In ${choices.between(1991, 2012)} it was acquired by ${company.parent.name}.`,
            ]),
          ]
        : []),
    ];
  },
  film(film, choices) {
    const stars = listed(film.stars.map((star) => called(star, choices)));
    const genre = `${film.genre} film`;
    const out = [
      choices.one([
        `${film.name} is a ${film.year} ${film.country.adjective} ${genre} directed by ${called(film.director, choices)} and starring ${stars}.`,
        `${film.name} is ${aOr(film.country.adjective)} ${genre} from ${film.year}, directed by ${called(film.director, choices)}. The cast includes ${stars}.`,
        `Released in ${film.year}, ${film.name} is ${aOr(film.genre)} film by director ${called(film.director, choices)}, with ${stars} in the leading roles.`,
      ]),
    ];
    if (choices.chance(0.6)) out.push(`It was produced by ${called(film.producer, choices)} for ${film.studio.name}.`);
    if (film.source) out.push(`The screenplay is based on the novel ${film.source.name} by ${film.source.author.name}.`);
    if (choices.chance(0.3))
      out.push(`The film premiered in ${choices.one(COUNTRIES)[0]} and was later remade as a ${choices.one(GENRES)} film.`);
    return out;
  },
  novel(novel, choices) {
    return [
      choices.one([
        `${novel.name} is a ${novel.year} novel by ${called(novel.author, choices)}.`,
        `${novel.name} is a novel written by ${novel.author.name}, first published in ${novel.year}.`,
      ]),
      `It was published by ${novel.publisher.name}.`,
      choices.one(['The story follows three generations of a family.', 'It is set during a long winter.', 'The narrator is never named.']),
    ];
  },
  band(band, choices) {
    return [
      `${band.name} ${choices.one(['are', 'were'])} ${aOr(band.place.region.country.adjective)} ${band.style} band formed in ${band.place.name} in ${band.formed}.`,
      `The ${choices.one(['group', 'line-up', 'band'])} consisted of ${listed(band.members.map((member) => called(member, choices)))}.`,
    ];
  },
  album(album, choices) {
    return [
      choices.one([
        `${album.name} is ${choices.one(['the second', 'the debut', 'a studio', 'a live'])} album by ${album.performer.name}, released in ${album.year}.`,
        `${album.name} is an album by ${performerWords(album.performer)} ${album.performer.name}. It was released in ${album.year}.`,
      ]),
      `It was issued by ${album.label.name}.`,
    ];
  },
  song(song, choices) {
    return [
      choices.one([
        `"${song.name}" is a song by ${song.performer.name} from the album ${song.album.name}.`,
        `"${song.name}" is a ${song.year} single recorded by ${performerWords(song.performer)} ${song.performer.name}. It appears on ${song.album.name}.`,
      ]),
      `It was written by ${called(song.writer, choices)}.`,
    ];
  },
};

function performerWords(performer: Thing): string {
  const band = performer as { kind?: string; place?: Company['place'] };
  return band.kind === 'band' ? `${band.place?.region.country.adjective ?? ''} band`.trim() : 'singer';
}
